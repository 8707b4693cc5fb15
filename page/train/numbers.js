/**
 * Numbers that are the same in all browsers: Math.exp and its like differ in their last digits, and after some
 * hundred steps so would the curves. Random numbers are PyTorch's: one seed gives one start, here and in gpt.py.
 */

/** @param {number} x */
export function exp(x) {
  let [sum, term] = [1, 1];
  for (let n = 1; n < 9; n++) sum += term *= x / 1024 / n;
  for (let n = 0; n < 10; n++) sum *= sum;
  return sum;
}

/** @param {number} x a positive number */
export function log(x) {
  let twos = 0;
  for (; x > Math.SQRT2; x /= 2) twos++;
  for (; x < Math.SQRT1_2; x *= 2) twos--;
  const s = (x - 1) / (x + 1);
  let sum = 0;
  for (let n = 21; n > 0; n -= 2) sum = sum * s * s + 1 / n;
  return 2 * s * sum + twos * Math.LN2;
}

/** @param {number} x @returns {[cos: number, sin: number]} */
export function cosAndSin(x) {
  const quarter = Math.round(x / (Math.PI / 2));
  const r = x - quarter * (Math.PI / 2);
  let [cos, sin, term] = [0, 0, 1];
  for (let n = 0; n < 20; n++) {
    if (n % 2) sin += n % 4 === 1 ? term : -term;
    else cos += n % 4 === 0 ? term : -term;
    term *= r / (n + 1);
  }
  return /** @type {[number, number]} */ (
    [
      [cos, sin],
      [-sin, cos],
      [-cos, -sin],
      [sin, -cos],
    ][quarter & 3]
  );
}

/** A Mersenne twister, as torch.Generator is one on the CPU. */
export class Generator {
  #state = new Uint32Array(624);
  #next = 624;

  /** @param {number} seed */
  constructor(seed) {
    this.#state[0] = seed;
    for (let i = 1; i < 624; i++) {
      const before = this.#state[i - 1];
      this.#state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i;
    }
  }

  /** Return 32 random bits. */
  bits() {
    const state = this.#state;
    if (this.#next === 624) {
      for (let i = 0; i < 624; i++) {
        const y = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
        state[i] = state[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      this.#next = 0;
    }
    let y = state[this.#next++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** Return an integer below `end`, as torch.randint does. @param {number} end */
  below(end) {
    return this.bits() % end;
  }

  /** Return a number from 0 to 1, without 1. */
  uniform() {
    return (this.bits() & 0xffffff) / 0x1000000;
  }

  /** Fill with numbers of a normal distribution, 16 at a time, as torch.randn does. @param {Float32Array} values */
  normal(values) {
    const { length } = values;
    for (let i = 0; i < length; i++) values[i] = this.uniform();
    for (let i = 0; i + 16 <= length; i += 16) pairs(values.subarray(i, i + 16));
    if (length % 16) {
      const last = values.subarray(length - 16);
      for (let i = 0; i < 16; i++) last[i] = this.uniform();
      pairs(last);
    }
  }
}

/** Make normal numbers of 16 uniform ones, in their place (Box and Muller 1958). @param {Float32Array} values */
function pairs(values) {
  for (let i = 0; i < 8; i++) {
    const radius = Math.sqrt(-2 * log(1 - values[i]));
    const [cos, sin] = cosAndSin(2 * Math.PI * values[i + 8]);
    values[i] = radius * cos;
    values[i + 8] = radius * sin;
  }
}
