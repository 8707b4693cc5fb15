/**
 * WordPiece, as BERT and MiniLM have it: letters without accents, in lower case; words and punctuation apart;
 * and of each word the longest piece that is known, again and again. Source: Devlin et al. 2019.
 */

const SPECIAL = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
const SPACE = /[\t\n\r\p{Zs}\p{Zl}\p{Zp}]/gu;
const CONTROL = /[\0\uFFFD\p{Cc}\p{Cf}\p{Co}]/gu;
const COMMON = "\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF";
const RARE = "\\u{20000}-\\u{2A6DF}\\u{2A700}-\\u{2B81F}\\u{2B920}-\\u{2CEAF}\\u{2F800}-\\u{2FA1F}";
const CHINESE = new RegExp(`[${COMMON}${RARE}]`, "gu"); // each character is a word
const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/gu;
const LONGEST = 100; // letters of a word; a longer one is unknown

/** @param {string} text */
function words(text) {
  const clean = text.replace(SPACE, " ").replace(CONTROL, "").replace(CHINESE, " $& ");
  const plain = clean.normalize("NFD").replace(/\p{Mn}/gu, "");
  const low = Array.from(plain, (letter) => letter.toLowerCase()).join(""); // one by one: no final sigma
  return low.replace(PUNCTUATION, " $& ").split(" ").filter(Boolean);
}

/** @param {string} word @param {Map<string, number>} ids */
function pieces(word, ids) {
  const letters = Array.from(word);
  const unknown = [/** @type {number} */ (ids.get("[UNK]"))];
  if (letters.length > LONGEST) return unknown;
  const found = [];
  for (let start = 0; start < letters.length; ) {
    let end = letters.length;
    let id;
    for (; end > start && id === undefined; end--) {
      id = ids.get(`${start ? "##" : ""}${letters.slice(start, end).join("")}`);
    }
    if (id === undefined) return unknown;
    found.push(id);
    start = end + 1;
  }
  return found;
}

/**
 * Return the ids of a text's tokens, between those of its beginning and its end.
 * @param {string} text
 * @param {Map<string, number>} ids of all tokens there are
 */
export function wordPiece(text, ids) {
  const parts = ["[CLS]", ...text.split(SPECIAL), "[SEP]"];
  return parts.flatMap((part) =>
    SPECIAL.test(part) ? [/** @type {number} */ (ids.get(part))] : words(part).flatMap((word) => pieces(word, ids)),
  );
}
