/**
 * The GPT of gpt.py: its logits, its loss, and the gradients of its parameters.
 *
 * What a pass forward computes is kept in buffers that are laid out once. The way back leaves a block before it
 * comes to the next, so what it needs on the way is laid out for one block only.
 */
import { cosAndSin, exp, log } from "./numbers.js";
import { attention, linear, norm, openKernels } from "./operations.js";

/** @import { Part, Size } from "./operations.js" */
/** @import { Generator } from "./numbers.js" */

/**
 * What a model is made of. What is false is left out: so the ladder begins, and so a model is broken.
 * @typedef {object} Config
 * @property {number} symbols V, the kinds of characters that it knows
 * @property {number} width D
 * @property {number} heads
 * @property {number} layers
 * @property {boolean} [average] attention is the average of what may be seen, without query and key
 * @property {boolean} [mask]
 * @property {boolean} [positions]
 * @property {boolean} [residuals]
 * @property {boolean} [norms]
 * @property {boolean} [feedForward]
 */

export const BATCH = 16;
export const LENGTH = 64;

/**
 * How a text is read besides: some heads add nothing, each as its layer and its number there; positions may be
 * left out; and `keep` hears what every part computes, of shape (characters, columns), by its name in gpt.py.
 * @typedef {object} How
 * @property {number[][]} [silent]
 * @property {boolean} [places]
 * @property {(name: string, values: Float32Array) => void} [keep]
 */

/** @param {number} n */
export const up8 = (n) => 8 * Math.ceil(n / 8);
/** H, the width within the feed-forward network. @param {Config} config */
const hidden = ({ width }) => Math.floor((4 * width) / 3);

/**
 * Name the parameters with their shapes, in the order of gpt.py.
 * @param {Config} config
 * @returns {[name: string, rows: number, columns?: number][]}
 */
export function shapes(config) {
  const { symbols: V, width: D, layers, average, norms = true, feedForward = true } = config;
  const all = [["tokens", V, D]];
  for (let n = 0; n < layers; n++) {
    if (norms) all.push([`blocks.${n}.attention_norm`, D]);
    const each = average ? ["value", "output"] : ["query", "key", "value", "output"];
    for (const part of each) all.push([`blocks.${n}.attention.${part}`, D, D]);
    if (!feedForward) continue;
    if (norms) all.push([`blocks.${n}.feed_forward_norm`, D]);
    for (const part of ["up", "gate"]) all.push([`blocks.${n}.feed_forward.${part}`, hidden(config), D]);
    all.push([`blocks.${n}.feed_forward.down`, D, hidden(config)]);
  }
  if (norms) all.push(["norm", D]);
  all.push(["output", V, D]);
  return /** @type {any} */ (all.map(([name, ...shape]) => [`${name}.weight`, ...shape]));
}

/**
 * Make a model whose parameters are 0.
 * @param {BufferSource} wasm kernels.wat, assembled
 * @param {Config} config
 * @param {number} batch the most texts that it reads at once
 */
export async function openGPT(wasm, config, batch = BATCH) {
  const ROWS = batch * LENGTH;
  const { symbols, width: D, heads, layers, average = false, mask = true } = config;
  const { positions = true, residuals = true, norms = true, feedForward = true } = config;
  const [K, H, V] = [D / heads, hidden(config), up8(symbols)];
  if (K % 8 || H % 8) {
    throw new RangeError(
      `A width of ${D} and ${heads} heads: heads of 8, 16, 24 … are needed, and a width of 24, 48, 72 …`,
    );
  }
  const wide = (average ? 1 : 3) * D;

  const { buffers, kernels, bytes } = await openKernels(wasm, (room) => {
    const normed = () => ({ n: room(norms ? ROWS * D : 0), y: room(ROWS * D), by: room(ROWS) });
    const block = () => ({
      before: normed(),
      qkv: room(ROWS * wide),
      weights: room(ROWS * heads * LENGTH),
      found: room(ROWS * D),
      between: normed(),
      upGate: room(feedForward ? 2 * ROWS * H : 0),
      gated: room(feedForward ? ROWS * H : 0),
    });
    // what follows the last parameter makes the rows of output's matrix V
    const count = shapes({ ...config, symbols: V }).reduce((sum, [, m, n = 1]) => sum + m * n, 0);
    return {
      values: room(count),
      gradient: room(count),
      x: room(ROWS * D),
      dx: room(ROWS * D),
      blocks: Array.from({ length: layers }, block),
      last: normed(),
      logits: room(ROWS * V),
      dwide: room(ROWS * Math.max(wide, 2 * H)), // of qkv, or of up and gate
      dnarrow: room(ROWS * Math.max(D, H)), // of what a linear layer reads
      across: room(D * Math.max(V, wide, 2 * H, LENGTH)),
      scores: room(LENGTH * LENGTH),
      tables: { cos: room(LENGTH * K), sin: room(LENGTH * K), back: room(LENGTH * K) },
    };
  });
  const { values, gradient, x, dx, last, logits, dwide, dnarrow, across, scores, tables } = buffers;
  fillTables(tables, K);

  /** @type {{ [name: string]: Part }} */
  const parts = {};
  let count = 0;
  for (const [name, rows, columns = 1] of shapes(config)) {
    parts[name] = part(count, rows, columns);
    count += rows * columns;
  }
  /** @returns {Part} */
  function part(start, rows, columns) {
    const [w, d] = [values, gradient].map((all) => all.subarray(start, start + rows * columns));
    return { values: w, gradient: d, rows, columns };
  }
  /** Return the matrices from a given one on as one matrix. */
  function from(name, rows) {
    const { values: first, columns } = parts[`${name}.weight`];
    return part((first.byteOffset - values.byteOffset) / 4, rows, columns);
  }
  const blocks = buffers.blocks.map((its, n) => ({
    its,
    attentionNorm: parts[`blocks.${n}.attention_norm.weight`],
    qkv: from(`blocks.${n}.attention.${average ? "value" : "query"}`, wide),
    output: parts[`blocks.${n}.attention.output.weight`],
    feedForwardNorm: parts[`blocks.${n}.feed_forward_norm.weight`],
    ...(feedForward && { upGate: from(`blocks.${n}.feed_forward.up`, 2 * H) }),
    down: parts[`blocks.${n}.feed_forward.down.weight`],
  }));
  const tokens = parts["tokens.weight"];
  const output = from("output", V);

  const dense = linear(kernels, across);
  const normed = norm(kernels, D);
  const attend = attention(kernels, { across, scores }, { width: D, heads, mask, average });
  const rotate = (qkv, { rows, T }, sin) => {
    const [a, c, s] = [qkv, tables.cos, sin].map((each) => each.byteOffset);
    if (positions && !average) kernels.rotate(a, 4 * wide, rows, 2 * heads, K, T, c, s);
  };

  /**
   * Compute the logits of what follows each character.
   * @param {ArrayLike<number>} ids of all texts, one text after the other
   * @param {number} texts
   * @param {How} [how]
   * @returns {Size} of the rows that they are in
   */
  function forward(ids, texts, { silent = [], places = true, keep } = {}) {
    const length = ids.length / texts;
    const T = up8(length);
    const size = { texts, length, T, rows: texts * T };
    const { rows } = size;
    for (let row = 0; row < rows; row++) {
      const t = row % T;
      const id = t < length ? ids[((row - t) / T) * length + t] : 0;
      x.set(tokens.values.subarray(id * D, (id + 1) * D), row * D);
    }
    /** Keep some columns of a matrix, without the rows that only fill it up. */
    function see(name, values, wide, first = 0, columns = wide) {
      const kept = new Float32Array(length * columns);
      for (let t = 0; keep && t < length; t++) {
        kept.set(values.subarray(t * wide + first, t * wide + first + columns), t * columns);
      }
      keep?.(name, kept);
    }
    /** Add what a part computes to x, or put it in the place of x. */
    function add(name, from, weight) {
      if (!keep) return dense.forward(from, weight, x, rows, residuals);
      dense.forward(from, weight, dnarrow, rows);
      see(name, dnarrow, D);
      for (let i = 0; i < rows * D; i++) x[i] = dnarrow[i] + (residuals ? x[i] : 0);
    }
    if (keep) see("tokens", x, D);
    for (const [n, { its, attentionNorm, qkv, output, feedForwardNorm, upGate, down }] of blocks.entries()) {
      const name = `blocks.${n}`;
      const projected = average ? ["value"] : ["query", "key", "value"];
      normed.forward(x, attentionNorm, its.before, rows);
      dense.forward(its.before.y, qkv, its.qkv, rows);
      if (keep) {
        see(`${name}.attention_norm`, its.before.y, D);
        for (const [i, part] of projected.entries()) see(`${name}.attention.${part}`, its.qkv, wide, i * D, D);
      }
      if (places) rotate(its.qkv, size, tables.sin);
      attend.forward(its.qkv, its.weights, its.found, size);
      for (const [layer, head] of silent) {
        for (let at = head * K; layer === n && head < heads && at < rows * D; at += D) its.found.fill(0, at, at + K);
      }
      if (keep) {
        for (const [i, part] of projected.slice(0, -1).entries())
          see(`${name}.attention.${part}.rotated`, its.qkv, wide, i * D, D);
        see(`${name}.attention.heads`, its.found, D);
      }
      add(`${name}.attention.output`, its.found, output);
      if (keep) see(`${name}.attention.sum`, x, D);
      if (upGate) {
        normed.forward(x, feedForwardNorm, its.between, rows);
        dense.forward(its.between.y, upGate, its.upGate, rows);
        kernels.gate(its.upGate.byteOffset, its.gated.byteOffset, rows, H);
        if (keep) {
          see(`${name}.feed_forward_norm`, its.between.y, D);
          see(`${name}.feed_forward.up`, its.upGate, 2 * H, 0, H);
          see(`${name}.feed_forward.gate`, its.upGate, 2 * H, H, H);
          see(`${name}.feed_forward.gated`, its.gated, H);
        }
        add(`${name}.feed_forward.down`, its.gated, down);
      }
      if (keep) see(name, x, D);
    }
    speak(rows);
    if (keep) see("norm", last.y, D);
    return size;
  }

  /** Compute logits of the vectors in x. @param {number} rows */
  function speak(rows) {
    normed.forward(x, parts["norm.weight"], last, rows);
    dense.forward(last.y, output, logits, rows);
  }

  /** Copy the logits of some characters, without the columns that only fill them up. @param {number} length */
  function spoken(length) {
    const copied = new Float32Array(length * symbols);
    for (let t = 0; t < length; t++) copied.set(logits.subarray(t * V, t * V + symbols), t * symbols);
    return copied;
  }

  /** Compute all gradients from those of the logits. @param {ArrayLike<number>} ids @param {Size} size */
  function back(ids, size) {
    const { rows } = size;
    gradient.fill(0);
    dense.back(last.y, output, logits, dnarrow, rows);
    normed.back(last, parts["norm.weight"], dnarrow, dx, rows, false);
    for (const { its, attentionNorm, qkv, output, feedForwardNorm, upGate, down } of blocks.toReversed()) {
      if (upGate) {
        dense.back(its.gated, down, dx, dnarrow, rows);
        kernels.gateBack(its.upGate.byteOffset, dnarrow.byteOffset, dwide.byteOffset, rows, H);
        dense.back(its.between.y, upGate, dwide, dnarrow, rows);
        normed.back(its.between, feedForwardNorm, dnarrow, dx, rows, residuals);
      }
      dense.back(its.found, output, dx, dnarrow, rows);
      attend.back(its.qkv, its.weights, dnarrow, dwide, size);
      rotate(dwide, size, tables.back);
      dense.back(its.before.y, qkv, dwide, dnarrow, rows);
      normed.back(its.before, attentionNorm, dnarrow, dx, rows, residuals);
    }
    for (let row = 0; row < rows; row++) {
      for (let i = 0, to = ids[row] * D; i < D; i++) tokens.gradient[to + i] += dx[row * D + i];
    }
  }

  /** Run forward, and make probabilities of the logits. @param {Uint16Array} passages @param {number} texts */
  function read(passages, texts) {
    const length = passages.length / texts; // one more than is read: the last is only foretold
    const ids = passages.filter((_, i) => (i + 1) % length);
    const targets = passages.filter((_, i) => i % length);
    const size = forward(ids, texts);
    kernels.softmax(logits.byteOffset, size.rows, V, 1, symbols, 0);
    let sum = 0;
    for (const [row, target] of targets.entries()) sum -= log(logits[row * V + target]);
    return { ids, targets, size, loss: sum / targets.length };
  }

  return {
    config,
    parts,
    /** How many parameters there are. */
    count,
    /** What all of it takes in memory. */
    bytes,
    /** All parameters, and their gradients: behind those of `parts` lie zeros. */
    values,
    gradient,
    /**
     * Return the loss: how well each character of some passages is foretold from those before it.
     * @param {Uint16Array} passages one after the other, at most BATCH, of 8, 16 … LENGTH characters and one more
     * @param {number} texts how many
     */
    loss: (passages, texts) => read(passages, texts).loss,
    /** Return the loss, and compute its gradients. @param {Uint16Array} passages @param {number} texts */
    learn(passages, texts) {
      const { ids, targets, size, loss } = read(passages, texts);
      for (const [row, target] of targets.entries()) logits[row * V + target] -= 1;
      for (let i = 0; i < size.rows * V; i++) logits[i] /= size.rows;
      back(ids, size);
      return loss;
    },
    /**
     * Read a text of at most LENGTH characters: return the logits of what follows each of them, of shape
     * (characters, symbols), and each layer's attention weights, of shape (heads, characters, characters).
     * @param {number[]} ids
     * @param {How} [how]
     */
    look(ids, how) {
      const { length, T } = forward(ids, 1, how);
      const weights = blocks.map(({ its }) => {
        const copied = new Float32Array(heads * length * length);
        for (let row = 0; row < heads * length; row++) {
          const from = (Math.floor(row / length) * T + (row % length)) * T;
          copied.set(its.weights.subarray(from, from + length), row * length);
        }
        return copied;
      });
      return { logits: spoken(length), weights };
    },
    /**
     * Return what the model would say of vectors in its residual stream, of shape (at most LENGTH, width): the last
     * norm and the output, without the layers before them.
     * @param {Float32Array} vectors
     */
    say(vectors) {
      const length = vectors.length / D;
      x.set(vectors);
      x.fill(0, length * D, up8(length) * D);
      speak(up8(length));
      return spoken(length);
    },
    /**
     * Return the probability of each character to come next.
     * @param {number[]} before ids
     * @param {number} temperature
     */
    next(before, temperature) {
      const ids = before.slice(-LENGTH);
      forward(ids, 1);
      const row = logits.subarray((ids.length - 1) * V, ids.length * V);
      kernels.softmax(row.byteOffset, 1, V, 1 / temperature, symbols, 0);
      return row.subarray(0, symbols);
    },
  };
}

/** Fill the angles' cosines and sines, as `rotate` of gpt.py has them. */
function fillTables({ cos, sin, back }, K) {
  for (let at = 0; at < cos.length; at++) {
    const [t, i] = [Math.floor(at / K), at % K];
    const frequency = Math.fround(exp(((i & -2) / -K) * log(10_000)));
    const turned = cosAndSin(Math.fround(t * frequency));
    cos[at] = turned[0];
    sin[at] = i % 2 ? turned[1] : -turned[1];
    back[at] = -sin[at];
  }
}

/**
 * Draw the parameters as PyTorch does for the modules of gpt.py.
 * @param {{ parts: { [name: string]: Part } }} model
 * @param {Generator} generator
 */
export function initialise({ parts }, generator) {
  for (const [name, { values, columns }] of Object.entries(parts)) {
    if (name === "tokens.weight") generator.normal(values);
    else if (columns === 1) values.fill(1);
    else
      for (let i = 0, most = 1 / Math.sqrt(columns); i < values.length; i++)
        values[i] = generator.uniform() * 2 * most - most;
  }
}
