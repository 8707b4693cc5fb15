/**
 * The parts that both models are made of: attention, the feed-forward layer, and the norm around each. Their
 * names are those of the modules in PyTorch, and so are the names of their weights.
 */
import { add, layerNorm, softmax } from "./arithmetic.js";

/** @import { Linear } from "./linear.js" */
/** @import { Weights } from "./weights.js" */

/**
 * A model, and how it is run this time.
 * @typedef {object} Run
 * @property {Weights} weights
 * @property {Linear} linear
 * @property {number} width D
 * @property {number} heads H
 * @property {number} eps
 * @property {(x: number) => number} activation
 * @property {{ [attention: string]: number[] }} silent the heads that add nothing, by their attention's name
 * @property {boolean} places whether tokens are told where they stand; if not, all stand first
 * @property {(name: string, output: Float32Array) => void} keep hears what comes out of each module
 */

/** What a run is like if nothing is said. @type {Pick<Run, "silent" | "places" | "keep">} */
export const AS_IT_IS = { silent: {}, places: true, keep() {} };

/**
 * How a run is changed: heads are silent, by layer, and tokens may not know their places.
 * @param {(layer: number) => string} attention what a layer's attention is called
 * @param {{ silent: number[][], order: boolean }} at
 */
export function changed(attention, { silent, order }) {
  const heads = {};
  for (const [layer, head] of silent) heads[attention(layer)] = [...(heads[attention(layer)] ?? []), head];
  return { silent: heads, places: order };
}

/** @param {ReturnType<typeof changed>} how */
export const isChanged = ({ silent, places }) => Object.keys(silent).length > 0 || !places;

/** @param {Run} run @param {string} name @param {Float32Array} x */
export function project(run, name, x) {
  const y = run.linear(x, run.weights[`${name}.weight`], run.weights[`${name}.bias`]);
  run.keep(name, y);
  return y;
}

/** Add what came out to what went in, and normalise. @param {Run} run @param {string} name */
export function addAndNorm({ weights, eps, keep }, name, x, out) {
  const y = layerNorm(add(x, out), weights[`${name}.norm.weight`], weights[`${name}.norm.bias`], eps);
  keep(`${name}.norm`, y);
  return y;
}

/** @param {Run} run @param {string} name @param {Float32Array} x */
export function feedForward(run, name, x) {
  const wide = project(run, `${name}.up`, x);
  return project(run, `${name}.down`, wide.map(run.activation));
}

/** The keys and values of what is looked at. @param {Run} run @param {string} name @param {Float32Array} source */
export function keysAndValues(run, name, source) {
  return { keys: project(run, `${name}.key`, source), values: project(run, `${name}.value`, source) };
}

/**
 * Attend from each row of x to the keys, and average the values.
 * @param {Run} run
 * @param {string} name
 * @param {Float32Array} x of shape (T, D)
 * @param {{ keys: Float32Array, values: Float32Array }} source both of shape (S, D)
 * @returns {{ out: Float32Array, weights: Float32Array }} of shapes (T, D) and (H, T, S)
 */
export function attention(run, name, x, { keys, values }) {
  const { width: D, heads: H } = run;
  const [T, S, K] = [x.length / D, keys.length / D, D / H];
  const queries = project(run, `${name}.query`, x);
  const weights = new Float32Array(H * T * S);
  const found = new Float32Array(T * D); // what the heads gather, end to end
  for (let head = 0; head < H; head++) {
    for (let i = 0; i < T; i++) {
      const q = i * D + head * K;
      const row = weights.subarray((head * T + i) * S, (head * T + i + 1) * S);
      for (let j = 0; j < S; j++) {
        let score = 0;
        for (let c = 0, k = j * D + head * K; c < K; c++) score += queries[q + c] * keys[k + c];
        row[j] = score / Math.sqrt(K);
      }
      softmax(row);
      if (run.silent[name]?.includes(head)) continue;
      for (let c = 0; c < K; c++) {
        let sum = 0;
        for (let j = 0; j < S; j++) sum += row[j] * values[j * D + head * K + c];
        found[q + c] = sum;
      }
    }
  }
  run.keep(`${name}.weights`, weights);
  return { out: project(run, `${name}.output`, found), weights };
}

/**
 * Run an encoder: each layer's attention and feed-forward, with a norm after each.
 * @param {Run} run
 * @param {number} layers
 * @param {Float32Array} x of shape (T, D)
 */
export function encode(run, layers, x) {
  const weights = [];
  for (let layer = 0; layer < layers; layer++) {
    const name = `encoder.layers.${layer}`;
    const seen = attention(run, `${name}.attention`, x, keysAndValues(run, `${name}.attention`, x));
    weights.push(seen.weights);
    x = addAndNorm(run, `${name}.attention_residual`, x, seen.out);
    x = addAndNorm(run, `${name}.feed_forward_residual`, x, feedForward(run, `${name}.feed_forward`, x));
  }
  return { vectors: x, weights };
}
