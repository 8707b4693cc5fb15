/**
 * A GPT in which a learner's own functions stand: repeats the steps that page/own_parts.py wrote down, forward and
 * back, on new numbers. It is used as the GPT of gpt.js is.
 *
 * The result of each step lies in reading order. What a step is given is a view of another step's result, as in
 * PyTorch: a shape, strides and an offset. Where a view isn't in order, a table says which number meets which.
 */
import { BATCH, LENGTH, shapes, up8 } from "./gpt.js";
import { log } from "./numbers.js";
import { linear, openKernels } from "./operations.js";

/** @import { Config } from "./gpt.js" */
/** @import { Kernels, Numbers, Part } from "./operations.js" */
/** @typedef {{ step: number, shape: number[], strides: number[], offset: number }} View */
/**
 * What a step does, of what, and along which axes; an input has a name, a constant its values.
 * @typedef {object} Step
 * @property {string} does
 * @property {number[]} shape
 * @property {(View | number | string)[]} of
 * @property {number[]} axes
 * @property {string} [name]
 * @property {(number | string)[]} [values]
 */
/** @typedef {{ steps: Step[], result: number }} Program */
/** @typedef {{ values: Numbers, gradient?: Numbers }} Node */
/** A matrix within numbers: where it begins, and from row to row, and from column to column. */
/** @typedef {{ numbers: Numbers, at: number, row: number, column: number }} Matrix */
/**
 * A function of a number, and how fast it grows.
 * @typedef {[(x: number) => number, (x: number, y: number) => number]} Growing
 */
/** What a step does in each pass. @typedef {{ forward(): void, back(): void }} Pass */

const size = (shape) => shape.reduce((product, n) => product * n, 1);
/** The strides of what lies in reading order. @param {number[]} shape */
const inOrder = (shape) => shape.map((_, n) => size(shape.slice(n + 1)));

/** @type {Map<string, Int32Array>} */
const tables = new Map(); // layers have the same
/**
 * Return the place where strides lead, for each place of a shape in reading order.
 * @param {number[]} shape
 * @param {number[]} strides
 * @param {number} offset
 */
function table(shape, strides, offset = 0) {
  const key = `${shape};${strides};${offset}`;
  const places = tables.get(key) ?? new Int32Array(size(shape));
  if (tables.has(key)) return places;
  const at = shape.map(() => 0);
  for (let i = 0, place = offset; i < places.length; i++) {
    places[i] = place;
    for (let n = shape.length - 1; n >= 0; n--) {
      place += strides[n];
      if (++at[n] < shape[n]) break;
      place -= at[n] * strides[n];
      at[n] = 0;
    }
  }
  tables.set(key, places);
  return places;
}
/** The strides of a view that is broadcast to a shape. @param {View} view @param {number[]} to */
function spread({ shape, strides }, to) {
  const more = to.length - shape.length;
  return to.map((_, n) => (n < more || shape[n - more] === 1 ? 0 : strides[n - more]));
}

const sigmoid = (x) => 1 / (1 + Math.exp(-x));
/** The integral of the normal distribution (Abramowitz and Stegun 7.1.26 is too coarse: by its series). */
function normal(x) {
  if (x < -6 || x > 6) return Number(x > 0);
  let [sum, term] = [x, x];
  for (let n = 1; Math.abs(term) > 1e-12; n++) sum += term *= (x * x) / (2 * n + 1);
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}
const bell = (x) => Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
const C = Math.sqrt(2 / Math.PI);
const inner = (x) => Math.tanh(C * (x + 0.044715 * x ** 3));
/** y = f(x), and how fast it grows, from x and y; those without have no gradient. @type {{ [name: string]: any }} */
const UNARY = {
  neg: [(x) => -x, () => -1],
  abs: [Math.abs, (x) => Math.sign(x)],
  squared: [(x) => x * x, (x) => 2 * x],
  sqrt: [Math.sqrt, (_, y) => 0.5 / y],
  rsqrt: [(x) => 1 / Math.sqrt(x), (_, y) => -0.5 * y * y * y],
  reciprocal: [(x) => 1 / x, (_, y) => -y * y],
  exp: [Math.exp, (_, y) => y],
  log: [Math.log, (x) => 1 / x],
  sin: [Math.sin, (x) => Math.cos(x)],
  cos: [Math.cos, (x) => -Math.sin(x)],
  tanh: [Math.tanh, (_, y) => 1 - y * y],
  sigmoid: [sigmoid, (_, y) => y * (1 - y)],
  relu_of: [(x) => Math.max(0, x), (x) => Number(x > 0)],
  _silu: [(x) => x * sigmoid(x), (x, y) => sigmoid(x) * (1 + x - y)],
  _gelu: [(x) => x * normal(x), (x) => normal(x) + x * bell(x)],
  _gelu_by_tanh: [
    (x) => 0.5 * x * (1 + inner(x)),
    (x) => 0.5 * (1 + inner(x)) + 0.5 * x * (1 - inner(x) ** 2) * C * (1 + 3 * 0.044715 * x * x),
  ],
  not_: [(x) => Number(!x)],
  isfinite: [(x) => Number(Number.isFinite(x))],
};
const power = [(a, b) => a ** b, (a, b) => b * a ** (b - 1), (a, _, _c, y) => y * Math.log(a)];
/** y = f(a, b …), and how fast it grows with each, from all of them and y. */
const SEVERAL = {
  add: [(a, b) => a + b, () => 1, () => 1],
  sub: [(a, b) => a - b, () => 1, () => -1],
  mul: [(a, b) => a * b, (_, b) => b, (a) => a],
  divided: [(a, b) => a / b, (_, b) => 1 / b, (_, b, _c, y) => -y / b],
  power,
  root_power: power,
  largest: [(a, b) => (a > b || Number.isNaN(a) ? a : b), (a, b) => above(a, b), (a, b) => above(b, a)],
  least: [(a, b) => (a < b || Number.isNaN(a) ? a : b), (a, b) => above(b, a), (a, b) => above(a, b)],
  at_least: [Math.max, (a, b) => Number(a >= b), (a, b) => Number(a < b)],
  at_most: [Math.min, (a, b) => Number(a <= b), (a, b) => Number(a > b)],
  eq: [(a, b) => Number(a === b)],
  ne: [(a, b) => Number(a !== b)],
  lt: [(a, b) => Number(a < b)],
  le: [(a, b) => Number(a <= b)],
  gt: [(a, b) => Number(a > b)],
  ge: [(a, b) => Number(a >= b)],
  and_: [(a, b) => Number(a && b)],
  or_: [(a, b) => Number(a || b)],
  xor: [(a, b) => Number(Boolean(a) !== Boolean(b))],
  _filled: [
    (x, hidden, filling) => (hidden ? filling : x),
    (_, hidden) => Number(!hidden),
    undefined,
    (_, h) => Number(h),
  ],
  _chosen: [(c, a, b) => (c ? a : b), undefined, (c) => Number(c), (c) => Number(!c)],
};
function several(y, a, pa, b, pb, c, pc, f) {
  for (let i = 0; i < y.length; i++) y[i] = f(a[pa[i]], b[pb[i]], c[pc[i]]);
}
function severalBack(d, p, dy, y, a, pa, b, pb, c, pc, grows) {
  for (let i = 0; i < y.length; i++) d[p[i]] += dy[i] * grows(a[pa[i]], b[pb[i]], c[pc[i]], y[i]);
}
function passed(d, p, dy) {
  for (let i = 0; i < dy.length; i++) d[p[i]] += dy[i];
}
/** Those that are met most, written out: so the browser compiles each for what it meets. */
const OFTEN = {
  add: {
    forward(y, a, pa, b, pb) {
      for (let i = 0; i < y.length; i++) y[i] = a[pa[i]] + b[pb[i]];
    },
    back: [passed, passed],
  },
  sub: { back: [passed] },
  mul: {
    forward(y, a, pa, b, pb) {
      for (let i = 0; i < y.length; i++) y[i] = a[pa[i]] * b[pb[i]];
    },
    back: [
      (d, p, dy, _y, _a, _pa, b, pb) => {
        for (let i = 0; i < dy.length; i++) d[p[i]] += dy[i] * b[pb[i]];
      },
      (d, p, dy, _y, a, pa) => {
        for (let i = 0; i < dy.length; i++) d[p[i]] += dy[i] * a[pa[i]];
      },
    ],
  },
  divided: {
    forward(y, a, pa, b, pb) {
      for (let i = 0; i < y.length; i++) y[i] = a[pa[i]] / b[pb[i]];
    },
    back: [
      (d, p, dy, _y, _a, _pa, b, pb) => {
        for (let i = 0; i < dy.length; i++) d[p[i]] += dy[i] / b[pb[i]];
      },
      (d, p, dy, y, _a, _pa, b, pb) => {
        for (let i = 0; i < dy.length; i++) d[p[i]] -= (dy[i] * y[i]) / b[pb[i]];
      },
    ],
  },
  _filled: {
    forward(y, a, pa, b, pb, c, pc) {
      for (let i = 0; i < y.length; i++) y[i] = b[pb[i]] ? c[pc[i]] : a[pa[i]];
    },
    back: [
      (d, p, dy, _y, _a, _pa, b, pb) => {
        for (let i = 0; i < dy.length; i++) if (!b[pb[i]]) d[p[i]] += dy[i];
      },
    ],
  },
};
/** The share of the gradient of the larger of two numbers. */
const above = (a, b) => (a > b ? 1 : a === b ? 0.5 : 0);

/**
 * What computes a program.
 * @param {Program} program
 * @param {Node[]} nodes where the results of its steps lie
 * @param {Kernels} kernels
 * @param {Numbers} scratch
 */
function passes({ steps }, nodes, kernels, scratch) {
  const multiply = products(kernels, scratch);
  /** @param {number} n @returns {Pass | undefined} */
  function pass(n) {
    const { does, shape, of, axes } = steps[n];
    if (["input", "constant"].includes(does)) return undefined;
    const y = nodes[n];
    const views = of.map((one) => /** @type {View} */ (typeof one === "object" ? one : { shape: [] }));
    const [view] = views;
    const x = nodes[view.step];
    if (does === "matmul") return product(views, shape, y);
    if (does === "cat") return joined(views, shape, axes[0], y);
    if (does === "copy") return moved(x, table(view.shape, view.strides, view.offset), y);
    if (does === "picked") return moved(x, Int32Array.from(axes), y);
    if (does === "softmax_of") return softmax(x, view, axes[0], y);
    if (does in UNARY) return mapped(UNARY[does], x, table(shape, view.strides, view.offset), y);
    if (does in SEVERAL) return together(does, of, shape, y);
    return reduced(does, x, view, axes, y);
  }

  /** @param {Node} x @param {Int32Array} places @param {Node} y @returns {Pass} */
  function moved({ values: a, gradient: da }, places, { values: b, gradient: db }) {
    return {
      forward() {
        for (let i = 0; i < b.length; i++) b[i] = a[places[i]];
      },
      back: () => da && db && passed(da, places, db),
    };
  }

  /** @param {Growing} functions @param {Node} x @param {Int32Array} places @param {Node} y @returns {Pass} */
  function mapped([f, grows], { values: a, gradient: da }, places, { values: b, gradient: db }) {
    return {
      forward() {
        for (let i = 0; i < b.length; i++) b[i] = f(a[places[i]]);
      },
      back() {
        if (da && db) for (let i = 0; i < db.length; i++) da[places[i]] += db[i] * grows(a[places[i]], b[i]);
      },
    };
  }

  /** @param {string} does @param {Step["of"]} of @param {number[]} shape @param {Node} y @returns {Pass} */
  function together(does, of, shape, { values: y, gradient: dy }) {
    const [f, ...grow] = SEVERAL[does];
    const none = shape.map(() => 0);
    const given = of.map((one) =>
      typeof one === "object"
        ? { ...nodes[one.step], places: table(shape, spread(one, shape), one.offset) }
        : { values: Float32Array.of(Number(one)), gradient: undefined, places: table(shape, none) },
    );
    const [a, b, c = b] = given;
    const operands = /** @type {const} */ ([a.values, a.places, b.values, b.places]);
    const { forward = several, back = [] } = OFTEN[does] ?? {};
    return {
      forward: () => forward(y, ...operands, c.values, c.places, f),
      back() {
        if (!dy) return;
        for (const [n, { gradient, places }] of given.entries()) {
          if (gradient && grow[n])
            (back[n] ?? severalBack)(gradient, places, dy, y, ...operands, c.values, c.places, grow[n]);
        }
      },
    };
  }

  /**
   * Along some axes: a sum, a mean, the largest or smallest, a variance.
   * @param {string} does @param {Node} x @param {View} view @param {number[]} axes @param {Node} y
   * @returns {Pass}
   */
  function reduced(does, { values: a, gradient: da }, { shape, strides, offset }, axes, { values: y, gradient: dy }) {
    const places = table(shape, strides, offset);
    const left = inOrder(shape.map((n, axis) => (axes.includes(axis) ? 1 : n)));
    const ends = table(
      shape,
      left.map((stride, axis) => (axes.includes(axis) ? 0 : stride)),
    );
    const [count, each] = [size(shape), size(axes.map((axis) => shape[axis]))];
    const from = (i) => places[i];
    const to = (i) => ends[i];
    const sums = new Float64Array(y.length);
    const means = new Float64Array(y.length);
    const add = (f) => {
      sums.fill(0);
      for (let i = 0; i < count; i++) sums[to(i)] += f(i);
    };
    const sign = does === "smallest" ? -1 : 1;
    const isExtreme = does === "greatest" || does === "smallest";
    const isSpread = does.startsWith("variance");
    const shares = does === "total" ? 1 : isSpread ? each - Number(does.at(-1)) : each;
    const isOne = (i) => Number(a[from(i)] === y[to(i)]); // of the largest, or of as many as are alike
    return {
      forward() {
        if (isExtreme) {
          y.fill(-sign * Infinity);
          for (let i = 0; i < count; i++) if (sign * a[from(i)] > sign * y[to(i)]) y[to(i)] = a[from(i)];
          return;
        }
        add((i) => a[from(i)]);
        if (isSpread) {
          means.set(sums.map((sum) => sum / each));
          add((i) => (a[from(i)] - means[to(i)]) ** 2);
        }
        for (let i = 0; i < y.length; i++) y[i] = sums[i] / shares;
      },
      back() {
        if (!da || !dy) return;
        if (isExtreme) {
          add(isOne);
          for (let i = 0; i < count; i++) da[from(i)] += (isOne(i) * dy[to(i)]) / sums[to(i)];
        } else if (isSpread) {
          for (let i = 0; i < count; i++) da[from(i)] += (2 * (a[from(i)] - means[to(i)]) * dy[to(i)]) / shares;
        } else for (let i = 0; i < count; i++) da[from(i)] += dy[to(i)] / shares;
      },
    };
  }

  /** @param {Node} x @param {View} view @param {number} axis @param {Node} y @returns {Pass} */
  function softmax({ values: a, gradient: da }, { shape, strides, offset }, axis, { values: y, gradient: dy }) {
    const rest = shape.map((n, d) => (d === axis ? 1 : n));
    const [count, step, further] = [shape[axis], strides[axis], inOrder(shape)[axis]];
    const from = table(rest, strides, offset);
    const to = table(rest, inOrder(shape));
    const lines = size(rest);
    return {
      forward() {
        for (let n = 0; n < lines; n++) {
          const p = from[n];
          const q = to[n];
          let top = -Infinity;
          let sum = 0;
          for (let i = 0; i < count; i++) if (a[p + i * step] > top) top = a[p + i * step];
          for (let i = 0; i < count; i++) sum += y[q + i * further] = Math.exp(a[p + i * step] - top);
          for (let i = 0; i < count; i++) y[q + i * further] /= sum;
        }
      },
      back() {
        if (!da || !dy) return;
        for (let n = 0; n < lines; n++) {
          const p = from[n];
          const q = to[n];
          let sum = 0;
          for (let i = 0, at = q; i < count; i++, at += further) sum += y[at] * dy[at];
          for (let i = 0, at = q; i < count; i++, at += further) da[p + i * step] += y[at] * (dy[at] - sum);
        }
      },
    };
  }

  /** @param {View[]} views @param {number[]} shape @param {number} axis @param {Node} y @returns {Pass} */
  function joined(views, shape, axis, { values: y, gradient: dy }) {
    const strides = inOrder(shape);
    let start = 0;
    const parts = views.map((view) => {
      const to = table(view.shape, strides, start * strides[axis]);
      start += view.shape[axis];
      return { ...nodes[view.step], from: table(view.shape, view.strides, view.offset), to, count: size(view.shape) };
    });
    return {
      forward() {
        for (const { values, from, to, count } of parts) for (let i = 0; i < count; i++) y[to[i]] = values[from[i]];
      },
      back() {
        for (const { gradient, from, to, count } of parts)
          if (gradient && dy) for (let i = 0; i < count; i++) gradient[from[i]] += dy[to[i]];
      },
    };
  }

  /** @param {View[]} views @param {number[]} shape @param {Node} y @returns {Pass} */
  function product([a, b], shape, y) {
    let lead = shape.slice(0, -2);
    let [M, N] = shape.slice(-2);
    const K = a.shape.at(-1) ?? 1;
    const last = (view) => view.strides.slice(-2);
    const leads = [a, b].map((view) => spread({ ...view, shape: view.shape.slice(0, -2) }, lead));
    const rows = [...leads[0], last(a)[0]];
    const isOne = leads[1].every((stride) => !stride) && lead.every((_, i) => rows[i] === rows[i + 1] * shape[i + 1]);
    if (isOne) [lead, M] = [[], M * size(lead)]; // the rows of all texts at once
    const [pa, pb] = leads.map((strides) => table(lead, strides.slice(0, lead.length)));
    const [left, right] = [nodes[a.step], nodes[b.step]];
    const place = ({ strides, offset }, numbers, more) => {
      const [row, column] = strides.slice(-2);
      return { numbers, at: offset + more, row, column };
    };
    const each = (act) => {
      for (let n = 0; n < size(lead); n++) {
        act(pa[n], pb[n], (numbers) => ({ numbers, at: n * M * N, row: N, column: 1 }));
      }
    };
    return {
      forward() {
        each((i, j, out) => {
          multiply(place(a, left.values, i), place(b, right.values, j), out(y.values), [M, N, K], false);
        });
      },
      back() {
        const dy = y.gradient;
        if (!dy) return;
        each((i, j, out) => {
          if (left.gradient) {
            const turned = across(place(b, right.values, j));
            multiply(out(dy), turned, place(a, left.gradient, i), [M, K, N], true);
          }
          if (right.gradient) {
            const turned = across(place(a, left.values, i));
            multiply(turned, out(dy), place(b, right.gradient, j), [K, N, M], true);
          }
        });
      },
    };
  }

  return steps.map((_, n) => pass(n)).filter((one) => one !== undefined);
}

/** A matrix, transposed. @param {Matrix} matrix @returns {Matrix} */
const across = ({ row, column, ...rest }) => ({ ...rest, row: column, column: row });
const ROUNDED = 1e-4; // by less, what is normed may differ since it is rounded
const NEAR = 64; // terms of a sum at a time: so much stays in the processor's cache
/**
 * Return what computes C = A · B, or C += where `more`, wherever they lie.
 * @param {Kernels} kernels @param {Numbers} scratch
 */
function products(kernels, scratch) {
  /** @param {Matrix} a @param {Matrix} b @param {Matrix} c @param {number[]} sizes @param {boolean} more */
  return function multiply(a, b, c, [M, N, K], more) {
    if (c.column !== 1 && c.row === 1) {
      multiply(across(b), across(a), across(c), [N, M, K], more);
      return;
    }
    if (M % 4 || N % 8 || c.column !== 1 || c.row < N || scratch.length < K * N) {
      plainly(a, b, c, [M, N, K], more);
      return;
    }
    let { numbers, at, row } = b;
    if (b.column !== 1) {
      for (let k = 0; k < K; k++) for (let j = 0; j < N; j++) scratch[k * N + j] = numbers[at + k * row + j * b.column];
      [numbers, at, row] = [scratch, 0, N];
    }
    const bytes = (all, place) => all.byteOffset + 4 * place;
    for (let k = 0; k < K; k += NEAR) {
      const [pa, pb] = [bytes(a.numbers, a.at + k * a.column), bytes(numbers, at + k * row)];
      const end = Math.min(NEAR, K - k);
      const isMore = Number(more || k > 0);
      const pc = bytes(c.numbers, c.at);
      kernels.multiply(pa, 4 * a.row, 4 * a.column, pb, 4 * row, pc, 4 * c.row, M, N, end, isMore);
    }
  };
}
/** The same for sizes that the kernel has not. @param {Matrix} a @param {Matrix} b @param {Matrix} c */
function plainly(a, b, c, [M, N, K], more) {
  for (let i = 0; i < M; i++) {
    for (let j = 0; j < N; j++) {
      let sum = 0;
      for (let k = 0; k < K; k++)
        sum += a.numbers[a.at + i * a.row + k * a.column] * b.numbers[b.at + k * b.row + j * b.column];
      const to = c.at + i * c.row + j * c.column;
      c.numbers[to] = more ? c.numbers[to] + sum : sum;
    }
  }
}

/** Return which steps' results have a gradient. @param {Program} program */
function learning({ steps }) {
  /** @type {boolean[]} */
  const all = [];
  for (const { does, of } of steps) {
    const follows = (does in UNARY ? UNARY : SEVERAL)[does]?.length !== 1;
    all.push(
      does === "input" || (does !== "constant" && follows && of.some((one) => all[/** @type {View} */ (one).step])),
    );
  }
  return all;
}
/** The most numbers of a matrix that a product reads. @param {Program} program */
const largest = ({ steps }) =>
  Math.max(
    ...steps
      .filter(({ does }) => does === "matmul")
      .map(({ shape, of }) => {
        const K = /** @type {View} */ (of[0]).shape.at(-1) ?? 1;
        return Math.max(size(shape), size(shape.slice(0, -1)) * K, K * shape[shape.length - 1]);
      }),
  );

/**
 * Make a model whose parameters are 0, of steps that were written down for a batch, and for one text.
 * @param {BufferSource} wasm kernels.wat, assembled
 * @param {Config} config
 * @param {Program[]} programs
 */
export async function openOwn(wasm, config, programs) {
  const { symbols, width: D } = config;
  const V = up8(symbols);
  const rows = BATCH * LENGTH;
  const named = shapes(config);
  const { buffers, kernels, bytes } = await openKernels(wasm, (room) => {
    const count = shapes({ ...config, symbols: V }).reduce((sum, [, m, n = 1]) => sum + m * n, 0);
    const nodes = programs.map((program, batch) => {
      const wants = learning(program);
      return program.steps.map(({ does, name = "x", shape }, n) => {
        const isParameter = does === "input" && name !== "x";
        const values = room(isParameter ? 0 : size(shape));
        return { values, gradient: wants[n] && !batch ? room(isParameter ? 0 : size(shape)) : undefined };
      });
    });
    return {
      values: room(count),
      gradient: room(count),
      nodes,
      logits: room(rows * V),
      across: room(D * V),
      scratch: room(Math.max(...programs.map(largest))),
    };
  });
  const { values, gradient, nodes, logits, across, scratch } = buffers;

  /** @type {{ [name: string]: Part }} */
  const parts = {};
  let count = 0;
  for (const [name, m, columns = 1] of named) {
    const [w, d] = [values, gradient].map((all) => all.subarray(count, count + m * columns));
    parts[name] = { values: w, gradient: d, rows: m, columns };
    count += m * columns;
  }
  const start = count - symbols * D;
  const [w, d] = [values, gradient].map((all) => all.subarray(start, start + V * D));
  const output = { values: w, gradient: d, rows: V, columns: D };
  const tokens = parts["tokens.weight"];
  const dense = linear(kernels, across);

  const runs = programs.map((program, batch) => {
    const own = nodes[batch];
    for (const [n, { does, name = "", values: given = [] }] of program.steps.entries()) {
      if (does === "constant") own[n].values.set(given.map(Number));
      else if (does === "input" && name in parts)
        own[n] = { ...parts[name], gradient: batch ? undefined : parts[name].gradient };
    }
    const all = passes(program, own, kernels, scratch);
    const x = own[program.steps.findIndex(({ name }) => name === "x")];
    const kept = own.filter(
      (node) => node.gradient && !Object.values(parts).some((part) => part.gradient === node.gradient),
    );
    return { x, y: own[program.result], all, kept };
  });
  const [many, single] = runs;

  /** Compute what is normed last. @param {typeof many} run @param {ArrayLike<number>} ids of whole texts */
  function forward({ x, all }, ids) {
    for (let row = 0; row < ids.length; row++) {
      x.values.set(tokens.values.subarray(ids[row] * D, (ids[row] + 1) * D), row * D);
    }
    for (const pass of all) pass.forward();
  }
  /** @param {Uint16Array} passages @param {number} texts */
  function read(passages, texts) {
    const length = passages.length / texts;
    const ids = passages.filter((_, i) => (i + 1) % length);
    const targets = passages.filter((_, i) => i % length);
    forward(many, ids);
    dense.forward(many.y.values, output, logits, rows);
    kernels.softmax(logits.byteOffset, rows, V, 1, symbols, 0);
    let sum = 0;
    for (const [row, target] of targets.entries()) sum -= log(logits[row * V + target]);
    return { ids, targets, loss: sum / targets.length };
  }
  /** @param {Uint16Array} passages @param {number} texts */
  function learn(passages, texts) {
    const { ids, targets, loss } = read(passages, texts);
    for (const [row, target] of targets.entries()) logits[row * V + target] -= 1;
    for (let i = 0; i < targets.length * V; i++) logits[i] /= targets.length;
    logits.fill(0, targets.length * V);
    gradient.fill(0);
    for (const { gradient: each } of many.kept) each?.fill(0);
    dense.back(many.y.values, output, logits, many.y.gradient ?? scratch, rows);
    for (const pass of many.all.toReversed()) pass.back();
    const dx = many.x.gradient ?? scratch;
    for (let row = 0; row < ids.length; row++) {
      for (let i = 0, to = ids[row] * D; i < D; i++) tokens.gradient[to + i] += dx[row * D + i];
    }
    return loss;
  }
  /** Return what is normed last of a text. @param {number[]} ids */
  function normed(ids) {
    forward(
      single,
      Array.from({ length: LENGTH }, (_, n) => ids[n] ?? 0),
    );
    return single.y.values;
  }

  return {
    config,
    parts,
    count,
    bytes,
    values,
    gradient,
    /** @param {Uint16Array} passages @param {number} texts */
    loss: (passages, texts) => read(passages, texts).loss,
    learn,
    /** Return the probability of each character to come next. @param {number[]} before @param {number} temperature */
    next(before, temperature) {
      const ids = before.slice(-LENGTH);
      const y = normed(ids).subarray((ids.length - 1) * D, ids.length * D);
      const row = new Float32Array(symbols);
      for (let v = 0; v < symbols; v++) for (let i = 0; i < D; i++) row[v] += y[i] * output.values[v * D + i];
      const top = Math.max(...row);
      const p = row.map((z) => Math.exp((z - top) / temperature));
      const sum = p.reduce((total, one) => total + one, 0);
      return p.map((one) => one / sum);
    },
    /** Return what is wrong with a new model, as far as it can be seen: see FOUND in train.js. */
    found() {
      const ids = Array.from({ length: LENGTH }, (_, n) => (7 * n) % symbols);
      /** Which rows are others where one character is another. @param {number} at */
      const changed = (at) => {
        const before = normed(ids).slice();
        const after = normed(ids.map((id, n) => (n === at ? (id + 1) % symbols : id)));
        return Array.from({ length: LENGTH }, (_, n) =>
          before.subarray(n * D, n * D + D).some((v, i) => Math.abs(v - after[n * D + i]) > ROUNDED),
        );
      };
      if (normed(ids).some((v) => !Number.isFinite(v))) return ["number"];
      const [late, early] = [changed(LENGTH / 2), changed(1)];
      const all = [];
      if (late.slice(0, LENGTH / 2).some(Boolean)) all.push("ahead");
      if (!early.slice(2).some(Boolean)) all.push("alone");
      learn(Uint16Array.from([...ids, 0]), 1);
      const still = Object.keys(parts).filter((name) => parts[name].gradient.every((v) => v === 0));
      if (!all.includes("alone")) all.push(...new Set(still.map((name) => name.split(".").at(-2) ?? name)));
      return all;
    },
  };
}
