/** What an exercise's editor can do. */
interface Editor {
  focus(): void;
  text(): string;
  /** Mark a line that failed; 0 is none. */
  mark(line: number): void;
  write(text: string): void;
}

interface EditorOptions {
  label: string;
  /** The id of what tells how to leave it. */
  help: string;
  run(): void;
  changed(): void;
}

/** The book's exercises by chapter, and what is checked of each: by the names that progress is noted under. */
interface Chapters {
  [chapter: string]: { [exercise: string]: string[] };
}
/** The same, of each name what it adds to that of its exercise. */
declare const CHAPTERS: Chapters;
/** The page of a chapter's exercises, from the root of the site, unless it is exercises/CHAPTER. */
declare const PAGES: { [chapter: string]: string };
/** What the answers to the exercises of this course are kept under. */
declare const KEPT_AS: string;
type Standing = "new" | "begun" | "done";

/** What the browser keeps of an exercise. */
interface KeptAnswer {
  /** The code that was right when it was run last. */
  right?: string;
  code: string;
  given: string;
  before: string[];
}

/** What a reader chose of a question's answers ("" for none), and when it comes back (ms). */
interface Chosen {
  chosen: string;
  right: boolean;
  /** How often in a row it was right: see Leitner's boxes. */
  box: number;
  due: number;
}

/** A question of the book, or about a mistake: its page and that one's title, and the box that asks it. */
interface Asked {
  id: string;
  page: string;
  title: string;
  html: string;
}

/** What the page asks of Python: to run a cell, for a widget's frame, or for parts of a GPT; see lab.py. */
type Question = { seconds?: number } & (
  | {
      cell: string;
      code: string;
      check: boolean;
      held: { [property: string]: boolean };
      earlier?: { [exercise: string]: string };
    }
  | { cell: string; at: State }
  | { cell: ""; parts: string[]; answers: { [exercise: string]: string }; sizes: object }
  | { cell: string; look: true }
);

/** What Python tells of it: data of whoever wrote the answer, to be looked at before it is shown. */
interface Told {
  said: string;
  line: number;
  note: string;
  card: string;
  holds: boolean;
  held: { [property: string]: boolean };
  /** The known mistakes that the card names, each with its exercise before it. */
  mistakes?: string[];
  /** Whether it goes on looking for the place of a mistake when it is asked to. */
  looking: boolean;
  /** Of the place, when it has been found: a part of a card. */
  hint: string;
  /** Of a widget, if that was asked for. */
  frame?: object;
}

/** The files of Python and the editor: names of scripts, and how many bytes travel for each. */
interface Manifest {
  [file: string]: [script: string, bytes: number][];
}

/** The files of the models that read own words. */
declare const PACKED: Manifest;
/** What readers can train on, and what a training was recorded to be. */
declare const TRAINED: Pick<import("../widgets/train_here.js").Site, "texts" | "kilobytes" | "recorded">;
/** In MB, by the models' names: what a sentence needs, and the whole if that is more. */
declare const SIZES: { [model: string]: [some: number, whole?: number] };

interface Window {
  transformerLabEditor(parent: HTMLElement, text: string, options: EditorOptions): Editor;
  /** All questions of the book, which a script brings. */
  transformerLabAsked: Asked[];
  /** Called by the script that brings this page's notebook. */
  tensorgraderNotebook(text: string): void;
  /** Parts of files, by the names of the scripts that brought them. */
  tensorgraderParts: { [script: string]: string };
}

interface Uint8ArrayConstructor {
  fromBase64?(text: string): Uint8Array<ArrayBuffer>;
}

declare const process: { argv: string[]; exitCode: number };
declare module "@codemirror/*";
declare module "@lezer/highlight";
declare module "pyodide";
declare module "pyodide/*";
