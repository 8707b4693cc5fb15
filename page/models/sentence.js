/** A reader's sentence, as a model gets it. */

const MOST = 32; // tokens that are read

/**
 * The tokens that are read, of a long sentence the first and the end, or the last ones where there is no token for
 * the end; and what is said of the others.
 * @param {number[]} ids
 */
export function short(ids, hasEnd = true) {
  const unread = ids.length - MOST;
  if (unread <= 0) return { ids, note: "" };
  const note = `The text is too long: ${unread} of its tokens were not read.`;
  return { ids: hasEnd ? [...ids.slice(0, MOST - 1), ids[ids.length - 1]] : ids.slice(-MOST), note };
}

/** A token as it is written at an axis. @param {{ piece(id: number): string }} model @param {number} id */
export const label = (model, id) => model.piece(id).trim() || "''";

/** What is said of who computed this. */
export const COPY = {
  MiniLM: `Read by this page, with an 8-bit copy of MiniLM: in 200 sentences of the book, no weight was further
    than 0.03 from the original's.`,
  GPT: "Computed by this page, with the GPT of this book and its 8-bit weights.",
  yours: "Computed by this page, with the model that you have trained.",
  translator: "Translated by this page, with the translator's own 8-bit weights.",
};
