// The shapes that the widgets' scripts share, for `make lint`. No page loads this file.

/** Numbers that a slider moves over, words that are chosen, a switch, or sentences. */
type Stops = number[] | string[] | boolean[] | string[][];
/** All numbers between two bounds: no grid holds them, so the page computes. */
interface Span {
  low: number;
  high: number;
  step: number;
}
/** Where the controls stand. */
type State = Record<string, any>;
type Compute = (state: any, frame: any) => object;

/** What stands behind a widget: a kernel, or the page's host. */
interface Model {
  /** Whether a real model may come to the page, and read own words. */
  reads?: boolean | "at once";
  get(name: string): any;
  set(name: string, value: any): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

/** What the parts of one widget are given. */
interface Ui {
  model: Model;
  /** Unlike that of any other widget on the page. */
  id: string;
  /** Whether somebody computes what readers type. */
  typed: boolean;
  /** Aborted when the widget is taken away. */
  end: AbortSignal;
  /** Listen to the page, until the widget is taken away. */
  on<Type extends keyof HTMLElementEventMap>(
    target: EventTarget,
    event: Type,
    handler: (event: HTMLElementEventMap[Type] & { target: any }) => void,
  ): void;
  /** Listen to a value, until the widget is taken away. */
  watch(name: string, handler: () => void): void;
  /** Say what is wrong with what a reader gave; the next frame takes it back. */
  warn(text: string): void;
  /** Set values, as one change. */
  move(changes: State): void;
  /** The control of a value, to stand in the picture. */
  row(name: string): HTMLElement | undefined;
  /** Bring a module to the page that not every reader wants; elsewhere all of them are there. */
  more?(name: string): Promise<unknown>;
}

/** One trait that has a control. */
interface Trait {
  ui: Ui;
  name: string;
  id: string;
  label: string;
  offer(): any;
  get(): any;
  set(value: any): void;
}
/** An element, and what brings it up to date. */
interface Part<Row extends Element = HTMLElement> {
  row: Row;
  show(): void;
}
interface Control extends Part {
  name: string;
}
interface Silencing {
  offer(ui: Ui, name: string, isOffered: boolean): void;
  reading(ui: Ui, isGPT: boolean): void;
  upTo(ui: Ui, name: string, max: number): number;
  /** Buttons and words, and what brings them up to date; without a chosen head there are no buttons. */
  silence(ui: Ui): {
    element: HTMLElement;
    draw(
      silent: number[][],
      now: { layer: number; head: number; heads: number } | undefined,
      named?: (layer: number) => string,
    ): void;
  };
}

interface Writing {
  chances(ui: Ui): {
    elements: HTMLElement[];
    draw(
      isGPT: boolean,
      next: { names: string[]; model: number[]; kept: number[]; pick: number; die: number; others: number },
    ): string;
  };
  /** The text, its buttons, and what brings them up to date: the next character, and what a head takes for it. */
  writing(ui: Ui): {
    elements: HTMLElement[];
    /** What the model has read, marked. */
    read: HTMLElement;
    draw(isGPT: boolean, next: string, seen: { source: string[]; looks: number[] }): void;
  };
}

interface Controls {
  control(ui: Ui, name: string): Control;
  slider(trait: Trait): Part;
  /** Make the button that plays a control whose stops are numbers; each stays for `pace` milliseconds. */
  player(ui: Ui, name: string, pace: number | ((value: number) => number)): HTMLElement;
}

interface Kit {
  /** A table of numbers, row after row. */
  matrix(caption: string, rows: string[], columns: string[], values: (number | string)[]): Table;
  /** The first row of a table: a name above each column, unless it is "". */
  headings(names: (number | string)[]): HTMLElement;
  /** A row of a table: its name, and its cells. */
  row(cells: (number | string | Element)[]): HTMLElement;
  /** `compute` is for what readers type or drag: the page computes it without a kernel. */
  widget<Frame>(stem: string, build: (ui: Ui) => Picture<Frame>, compute?: Compute): Widget;
}

/** A widget's baked frames, and where its controls stand at first. */
interface Baked {
  axes: Record<string, Stops>;
  free: string[];
  /** What the controls offer that no page has without a real model. */
  more: Record<string, any>;
  state: State;
  /** Nested as the axes follow each other: a list for each axis, and within all of them the frames. */
  frames: any;
  blob: Uint8Array<ArrayBuffer>;
}
/** Write an address that leads back to where the controls stand. */
type Link = (fragment: string) => string;
interface Widget {
  render(place: { model: Model; el: Element; link?: Link; more?: Ui["more"] }): () => void;
  compute?: Compute;
}

interface Window {
  transformerLab: {
    Model: new (data: Baked, start: State, compute?: Compute) => Model & { at: State; show(frame: object): void };
    /** What stands behind the widgets for which real models may come. */
    models: Record<string, Window["transformerLab"]["Model"]>;
    /** Those models, once something was asked of them. */
    words?: {
      ask(question: { widget: string; at: State; baked: object }, place: HTMLElement): Promise<object>;
      has(model: string): boolean;
      /** Put the model that the reader has trained in the place of the GPT. */
      take(content: ArrayBuffer): Promise<void>;
    };
    widgets: Record<string, Widget>;
    /** The modules that every widget's script has from the page's, by the names that it imports. */
    shared?: Record<string, object>;
    /** The widgets on the page that are drawn. */
    mounted: Map<Element, { model: Model }>;
    /** Called by a baked data file: the grid's axes, the first state, the frames and their bytes. */
    baked(widget: string, content: object): void;
  };
}
declare const DOCUMENTATION_OPTIONS: { SHOW_SEARCH_SUMMARY: boolean };
declare const Scorer: { score?(found: [string, string, string, string | null, number, string]): number };
declare const Search: { htmlToText(html: string, anchor?: string): string };
