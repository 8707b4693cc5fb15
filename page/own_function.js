/**
 * Widgets on the page of an exercise show the reader's own function: Python computes their frames, as a kernel
 * does in JupyterLab.
 */
/** @import { Answer } from "./answer.js" */
/** @import { Bench } from "./bench.js" */

/** Whether two values of controls are the same. */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const ENDED = "Python was stopped. Run your code or move a control to start it.";

/** @param {Answer} answer */
const showing = (answer) =>
  class extends window.transformerLab.Model {
    reads = true;
    #isAsking = false;

    /** @param {Baked} baked @param {State} start */
    constructor(baked, start) {
      super(baked, start);
      this.show({ ...this.get("frame"), trouble: `Python runs your ${answer.function} …` });
      this.#ask();
      answer.place.addEventListener("run", () => this.#ask());
      answer.place.addEventListener("ended", () => this.show({ ...this.get("frame"), trouble: ENDED }));
    }
    save_changes() {
      const shown = this.get("frame");
      if (Object.entries(this.at).some(([name, value]) => !same(value, shown[name]))) this.#ask();
    }
    /** Request frames until what is shown is what the controls say. */
    async #ask() {
      if (this.#isAsking) return;
      this.#isAsking = true;
      let at = this.at;
      let frame = await answer.bench.frame(answer, at);
      while (!same(at, this.at)) {
        at = this.at;
        frame = await answer.bench.frame(answer, at);
      }
      this.#isAsking = false;
      this.show({ ...frame, ...at });
    }
  };

/** @param {Bench} bench */
export function showOwnFunctions({ answers }) {
  /** @type {NodeListOf<HTMLElement>} */
  const places = document.querySelectorAll(".tl-yours");
  for (const place of places) {
    const answer = answers.find((each) => each.place.id === place.dataset.answer);
    /** @type {HTMLElement?} */
    const widget = place.querySelector("[data-widget]");
    if (answer && widget) window.transformerLab.models[widget.dataset.widget ?? ""] = showing(answer);
  }
}
