/** The GPT of gpt.py, trained on Shakespeare, or the one that the reader has just trained: it reads characters. */
import { LENGTH, openGPT } from "../train/gpt.js";
import { COPY } from "./sentence.js";
import { readHeader, readWeights, row } from "./weights.js";

/** @import { Config } from "../train/gpt.js" */

/** @typedef {Awaited<ReturnType<typeof openShakespeare>>} ShakespeareGPT */

const SHOWN = { "\n": "↵", " ": "␣" };

/** @param {(name: string) => Promise<ArrayBuffer>} read */
export async function openShakespeare(read) {
  const [wasm, file] = await Promise.all(["gpt-kernels.wasm", "gpt.safetensors"].map(read));
  const { config: described, vocabulary: listed } = readHeader(file).__metadata__;
  /** @type {Config} */
  const config = JSON.parse(described);
  /** @type {string[]} */
  const vocabulary = JSON.parse(listed);
  const gpt = await openGPT(wasm, config, 1);
  const weights = Object.entries(readWeights(file));
  const isPacked = weights.some(([, { values }]) => values instanceof Int8Array);
  for (const [name, weight] of weights) {
    const { values } = gpt.parts[name];
    if (weight.values instanceof Float32Array) values.set(weight.values);
    else for (let i = 0; i < weight.shape[0]; i++) values.set(row(weight, i), i * weight.shape[1]);
  }
  return {
    config,
    vocabulary,
    layers: config.layers,
    heads: config.heads,
    /** What is said of who computed this. */
    copy: isPacked ? COPY.GPT : COPY.yours,
    /** The most characters that it reads at once. */
    reads: LENGTH,
    /** Return the ids of the characters that it knows. */
    encode: (/** @type {string} */ text) =>
      Array.from(text, (each) => vocabulary.indexOf(each)).filter((id) => id >= 0),
    /** A character as it is written at an axis. */
    piece: (/** @type {number} */ id) => SHOWN[vocabulary[id]] ?? vocabulary[id],
    look: gpt.look,
    say: gpt.say,
    /** The numbers of each matrix, by its name in gpt.py. */
    parts: gpt.parts,
  };
}
