/** The walk through the GPT, with a text of the reader's: what each line of gpt.py computes. */
import { softmax } from "./arithmetic.js";
import { likeliest } from "./beams.js";
import { halves, scaleOf } from "./packing.js";

const READS = 24; // the most characters that are read
const LAST = `Read are the last ${READS} characters, which fit here`;
const FEATURES = 16; // of each vector, as many are shown
const LIKELIEST = 16; // of the characters that may come next

/** @typedef {{ values: Float32Array, letters: string }} Computed a result, and its shape, as in "T D" */
/** @typedef {import("./gpt.js").ShakespeareGPT} GPT */

/**
 * Return the numbers of the heads, head after head.
 * @param {Float32Array} values of shape (T, D)
 * @param {number} heads
 */
function split(values, heads, T) {
  const [D, K] = [values.length / T, values.length / T / heads];
  return values.map((_, n) => values[(Math.floor(n / K) % T) * D + Math.floor(n / K / T) * K + (n % K)]);
}

/** The dot product of each query with each key, divided by the root of K, for each head. */
function scoresOf(queries, keys, heads, T) {
  const K = queries.length / heads / T;
  return new Float32Array(heads * T * T).map((_, n) => {
    const [head, i, j] = [Math.floor(n / T / T), Math.floor(n / T) % T, n % T];
    let sum = 0;
    for (let k = 0; k < K; k++) sum += queries[(head * T + i) * K + k] * keys[(head * T + j) * K + k];
    return sum / Math.sqrt(K);
  });
}

/**
 * Return the operations that compute nothing, since the model leaves them out.
 * @param {import("../train/gpt.js").Config} config
 */
function leftOut({ norms = true, positions = true, residuals = true, feedForward = true }) {
  const out = [norms || /norm$/, positions || /rotated$/, residuals || /sum$/, feedForward || /feed_forward/];
  return (/** @type {string} */ name) => out.some((each) => each instanceof RegExp && each.test(name));
}

/**
 * Compute what the walk shows, by part and operation.
 * @param {GPT} model @param {number[]} ids @param {import("../train/gpt.js").How} [how]
 */
export function computed(model, ids, how) {
  const [T, { heads, layers }] = [ids.length, model];
  /** @type {Map<string, Float32Array>} */
  const kept = new Map();
  const { logits, weights } = model.look(ids, { ...how, keep: (name, values) => kept.set(name, values) });
  /** @type {Map<string, Computed>} */
  const all = new Map([["input.ids", { values: Float32Array.from(ids), letters: "T" }]]);
  const isLeftOut = leftOut(model.config);
  const put = (name, letters, values) => values && !isLeftOut(name) && all.set(name, { values, letters });
  const vectors = (name, from = name, letters = "T D") => put(name, letters, kept.get(from));
  vectors("input.tokens", "tokens");
  for (let n = 0; n < layers; n++) {
    const inside = `blocks.${n}.attention.`;
    const [query, key, value, q, k, found] = ["query", "key", "value", "query.rotated", "key.rotated", "heads"].map(
      (name) => {
        const values = kept.get(inside + name);
        return values && split(values, heads, T);
      },
    );
    vectors(`blocks.${n}.attention_norm`);
    put(`${inside}query`, "H T K", query);
    put(`${inside}query.rotated`, "H T K", q);
    put(`${inside}key`, "H T K", key);
    put(`${inside}key.rotated`, "H T K", k);
    put(`${inside}value`, "H T K", value);
    put(`${inside}scores`, "H T T", q && scoresOf(q, k, heads, T));
    put(`${inside}weights`, "H T T", weights[n]);
    put(`${inside}heads`, "H T K", found);
    for (const name of ["output", "sum"]) vectors(inside + name);
    vectors(`blocks.${n}.feed_forward_norm`);
    for (const name of ["gate", "up", "gated"]) {
      vectors(`blocks.${n}.feed_forward.${name}`, undefined, "T F");
    }
    vectors(`blocks.${n}.feed_forward.down`);
    vectors(`blocks.${n}.feed_forward.sum`, `blocks.${n}`);
  }
  vectors("output.norm", "norm");
  put("output.output", "T V", logits);
  put("output.choose", "T V", chances(logits, T));
  return all;
}

/** Make probabilities of each row of logits. */
function chances(logits, T) {
  const [made, V] = [logits.slice(), logits.length / T];
  for (let t = 0; t < T; t++) softmax(made.subarray(t * V, (t + 1) * V));
  return made;
}

/** The columns of a result that are shown, with their names. @param {GPT} model */
function columnsOf(model, letters, width, rows, best) {
  if (letters === "T V") return { picked: best, columns: best.map(model.piece) };
  const picked = Array.from({ length: letters === "H T T" ? width : Math.min(width, FEATURES) }, (_, i) => i);
  const columns = { T: ["id"], "H T T": rows }[letters] ?? picked.map(String);
  return { picked, columns };
}

/** What is said of the columns and heads that are shown. */
function saying(letters, width, heads, columns) {
  const head = letters.startsWith("H") ? `head {} of ${heads}` : "";
  if (letters === "T") return "";
  if (letters === "T V") return `Shown: of ${width} characters the ${columns} likeliest after the last row.`;
  const features = letters === "H T T" ? "" : `features 0 to ${columns - 1} of ${width}`;
  return `Shown: ${[head, features].filter(Boolean).join(", ")}.`;
}

/** The three likeliest characters of the last row. @param {GPT} model @param {Float32Array} shares */
export function likeliestOf(model, shares) {
  const last = shares.slice(-model.vocabulary.length);
  const told = (id) => `“${model.piece(id)}” ${last[id].toFixed(2)}`;
  return likeliest(last, 3).map(told).join(", ");
}

/** What is said of characters that the model does not know. @param {GPT} model @param {string} text */
export function unknownOf({ vocabulary }, text) {
  const unknown = [...new Set(text)].filter((each) => !vocabulary.includes(each)).sort();
  return unknown.length ? `The model does not know ${unknown.join(" ")}, so it is left out.` : "";
}

/**
 * Return the walk of a text. What is said of a step is that of the baked ones, which have all that a model can have.
 * @param {GPT} model
 * @param {{ text: string, silent: number[][], order: boolean }} at
 * @param {{ frame: { steps: any[] } }} baked
 */
export function gptWalk(model, { text, silent, order }, { frame }) {
  const known = model.encode(text);
  const ids = known.slice(-READS);
  if (!ids.length) throw new Error("Type a character that the GPT knows: a letter, a space, a comma.");
  const seen = computed(model, ids, { silent, places: order });
  const [rows, T] = [ids.map(model.piece), ids.length];
  const { values: shares } = /** @type {Computed} */ (seen.get("output.choose"));
  const best = likeliest(shares.slice(-model.vocabulary.length), LIKELIEST);
  const packed = /** @type {number[]} */ ([]);
  const steps = [...seen].map(([name, { values, letters }]) => {
    const [, part, number, operation] = /** @type {string[]} */ (name.match(/^(blocks\.(\d+)|\w+)\.(.*)$/));
    const isSame = (step) => step.operation === operation && step.part === part.replace(/\d+/, "0");
    const heads = letters.startsWith("H") ? model.heads : 1;
    const width = values.length / T / heads;
    const { picked, columns } = columnsOf(model, letters, width, rows, best);
    const cut = Array.from({ length: heads * T }, (_, row) => picked.map((c) => values[row * width + c])).flat();
    packed.push(...cut);
    const sizes = { [letters.at(-1) ?? ""]: width, H: heads, T };
    const shape = `(${letters.replaceAll(" ", ", ")}) = (${letters
      .split(" ")
      .map((each) => sizes[each])
      .join(", ")})`;
    const layer = number === undefined ? null : Number(number);
    const told = { shape, shown: saying(letters, width, heads, columns.length), scale: scaleOf(operation, cut) };
    return { ...frame.steps.find(isSame), part, layer, rows, columns, heads, ...told };
  });
  const [isChanged, unread] = [silent.length || !order, known.length - ids.length];
  const whole = isChanged ? chances(model.look(ids).logits, T) : shares;
  return {
    steps,
    values: halves(packed),
    outcome: [likeliestOf(model, shares), likeliestOf(model, whole)],
    note: [unknownOf(model, text), unread > 0 && `${LAST}, not the ${unread} before.`].filter(Boolean).join(" "),
    copy: model.copy,
  };
}
