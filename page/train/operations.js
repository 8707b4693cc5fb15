/**
 * What a GPT is made of, forward and back, by the kernels of kernels.wat. All numbers lie in the memory of
 * WebAssembly. A matrix is a Float32Array, row after row, and what is called `dx` is the gradient of `x`.
 */

/** @typedef {Float32Array<ArrayBuffer>} Numbers */
/**
 * A matrix of parameters, and its gradient.
 * @typedef {{ values: Numbers, gradient: Numbers, rows: number, columns: number }} Part
 */
/** @typedef {{ [name: string]: (...numbers: number[]) => void }} Kernels */
/**
 * How much is read: texts of `length` characters, in `rows` rows, which are a multiple of 8 for each text.
 * @typedef {{ texts: number, length: number, T: number, rows: number }} Size
 */

const PAGE = 65_536; // bytes: of these a memory is made
const BLOCK = 16; // rows of attention at a time: with a mask, what lies ahead of all of them is not computed
const NEAR = 64; // rows at a time of a sum over all rows: so many stay in the processor's cache

/**
 * Open the kernels, with a memory for the buffers that `layOut` wants.
 * @template T
 * @param {BufferSource} wasm kernels.wat, assembled
 * @param {(room: (count: number) => Numbers) => T} layOut
 */
export async function openKernels(wasm, layOut) {
  let bytes = 16;
  const place = (count) => {
    bytes += 16 * Math.ceil(count / 4);
    return bytes - 16 * Math.ceil(count / 4);
  };
  layOut((count) => new Float32Array(0 * place(count))); // first see how much it is
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  bytes = 16;
  const buffers = layOut((count) => new Float32Array(memory.buffer, place(count), count));
  const { instance } = await WebAssembly.instantiate(wasm, { page: { memory } });
  return { buffers, bytes, kernels: /** @type {Kernels} */ (instance.exports) };
}

/** Write the transpose of a matrix whose rows begin `stride` numbers apart. */
function transpose(from, start, stride, rows, columns, to) {
  for (let i = 0; i < rows; i++) {
    for (let j = 0, at = start + i * stride; j < columns; j++) to[j * rows + i] = from[at + j];
  }
}

/**
 * Where a matrix begins, and how many bytes lie from row to row, and from column to column (if not 4).
 * @typedef {number[]} Place
 */

/**
 * Return what computes C (M, N) = A (M, K) · B (K, N), or C += where `more`.
 * @param {Kernels} kernels
 * @returns {(a: Place, b: Place, c: Place, M: number, N: number, K: number, more?: boolean) => void}
 */
const products =
  ({ multiply }) =>
  ([a, ra, ca = 4], [b, rb], [c, rc], M, N, K, more = false) =>
    multiply(a, ra, ca, b, rb, c, rc, M, N, K, Number(more));

/**
 * Linear layers, without a bias.
 * @param {Kernels} kernels
 * @param {Numbers} across room for the largest matrix
 */
export function linear(kernels, across) {
  const multiply = products(kernels);
  return {
    /** y = x · Wᵀ, or y += where `more`. @param {Numbers} x @param {Part} weight @param {Numbers} y */
    forward(x, { values, rows: N, columns: K }, y, rows, more = false) {
      transpose(values, 0, K, N, K, across);
      multiply([x.byteOffset, 4 * K], [across.byteOffset, 4 * N], [y.byteOffset, 4 * N], rows, N, K, more);
    },
    /** dW += dyᵀ · x, and dx = dy · W. @param {Numbers} x @param {Part} weight */
    back(x, { values, gradient, rows: N, columns: K }, dy, dx, rows) {
      const w = [values.byteOffset, 4 * K];
      const dw = [gradient.byteOffset, 4 * K];
      for (let row = 0; row < rows; row += NEAR) {
        const x_ = [x.byteOffset + 4 * K * row, 4 * K];
        multiply([dy.byteOffset + 4 * N * row, 4, 4 * N], x_, dw, N, K, Math.min(NEAR, rows - row), true);
      }
      multiply([dy.byteOffset, 4 * N], w, [dx.byteOffset, 4 * K], rows, K, N);
    },
  };
}

/**
 * Attention of several heads. Query, key and value lie side by side in the rows of `qkv`; there is only the value
 * where attention is an average.
 * @param {Kernels} kernels
 * @param {{ across: Numbers, scores: Numbers }} room
 * @param {{ width: number, heads: number, mask: boolean, average: boolean }} how
 */
export function attention(kernels, { across, scores }, { width: D, heads, mask, average }) {
  const multiply = products(kernels);
  const K = D / heads;
  const wide = (average ? 1 : 3) * D; // numbers in a row of qkv
  const value = wide - D; // where the values begin in it
  const scale = 1 / Math.sqrt(K);

  /** Do something for each head of each text: its first row, its first column, and where its weights lie. */
  function each({ texts, T }, weights, work) {
    for (let text = 0, w = weights.byteOffset; text < texts; text++) {
      for (let head = 0; head < heads; head++, w += 4 * T * T) work(text * T, head * K, w);
    }
  }
  /** Do something for some rows at a time: the first, how many, and how many columns the last of them sees. */
  function inBlocks(T, work) {
    for (let i = 0; i < T; i += BLOCK) {
      const rows = Math.min(BLOCK, T - i);
      work(i, rows, mask ? i + rows : T);
    }
  }
  return {
    /** @param {Numbers} qkv @param {Numbers} weights (texts, heads, T, T) @param {Numbers} y @param {Size} size */
    forward(qkv, weights, y, size) {
      const { T, length } = size;
      if (average) weights.fill(0);
      each(size, weights, (row, column, w) => {
        /** From row i on. */
        const q = (i) => [qkv.byteOffset + 4 * ((row + i) * wide + column), 4 * wide];
        const v = [qkv.byteOffset + 4 * (row * wide + value + column), 4 * wide];
        const w_ = (i) => [w + 4 * T * i, 4 * T];
        const y_ = (i) => [y.byteOffset + 4 * ((row + i) * D + column), 4 * D];
        const keys = [across.byteOffset, 4 * T];
        if (!average) {
          transpose(qkv, row * wide + D + column, wide, T, K, across);
          inBlocks(T, (i, rows, seen) => multiply(q(i), keys, w_(i), rows, seen, K));
        }
        kernels.softmax(w, T, T, scale, mask ? 1 : length, Number(mask));
        inBlocks(T, (i, rows, seen) => multiply(w_(i), v, y_(i), rows, K, seen));
      });
    },
    /** @param {Numbers} qkv @param {Numbers} weights @param {Numbers} dy @param {Numbers} dqkv @param {Size} size */
    back(qkv, weights, dy, dqkv, size) {
      const { T, rows: all } = size;
      dqkv.fill(0, 0, all * wide);
      each(size, weights, (row, column, w) => {
        const at = (x, i, start) => [x.byteOffset + 4 * ((row + i) * wide + start + column), 4 * wide];
        if (!average) transpose(qkv, row * wide + value + column, wide, T, K, across);
        inBlocks(T, (i, rows, seen) => {
          const dy_ = [dy.byteOffset + 4 * ((row + i) * D + column), 4 * D];
          const ds = [scores.byteOffset, 4 * T];
          multiply([w + 4 * T * i, 4, 4 * T], dy_, at(dqkv, 0, value), seen, K, rows, true);
          if (average) return;
          multiply(dy_, [across.byteOffset, 4 * T], ds, rows, seen, K);
          kernels.softmaxBack(w + 4 * T * i, scores.byteOffset, 4 * T, rows, seen, scale);
          multiply(ds, at(qkv, 0, D), at(dqkv, i, 0), rows, K, seen);
          multiply([scores.byteOffset, 4, 4 * T], at(qkv, i, 0), at(dqkv, 0, D), seen, K, rows, true);
        });
      });
    },
  };
}

/**
 * RMSNorm, or nothing but a copy: `kept` has what was normalised (n), that by gamma (y), and 1 / √ of each row.
 * @typedef {{ n: Numbers, y: Numbers, by: Numbers }} Normed
 */
/** @param {Kernels} kernels @param {number} width */
export function norm({ norm, normBack }, width) {
  return {
    /** @param {Numbers} x @param {Part | undefined} gamma @param {Normed} kept */
    forward(x, gamma, { n, y, by }, rows) {
      if (gamma) {
        const [a, c, b, d, e] = [x, gamma.values, n, y, by].map((each) => each.byteOffset);
        norm(a, c, b, d, e, rows, width);
      } else {
        y.set(x.subarray(0, rows * width));
      }
    },
    /** dx = what goes back, or dx += where `more`. @param {Normed} kept @param {Part | undefined} gamma */
    back({ n, by }, gamma, dy, dx, rows, more) {
      if (gamma) {
        const [a, b, c, d, e, f] = [n, gamma.values, by, dy, dx, gamma.gradient].map((each) => each.byteOffset);
        normBack(a, b, c, d, e, f, rows, width, Number(more));
      } else if (more) {
        for (let i = 0; i < rows * width; i++) dx[i] += dy[i];
      } else {
        dx.set(dy.subarray(0, rows * width));
      }
    },
  };
}
