/** All answers of a page, and Python behind them, which is loaded when a reader first enters or runs an answer. */
import { Answer, Cell } from "./answer.js";
import { make } from "./element.js";
import { megabytes } from "./files.js";
import { KEPT, showProgress, together } from "./progress.js";
import { Python, TIRED } from "./python.js";
import { CHAPTER, EDITOR, FOLDER, PYTHON } from "./settings.js";

export const SIZE = megabytes([EDITOR, ...Object.values(PYTHON)].flat().reduce((sum, [, bytes]) => sum + bytes, 0));

export class Bench {
  #busy = Promise.resolve();
  #runs = 0;
  /** @type {Answer | undefined} */
  #waits;
  bar = make("progress", { className: "tl-arriving" });

  /** @param {HTMLElement[]} places */
  constructor(places) {
    this.python = new Python(PYTHON, FOLDER, (done, all) => this.#arriving(done, all));
    this.cells = places.map((place, i) => (place.id ? new Answer(place, i + 1, this) : new Cell(place, i + 1)));
  }
  get answers() {
    return this.cells.filter((cell) => cell instanceof Answer);
  }

  /** Load Python, and show its progress beside the answer that needs it. @param {Answer} answer */
  async wake(answer) {
    if (this.python.begun || this.#waits) return;
    this.#waits = answer;
    answer.status.after(this.bar);
    answer.say(`Python is on its way: ${SIZE} MB, this once …`);
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
    Object.assign(this.bar, { value: done, max: all, ariaLabel: `${megabytes(done)} of ${megabytes(all)} MB` });
  }

  /** Run an answer when those before it are done. @param {Answer} answer */
  run(answer) {
    this.#runs += 1;
    answer.place.setAttribute("aria-busy", "true");
    return this.#turn(() => this.#run(answer));
  }
  runAll() {
    for (const answer of this.answers) this.run(answer);
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
    if (open) {
      const { id } = open.place.closest("section") ?? open.place; // where it is asked
      return make("p", { className: "tl-next" }, "Next: ", make("a", { href: `#${id}` }, open.function));
    }
    const page = /** @type {HTMLAnchorElement?} */ (document.querySelector(".tl-beside a[rel=next]"));
    const title = page?.querySelector("b")?.textContent ?? "";
    const link = page ? [" Next: ", make("a", { href: page.href }, title), "."] : [];
    return make("p", { className: "tl-next" }, "All of this page is done.", ...link);
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
    const question = { ...wanted, held: KEPT.held(), earlier: KEPT.written };
    return this.#turn(() => this.#shown(question));
  }

  /** @param {Answer} answer */
  #before(answer) {
    return this.cells.slice(0, this.cells.indexOf(answer));
  }
  /** Run those cells that have not been run as they are. @param {Cell[]} cells @param {Answer} answer */
  async #prepare(cells, answer) {
    for (const cell of cells) {
      const isDone = cell.ran.begun === this.python.begun && cell.ran.code === cell.code;
      if (!isDone && !(await this.#ask(cell, answer, false))) return false;
    }
    return true;
  }

  /** @param {Answer} answer */
  async #run(answer) {
    try {
      await answer.open();
      await this.python.wake();
      answer.say("Running …");
      if (!(await this.#prepare(this.#before(answer), answer))) return;
      const told = await this.#ask(answer, answer, true);
      if (told) answer.show(told);
      if (told?.looking) this.#look(answer);
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
    if (told.card) answer.replaceCard(told.card);
  }

  /**
   * Run a cell for an answer, beside which any trouble is shown.
   * @param {Cell} cell
   * @param {Answer} answer
   * @param {boolean} check
   */
  async #ask(cell, answer, check) {
    const { code } = cell;
    for (const each of this.cells.slice(this.cells.indexOf(cell))) each.ran.begun = 0; // Python forgets them, too
    const question = { cell: cell.name, code, check, held: KEPT.held(), earlier: KEPT.written };
    const { told, late, ended } = await this.python.ask(question, () => answer.say("Still looking …"));
    if (told) {
      cell.ran = { begun: this.python.begun, code };
      KEPT.hold(told.held);
      for (const mistake of told.mistakes ?? []) KEPT.choose(mistake, "", false);
      showProgress();
      return told;
    }
    if (check && ended !== TIRED) KEPT.fails(cell.place.id);
    showProgress();
    const note = `${ended} Python starts again, and runs your other answers by itself.`;
    answer.show({ card: late, note: cell === answer ? note : `In ${cell.name}: ${note}` }, "ended");
    this.python.wake().catch(() => {}); // the next run tells
    return undefined;
  }
}
