/** Beam search: several texts are followed at once, and the likeliest finished one is taken. */
import { largest } from "./arithmetic.js";

/** The likeliest tokens, the best one first. @param {Float32Array} logits @param {number} count */
export function likeliest(logits, count) {
  const ids = [];
  let least = -Infinity; // of those, once there are enough
  for (let id = 0; id < logits.length; id++) {
    if (logits[id] <= least) continue;
    const below = ids.findIndex((other) => logits[id] > logits[other]);
    ids.splice(below < 0 ? ids.length : below, 0, id);
    if (ids.length > count) ids.pop();
    if (ids.length === count) least = logits[ids[count - 1]];
  }
  return ids;
}

/** The logarithm of what all scores' exponentials add up to. @param {Float32Array} logits */
function logOfSum(logits) {
  const most = largest(logits);
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - most);
  return most + Math.log(sum);
}

const byScore = (a, b) => b.score - a.score;

/**
 * Write a text, following so many at once; one is greedy. Give its tokens, and the logarithm of its probability.
 * @param {any} model
 * @param {ReturnType<typeof model.readSource>} source
 * @param {number} beams
 * @param {number} longest
 */
export function beamSearch(model, source, beams, longest) {
  let live = [{ text: /** @type {number[]} */ ([]), score: 0 }];
  let aside = [];
  let state;
  for (let length = 1; length <= longest; length++) {
    const last = live.map(({ text }) => text.at(-1) ?? model.start);
    const now = model.step(source, last, length - 1, state);
    const V = now.logits.length / live.length;
    const following = live.flatMap(({ text, score }, row) => {
      const logits = now.logits.subarray(row * V, (row + 1) * V);
      const sum = logOfSum(logits);
      return likeliest(logits, 2 * beams).map((id) => ({ text: [...text, id], score: score + logits[id] - sum, row }));
    });
    const best = following.sort(byScore).slice(0, 2 * beams);
    const ends = ({ text }) => text.at(-1) === model.end || length === longest;
    aside = [...aside, ...best.slice(0, beams).filter(ends)].sort(byScore).slice(0, beams);
    const kept = best.filter((one) => !ends(one)).slice(0, beams);
    if (aside.length === beams && !(kept[0]?.score > aside[beams - 1].score)) break;
    live = kept;
    state = model.reorder(
      now.state,
      kept.map(({ row }) => row),
    );
  }
  return aside[0];
}
