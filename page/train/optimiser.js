/** How parameters are moved: AdamW, the length of the gradient clipped, and a rate that rises and falls. */
import { cosAndSin } from "./numbers.js";

const BETAS = [0.9, 0.98];
const EPS = 1e-8;
const DECAY = 0.01;
const CLIP = 1;

/**
 * AdamW as gpt.py has it, over all parameters at once.
 * @param {Float32Array} values
 * @param {Float32Array} gradient
 */
export function adamW(values, gradient) {
  const mean = new Float32Array(values.length);
  const square = new Float32Array(values.length);
  const powers = [1, 1];
  /** @param {number} rate */
  return function step(rate) {
    let sum = 0;
    for (let i = 0; i < gradient.length; i++) sum += gradient[i] * gradient[i];
    const clip = Math.min(1, CLIP / (Math.sqrt(sum) + 1e-6));
    for (const n of [0, 1]) powers[n] *= BETAS[n];
    const size = rate / (1 - powers[0]);
    const root = Math.sqrt(1 - powers[1]);
    for (let i = 0; i < values.length; i++) {
      const g = gradient[i] * clip;
      mean[i] = BETAS[0] * mean[i] + (1 - BETAS[0]) * g;
      square[i] = BETAS[1] * square[i] + (1 - BETAS[1]) * g * g;
      values[i] -= rate * DECAY * values[i] + (size * mean[i]) / (Math.sqrt(square[i]) / root + EPS);
    }
  };
}

/**
 * Return a step's rate: a line up, half a cosine down.
 * @param {number} step from 1 on
 * @param {{ steps: number, peak: number, warmUp: number }} plan
 */
export function rateOf(step, { steps, peak, warmUp }) {
  const decay = Math.max(0, step - warmUp) / Math.max(1, steps - warmUp);
  const rise = warmUp ? Math.min(1, step / warmUp) : 1;
  return (peak * rise * (1 + cosAndSin(Math.PI * decay)[0])) / 2;
}
