/** One head of MiniLM, of a reader's sentence: the same frame that Python gives. */
import { halves } from "./packing.js";
import { COPY, label, short } from "./sentence.js";

const [LAYER, HEAD] = [3, 1];

/** @param {any} model @param {{ tokens: string[] }} at */
export async function oneHead(model, { tokens }) {
  const { ids, note } = short(model.encode(tokens.join(" ")));
  const { weights } = await model.run(ids);
  const from = HEAD * ids.length ** 2;
  const head = weights[LAYER].subarray(from, from + ids.length ** 2);
  return { pieces: ids.map((id) => label(model, id)), weights: halves(head), note, copy: COPY.MiniLM };
}
