/** Numbers as the widgets read them, packed as Python packs them. */
import { half } from "../../widgets/pictures.js";

/** Numbers from 0 to 1 as bytes. @param {ArrayLike<number>} values */
export const shares = (values) => new DataView(Uint8Array.from(values, (value) => Math.round(255 * value)).buffer);

/** Numbers in IEEE half precision. @param {ArrayLike<number>} values */
export const halves = (values) => new DataView(Uint16Array.from(values, toHalf).buffer);

/** The bits of the nearest number in half precision; of two that are as near, the even one. @param {number} value */
function toHalf(value) {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const steps = even(size / 2 ** (exponent - 10)); // of this exponent's numbers
  return sign | Math.min(((exponent + 14) << 10) + steps, 0x7c00); // one step too many is the next exponent's first
}

/** @param {number} value */
function even(value) {
  const low = Math.floor(value);
  const more = value - low;
  return more > 0.5 || (more === 0.5 && low % 2) ? low + 1 : low;
}

/** Round a number to half precision. @param {number} value */
export const inHalf = (value) => half(toHalf(value));

/** What is drawn in full colour of a step of a walk: 1 for shares, else the largest value. */
export function scaleOf(operation, values) {
  if (/(weights|choose)$/.test(operation)) return 1;
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Math.max(0.1, Math.round(largest * 10) / 10);
}
