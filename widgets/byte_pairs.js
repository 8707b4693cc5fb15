/** Byte pairs: a text cut into tokens by merges that were learned, as tokenizer.py does. */
import { list } from "./pictures.js";

// The words across which no merge reaches: `PIECE` of tokenizer.py.
const [LETTER, SPACE] = ["\\p{L}\\p{Nl}\\p{No}", "\\s\\x1c-\\x1f\\x85"];
const SIGNS = ` ?[^${SPACE}${LETTER}\\p{Nd}]+`;
const SPACES = `[${SPACE}]+(?![^${SPACE}])|[${SPACE}]+`;
export const WORD = new RegExp(`'(?:[sdmt]|ll|re|ve)| ?[${LETTER}]+| ?\\p{Nd}+|${SIGNS}|${SPACES}`, "gu");

/** Join each occurrence of a pair. */
function join(word, left, right, joined) {
  const made = [];
  for (const token of word) {
    if (token === right && made.at(-1) === left) made[made.length - 1] = joined;
    else made.push(token);
  }
  return made;
}

/** The bytes of each token. */
export function spell(learned) {
  const tokens = list(256, (byte) => [byte]);
  for (const [left, right] of learned) tokens.push([...tokens[left], ...tokens[right]]);
  return tokens;
}

/** A token as text, or as its bytes if it is a part of a character. */
export function written(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return bytes.map((byte) => `‹${byte.toString(16).toUpperCase()}›`).join("");
  }
}

/**
 * Cut a text by the first of the merges, and count its tokens without a merge and after each.
 * @param {string} text @param {number[][]} learned @param {number} merges
 */
export function cut(text, learned, merges) {
  let words = (text.match(WORD) ?? []).map((word) => [...new TextEncoder().encode(word)]);
  const ids = /** @type {number[]} */ ([]);
  const lengths = /** @type {number[]} */ ([]);
  for (let n = 0; n <= learned.length; n++) {
    if (n === merges) ids.push(...words.flat());
    lengths.push(words.flat().length);
    const [left, right] = learned[n] ?? [];
    words = words.map((word) => join(word, left, right, 256 + n));
  }
  return { ids, lengths };
}
