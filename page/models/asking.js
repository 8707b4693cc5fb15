/**
 * The models of widgets on a page to which real models may come: what is not baked those compute, as soon as
 * the reader lets them. What asks the reader, and runs them, comes when something is asked for the first time.
 */
import { same } from "../../widgets/pictures.js";
import { make } from "../../widgets/element.js";
import { loadScript } from "../files.js";

const { words: READERS = "" } = document.currentScript?.dataset ?? {};
const WORDS = document.currentScript?.getAttribute("src")?.replace(/[^/]*$/, "words.js") ?? "";

/** Sent by what trains a GPT on a page, with a model. */
const TRAINED = "transformer-lab-trained";
/** @type {Promise<unknown> | undefined} */
let loading;
/** Load what runs the models, once. After a failure, the next call tries again. */
function loaded() {
  loading ??= loadScript(WORDS).catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

/** The first of the baked frames. */
const first = (frames) => (Array.isArray(frames) ? first(frames[0]) : frames);
/** The first of the chosen model's. @param {Baked} baked @param {State} at */
const firstOf = ({ axes, frames }, at) => first(frames[/** @type {any[]} */ (axes.model)?.indexOf(at.model)] ?? frames);

/** @param {string} widget */
/** The GPT that the reader has trained, once the widgets show it. @type {Promise<void> | undefined} */
let trained;

const asking = (widget) =>
  class extends window.transformerLab.Model {
    /** What answers at once need not be waited for. */
    get reads() {
      return this.#isQuick ? "at once" : true;
    }
    /** Where real models say that they may come, and what they do; for each question there is a place in it. */
    #places = make("div", { className: "tl-asks", role: "status" });
    /** For which place of the controls one was asked. */
    #asked;
    /** Of which model something is said. */
    #said;
    /** Which of the controls was moved last on which the frame depends. */
    #moved = "";

    /** @param {Baked} baked @param {State} start @param {Compute} [compute] */
    constructor(baked, start, compute) {
      const all = { ...baked.state.stops, ...baked.more };
      const stops = Object.fromEntries(Object.keys(baked.state.labels).map((name) => [name, all[name]]));
      super({ ...baked, state: { ...baked.state, stops } }, start, compute);
      this.baked = baked;
      document.addEventListener(TRAINED, () => this.#isTrained && this.#ask(this.at));
      if (this.#isTrained) queueMicrotask(() => this.#ask(this.at)); // once it is drawn
    }
    /** Whether what is shown is of the reader's own GPT. */
    get #isTrained() {
      return trained && this.get("model") === "GPT";
    }
    get #isQuick() {
      return this.get("model") === "GPT" && window.transformerLab.words?.has("GPT");
    }
    /** What the GPT reads may have a place of its own. @param {Element} el */
    #rowIn(el) {
      return this.get("model") === "GPT" ? el.querySelector('[data-name="text"]') : null;
    }
    set(name, value) {
      if (name in this.at) this.#moved = name;
      super.set(name, value);
    }
    /** Where the reader is: at the buttons that silence heads, or where the words are. @param {Element} el */
    #home(el) {
      const silencing =
        this.#moved === "silent" && el.querySelector('.tl-main [data-name="silent"], .tl-side [data-name="silent"]');
      return silencing || (this.#rowIn(el) ?? el.querySelector(".tl-words"));
    }
    #isBaked(at) {
      if (at.model === "none") return true; // its own script computes what else it shows
      const { axes, free, state } = this.baked;
      const isStop = ([name, stops]) => stops.some((stop) => same(stop, at[name]));
      const isUsual = (name) => same(at[name], state[name]) || (name === "text" && this.get("model") !== "GPT");
      return !this.#isTrained && Object.entries(axes).every(isStop) && free.every(isUsual);
    }
    save_changes() {
      const at = this.at;
      if (this.#isBaked(at)) {
        this.#asked = this.#said = undefined; // who comes back there is asked anew
        this.#places.replaceChildren();
        super.save_changes();
      } else if (!same(at, this.#asked) && !this.#isShown(at)) {
        this.#ask(at);
      }
    }
    /** Whether the frame is of this place of the controls; after a failure none is, and the same may be asked anew. */
    #isShown(at) {
      const shown = this.get("frame");
      return !shown.trouble && Object.keys(at).every((name) => same(at[name], shown[name]));
    }
    /** Show what a real model makes of it, unless the controls have gone on by then. */
    async #ask(at) {
      this.#asked = at;
      for (const [el, { model }] of window.transformerLab.mounted) {
        const said = [this.#places, el.querySelector(".tl-trouble") ?? ""];
        if (model === this) this.#home(el)?.append(...said);
      }
      const place = make("div", { className: "tl-own" });
      // The GPT answers at once, so what was said of it stays.
      if (!this.#isQuick || this.#said !== "GPT") this.#places.replaceChildren(place);
      this.#said = at.model;
      /** @type {object} */
      let frame;
      try {
        await loaded();
        await trained;
        const baked = { frame: firstOf(this.baked, at), stops: this.get("stops"), dice: this.get("dice") };
        const { words } = window.transformerLab;
        if (!words) throw new Error(`${WORDS} came, but brought nothing that reads words. Reload this page.`);
        frame = await words.ask({ widget, at, baked }, place);
      } catch (error) {
        frame = { trouble: error instanceof Error ? error.message : String(error) };
      }
      if (!same(at, this.#asked)) return;
      this.#asked = undefined;
      if (same(at, this.at)) this.show({ ...at, ...frame });
    }
  };

document.addEventListener(TRAINED, (/** @type {any} */ { detail }) => {
  trained = loaded().then(() => window.transformerLab.words?.take(detail));
});
for (const widget of READERS.split(" ")) window.transformerLab.models[widget] = asking(widget);
