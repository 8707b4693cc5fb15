/** A reader's own answers, as parts of the GPT that is trained: which there are, and their steps. */
import { Kept } from "../kept.js";
import { Python } from "../python.js";
import { shapes } from "./gpt.js";

/** @import { Config } from "./gpt.js" */
/** @import { Program } from "./replay.js" */

/** The exercises whose answers can be parts, as in page/own_parts.py, and the functions that they ask for. */
const PARTS = {
  "masking-causal": "causal_mask",
  "attention-attention": "attention",
  "attention-scores": "scores",
  "attention-softmax": "softmax",
  "masking-softmax": "masked_softmax",
  "multi_head-split": "split_heads",
  "multi_head-merge": "merge_heads",
  "positional_encoding-angles": "angles",
  "positional_encoding-rotary": "rotate_pairs",
  "norm-rms": "rms_norm",
  "norm-layer": "layer_norm",
  "norm-swiglu": "swiglu",
};
/** What a part does the work of: one of two can stand there. */
const INSTEAD = {
  "attention-attention": ["attention-scores", "attention-softmax", "masking-softmax"],
  "masking-softmax": ["attention-softmax"],
  "norm-layer": ["norm-rms"],
};
export class OwnParts {
  #kept = new Kept(() => localStorage, {}, "transformer-lab");
  #python;
  titles = PARTS;
  instead = INSTEAD;
  /** How many MB Python takes, where it has not come yet. */
  megabytes;

  /** @param {Manifest} manifest of Python @param {string} folder */
  constructor(manifest, folder) {
    this.#python = new Python(manifest, folder, () => {});
    this.megabytes =
      Object.values(manifest)
        .flat()
        .reduce((sum, [, bytes]) => sum + bytes, 0) / 1e6;
  }

  /** Return where a part is written. @param {string} id */
  address(id) {
    return `../exercises/${id.split("-")[0]}.html#${id}`;
  }

  /** Name the parts that a reader has written. */
  get written() {
    return Object.keys(PARTS).filter((id) => {
      const { code, given } = this.#kept.answer(id) ?? {};
      return code !== given;
    });
  }

  /**
   * Trace in Python what chosen parts do in a model. Throws an Error that says why it can't.
   * @param {string[]} parts
   * @param {Omit<Config, "symbols">} config
   * @returns {Promise<Program[]>}
   */
  async programs(parts, { width, heads, layers }) {
    const chapters = new Set(parts.map((id) => id.split("-")[0]));
    const names = [...chapters].flatMap((chapter) => this.#kept.answered(chapter));
    const answers = Object.fromEntries(names.map((name) => [name, this.#kept.answer(name)?.code ?? ""]));
    const traced = shapes({ width, heads, layers, symbols: 0 }).filter(([name]) => /^(blocks|norm)/.test(name));
    const sizes = { width, heads, shapes: Object.fromEntries(traced.map(([name, ...shape]) => [name, shape])) };
    const { told, ended } = await this.#python.ask({ cell: "", parts, answers, sizes });
    this.#python.end(); // its memory is wanted
    this.megabytes = 0;
    const { programs, trouble } = /** @type {any} */ (told?.frame ?? {});
    if (!programs) throw new Error(trouble || told?.note || `Your parts were called once. ${ended}`);
    return JSON.parse(programs);
  }
}
