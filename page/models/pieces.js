/** The tokenizers of real models, without the models: their tables come alone, and cut a reader's text. */
import { WORD, written } from "../../widgets/byte_pairs.js";
import { encodeUnigram, unigram } from "./unigram.js";
import { wordPiece } from "./wordpiece.js";

const text = (/** @type {ArrayBuffer} */ buffer) => new TextDecoder().decode(buffer);

/** @typedef {(text: string) => { ids: number[], pieces: string[] }} Cut */
/** @typedef {(name: string) => Promise<ArrayBuffer>} Read */

/** @param {Read} read @returns {Promise<{ cut: Cut }>} */
export async function openWordPiece(read) {
  const pieces = text(await read("pieces-of-minilm.txt")).split("\n");
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  return {
    cut(given) {
      const found = wordPiece(given, ids);
      return { ids: found, pieces: found.map((id) => pieces[id]) };
    },
  };
}

/** @param {Read} read @returns {Promise<{ cut: Cut }>} */
export async function openUnigram(read) {
  const names = [".txt", "-scores.bin", "-charsmap.bin"].map((end) => `pieces-of-translator${end}`);
  const [list, scores, table] = await Promise.all(names.map(read));
  const pieces = text(list).split("\n");
  const tokens = unigram(pieces, new Float32Array(scores), table);
  return {
    cut(given) {
      const ids = encodeUnigram(given, tokens);
      return { ids, pieces: ids.map((id) => pieces[id]) };
    },
  };
}

/** The letters by which GPT-2 writes bytes: those that are seen are themselves. @type {string[]} */
const LETTERS = [];
for (let byte = 0, unseen = 0; byte < 256; byte++) {
  const isSeen = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  LETTERS.push(String.fromCodePoint(isSeen ? byte : 256 + unseen++));
}
const spelt = (/** @type {string} */ word) => Array.from(new TextEncoder().encode(word), (byte) => LETTERS[byte]);
const read = (/** @type {string} */ piece) => written(Array.from(piece, (letter) => LETTERS.indexOf(letter)));

/** Join the pair that was learned first, again and again. @param {string[]} parts @param {Map<string, number>} ranks */
function joined(parts, ranks) {
  for (;;) {
    const pairs = parts.slice(1).map((part, i) => ranks.get(`${parts[i]} ${part}`) ?? Infinity);
    const best = Math.min(...pairs);
    if (best === Infinity) return parts;
    const at = pairs.indexOf(best);
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
}

/**
 * Return SmolLM2's tokenizer: each digit is a word of its own, and some words are signs.
 * @param {Read} bring @returns {Promise<{ cut: Cut }>}
 */
export async function openBytePairs(bring) {
  const [special, letters, merges] = text(await bring("pieces-of-smollm2.txt"))
    .split("\n\n")
    .map((part) => part.split("\n"));
  const ranks = new Map(merges.map((pair, rank) => [pair, rank]));
  const pieces = [...special, ...letters, ...merges.map((pair) => pair.replace(" ", ""))];
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const signs = new RegExp(`(${special.map((sign) => sign.replaceAll("|", "\\|")).join("|")})`);
  const words = (/** @type {string} */ part) => part.split(/(\p{N})/u).flatMap((each) => each.match(WORD) ?? []);
  return {
    cut(given) {
      const parts = given
        .split(signs)
        .flatMap((part, i) => (i % 2 ? [part] : words(part).flatMap((word) => joined(spelt(word), ranks))));
      const known = parts.filter((part) => ids.has(part)); // there are bytes that no text has
      const shown = known.map((part) => (special.includes(part) ? part : read(part)));
      return { ids: known.map((part) => /** @type {number} */ (ids.get(part))), pieces: shown };
    },
  };
}

/**
 * Return what the tokenizer's widget shows of a model's.
 * @param {{ cut: Cut }} tokenizer @param {{ text: string, model: string }} at
 */
export const tokenizerLab = ({ cut }, { text: given, model }) => ({
  ...cut(given),
  lengths: [],
  copy: `Cut by this page, with the table of ${model}.`,
});
