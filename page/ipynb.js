/* Notebooks as text: a learner's answers put into one, or taken out of one. Nothing of it is run or shown. */
import { isText } from "./kept.js";

/* The bounds that the grader has too: bytes of a file, its lists and objects; characters of all answers. */
export const LARGEST = 20 * 2 ** 20;
const PARTS = 2 ** 20;
const LONGEST = 100_000;
const MOST = 100; // answers: no chapter has so many

/** The exercise that a cell answers, or "". */
function exerciseOf(cell) {
  const { grade_id: id, solution, grade } = cell?.metadata?.nbgrader ?? {};
  const isAnswer = cell?.cell_type === "code" && (solution === true || grade === false);
  return isAnswer && isText(id) && /^[\w-]{1,100}$/.test(id) ? id : "";
}
/** @param {string} code */
export const trimmed = (code) => code.replace(/\r\n?/g, "\n").trimEnd();

/**
 * Insert answers into a notebook as Jupyter writes it: nothing else of it changes, to the byte.
 * @param {string} text
 * @param {{ [exercise: string]: string }} answers
 */
export function withAnswers(text, answers) {
  const notebook = JSON.parse(text);
  for (const cell of notebook.cells) {
    const id = exerciseOf(cell);
    if (id && Object.hasOwn(answers, id)) cell.source = answers[id].match(/[^\n]*\n|[^\n]+$/g) ?? [];
  }
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

/**
 * Read the answers out of a notebook, by whomever it is; one that was split over several cells is put together.
 * @param {string} text
 * @returns {{ answers: Map<string, string>, held?: object, questions?: object }} the latter are of a `progress.json`
 */
export function broughtIn(text) {
  let begun = 0;
  for (let n = 0; n < text.length && begun <= PARTS; n++) if ("[{".includes(text[n])) begun++;
  if (begun > PARTS) throw new Error(`It has over ${PARTS} parts: clear its outputs, and save it.`);
  /** @type {any} */
  let read;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error("It is not a notebook, or a broken one: save it again.");
  }
  if (!Array.isArray(read?.cells)) {
    const isNote = read && typeof read === "object" && !Array.isArray(read);
    const { questions, ...held } = isNote ? read : {};
    if (isNote && Object.values(held).every((value) => typeof value === "boolean"))
      return { answers: new Map(), held, questions };
    throw new Error("It is not a notebook of format 4.");
  }
  /** @type {Map<string, string[]>} */
  const parts = new Map();
  let length = 0;
  for (const cell of read.cells) {
    const id = exerciseOf(cell);
    const source = Array.isArray(cell?.source) ? cell.source.filter(isText).join("") : cell?.source;
    if (!id || !isText(source)) continue;
    length += id.length + source.length;
    if (length > LONGEST) throw new Error(`Its answers have over ${LONGEST} characters: shorten them.`);
    parts.set(id, [...(parts.get(id) ?? []), source]);
  }
  if (parts.size > MOST) throw new Error(`It answers over ${MOST} exercises.`);
  if (!parts.size) throw new Error("It has no answers.");
  return { answers: new Map([...parts].map(([id, sources]) => [id, trimmed(sources.join("\n\n"))])) };
}
