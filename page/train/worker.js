/** A training in a worker, so that the page does not stand still. */
import { read, write } from "./file.js";
import { beginTraining, encoded, getBatch } from "./training.js";
import { BATCH, openGPT } from "./gpt.js";
import { Generator } from "./numbers.js";
import { pieces, wordsOf } from "./words.js";

/** @import { Config } from "./gpt.js" */
/** @import { Program } from "./replay.js" */
/** @import { Plan } from "./training.js" */

/**
 * What is to be trained: on a text, of which the last tenth is held out, or on a text and another.
 * @typedef {object} Order
 * @property {BufferSource} wasm
 * @property {string} text
 * @property {string} [held]
 * @property {Omit<Config, "symbols">} config
 * @property {Plan} plan
 * @property {number} seed
 * @property {ArrayBuffer} [saved] the file of a model that it goes on from
 * @property {Program[]} [programs] the steps of a learner's own parts
 */
/**
 * What is seen of a learner's own parts before the first step: their loss and that of ours, and what is wrong.
 * @typedef {{ loss: number, ours: number, wrong: string[] }} Found
 */
/**
 * What the page hears.
 * @typedef {{ kind: "timed", ms: number }
 *   | { kind: "ready", parameters: number, bytes: number, symbols: number, found?: Found }
 *   | { kind: "step", step: number, loss: number, ms: number }
 *   | { kind: "look", step: number, loss: number, pieces: string[], share: number }
 *   | { kind: "ended", step: number }
 *   | { kind: "saved", content: Uint8Array<ArrayBuffer> }
 *   | { kind: "interrupted" }
 *   | { kind: "failed", message: string }} News
 */

const TIMED = 5; // steps that show how fast this machine is, after one that is not counted
const TOLD = 10; // steps from one word about the loss to the next
const LOOK = 100; // steps from one look at the held-out loss and a text to the next
const FIRST = 25; // the step of the first look
const WRITTEN = 250; // characters

/** @type {Awaited<ReturnType<typeof beginTraining>> | undefined} */
let training;
let known = new Set();
let isPaused = false;
let goOn = () => {};

/** @param {News} news @param {Transferable[]} [transferred] */
const tell = (news, transferred = []) => postMessage(news, { transfer: transferred });

/** Handle messages between two steps: a timer would wait for some milliseconds. */
const breath = new MessageChannel();
const breathe = () =>
  new Promise((resolve) => {
    breath.port1.onmessage = resolve;
    breath.port2.postMessage(0);
  });

/** Report how many milliseconds a step takes. @param {Order} order */
async function time({ wasm, text, config, plan }) {
  const some = encoded(text.slice(0, 20_000));
  const tried = await beginTraining(wasm, some, { config, plan, seed: 0 });
  tried.next();
  const begun = performance.now();
  for (let n = 0; n < TIMED; n++) tried.next();
  tell({ kind: "timed", ms: (performance.now() - begun) / TIMED });
}

/** @param {Order} order */
async function start({ wasm, text, held, config, plan, seed, saved, programs }) {
  const kept = saved && read(saved);
  const ids = encoded(text, held, kept?.vocabulary);
  training = await beginTraining(wasm, ids, { ...kept, config: kept?.config ?? config, plan, seed, programs });
  const { model, vocabulary } = training;
  const sizes = { parameters: model.count, bytes: model.bytes, symbols: vocabulary.length };
  const { found } = /** @type {{ found?: () => string[] }} */ (model);
  if (found) {
    const ours = await openGPT(wasm, model.config);
    ours.values.set(model.values);
    const batch = getBatch(ids.data, BATCH, new Generator(1));
    const losses = { loss: model.loss(batch, BATCH), ours: ours.loss(batch, BATCH) };
    tell({ kind: "ready", ...sizes, found: { ...losses, wrong: found() } });
  } else tell({ kind: "ready", ...sizes });
  known = wordsOf(text);
  look();
  await run();
}

/** Measure the loss on what is held out, and let the model write. */
function look() {
  if (!training) return;
  const loss = training.heldOut();
  tell({ kind: "look", step: training.step, loss, ...pieces(training.write(WRITTEN), known) });
}

async function run() {
  if (!training) return;
  let [sum, count, spent] = [0, 0, 0];
  while (training.step < training.end) {
    if (isPaused) await new Promise((resolve) => (goOn = () => resolve(undefined)));
    const begun = performance.now();
    sum += training.next();
    spent += performance.now() - begun;
    count += 1;
    const { step, end } = training;
    if (step % TOLD === 0 || step === end) {
      tell({ kind: "step", step, loss: sum / count, ms: spent / count });
      [sum, count, spent] = [0, 0, 0];
    }
    if (step % LOOK === 0 || step === FIRST || step === end) look();
    await breathe();
  }
  tell({ kind: "ended", step: training.step });
}

const DO = {
  time,
  start,
  pause() {
    isPaused = true;
  },
  resume() {
    isPaused = false;
    goOn();
  },
  more({ plan }) {
    isPaused = false;
    training?.more(plan);
    return run();
  },
  save() {
    if (!training) return;
    const { model, vocabulary } = training;
    const content = write({ ...model, vocabulary });
    tell({ kind: "saved", content }, [content.buffer]);
  },
};

addEventListener("message", async ({ data }) => {
  try {
    await DO[data.kind](data);
  } catch (error) {
    tell({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
});
