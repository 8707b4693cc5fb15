/**
 * The models of widgets on a page to which real models may come: what is not baked those compute, as soon as
 * the reader lets them. What asks the reader, and runs them, comes when something is asked for the first time.
 */
import { same } from "../../transformer_lab/widgets/pictures.js";
import { make } from "../../transformer_lab/widgets/element.js";
import { loadScript } from "../files.js";

const { words: READERS = "" } = document.currentScript?.dataset ?? {};
const WORDS = document.currentScript?.getAttribute("src")?.replace(/[^/]*$/, "words.js") ?? "";

/** The first of the baked frames. */
const first = (frames) => (Array.isArray(frames) ? first(frames[0]) : frames);

/** @param {string} widget */
const asking = (widget) =>
  class extends window.transformerLab.Model {
    reads = true;
    /** Where real models say that they may come, and what they do; for each question there is a place in it. */
    #places = make("div", { className: "tl-asks", role: "status" });
    /** For which place of the controls one was asked. */
    #asked;

    /** @param {Baked} baked @param {State} start @param {Compute} [compute] */
    constructor(baked, start, compute) {
      const stops = { ...baked.state.stops, ...baked.more };
      super({ ...baked, state: { ...baked.state, stops } }, start, compute);
      this.baked = baked;
    }
    #isBaked(at) {
      const { axes, free, state } = this.baked;
      const isStop = ([name, stops]) => stops.some((stop) => same(stop, at[name]));
      return Object.entries(axes).every(isStop) && free.every((name) => same(at[name], state[name]));
    }
    save_changes() {
      const at = this.at;
      if (this.#isBaked(at)) {
        this.#asked = undefined; // who comes back there is asked anew
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
        if (model === this) el.querySelector(".tl-words")?.append(this.#places);
      }
      const place = make("div", { className: "tl-own" });
      this.#places.replaceChildren(place);
      /** @type {object | undefined} */
      let frame;
      try {
        if (!window.transformerLab.words) await loadScript(WORDS);
        const baked = { frame: first(this.baked.frames), stops: this.get("stops"), dice: this.get("dice") };
        frame = await window.transformerLab.words?.ask({ widget, at, baked }, place);
      } catch (error) {
        frame = { trouble: error instanceof Error ? error.message : String(error) };
      }
      if (!same(at, this.#asked)) return;
      this.#asked = undefined;
      if (same(at, this.at)) this.show({ ...at, ...frame });
    }
  };

for (const widget of READERS.split(" ")) window.transformerLab.models[widget] = asking(widget);
