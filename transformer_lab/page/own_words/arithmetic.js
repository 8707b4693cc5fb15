/**
 * What the models compute with. A matrix of numbers is a Float32Array, row after row; its width is known
 * to whoever uses it. Sums are made in double precision and kept in single.
 */

/** @import { Weight } from "./weights.js" */

/**
 * Give x · Wᵀ + b for a matrix W in 8 bits: the shape of x is (T, K), of W (N, K), of the result (T, N).
 * Several sums are made at a time, since a processor waits for each to go on with the next: of four rows of
 * x with two of W, where each number that is read serves for two or four; or of what is left of x with four
 * rows of W.
 * @param {Float32Array} x
 * @param {Weight} weight
 * @param {Weight} [bias]
 */
export function linear(x, weight, bias) {
  const [N, K] = weight.shape;
  const T = x.length / K;
  const y = new Float32Array(T * N);
  const together = T - (T % 4);
  if (together) fourRows(x, together, weight, bias, y);
  for (let t = together; t < T; t++) oneRow(x, t, weight, bias, y);
  return y;
}

/**
 * @param {Float32Array} x @param {number} T @param {Weight} W
 * @param {Weight | undefined} bias @param {Float32Array} y
 */
function fourRows(x, T, { shape: [N, K], values: w, scales }, bias, y) {
  const groups = scales.length / N;
  const size = K / groups;
  for (let n = 0; n < N; n += 2) {
    const m = Math.min(n + 1, N - 1); // where W has an odd number of rows, its last is read twice
    const [b, c] = bias ? [bias.values[n], bias.values[m]] : [0, 0];
    for (let t = 0; t < T; t += 4) {
      let [y0, y1, y2, y3] = [b, b, b, b];
      let [z0, z1, z2, z3] = [c, c, c, c];
      for (let g = 0; g < groups; g++) {
        const u = n * K + g * size;
        const v = m * K + g * size;
        const x0 = t * K + g * size;
        const x1 = x0 + K;
        const x2 = x1 + K;
        const x3 = x2 + K;
        let [a0, a1, a2, a3] = [0, 0, 0, 0];
        let [d0, d1, d2, d3] = [0, 0, 0, 0];
        for (let k = 0; k < size; k++) {
          const one = w[u + k];
          const other = w[v + k];
          const p0 = x[x0 + k];
          const p1 = x[x1 + k];
          const p2 = x[x2 + k];
          const p3 = x[x3 + k];
          a0 += p0 * one;
          a1 += p1 * one;
          a2 += p2 * one;
          a3 += p3 * one;
          d0 += p0 * other;
          d1 += p1 * other;
          d2 += p2 * other;
          d3 += p3 * other;
        }
        const r = scales[n * groups + g];
        const s = scales[m * groups + g];
        y0 += a0 * r;
        y1 += a1 * r;
        y2 += a2 * r;
        y3 += a3 * r;
        z0 += d0 * s;
        z1 += d1 * s;
        z2 += d2 * s;
        z3 += d3 * s;
      }
      for (let i = 0; i < 4; i++) {
        y[(t + i) * N + n] = [y0, y1, y2, y3][i];
        y[(t + i) * N + m] = [z0, z1, z2, z3][i];
      }
    }
  }
}

/**
 * @param {Float32Array} x @param {number} t @param {Weight} W
 * @param {Weight | undefined} bias @param {Float32Array} y
 */
function oneRow(x, t, { shape: [N, K], values: w, scales }, bias, y) {
  const groups = scales.length / N;
  const size = K / groups;
  const b = (n) => (bias && n < N ? bias.values[n] : 0);
  for (let n = 0; n < N; n += 4) {
    const step = (r) => Math.min(r, N - 1 - n); // where W has no four rows left, its last is read again
    const [s1, s2, s3] = [step(1), step(2), step(3)];
    let [y0, y1, y2, y3] = [b(n), b(n + 1), b(n + 2), b(n + 3)];
    for (let g = 0; g < groups; g++) {
      const x0 = t * K + g * size;
      const w0 = n * K + g * size;
      const w1 = w0 + s1 * K;
      const w2 = w0 + s2 * K;
      const w3 = w0 + s3 * K;
      let [a0, a1, a2, a3] = [0, 0, 0, 0];
      for (let k = 0; k < size; k++) {
        const each = x[x0 + k];
        a0 += each * w[w0 + k];
        a1 += each * w[w1 + k];
        a2 += each * w[w2 + k];
        a3 += each * w[w3 + k];
      }
      const at = n * groups + g;
      y0 += a0 * scales[at];
      y1 += a1 * scales[at + s1 * groups];
      y2 += a2 * scales[at + s2 * groups];
      y3 += a3 * scales[at + s3 * groups];
    }
    y.set([y0, y1, y2, y3].slice(0, N - n), t * N + n);
  }
}

/** @param {Float32Array} x @param {Float32Array} y */
export const add = (x, y) => x.map((value, i) => value + y[i]);

/**
 * LayerNorm: each row gets mean 0 and variance 1, then its own scale and shift for each feature.
 * @param {Float32Array} x of shape (T, D)
 * @param {Weight} weight of shape (D)
 * @param {Weight} bias of shape (D)
 * @param {number} eps
 */
export function layerNorm(x, weight, bias, eps) {
  const D = weight.values.length;
  const y = new Float32Array(x.length);
  for (let from = 0; from < x.length; from += D) {
    let mean = 0;
    for (let i = 0; i < D; i++) mean += x[from + i] / D;
    let variance = 0;
    for (let i = 0; i < D; i++) variance += (x[from + i] - mean) ** 2 / D;
    const root = Math.sqrt(variance + eps);
    for (let i = 0; i < D; i++) y[from + i] = ((x[from + i] - mean) / root) * weight.values[i] + bias.values[i];
  }
  return y;
}

/** Make shares of some scores, in their place. @param {Float32Array} scores */
export function softmax(scores) {
  let largest = -Infinity;
  for (const score of scores) largest = Math.max(largest, score);
  let sum = 0;
  for (let i = 0; i < scores.length; i++) sum += scores[i] = Math.exp(scores[i] - largest);
  for (let i = 0; i < scores.length; i++) scores[i] /= sum;
}

/** The error function, to 1.5e-7. Source: Abramowitz and Stegun 1964, 7.1.26. @param {number} x */
function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - series * Math.exp(-x * x));
}

/** @param {number} x */
export const gelu = (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2));
/** @param {number} x */
export const relu = (x) => Math.max(x, 0);
/** @param {number} x */
export const sigmoid = (x) => 1 / (1 + Math.exp(-x));
