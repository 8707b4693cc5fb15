/** A training as gpt.py does it: batches of a text, steps, the loss on what is held out, and what the model writes. */
import { BATCH, LENGTH, initialise, openGPT } from "./gpt.js";
import { Generator } from "./numbers.js";
import { adamW, rateOf } from "./optimiser.js";

/** @import { Config } from "./gpt.js" */
/** @import { Program } from "./replay.js" */
/** @typedef {Pick<Awaited<ReturnType<typeof openGPT>>, "loss" | "next">} GPT */
/**
 * A text in ids, and what of it is held out.
 * @typedef {{ vocabulary: string[], data: Uint16Array, held: Uint16Array }} Text
 */
/** @typedef {{ [name: string]: { values: Float32Array } }} Parameters */
/** @typedef {{ steps: number, peak: number, warmUp: number }} Plan */

/**
 * What opens a model of a learner's own parts: in own_worker.js.
 * @type {{ open?: typeof import("./replay.js").openOwn }}
 */
export const OWN = {};
const EVALUATED = 200; // passages of what is held out: the same each time, as in gpt.py
const TEMPERATURE = 0.8;
export const PROMPT = "\n";

/** As Python sorts: by numbers, not by halves of a pair. @param {string} a @param {string} b */
const byCode = (a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0);

/**
 * Make ids of a text, whose last tenth is held out if nothing else is.
 * @param {string} text
 * @param {string} [rest] what is held out
 * @param {string[]} [known] the vocabulary of a model: characters that it does not know are left out
 * @returns {Text}
 */
export function encoded(text, rest, known) {
  let [data, held] = [text, rest ?? ""].map((each) => Array.from(each));
  if (known) [data, held] = [data, held].map((each) => each.filter((character) => known.includes(character)));
  if (rest === undefined) held = data.splice(Math.floor((data.length * 9) / 10));
  const vocabulary = known ?? [...new Set([PROMPT, ...data, ...held])].sort(byCode);
  const ids = new Map(vocabulary.map((character, id) => [character, id]));
  const idsOf = (characters) => Uint16Array.from(characters, (character) => ids.get(character) ?? 0);
  return { vocabulary, data: idsOf(data), held: idsOf(held) };
}

/**
 * Return passages of a text, one after the other.
 * @param {Uint16Array} data
 * @param {number} count
 * @param {Generator} generator
 */
export function getBatch(data, count, generator) {
  const passages = new Uint16Array(count * (LENGTH + 1));
  for (let n = 0; n < count; n++) {
    const start = generator.below(data.length - LENGTH);
    passages.set(data.subarray(start, start + LENGTH + 1), n * (LENGTH + 1));
  }
  return passages;
}

/** Return the mean loss over passages of what is held out. @param {GPT} model @param {Uint16Array} held */
export function heldOutLoss(model, held) {
  const passages = getBatch(held, EVALUATED, new Generator(1));
  let sum = 0;
  for (let n = 0; n < EVALUATED; n += BATCH) {
    const texts = Math.min(BATCH, EVALUATED - n);
    sum += texts * model.loss(passages.subarray(n * (LENGTH + 1), (n + texts) * (LENGTH + 1)), texts);
  }
  return sum / EVALUATED;
}

/**
 * Continue a text by a model, drawn by a seed.
 * @param {GPT} model
 * @param {string[]} vocabulary
 * @param {number} count
 * @param {{ prompt?: string, seed?: number }} [how]
 */
export function generate(model, vocabulary, count, { prompt = PROMPT, seed = 0 } = {}) {
  const generator = new Generator(seed);
  const known = Array.from(prompt, (character) => vocabulary.indexOf(character)).filter((id) => id >= 0);
  const ids = known.length ? known : [0];
  const given = ids.length;
  while (ids.length < given + count) {
    const p = model.next(ids, TEMPERATURE);
    let left = generator.uniform();
    let id = 0;
    while (id < p.length - 1 && left >= p[id]) left -= p[id++];
    ids.push(id);
  }
  return ids
    .slice(given)
    .map((id) => vocabulary[id])
    .join("");
}

/**
 * Begin a training: draw a model's parameters, then its batches, from one seed.
 * @param {BufferSource} wasm
 * @param {Text} text
 * @param {{ config: Omit<Config, "symbols">, plan: Plan, seed: number, parts?: Parameters, programs?: Program[] }} how
 *   with the parameters of a saved model, if it goes on from there, and the steps of a learner's own parts
 */
export async function beginTraining(wasm, { data, held, vocabulary }, { config, plan: first, seed, parts, programs }) {
  const sized = { ...config, symbols: vocabulary.length };
  const model = programs && OWN.open ? await OWN.open(wasm, sized, programs) : await openGPT(wasm, sized);
  const generator = new Generator(seed);
  initialise(model, generator);
  for (const [name, { values }] of Object.entries(parts ?? {})) model.parts[name].values.set(values);
  const move = adamW(model.values, model.gradient);
  let plan = first;
  let [before, done] = [0, 0]; // steps of earlier plans, and of this one
  return {
    model,
    vocabulary,
    get step() {
      return before + done;
    },
    get end() {
      return before + plan.steps;
    },
    /** Train for one step; return the loss before it. Throws an Error once the loss is not a number. */
    next() {
      const loss = model.learn(getBatch(data, BATCH, generator), BATCH);
      if (!Number.isFinite(loss)) {
        throw new Error(
          `After ${before + done} steps the loss is not a number: the steps were too large for this model.`,
        );
      }
      move(rateOf(++done, plan));
      return loss;
    },
    /** Go on by another plan. @param {Plan} next */
    more(next) {
      before += done;
      done = 0;
      plan = next;
    },
    heldOut: () => heldOutLoss(model, held),
    /** @param {number} count */
    write: (count) => generate(model, vocabulary, count, { seed }),
  };
}
