/** Which words of a text stand in another: letters alone come by chance, words hardly do. */
const WORD = /([\p{L}']{3,})/u;

/** @param {string} text */
export const wordsOf = (text) => new Set(text.toLowerCase().match(new RegExp(WORD, "gu")));

/**
 * Cut a text so that every second piece is a word that is known.
 * @param {string} text
 * @param {Set<string>} known
 * @returns {{ pieces: string[], share: number }} and the share of the words that are known
 */
export function pieces(text, known) {
  const parts = text.split(new RegExp(WORD, "u"));
  const cut = [""];
  for (const [n, part] of parts.entries()) {
    if (n % 2 && known.has(part.toLowerCase())) cut.push(part, "");
    else cut[cut.length - 1] += part;
  }
  const words = (parts.length - 1) / 2;
  return { pieces: cut, share: words ? (cut.length - 1) / 2 / words : 0 };
}
