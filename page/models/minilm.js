/** all-MiniLM-L6-v2: an encoder of BERT's type that makes a vector of a sentence's meaning. */
import { add, gelu, layerNorm } from "./arithmetic.js";
import { AS_IT_IS, encode } from "./layers.js";
import { openLinear } from "./linear.js";
import { readWeights, row } from "./weights.js";
import { wordPiece } from "./wordpiece.js";

const LAYERS = 6;
const ROWS = 256; // of the table of tokens in each of its parts

/**
 * Open the model; the parts of the table of tokens come when they are needed.
 * @param {(name: string) => Promise<ArrayBuffer>} read
 */
export async function openMiniLM(read) {
  const names = ["linear.wasm", "minilm.safetensors", "minilm-vocabulary.txt"];
  const [wasm, packed, list] = await Promise.all(names.map(read));
  const pieces = new TextDecoder().decode(list).split("\n");
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const { weights, linear } = await openLinear(wasm, readWeights(packed));
  const model = { weights, linear, width: 384, heads: 12, eps: 1e-12, activation: gelu, ...AS_IT_IS };
  /** @type {Map<number, Promise<import("./weights.js").Weights>>} */
  const parts = new Map();

  /** @param {number} number */
  function part(number) {
    const found = parts.get(number) ?? read(`minilm-tokens-${number}.safetensors`).then(readWeights);
    parts.set(number, found);
    found.catch(() => parts.delete(number)); // the next time may have more luck
    return found;
  }
  /** @param {number} id */
  async function token(id) {
    return row((await part(Math.floor(id / ROWS))).weight, id % ROWS);
  }

  /**
   * Read a sentence: give a vector for each token, and each layer's weights, of shape (H, T, T).
   * @param {number[]} tokens
   * @param {Partial<typeof AS_IT_IS>} [how]
   */
  async function run(tokens, how) {
    const asked = { ...model, ...how };
    const rows = await Promise.all(tokens.map(token));
    const x = new Float32Array(tokens.length * model.width);
    for (const [t, vector] of rows.entries()) {
      const place = row(weights["embeddings.positions.table.weight"], asked.places ? t : 0);
      x.set(add(vector, place), t * model.width);
    }
    const { "embeddings.norm.weight": scale, "embeddings.norm.bias": shift } = weights;
    return encode(asked, LAYERS, layerNorm(x, scale, shift, model.eps));
  }

  /** Return the mean of all tokens' vectors, scaled to length 1. @param {Float32Array} vectors */
  function meaning(vectors) {
    const mean = new Float32Array(model.width);
    for (const [i, value] of vectors.entries()) mean[i % model.width] += value;
    const length = Math.hypot(...mean);
    return mean.map((value) => value / length);
  }

  return {
    layers: LAYERS,
    heads: model.heads,
    /** @param {string} text */
    encode: (text) => wordPiece(text, ids),
    /** @param {number} id */
    piece: (id) => pieces[id],
    parts: Math.ceil(pieces.length / ROWS),
    part,
    run,
    meaning,
  };
}
