/**
 * What the models compute with. A matrix of numbers is a Float32Array, row after row; its width is known
 * to whoever uses it. Sums are made in double precision and kept in single.
 */

/** @import { Weight } from "./weights.js" */

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

/** @param {Float32Array} numbers */
export function largest(numbers) {
  let most = -Infinity;
  for (const number of numbers) most = Math.max(most, number);
  return most;
}

/** Replace scores by their softmax, in place. @param {Float32Array} scores */
export function softmax(scores) {
  const most = largest(scores);
  let sum = 0;
  for (let i = 0; i < scores.length; i++) sum += scores[i] = Math.exp(scores[i] - most);
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
