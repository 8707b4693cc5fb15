/** All answers of a page, and Python behind them, which is loaded when a reader first enters or runs an answer. */
import { Answer, Cell } from "./answer.js";
import { make } from "./element.js";
import { megabytes } from "./files.js";
import { KEPT, showProgress, together } from "./progress.js";
import { Python, TIRED } from "./python.js";
import { CHAPTER, EDITOR, FOLDER, PYTHON } from "./settings.js";

export const SIZE = megabytes([EDITOR, ...Object.values(PYTHON)].flat().reduce((sum, [, bytes]) => sum + bytes, 0));

/** What Python is told of the reader's work: which checks hold, and each answer as it was right last, if it was. */
function known() {
  const exercises = Object.values(CHAPTERS).flatMap(Object.keys);
  const earlier = exercises.map((name) => [name, KEPT.answer(name)?.right ?? KEPT.answer(name)?.code]);
  return { held: KEPT.held(), earlier: Object.fromEntries(earlier) };
}

export class Bench {
  #busy = Promise.resolve();
  #runs = 0;
  /** @type {Cell | undefined} */
  #waits;
  bar = make("progress", { className: "tl-arriving" });

  /** @param {HTMLElement[]} places */
  constructor(places) {
    this.python = new Python(PYTHON, FOLDER, (done, all) => this.#arriving(done, all));
    this.cells = places.map((place, i) => new (place.id ? Answer : Cell)(place, i + 1, this));
  }
  get answers() {
    return this.cells.filter((cell) => cell instanceof Answer);
  }

  /** Load Python, and show its progress beside the cell that needs it. @param {Cell} answer */
  async wake(answer) {
    if (this.python.begun || this.#waits) return;
    this.#waits = answer;
    answer.status.after(this.bar);
    answer.say(`Python is on its way: ${SIZE} MB`);
    try {
      await this.python.wake();
      answer.say("Python is ready.");
    } catch (error) {
      answer.say(String(error));
    }
    this.bar.remove();
    this.#waits = undefined;
  }
  #arriving(done, all) {
    Object.assign(this.bar, { value: done, max: all, ariaLabel: "Python" });
  }

  /** Run a cell when those before it are done. @param {Cell} answer */
  run(answer) {
    this.#runs += 1;
    answer.say("Waiting …");
    answer.place.setAttribute("aria-busy", "true");
    return this.#turn(() => this.#run(answer));
  }

  /** Make Python forget all that was run, once it is idle. While it loads it has run nothing. */
  forget() {
    return this.#turn(async () => this.python.isThere && this.python.end());
  }

  get progress() {
    return together(Object.values(KEPT.states(CHAPTER))).words;
  }
  /** Show what comes after an answer that holds: what is not done yet, or the next page. @param {Answer} answer */
  next(answer) {
    const states = KEPT.states(CHAPTER);
    const after = this.answers.indexOf(answer) + 1;
    const open = [...this.answers.slice(after), ...this.answers].find(({ place }) => states[place.id] !== "done");
    const section = open?.place.closest("section") ?? open?.place; // where it is asked
    const page = /** @type {HTMLAnchorElement?} */ (document.querySelector(".tl-beside a[rel=next]"));
    const href = section ? `#${section.id}` : page?.href;
    const title = open?.function ?? page?.querySelector("b")?.textContent ?? "";
    const link = href ? ["Next: ", make("a", { href }, title)] : [];
    return make("p", { className: "tl-next" }, open ? "" : "All of this page is done. ", ...link);
  }

  /**
   * Show the function of an answer in a widget, when it is its turn.
   * @param {Answer} answer
   * @param {State} at where the controls stand
   * @returns {Promise<object>} a frame
   */
  frame(answer, at) {
    return this.#turn(async () => {
      await this.python.wake();
      if (!(await this.#prepare([...this.#before(answer), answer], answer))) return { trouble: "It was not run." };
      return this.#shown({ cell: answer.place.id, at });
    });
  }
  /** Do something when it is its turn; return what came of it, or its trouble. @param {() => Promise<any>} act */
  #turn(act) {
    const done = this.#busy.then(act).catch((error) => ({ trouble: String(error) }));
    this.#busy = done.then(() => {});
    return done;
  }
  async #shown(question) {
    const { told, ended } = await this.python.ask(question);
    return told?.frame ?? { trouble: told?.note || ended };
  }
  /** A file that is made of all answers, when it is its turn. @param {object} wanted */
  file(wanted) {
    return this.#turn(() => this.#shown({ ...wanted, ...known() }));
  }

  /** @param {Cell} answer */
  #before(answer) {
    return this.cells.slice(0, this.cells.indexOf(answer));
  }
  /** Run those cells that have not been run as they are. @param {Cell[]} cells @param {Cell} answer */
  async #prepare(cells, answer) {
    for (const cell of cells) {
      const isDone = cell.ran.begun === this.python.begun && cell.ran.code === cell.code;
      if (!isDone && !(await this.#ask(cell, answer, false))) return false;
    }
    return true;
  }

  /** @param {Cell} answer */
  async #run(answer) {
    try {
      await answer.open();
      await this.python.wake();
      answer.say("Running …");
      if (!(await this.#prepare(this.#before(answer), answer))) return;
      const told = await this.#ask(answer, answer, answer instanceof Answer);
      if (told) answer.show(told);
      if (told?.looking) this.#look(/** @type {Answer} */ (answer));
    } catch (error) {
      answer.say(String(error));
    } finally {
      answer.place.removeAttribute("aria-busy");
    }
  }

  /**
   * Search for the place of the mistake, in slices, so that other runs get their turn. The search ends when
   * anything else is run, and when the code is changed.
   * @param {Answer} answer
   */
  async #look(answer) {
    const runs = this.#runs;
    const { ran, code } = answer;
    const isWanted = () => runs === this.#runs && ran === answer.ran && code === answer.code;
    let told;
    do {
      told = await this.#turn(async () =>
        isWanted() ? (await this.python.ask({ cell: answer.name, look: true })).told : undefined,
      );
    } while (told?.looking);
    if (!told || !isWanted()) return;
    if (told.hint) answer.showHint(told.hint);
  }

  /**
   * Run a cell for an answer, beside which any trouble is shown.
   * @param {Cell} cell
   * @param {Cell} answer
   * @param {boolean} check
   */
  async #ask(cell, answer, check) {
    const { code } = cell;
    for (const each of this.cells.slice(this.cells.indexOf(cell))) each.ran.begun = 0; // Python forgets them, too
    const question = { cell: cell.name, code, check, seconds: cell.place.id ? 10 : 100, ...known() };
    const { told, late, ended } = await this.python.ask(question, () => answer.say("Still running …"));
    if (told) {
      cell.ran = { begun: this.python.begun, code };
      KEPT.hold(told.held);
      for (const mistake of told.mistakes ?? []) KEPT.choose(mistake, "", false);
      showProgress();
      return told;
    }
    if (check && ended !== TIRED) KEPT.fails(cell.place.id);
    showProgress();
    const note = `${ended} Python starts again and runs the others.`;
    answer.show({ card: late, note: cell === answer ? note : `In ${cell.name}: ${note}` }, "ended");
    this.python.wake().catch(() => {}); // the next run tells
    return undefined;
  }
}
