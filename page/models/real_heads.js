/** Real heads, of a reader's sentence: the same frames that Python gives. */
import { softmax } from "./arithmetic.js";
import { likeliestOf } from "./gpt_walk.js";
import { AS_IT_IS, changed, isChanged } from "./layers.js";
import { shares } from "./packing.js";
import { COPY, label, short } from "./sentence.js";

const LINE = 0.15; // between the heads on the wall

/** Draw all heads as one picture: layers below each other, heads side by side, with lines. */
function wall(layers, heads, T, S) {
  const wide = heads * (S + 1);
  const picture = new Float32Array(layers.length * (T + 1) * wide).fill(LINE);
  for (const [l, weights] of layers.entries()) {
    for (const [k, weight] of weights.entries()) {
      const [head, i, j] = [Math.floor(k / (T * S)), Math.floor(k / S) % T, k % S];
      picture[(l * (T + 1) + i) * wide + head * (S + 1) + j] = weight;
    }
  }
  return picture;
}

/** The places that heads may be fond of: whether the token j is one, for the token i. */
function placesOf(keys, T, ofItself) {
  const low = keys.map((key) => key.toLowerCase());
  const last = keys.length - 1;
  const always = {
    "the first token": (i, j) => j === 0 && i > 0,
    "the last token": (i, j) => j === last && i < T - 1,
  };
  if (!ofItself) return { ...always, "the token at the same place": (i, j) => i === j };
  return {
    ...always,
    "the token before": (i, j) => j === i - 1,
    "the token itself": (i, j) => j === i,
    "the token after": (i, j) => j === i + 1,
    "the same token elsewhere": (i, j) => low[i] === low[j] && i !== j,
    "what followed the same token before": (i, j) => j > 0 && low[i] === low[j - 1] && j <= i,
  };
}

/** What each head gives to such places, on average over the queries that have one. */
function habits(layers, heads, T, S, keys, ofItself) {
  const found = Object.entries(placesOf(keys, T, ofItself)).map(([name, is]) => {
    const rows = Array.from({ length: T }, (_, i) => keys.flatMap((_, j) => (is(i, j) ? [i * S + j] : [])));
    return { name, rows: rows.filter((row) => row.length) };
  });
  const there = found.filter(({ rows }) => rows.length);
  const values = layers.flatMap((weights) =>
    Array.from({ length: heads }, (_, head) =>
      there.map(({ rows }) => rows.flat().reduce((sum, at) => sum + weights[head * T * S + at], 0) / rows.length),
    ).flat(),
  );
  return { places: there.map(({ name }) => name), habits: shares(values) };
}

/** The meanings of sentences that were asked for: of the two, a reader changes one at a time. */
const meanings = new Map();

/** What a sentence means to MiniLM, changed or not. */
async function meaningOf(model, ids, how) {
  const asked = JSON.stringify([ids, how]);
  if (!meanings.has(asked)) meanings.set(asked, model.meaning((await model.run(ids, how)).vectors));
  return meanings.get(asked);
}

/** MiniLM's weights, and how alike two sentences are to it: changed, and as it is. */
async function encoded(model, ids, at) {
  const how = changed((layer) => `encoder.layers.${layer}.attention`, at);
  const { vectors, weights } = await model.run(ids, how);
  meanings.set(JSON.stringify([ids, how]), model.meaning(vectors));
  const other = short(model.encode(at.second.join(" "))).ids;
  const alike = async (asked) => {
    const [a, b] = [await meaningOf(model, ids, asked), await meaningOf(model, other, asked)];
    return a.reduce((sum, value, i) => sum + value * b[i], 0).toFixed(2);
  };
  return { queries: ids, layers: weights, outcome: [await alike(how), await alike(AS_IT_IS)] };
}

/** Where the translator looks for each token that it writes, and what it writes: changed, and as it is. */
function translated(model, ids, at) {
  const how = changed(model.looking, at);
  const now = model.translate(ids, how, LONGEST);
  const T = now.written.length;
  const layers = now.looks[0].map((weights, layer) => {
    const S = weights.length / model.heads;
    const all = new Float32Array(model.heads * T * S);
    for (const [t, looks] of now.looks.entries()) {
      for (let head = 0; head < model.heads; head++) {
        all.set(looks[layer].subarray(head * S, (head + 1) * S), (head * T + t) * S);
      }
    }
    return all;
  });
  const before = isChanged(how) ? model.translate(ids, AS_IT_IS, LONGEST) : now;
  const outcome = [now, before].map(({ written }) => `“${model.decode(written)}”`);
  return { queries: now.written, layers, outcome };
}

const LONGEST = 24; // tokens that the translator may write

/** The GPT's weights of the last characters, and what comes next: of the model as it is changed, and as it is. */
function foretold(model, ids, at) {
  if (!model.layers) throw new Error("This model has no layers, so it has no heads.");
  const now = model.look(ids, { silent: at.silent, places: at.order });
  const next = ({ logits }) => {
    const last = logits.slice(-model.vocabulary.length);
    softmax(last);
    return likeliestOf(model, last);
  };
  return { queries: ids, layers: now.weights, outcome: [next(now), next(model.look(ids))] };
}

const SEEN = { GPT: foretold, MiniLM: encoded, translator: translated };

/** @param {any} model @param {any} at */
export async function realHeads(model, at) {
  const { ids, note } = short(model.encode(at.tokens.join(" ")), at.model !== "GPT");
  const seen = await SEEN[at.model](model, ids, at);
  const [queries, keys] = [seen.queries, ids].map((tokens) => tokens.map((id) => label(model, id)));
  const { layers, outcome } = seen;
  return {
    queries,
    keys,
    layers: layers.length,
    heads: model.heads,
    banks: 1,
    wall: shares(wall(layers, model.heads, queries.length, keys.length)),
    ...habits(layers, model.heads, queries.length, keys.length, keys, at.model !== "translator"),
    outcome,
    note,
    copy: model.copy ?? COPY[at.model],
  };
}
