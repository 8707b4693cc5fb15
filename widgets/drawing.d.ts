// How the widgets' scripts draw, for `make lint`. No page loads this file.

type Attributes = Record<string, string | number | boolean>;
/** Makes an element. */
type MakeElement = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes?: Attributes,
  ...children: (Node | string)[]
) => HTMLElementTagNameMap[Tag];
/** Makes an element of a drawing. */
type MakeShape = <Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes?: Attributes,
  ...children: (Node | string)[]
) => SVGElementTagNameMap[Tag];

/** Numbers to be read instead of a picture; a row begins with its name. */
interface Table {
  caption: string;
  columns: string[];
  rows: (string | number)[][];
}
/** A widget's own part: elements, and what draws a frame into them and says it in a sentence. */
interface Picture<Frame> {
  main: (Node | string)[];
  side: (Node | string)[];
  draw(frame: Frame): string;
  numbers(frame: Frame): Table[];
}

interface Pictures {
  list<T>(count: number, make: (index: number) => T): T[];
  clamp(value: number, low: number, high: number): number;
  same(a: unknown, b: unknown): boolean;
  h: MakeElement;
  svg: MakeShape;
  /** An empty paragraph. */
  line(kind: string): HTMLElement;
  /** A word in the colour of its role: query, key or value. */
  word(role: string, text: string): HTMLElement;
  /** Whole numbers from 0 to 255: from the first wanted on, so many, or all. */
  bytes(view: DataView, first?: number, count?: number): number[];
  /** Numbers from 0 to 1 that `shares` has packed in Python. */
  shares(view: DataView, first?: number, count?: number): number[];
  /** Numbers that `halves` has packed in Python: IEEE half precision. */
  halves(view: DataView, first?: number, count?: number): number[];
  /** A number as a reader wants it. */
  number(value: number): string;
  /** A name with its indices below the line, as in d_k. */
  named(name: string): (string | Node)[];
  /** Paint a matrix, one pixel a value: opacity is size (full at `scale`), colour is sign. */
  paint(canvas: HTMLCanvasElement, values: number[], rows: number, columns: number, scale?: number): void;
  /** A matrix to read and to walk through. */
  heatMap(ui: Ui, options: MapOptions): HeatMap;
}
interface MapOptions {
  /** Called when the reader chooses a cell, by pointer, touch or keyboard. */
  choose(row: number, column: number): void;
  corner?: string;
  /** The cell that is chosen at first. */
  at?: number[];
  /** With more columns than these only the chosen cell's number is told. */
  most?: number;
}
interface Matrix {
  /** The picture in words. */
  label: string;
  rows: string[];
  columns: string[];
  /** Row after row. */
  values: number[];
  /** The size that has the full colour. */
  scale?: number;
  /** Which cells are hatched. */
  blocked?: (number | boolean)[];
  /** Name a cell, as "query cat, key sat: weight". */
  say(row: number, column: number): string;
  /** Write a cell's number. */
  show?(value: number, index: number): string;
}
interface HeatMap {
  element: HTMLElement;
  /** The row and the column of the chosen cell. */
  at: number[];
  draw(matrix: Matrix): void;
  /** Mark a cell as the chosen one. */
  point(row: number, column: number): void;
  /** The cells, row after row. */
  cells(): HTMLElement[];
}

interface Series {
  name: string;
  y: number[];
}
interface Lines {
  /** The picture in words. */
  label: string;
  /** Numbers, or names for bars. */
  x: any[];
  series: Series[];
  /** The range of y: fixed, so that pictures compare. */
  low: number;
  high: number;
  xLabel?: string;
  yLabel?: string;
  bars?: boolean;
  /** Where a line is drawn. */
  mark?: number;
}
/** From numbers to places in the drawing. */
interface Scales {
  across(value: number): number;
  up(value: number): number;
}

interface Charts {
  /** Series are told apart by dash and colour; several have names, lines at an end and bars above. */
  chart(): { element: SVGElement; draw(lines: Lines): void };
}
