/**
 * A model as a file: safetensors, which PyTorch reads too. That is the length of a header in 8 bytes, the header
 * in JSON, and numbers. Besides the parameters, the header has the vocabulary and what the model is made of.
 */
import { shapes } from "./gpt.js";

/** @import { Config } from "./gpt.js" */
/** @typedef {{ config: Config, vocabulary: string[], parts: { [name: string]: { values: Float32Array } } }} Saved */

/**
 * Write a model.
 * @param {Saved} model
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function write({ config, vocabulary, parts }) {
  let end = 0;
  const header = { __metadata__: { config: JSON.stringify(config), vocabulary: JSON.stringify(vocabulary) } };
  for (const [name, ...shape] of shapes(config)) {
    const start = end;
    end += parts[name].values.byteLength;
    header[name] = { dtype: "F32", shape, data_offsets: [start, end] };
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const size = 8 * Math.ceil(text.length / 8); // so that the numbers are aligned
  const bytes = new Uint8Array(8 + size + end).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(size), true);
  bytes.set(text, 8);
  for (const [name] of shapes(config)) {
    const { buffer, byteOffset, byteLength } = parts[name].values;
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), 8 + size + header[name].data_offsets[0]);
  }
  return bytes;
}

/**
 * Read a model. Raises an Error, whose message says what is wrong, if a file holds none.
 * @param {ArrayBuffer} content
 * @returns {Saved}
 */
export function read(content) {
  const { header, numbers } = opened(content);
  const { config: described, vocabulary: listed } = header.__metadata__ ?? {};
  if (!described || !listed) throw new Error("The file has no vocabulary: it is not a model that this page saved.");
  const [config, vocabulary] = [described, listed].map((text) => JSON.parse(text));
  if (vocabulary.length !== config.symbols) {
    throw new Error(`The file has ${vocabulary.length} characters for a model of ${config.symbols}.`);
  }
  const parts = {};
  for (const [name, ...shape] of shapes(config)) {
    const [start, end] = header[name]?.data_offsets ?? [];
    const size = shape.reduce((/** @type {number} */ product, n) => product * (n ?? 1), 1);
    if (header[name]?.dtype !== "F32" || `${header[name].shape}` !== `${shape}` || end - start !== 4 * size) {
      throw new Error(`The file has no float32 ${name} of shape ${shape.join(" × ")}.`);
    }
    if (end > numbers.byteLength) throw new Error("The file ends too early: was it copied completely?");
    parts[name] = { values: new Float32Array(numbers.slice(start, end)) };
  }
  return { config, vocabulary, parts };
}

/** @param {ArrayBuffer} content */
function opened(content) {
  try {
    const size = Number(new DataView(content).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(content.slice(8, 8 + size)));
    return { header, numbers: content.slice(8 + size) };
  } catch {
    throw new Error("This is not a model: choose a .safetensors file that this page saved.");
  }
}
