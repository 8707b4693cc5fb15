/**
 * The page *Again*: questions come back that were answered wrongly, or some time ago, a few at a time. So do one's
 * own mistakes in exercises, once these are solved.
 */
import { make } from "./element.js";
import { loadScript, save } from "./files.js";
import { KEPT } from "./progress.js";
import { listen } from "./questions.js";

const AT_ONCE = 8; // about five minutes
const FOLDER = document.currentScript?.dataset.folder ?? "";

/**
 * Those of which the time has come, the longest due first, and never two of one page in a row if others are there.
 * @param {Asked[]} questions
 * @param {ReturnType<import("./kept.js").Kept["answers"]>} answers
 * @param {number} now
 */
export function due(questions, answers, now) {
  const waiting = questions.filter(({ id }) => answers[id] && answers[id].due <= now);
  waiting.sort((one, other) => answers[one.id].due - answers[other.id].due);
  const mixed = [];
  while (waiting.length) {
    const other = waiting.findIndex(({ page }) => page !== mixed.at(-1)?.page);
    mixed.push(...waiting.splice(Math.max(other, 0), 1));
  }
  return mixed;
}

/** The questions as Anki reads them: a line each, the question and its right answer. @param {Asked[]} questions */
export function cards(questions) {
  const text = (node) => (node?.innerHTML ?? "").replace(/\s+/g, " ");
  const lines = questions.map(({ html, title }) => {
    const box = new DOMParser().parseFromString(html, "text/html");
    const choices = [...box.querySelectorAll(".tl-option:not(:last-of-type, [data-number]) > summary")].map(
      (one) => `<li>${text(one)}`,
    );
    const right = box.querySelector(".tl-right");
    const asked = `${text(box.querySelector("p"))}${choices.length ? `<ul>${choices.join("")}</ul>` : ""}`;
    const answer = `<b>${text(right?.querySelector("summary"))}</b> ${text(right?.querySelector("p"))}`;
    return [asked, answer, title].join("\t");
  });
  return ["#separator:tab", "#html:true", "#tags column:3", ...lines, ""].join("\n");
}

/**
 * What there is to do.
 * @param {Asked[]} begun those that were answered @param {number} count of those that are due @param {number} later
 */
function told(begun, count, later) {
  const waits = later ? ` Of your mistakes, ${later} will come when their exercises are solved.` : "";
  const how = "what you got wrong comes back here tomorrow, what you got right some days later";
  if (!begun.length) return `Nothing is here yet. Answer questions as you read the chapters: ${how}.${waits}`;
  if (count) return `${count} ${count === 1 ? "question is" : "questions are"} due.${waits}`;
  const answers = KEPT.answers();
  const next = Math.min(...begun.map(({ id }) => answers[id].due));
  const days = Math.max(1, Math.ceil((next - Date.now()) / 86_400_000));
  return `Nothing is due. The next question comes back in ${days} ${days === 1 ? "day" : "days"}.${waits}`;
}

/** The exercise of a mistake, or the id of a question. @param {string} name */
const placeOf = (name) => name.split(":")[0];

/** Those of one's own mistakes whose exercises are solved, and those that have to wait. */
function mistakes() {
  /** @type {{ solved: string[], open: string[] }} */
  const found = { solved: [], open: [] };
  for (const name of Object.keys(KEPT.answers())) {
    if (!name.includes(":")) continue;
    const exercise = placeOf(name);
    const state = KEPT.states(exercise.split("-")[0])[exercise];
    if (state) found[state === "done" ? "solved" : "open"].push(name);
  }
  return found;
}

/** @param {HTMLElement} place @param {Asked[]} questions */
function show(place, questions) {
  const answers = KEPT.answers();
  const begun = questions.filter(({ id }) => answers[id]);
  const waiting = due(questions, answers, Date.now());
  const state = make("p", { role: "status" }, told(begun, waiting.length, mistakes().open.length));
  place.replaceChildren(state);
  for (const { id, page, title, html } of waiting.slice(0, AT_ONCE)) {
    const box = make("div", {});
    box.innerHTML = html.replace(/(<p [^>]*>)Predict: /, "$1Recall: "); // our own, from the build
    const asked = /** @type {HTMLElement} */ (box.firstElementChild);
    const source = make("a", { href: `../${page}#${placeOf(id)}` }, title);
    asked.prepend(make("p", {}, "From ", source)); // what a question speaks of may stand before it
    listen(asked, (chosen, right) => KEPT.choose(id, chosen, right));
    place.append(asked);
  }
  const more = make("div", { className: "tl-again-more" });
  const next = () => {
    show(place, questions);
    place.querySelector("a")?.focus(); // of the first question
  };
  if (waiting.length > AT_ONCE) more.append(button("More", next));
  if (begun.length) {
    const anki = () => save("transformer-lab.txt", cards(begun), "text/plain");
    const answered = () => save("answers.json", `${JSON.stringify({ questions: KEPT.answers() }, null, 1)}\n`);
    more.append(button("Save for Anki", anki), button("Save your answers", answered));
  }
  if (more.childElementCount) place.append(more);
}

/** @param {string} words @param {() => void} act */
function button(words, act) {
  const made = make("button", { type: "button" }, words);
  made.addEventListener("click", act);
  return made;
}

/** Load the questions: those of the chapters, and those about one's own mistakes. */
async function brought() {
  const { solved } = mistakes();
  const chapters = new Set(solved.map((name) => name.split("-")[0]));
  const questions = [];
  for (const file of ["asked", ...[...chapters].map((chapter) => `mistakes-${chapter}`)]) {
    await loadScript(`${FOLDER}${file}.js`);
    questions.push(...window.transformerLabAsked.filter(({ id }) => !id.includes(":") || solved.includes(id)));
  }
  return questions;
}

const place = /** @type {HTMLElement | null} */ (document.querySelector(".tl-again"));
if (place) {
  brought().then(
    (questions) => show(place, questions),
    (error) => place.replaceChildren(make("p", { role: "status" }, String(error))),
  );
}
