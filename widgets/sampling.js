/**
 * How a token is chosen: what temperature, top k and top p leave, and what a random number picks of that. The
 * widget draws by it, and a real model on a page writes every text that it can lead to.
 */

/** Scale numbers so that they add up to `whole`. @param {number[]} values */
export function parts(values, whole = 1) {
  const sum = values.reduce((a, b) => a + b);
  return values.map((value) => (whole * value) / sum);
}

/**
 * What is drawn by, after temperature, top k and top p, in turn.
 * @param {number[]} logits from the largest on
 * @param {{ temperature: number, top_k: number, top_p: number }} rule
 */
export function left(logits, { temperature, top_k, top_p }) {
  const least = logits[top_k - 1];
  const kept = parts(logits.map((logit) => (logit < least ? 0 : Math.exp(logit / temperature))));
  let rest = 0;
  for (let i = kept.length - 1; i > 0; i--) {
    rest += kept[i];
    if (rest <= 1 - top_p) kept[i] = 0;
  }
  return parts(kept);
}

/** Which of some shares a number from 0 to 1 falls on. @param {number[]} kept @param {number} die */
export function picked(kept, die) {
  let sum = 0;
  return kept.findIndex((share) => {
    sum += share;
    return sum > die;
  });
}
