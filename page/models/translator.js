/**
 * Bergamot's translator from English to Portuguese, of Marian's type: six layers that read and two that
 * write. A writing layer keeps a running mean of what was written, where others look back at it.
 */
import { relu, sigmoid } from "./arithmetic.js";
import { likeliest } from "./beams.js";
import { AS_IT_IS, addAndNorm, attention, encode, feedForward, keysAndValues, project } from "./layers.js";
import { openLinear } from "./linear.js";
import { decodeUnigram, encodeUnigram, unigram } from "./unigram.js";
import { readWeights, row } from "./weights.js";

const LAYERS = { reading: 6, writing: 2 };
const END = 0;
const START = 32_000; // one more than the tokenizer knows; its vector is zero

/** What was written so far: for each layer, the running mean of each text. @typedef {Float32Array[]} State */

/** The place of a token as Marian writes it: all sines, then all cosines. @param {number} t @param {number} D */
function place(t, D) {
  const angles = Array.from({ length: D / 2 }, (_, i) => t * (10_000 ** (128 / 127)) ** ((-2 * i) / D));
  return [...angles.map(Math.sin), ...angles.map(Math.cos)];
}

/** What the attention is called by which a writing layer looks at the source. @param {number} layer */
const looking = (layer) => `decoder.layers.${layer}.cross_attention`;

/** @param {(name: string) => Promise<ArrayBuffer>} read */
export async function openTranslator(read) {
  const names = ["linear.wasm", "translator.safetensors", "translator-pieces.txt", "translator-charsmap.bin"];
  const [wasm, packed, list, table] = await Promise.all(names.map(read));
  const { scores, ...matrices } = readWeights(packed);
  const { weights, linear } = await openLinear(wasm, matrices);
  const pieces = new TextDecoder().decode(list).split("\n");
  const tokens = unigram(pieces, /** @type {Float32Array} */ (scores.values), table);
  const model = { weights, linear, width: 256, heads: 8, eps: 1e-6, activation: relu, ...AS_IT_IS };
  const D = model.width;
  weights["output.weight"] = weights["embeddings.tokens.weight"]; // one table, to read and to write by

  /** Look up tokens, and add their places. */
  function embed(asked, name, ids, places) {
    const vectors = new Float32Array(ids.length * D);
    for (const [i, id] of ids.entries()) {
      if (id !== START) vectors.set(row(weights["embeddings.tokens.weight"], id), i * D);
    }
    const looked = vectors.map((value) => value * Math.sqrt(D));
    asked.keep(`${name}.tokens`, looked);
    const x = new Float32Array(looked.length);
    for (const [i, at] of places.entries()) {
      const added = place(asked.places ? at : 0, D);
      for (let c = 0; c < D; c++) x[i * D + c] = looked[i * D + c] + added[c];
    }
    asked.keep(`${name}.positions`, x);
    return x;
  }

  /**
   * Read a sentence: what its tokens became, each reading layer's weights, of shape (H, S, S), and the keys
   * and values that each writing layer will look at.
   * @param {number[]} ids
   * @param {Partial<typeof AS_IT_IS>} [how]
   */
  function readSource(ids, how) {
    const asked = { ...model, ...how };
    const places = ids.map((_, t) => t);
    const { vectors, weights } = encode(asked, LAYERS.reading, embed(asked, "embeddings", ids, places));
    const memory = Array.from({ length: LAYERS.writing }, (_, layer) => keysAndValues(asked, looking(layer), vectors));
    return { asked, weights, memory };
  }

  /**
   * Write one token more in each of B texts: give the scores of all tokens, of shape (B, V), where each layer's
   * heads look, of shape (H, B, S), and what is to be remembered.
   * @param {ReturnType<typeof readSource>} source
   * @param {number[]} last each text's last token
   * @param {number} position
   * @param {State} [state]
   */
  function step({ asked, memory }, last, position, state) {
    let x = embed(
      asked,
      "decoder_embeddings",
      last,
      last.map(() => position),
    );
    const next = [];
    const looks = [];
    for (let layer = 0; layer < LAYERS.writing; layer++) {
      const name = `decoder.layers.${layer}`;
      const before = state?.[layer];
      const forget = project(asked, `${name}.attention.forget`, x);
      const candidate = project(asked, `${name}.attention.candidate`, x);
      const mean = forget.map((value, i) => {
        const keep = sigmoid(value);
        return keep * (before?.[i] ?? 0) + (1 - keep) * candidate[i];
      });
      next.push(mean);
      const remembered = mean.map(relu);
      asked.keep(`${name}.attention`, remembered);
      x = addAndNorm(asked, `${name}.attention_residual`, x, remembered);
      const seen = attention(asked, looking(layer), x, memory[layer]);
      looks.push(seen.weights);
      x = addAndNorm(asked, `${name}.cross_attention_residual`, x, seen.out);
      x = addAndNorm(asked, `${name}.feed_forward_residual`, x, feedForward(asked, `${name}.feed_forward`, x));
    }
    return { logits: project(asked, "output", x), looks, state: next };
  }

  /**
   * What is to be remembered of some of the texts, in another order.
   * @param {State} state
   * @param {number[]} texts
   * @returns {State}
   */
  function reorder(state, texts) {
    return state.map((means) => {
      const rows = new Float32Array(texts.length * D);
      for (const [i, text] of texts.entries()) rows.set(means.subarray(text * D, (text + 1) * D), i * D);
      return rows;
    });
  }

  /**
   * Translate, taking the likeliest token each time: give the tokens, and for each where the heads looked.
   * @param {number[]} ids
   * @param {Partial<typeof AS_IT_IS>} [how]
   * @param {number} [most] tokens
   */
  function translate(ids, how, most = Math.floor((5 * ids.length) / 2)) {
    const source = readSource(ids, how);
    const written = [];
    const looks = [];
    /** @type {State | undefined} */
    let state;
    while (written.length < most && written.at(-1) !== END) {
      const now = step(source, [written.at(-1) ?? START], written.length, state);
      state = now.state;
      looks.push(now.looks);
      written.push(likeliest(now.logits, 1)[0]);
    }
    return { written, looks, weights: source.weights };
  }

  return {
    layers: LAYERS,
    heads: model.heads,
    looking,
    reorder,
    start: START,
    end: END,
    /** @param {string} text */
    encode: (text) => encodeUnigram(text, tokens),
    /** @param {number[]} ids */
    decode: (ids) => decodeUnigram(ids, tokens),
    /** @param {number} id */
    piece: (id) => pieces[id].replaceAll("▁", " "),
    readSource,
    step,
    translate,
  };
}
