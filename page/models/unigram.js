/**
 * Unigram, as SentencePiece and Marian have it: letters are made alike by a table, words begin with ▁, and of
 * all ways to cut a word into pieces the likeliest is taken. Source: Kudo 2018.
 */

const UNKNOWN = 1;
const PENALTY = 10; // of an unknown letter, below the least likely piece
const END = "</s>";

/**
 * @typedef {object} Unigram
 * @property {string[]} pieces
 * @property {Float32Array} scores the logarithm of each piece's probability
 * @property {(text: string) => string} normalise
 * @property {Map<string, number>} ids
 * @property {number} longest
 * @property {number} least
 */

/**
 * @param {string[]} pieces
 * @param {Float32Array} scores
 * @param {ArrayBuffer} table
 * @returns {Unigram}
 */
export function unigram(pieces, scores, table) {
  const ids = new Map(pieces.map((piece, id) => [piece, id]));
  const longest = Math.max(...pieces.map((piece) => Array.from(piece).length));
  return { pieces, scores, normalise: normaliser(table), ids, longest, least: Math.min(...scores) - PENALTY };
}

/**
 * Read SentencePiece's table of what is written in place of what: a trie over bytes (a double array, as
 * Darts has it), and the texts that it leads to.
 * @param {ArrayBuffer} table
 */
function normaliser(table) {
  const size = new DataView(table).getUint32(0, true);
  const units = new Uint32Array(table.slice(4, 4 + size));
  const texts = new Uint8Array(table, 4 + size);
  const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];
  const offset = (unit) => (unit >>> 10) << ((unit & 0x200) >>> 6);

  /** What stands in place of the shortest beginning that the table knows. @param {Uint8Array} bytes */
  function found(bytes) {
    let at = offset(units[0]);
    for (const byte of bytes) {
      if (byte === 0) return undefined;
      at ^= byte;
      const unit = units[at];
      if ((unit & 0x800000ff) >>> 0 !== byte) return undefined;
      at ^= offset(unit);
      if (unit & 0x100) {
        const from = units[at] & 0x7fffffff;
        return decoder.decode(texts.subarray(from, texts.indexOf(0, from)));
      }
    }
    return undefined;
  }
  /** A few bytes are looked up together, more of them letter by letter. @param {string} grapheme */
  function written(grapheme) {
    const bytes = encoder.encode(grapheme);
    const whole = bytes.length < 6 ? found(bytes) : undefined;
    return whole ?? Array.from(grapheme, (letter) => found(encoder.encode(letter)) ?? letter).join("");
  }
  return (/** @type {string} */ text) =>
    Array.from(graphemes.segment(text), ({ segment }) => written(segment))
      .join("")
      .replace(/ {2,}/g, " ")
      .replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
}

/** Cut a word in the likeliest way. @param {string} word @param {Unigram} model */
function cut(word, { ids, scores, longest, least }) {
  const letters = Array.from(word);
  const best = Array.from({ length: letters.length + 1 }, () => ({ score: -Infinity, start: 0, id: UNKNOWN }));
  best[0].score = 0;
  for (let start = 0; start < letters.length; start++) {
    const most = Math.min(letters.length, start + longest);
    for (let end = start + 1, piece = ""; end <= most; end++) {
      piece += letters[end - 1];
      const id = ids.get(piece);
      if (id === undefined && end > start + 1) continue;
      const score = best[start].score + (id === undefined ? least : scores[id]);
      if (score > best[end].score) best[end] = { score, start, id: id ?? UNKNOWN };
    }
  }
  const found = [];
  for (let end = letters.length; end > 0; end = best[end].start) {
    const { id } = best[end];
    if (id !== UNKNOWN || found[0] !== UNKNOWN) found.unshift(id); // unknown neighbours are one
  }
  return found;
}

/**
 * Return the ids of a text's tokens, and of its end.
 * @param {string} text
 * @param {Unigram} model
 */
export function encodeUnigram(text, model) {
  const found = text.split(END).map((part) => {
    const plain = model.normalise(part).replaceAll(" ", "▁");
    const whole = plain && !plain.startsWith("▁") ? `▁${plain}` : plain;
    return (whole.match(/▁[^▁]*/g) ?? []).flatMap((word) => cut(word, model));
  });
  return found.flatMap((part) => [...part, 0]);
}

/** Return the text of tokens. @param {number[]} ids @param {Unigram} model */
export function decodeUnigram(ids, { pieces }) {
  const text = ids.map((id) => (id ? pieces[id] : "")).join("");
  return text.replace(/^▁/, "").replaceAll("▁", " ");
}
