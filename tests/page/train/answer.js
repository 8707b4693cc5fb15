/**
 * Run by Node: let the page's GPT do what is asked on standard input, with files in a folder.
 * usage: node answer.js FOLDER MODULES   (where the kernels and models lie, and the modules)
 */
// @ts-nocheck: the types of Node are not installed
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, modules] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(`${modules}/${name}.js`).href);
const { initialise, openGPT } = await load("gpt");
const { Generator, cosAndSin, exp, log } = await load("numbers");
const { rateOf } = await load("optimiser");
const { read, write } = await load("file");
const { beginTraining, encoded, generate, OWN } = await load("training");
const { pieces, wordsOf } = await load("words");
const { openOwn } = await load("replay");
const settings = await load("../../widgets/training_settings");
OWN.open = openOwn;

const wasm = readFileSync(`${folder}/kernels.wasm`);
/** Read a model from a file. */
async function opened(file, programs) {
  const { buffer, byteOffset, byteLength } = readFileSync(`${folder}/${file}`);
  const { config, vocabulary, parts } = read(buffer.slice(byteOffset, byteOffset + byteLength));
  const model = programs ? await openOwn(wasm, config, programs) : await openGPT(wasm, config);
  for (const [name, { values }] of Object.entries(parts)) model.parts[name].values.set(values);
  return { model, vocabulary };
}
const flat = (passages) => Uint16Array.from(passages.flat());

const ANSWERS = {
  numbers: ({ x }) => x.map((value) => [exp(-value), log(value), ...cosAndSin(value)]),
  random({ seed, bits, below, normal }) {
    const generator = new Generator(seed);
    const drawn = Array.from({ length: bits }, () => generator.bits());
    const numbers = new Float32Array(normal);
    generator.normal(numbers);
    return { bits: drawn, normal: [...numbers], below: drawn.map(() => generator.below(below)) };
  },
  rates: ({ plan }) => Array.from({ length: plan.steps }, (_, n) => rateOf(n + 1, plan)),
  /** The gradients are written as a model is. */
  async learn({ passages, file, programs }) {
    const { model, vocabulary } = await opened(file, programs);
    const loss = model.learn(flat(passages), passages.length);
    const gradients = Object.entries(model.parts).map(([name, { gradient }]) => [name, { values: gradient }]);
    writeFileSync(`${folder}/${file}`, write({ ...model, vocabulary, parts: Object.fromEntries(gradients) }));
    return { loss, again: model.loss(flat(passages), passages.length) };
  },
  /** What is seen of a new model of a learner's own parts. */
  async found({ config, seed, programs }) {
    const model = await openOwn(wasm, config, programs);
    initialise(model, new Generator(seed));
    return model.found();
  },
  async next({ ids, temperature, file }) {
    const { model } = await opened(file);
    return ids.map((before) => [...model.next(before, temperature)]);
  },
  /** All logits and attention weights, as the model is or changed; and what is kept of the first text. */
  async look({ ids, file, how }) {
    const { model } = await opened(file);
    const kept = {};
    const keep = (name, values) => (kept[name] = [...values]);
    model.look(ids[0], { ...how, keep });
    const seen = ids.map((before) => model.look(before, how));
    const looks = seen.map(({ logits, weights }) => ({
      logits: [...logits],
      weights: weights.map((each) => [...each]),
    }));
    const last = `blocks.${model.config.layers - 1}`;
    return { looks, kept, said: [...model.say(Float32Array.from(kept[last] ?? kept.tokens))] };
  },
  encoded({ texts }) {
    return texts.map((each) => {
      const { vocabulary, data, held } = encoded(...each.map((given) => given ?? undefined));
      return { vocabulary, data: [...data], held: [...held] };
    });
  },
  async train({ text, plans, file, ...how }) {
    const training = await beginTraining(wasm, encoded(text), { ...how, plan: plans[0] });
    const looks = [training.heldOut()];
    const losses = [];
    for (const [n, plan] of plans.entries()) {
      if (n) training.more(plan);
      while (training.step < training.end) losses.push(training.next());
      looks.push(training.heldOut());
    }
    const { model, vocabulary } = training;
    writeFileSync(`${folder}/${file}`, write({ ...model, vocabulary }));
    return { losses, looks, written: training.write(50), step: training.step };
  },
  /** How long a step takes, and how long it is until the loss on what is held out reaches a goal. */
  async time({ text, goal, rounds, config, plan }) {
    const training = await beginTraining(wasm, encoded(text), { config, plan, seed: 0 });
    const times = [];
    while (times.length < rounds || training.step % 20 || training.heldOut() > goal) {
      const before = process.cpuUsage();
      training.next();
      const { user, system } = process.cpuUsage(before);
      times.push((user + system) / 1000);
    }
    const { count, bytes } = training.model;
    const sorted = times.toSorted((a, b) => a - b);
    const [low, ms, high] = [0.05, 0.5, 0.95].map((share) => sorted[Math.floor(share * times.length)]);
    const seconds = times.reduce((sum, each) => sum + each) / 1000;
    return { parameters: count, megabytes: bytes / 1e6, low, ms, high, seconds };
  },
  /** What a saved model writes; of a file that holds none, what is wrong. */
  async generate({ file, how }) {
    try {
      const { model, vocabulary } = await opened(file);
      return generate(model, vocabulary, 50, how);
    } catch (error) {
      return error.message;
    }
  },
  pieces: ({ text, known }) => pieces(text, wordsOf(known)),
  settings: ({ call, given }) => settings[call](...given),
  async start({ config, seed, file }) {
    const model = await openGPT(wasm, config);
    initialise(model, new Generator(seed));
    const vocabulary = Array.from({ length: config.symbols }, (_, n) => String.fromCodePoint(n));
    writeFileSync(`${folder}/${file}`, write({ ...model, vocabulary }));
  },
};

const asked = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify((await ANSWERS[asked.what](asked)) ?? null));
