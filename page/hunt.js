/**
 * The page of a bug hunt: faulty functions, which Python draws from the text in the link. What a reader writes is
 * kept by that text, so the same link brings it back. A class's hunt comes from its notebook, and goes back there.
 */
import { Answer, Cell } from "./answer.js";
import { Bench, SIZE } from "./bench.js";
import { make } from "./element.js";
import { save } from "./files.js";
import { broughtIn, withAnswers } from "./ipynb.js";
import { CHECKS, KEPT, ROOT, showProgress } from "./progress.js";
import { turnTo } from "./settings.js";

/** @typedef {{ id: string, code: string, of: string, checks: string[] }} Fault */
/** @typedef {{ text: string, setup: string, tasks: Fault[] }} Hunt */

const TEXT = /^[a-z_+]{1,300}:[0-9a-f]{6}:[0-9a-f]{16}$/;
const IN_NOTEBOOK = /\bHUNT = \\"([\w+:]{1,400})\\"/;
const LAST = "hunt"; // what the text of the last hunt is kept under
const ABOUT = `The first hunt downloads ${SIZE} MB from this site, once. Ctrl+Enter runs. Tab indents; to leave the \
editor, press Escape, then Tab.`;

/** A function to correct: Python calls it by its number in the hunt, and no other hunt's is kept by its id. */
class Task extends Answer {
  get name() {
    return this.place.dataset.cell ?? "";
  }
}

const bench = new Bench([]);
let shown = ""; // the text of the hunt that is there
let notebook = ""; // from which it came

const status = make("p", { role: "status", className: "tl-doing" });
const cells = make("div", {});
const draws = make("button", { type: "button", className: "tl-run", onclick: () => draw("") }, "Begin a hunt");
const file = make("input", { type: "file", hidden: true, accept: ".ipynb" });
const brings = make("button", { type: "button", onclick: () => file.click() }, "Load a hunt’s notebook");
const takes = make("button", { type: "button", hidden: true, onclick: take }, "Save it with your answers");

/** Draw the hunt of a text, or a new one for "", and show it. @param {string} text */
async function draw(text) {
  draws.disabled = true;
  status.replaceChildren("Python draws a hunt … ", bench.bar);
  /** @type {any} */
  const hunt = await bench.file({ draw: true, hunt: text, after: shown });
  status.replaceChildren(hunt.trouble ?? "");
  draws.disabled = false;
  if (!hunt.trouble) show(hunt);
}

/** @param {Hunt} hunt */
function show({ text, setup, tasks }) {
  const chapter = `hunt-${text.slice(-6)}`;
  turnTo(chapter);
  const named = tasks.map((task) => ({ ...task, cell: task.id, id: task.id.replace("hunt", chapter) }));
  CHECKS[chapter] = Object.fromEntries(named.map(({ id, checks }) => [id, checks]));
  const before = cellOf("tl-setup", "", setup.trim());
  const places = named.map(({ id, cell, code }) => cellOf("tl-answer", id, code, cell));
  bench.python.also = { hunt: text };
  bench.cells = [new Cell(before, 1, bench), ...places.map((place, i) => new Task(place, i + 2, bench))];
  const told = places.flatMap((place, i) => {
    const { of } = named[i];
    const href = `${ROOT}exercises/${of.split("-")[0]}.html#${of}`;
    const asks = make("a", { href }, "What it has to do");
    return [make("h2", {}, `${i + 1}. ${bench.answers[i].function}`), make("p", {}, asks), place];
  });
  const summary = make("summary", {}, "What they call, without faults");
  const called = make("details", { className: "tl-yours" }, summary, before);
  cells.replaceChildren(called, ...told);
  for (const answer of bench.answers) answer.open();
  shown = text;
  notebook = "";
  takes.hidden = true;
  KEPT.keep(LAST, text, "");
  location.hash = text;
  draws.textContent = "Another one";
  showProgress();
}

/** @param {string} className @param {string} id @param {string} code @param {string} cell its name in Python */
function cellOf(className, id, code, cell = "") {
  const shown = make("div", { className: "highlight" }, make("pre", {}, code));
  const place = make("div", { className, id }, make("div", { className: "highlight-python" }, shown));
  place.dataset.cell = cell;
  return place;
}

/** Show the hunt of a notebook, with its answers; those that stood here stay among the earlier ones. */
async function bring() {
  try {
    const text = (await file.files?.[0]?.text()) ?? "";
    const { answers } = broughtIn(text);
    const hunt = IN_NOTEBOOK.exec(text)?.[1] ?? "-";
    await draw(hunt);
    if (hunt !== shown) return;
    for (const answer of bench.answers) {
      const code = answers.get(answer.name);
      if (code && code !== answer.given) answer.replace(code, "Loaded, but not run yet.");
    }
    notebook = text;
    takes.hidden = false;
  } catch (error) {
    status.textContent = String(error);
  }
  file.value = "";
}
function take() {
  const codes = Object.fromEntries(bench.answers.map(({ name, code }) => [name, code]));
  save("hunt.ipynb", withAnswers(notebook, codes), "application/x-ipynb+json");
}

/** Show the hunt of the link, or the last one. */
function begin() {
  const asked = location.hash.slice(1);
  const text = TEXT.test(asked) ? asked : (KEPT.answer(LAST)?.code ?? "");
  if (TEXT.test(text) && text !== shown) draw(text);
}

file.addEventListener("change", bring);
document.documentElement.classList.add("tl-lab");
const help = make("p", { id: "tl-lab-help" }, ABOUT);
const bar = make("div", { className: "tl-lab-intro" }, help, draws, brings, takes, file);
document.querySelector(".tl-hunt")?.replaceChildren(bar, status, cells);
addEventListener("hashchange", begin);
begin();
