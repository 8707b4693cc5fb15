/* Notebooks as text: a learner's answers put into one, or taken out of one. Nothing of it is run or shown. */
const LARGEST = 20 * 2 ** 20; // bytes of a file: the grader reads no more either

/** The exercise that a cell answers, or "". */
function exerciseOf(cell) {
  const { grade_id: id, solution } = cell?.metadata?.nbgrader ?? {};
  return cell?.cell_type === "code" && typeof id === "string" && solution === true ? id : "";
}
/** @param {string} code */
const trimmed = (code) => code.replace(/\r\n?/g, "\n").trimEnd();

/**
 * Put answers into a notebook, written as Jupyter writes it: nothing else of it changes, to the byte.
 * @param {string} text
 * @param {{ [exercise: string]: string }} answers
 */
function withAnswers(text, answers) {
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
 * @returns {{ answers: Map<string, string>, held?: object }} `held` is what a `progress.json` says
 */
function broughtIn(text) {
  /** @type {any} */
  let read;
  try {
    read = JSON.parse(text);
  } catch {
    throw new Error("It is no notebook, or a broken one: open it in JupyterLab and save it again.");
  }
  if (!Array.isArray(read?.cells)) {
    const values = read && typeof read === "object" ? Object.values(read) : [];
    if (values.length && values.every((value) => typeof value === "boolean")) return { answers: new Map(), held: read };
    throw new Error("It is no notebook: it has no list of cells.");
  }
  const answers = new Map();
  for (const cell of read.cells) {
    const id = exerciseOf(cell);
    const source = Array.isArray(cell?.source) ? cell.source.filter(isText).join("") : cell?.source;
    if (!id || !isText(source)) continue;
    answers.set(id, trimmed(answers.has(id) ? `${answers.get(id)}\n\n${source}` : source));
  }
  if (!answers.size) throw new Error("It is a notebook, but it has no answers to exercises of this book.");
  return { answers };
}
