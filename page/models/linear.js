/** Products with matrices in 8 bits, by WebAssembly (linear.wat), which takes four numbers at a time. */

/** @import { Weight, Weights } from "./weights.js" */
/** @typedef {(x: Float32Array, weight: Weight, bias?: Weight) => Float32Array} Linear */

const PAGE = 65_536; // bytes: of these a memory is made
const ROOM = 1 << 20; // bytes to work in: for four rows of W as float32, and for rows of x and y
const aligned = (bytes) => Math.ceil(bytes / 16) * 16;

/**
 * Move weights to the memory of WebAssembly, where others may read them too. Give them, and what computes
 * x · Wᵀ + b for them: the shape of x is (T, K), of W (N, K), of the result (T, N).
 * @param {ArrayBuffer} wasm linear.wat, assembled
 * @param {Weights} weights
 * @returns {Promise<{ weights: Weights, linear: Linear }>}
 */
export async function openLinear(wasm, weights) {
  const each = Object.values(weights).flatMap(({ values, scales }) => [values, scales]);
  let free = 16; // nothing lies at 0, which stands for no bias
  const end = each.reduce((sum, { byteLength }) => sum + aligned(byteLength), free);
  const memory = new WebAssembly.Memory({ initial: Math.ceil((end + ROOM) / PAGE) });
  const { instance } = await WebAssembly.instantiate(wasm, { page: { memory } });
  const multiply = /** @type {(...numbers: number[]) => void} */ (instance.exports.linear);

  /** @template {Float32Array | Int8Array} T @param {T} numbers @returns {T} */
  function moved(numbers) {
    const Kind = /** @type {any} */ (numbers.constructor);
    const place = new Kind(memory.buffer, free, numbers.length);
    place.set(numbers);
    free += aligned(numbers.byteLength);
    return place;
  }
  /** @type {Weights} */
  const there = {};
  for (const [name, { shape, values, scales }] of Object.entries(weights)) {
    if (values instanceof Int8Array && (shape[0] < 4 || (values.length / scales.length) % 8)) {
      throw new RangeError(`${name} needs at least 4 rows, and groups of 8, 16, 24 … numbers, but is of ${shape}.`);
    }
    there[name] = { shape, values: moved(values), scales: moved(scales) };
  }

  /** @type {Linear} */
  function linear(x, { shape: [N, K], values, scales }, bias) {
    const T = x.length / K;
    const y = new Float32Array(T * N);
    const most = Math.floor((ROOM / 4 - 4 * K) / (N + K)); // rows of x for which there is room
    const input = end + 16 * K;
    const output = input + 4 * most * K;
    for (let from = 0; from < T; from += most) {
      const rows = Math.min(most, T - from);
      new Float32Array(memory.buffer, input).set(x.subarray(from * K, (from + rows) * K));
      const [w, s, b] = [values.byteOffset, scales.byteOffset, bias?.values.byteOffset ?? 0];
      multiply(input, rows, w, N, K, s, (N * K) / scales.length, b, end, output);
      y.set(new Float32Array(memory.buffer, output, rows * N), from * N);
    }
    return y;
  }
  return { weights: there, linear };
}
