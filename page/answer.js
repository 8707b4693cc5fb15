/* The code cells of a page: those that prepare, and the answers, which become editors. */
import { builtCard } from "./card.js";
import { make } from "./element.js";
import { isText } from "./kept.js";
import { loadScript } from "./files.js";
import { KEPT, pageOf, ROOT, showProgress } from "./progress.js";
import { CHAPTER, EDITOR, FOLDER } from "./settings.js";

/** @import { Bench } from "./bench.js" */

const HELP = "tl-lab-help"; // the id of what tells how to leave an editor
const WAS = "tl-was-";
const CHANGED = "This exercise has changed: Reset shows it, and keeps yours.";

/** @param {number} count @param {string} what */
export const counted = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

/** A code cell of the page: what prepares, an example to run, or an answer. */
export class Cell {
  /** @type {Editor | undefined} */
  editor;
  /** @type {Promise<void> | undefined} */
  #opening;
  /** How often Python had been begun when this was run, and what was run. */
  ran = { begun: 0, code: "" };
  status = make("span", { className: "tl-doing", role: "status" });
  output = make("div", { className: "tl-output" });
  run = make("button", { type: "button", className: "tl-run", onclick: () => this.bench.run(this) }, "Run");
  bar = make("div", { className: "tl-bar" }, this.run, this.status);

  /** @param {HTMLElement} place @param {number} number of the page's cells @param {Bench} bench */
  constructor(place, number, bench) {
    this.place = place;
    this.number = number;
    this.bench = bench;
    this.shown = /** @type {HTMLElement} */ (place.querySelector(".highlight"));
    this.given = this.begun = this.shown.querySelector("pre")?.textContent?.trimEnd() ?? "";
    const runs = place.classList.contains("tl-example");
    if (runs) place.firstElementChild?.after(this.bar, this.output); // above what the build printed
    if (!runs && !place.id) return;
    // Of what lies within, the theme says by itself whether Tab goes there.
    const ariaLabel = `Your ${this.function}`;
    Object.assign(this.shown, { tabIndex: 0, role: "textbox", ariaMultiLine: "true", ariaLabel });
    this.shown.addEventListener("focusin", () => this.open(true));
  }
  get code() {
    return this.editor?.text() ?? this.begun;
  }
  get function() {
    return /^(?:def|class) (\w+)/m.exec(this.given)?.[1] ?? "code";
  }
  /** What it is called by: no two have the same. */
  get name() {
    return this.place.id || `cell ${this.number} of the page`;
  }

  /** Replace what is shown by the editor. @param {boolean} focus */
  async open(focus = false) {
    this.bench.wake(this);
    this.#opening ??= this.#opened();
    try {
      await this.#opening;
      if (focus) this.editor?.focus();
    } catch (error) {
      this.#opening = undefined;
      this.say(String(error));
    }
  }
  async #opened() {
    await Promise.all(EDITOR.map(([script]) => loadScript(`${FOLDER}${script}`)));
    const options = {
      label: this.shown.ariaLabel ?? "",
      help: HELP,
      run: () => this.bench.run(this),
      changed: () => this.changed(),
    };
    const parent = make("div", { className: "highlight tl-editor" });
    this.editor = window.transformerLabEditor(parent, this.begun, options);
    this.shown.replaceWith(parent);
  }
  changed() {}

  /** @param {string[]} sentences */
  say(...sentences) {
    const words = sentences.filter(Boolean).join(" ");
    if (this.status.textContent !== words) this.status.textContent = words; // else it is heard at each letter
  }

  /** Show what came of it. @param {Partial<Told>} told @param {"run" | "ended"} become */
  show({ said = "", note = "" }, become = "run") {
    this.output.replaceChildren(
      ...(said ? [make("pre", { className: "tl-printed", tabIndex: 0 }, said)] : []),
      ...(note ? [make("p", { className: "tl-note" }, note)] : []),
    );
    this.say();
    this.place.dispatchEvent(new Event(become));
  }
}

export class Answer extends Cell {
  /** What was kept when this page last looked. */
  #known = this.given;
  /** What the exercise gave when this was written. */
  #since = this.given;
  #isPut = false;

  /** @param {HTMLElement} place @param {number} number @param {Bench} bench */
  constructor(place, number, bench) {
    super(place, number, bench);
    this.run.ariaLabel = `Run ${this.function}`;
    const ariaLabel = `Reset ${this.function}`;
    const reset = make("button", { type: "button", ariaLabel, onclick: () => this.reset() }, "Reset");
    this.run.after(reset);
    this.before = make("details", { className: "tl-before", hidden: true });
    place.append(this.bar, this.output, this.before);
    this.showKept();
    if (this.#since !== this.given) this.output.append(make("p", { className: "tl-note" }, CHANGED));
  }
  /** The exercises of earlier editions whose place this one took. */
  get was() {
    return [...this.place.classList].filter((name) => name.startsWith(WAS)).map((name) => name.slice(WAS.length));
  }

  /** Keep what the reader writes, and what of it was found right. @param {string} [right] */
  changed(right) {
    if (this.#isPut) return;
    KEPT.keep(this.place.id, this.code, this.#since, this.#known, right);
    this.#known = this.code;
    if (KEPT.trouble) this.say(KEPT.trouble);
    showProgress();
  }

  /** Show another text. @param {string} code */
  #put(code) {
    if (code === this.code) return;
    this.begun = code;
    this.#isPut = true;
    const shown = this.shown.querySelector("pre");
    if (this.editor) this.editor.write(code);
    else if (shown) shown.textContent = code;
    this.#isPut = false;
  }

  /** Show what is kept, or what was given, and offer the answers that others have replaced. */
  showKept() {
    const { code, given, before } = KEPT.answer(this.place.id) ?? { code: this.given, given: this.given, before: [] };
    this.#since = given;
    this.#known = code;
    this.#put(code);
    const earlier = [...before, ...this.was.map((old) => KEPT.answer(old)?.code)].filter(isText);
    const offers = earlier.flatMap((code, i) => {
      const ariaLabel = `Use this answer: ${i + 1} of ${earlier.length}`;
      const take = make("button", { type: "button", ariaLabel, onclick: () => this.#take(code) }, "Use this answer");
      return [make("pre", { tabIndex: 0 }, code), take];
    });
    const summary = make("summary", {}, `Earlier: ${counted(earlier.length, "answer")}`);
    this.before.replaceChildren(summary, ...offers);
    this.before.hidden = !earlier.length;
  }

  /**
   * Replace this answer by another; this one is kept besides.
   * @param {string} code
   * @param {string} [words]
   */
  replace(code, words = "") {
    KEPT.replace(this.place.id, code, this.given, this.code);
    this.clear();
    this.say(words, KEPT.trouble);
    showProgress();
  }
  #take(code) {
    this.replace(code, "Loaded, but not run yet.");
    this.bar.querySelector("button")?.focus(); // the button that was pressed is gone
  }

  /** Begin anew with what was given. */
  reset() {
    this.replace(this.given, this.code === this.given ? "" : "Your answer is kept below.");
    this.editor?.focus();
  }

  /** Show what is kept, and nothing of what was run. */
  clear() {
    this.showKept();
    this.output.replaceChildren();
    this.say();
  }

  /** Show what came of it. @param {Partial<Told>} told @param {"run" | "ended"} become */
  show({ said, note, card = "", line = 0, holds = false }, become = "run") {
    super.show({ said, note }, become);
    this.output.append(...this.#card(card).childNodes, ...(holds ? [this.bench.next(this)] : []));
    if (holds) {
      this.#since = this.given; // what is asked now holds
      this.changed(this.ran.code);
    }
    this.editor?.mark(line);
    const group = this.output.querySelector("[role=group]");
    const label = group?.getAttribute("aria-label") ?? "";
    const points = holds ? `${label}. ${this.bench.progress}.` : label && `${label}.`;
    this.say(note ? "See below." : points, KEPT.trouble);
  }

  /** Build a card whose links lead back here. @param {string} html */
  #card(html) {
    const built = builtCard(html);
    for (const link of built.querySelectorAll("a[href]")) {
      const [page, section] = (link.getAttribute("href") ?? "").split("#");
      const from = page === pageOf(CHAPTER) ? "" : `${ROOT}${page}?from=${this.place.id}`;
      link.setAttribute("href", `${from}#${section}`);
    }
    return built;
  }
  /** Show where to look, below what was shown. @param {string} html */
  showHint(html) {
    const built = builtCard(html);
    this.say(this.status.textContent ?? "", built.querySelector("p")?.textContent ?? "");
    this.output.querySelector(".tl-card")?.append(...built.childNodes);
  }
}
