/**
 * The weights of a model, as they lie in a file of safetensors: a head of JSON, and then all the numbers.
 * A matrix in 8 bits has its scales beside it: each belongs to a group of numbers that lie in one row, or
 * a single one to the whole matrix.
 */
import { half } from "../../widgets/pictures.js";

/** @typedef {{ shape: number[], values: Float32Array | Int8Array, scales: Float32Array }} Weight */
/** @typedef {{ [name: string]: Weight }} Weights */

const NONE = new Float32Array();
const READ = {
  I8: (buffer, at, count) => new Int8Array(buffer, at, count),
  F16: (buffer, at, count) => Float32Array.from(new Uint16Array(buffer, at, count), half),
  F32: (buffer, at, count) => new Float32Array(buffer, at, count),
};

/** Read what a file says of its weights. @param {ArrayBuffer} buffer */
export function readHeader(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  return JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)));
}

/**
 * Read a file's weights, by their names.
 * @param {ArrayBuffer} buffer
 * @returns {Weights}
 */
export function readWeights(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const { __metadata__, ...head } = readHeader(buffer);
  const read = {};
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(head)) {
    const count = shape.reduce((product, size) => product * size, 1);
    read[name] = { shape, values: READ[dtype](buffer, 8 + length + data_offsets[0], count) };
  }
  /** @type {Weights} */
  const weights = {};
  for (const [name, weight] of Object.entries(read)) {
    if (name.endsWith(".scale")) continue;
    const given = read[`${name}.scale`]?.values ?? NONE;
    const scales = given.length === 1 ? new Float32Array(weight.shape[0]).fill(given[0]) : given;
    weights[name] = { ...weight, scales };
  }
  return weights;
}

/**
 * Return a row of a matrix in 8 bits as the numbers that it stands for.
 * @param {Weight} weight
 * @param {number} index
 */
export function row({ shape: [rows, width], values, scales }, index) {
  const groups = scales.length / rows;
  const group = width / groups;
  const numbers = values.subarray(index * width, (index + 1) * width);
  return Float32Array.from(numbers, (value, i) => value * scales[index * groups + Math.floor(i / group)]);
}
