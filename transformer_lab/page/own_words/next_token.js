/** The next token, with a beginning of the reader's: every text that the widget's controls can lead to. */
import { left, picked } from "../../widgets/sampling.js";
import { softmax } from "./arithmetic.js";
import { halves, inHalf, shares } from "./packing.js";
import { COPY, label, short } from "./sentence.js";

const CANDIDATES = 12; // the likeliest tokens, of which one is chosen
const MOST = 4; // tokens written
const LONG = 8; // and by greed
const LOOKS = 1; // the layer whose head 0 aligns the words

/** The likeliest tokens, the best one first. */
function likeliest(logits) {
  const ids = [];
  for (const [id, logit] of logits.entries()) {
    if (ids.length === CANDIDATES && logit <= logits[ids[CANDIDATES - 1]]) continue;
    const below = ids.findIndex((other) => logit > logits[other]);
    ids.splice(below < 0 ? ids.length : below, 0, id);
    if (ids.length > CANDIDATES) ids.pop();
  }
  return ids;
}

/** The likeliest tokens, their logits below the best one's, and the probability of all the rest. */
function best(logits) {
  const probabilities = logits.slice();
  softmax(probabilities);
  const ids = likeliest(logits);
  return {
    ids,
    logits: ids.map((id) => inHalf(logits[id] - logits[ids[0]])),
    others: 1 - ids.reduce((sum, id) => sum + probabilities[id], 0),
  };
}

/** What greed writes, and the logarithm of its probability. */
function greedy(model, source) {
  const written = [];
  let state;
  let log = 0;
  while (written.length < LONG && written.at(-1) !== model.end) {
    const now = model.step(source, [written.at(-1) ?? model.start], written.length, state);
    const id = now.logits.reduce((top, score, id) => (score > now.logits[top] ? id : top), 0);
    const probabilities = now.logits.slice();
    softmax(probabilities);
    log += Math.log(probabilities[id]);
    state = now.state;
    written.push(id);
  }
  return { name: "greedy", text: model.decode(written), log: Math.round(100 * log) / 100 };
}

/** Every rule that the controls offer, with every throw of the dice. */
function waysOf({ stops, dice }) {
  return stops.temperature.flatMap((temperature) =>
    stops.top_k.flatMap((top_k) =>
      stops.top_p.flatMap((top_p) => dice.map((numbers) => ({ temperature, top_k, top_p, numbers }))),
    ),
  );
}

/** Of each row of a matrix only those that are wanted, in that order. */
function rowsOf(matrix, width, wanted) {
  const rows = new Float32Array(wanted.length * width);
  for (const [i, row] of wanted.entries()) rows.set(matrix.subarray(row * width, (row + 1) * width), i * width);
  return rows;
}

/**
 * Write all texts, those of one length together.
 * @param {any} model
 * @param {{ tokens: string[] }} at
 * @param {{ stops: any, dice: number[][] }} state
 */
export function nextToken(model, at, state) {
  const { ids, note } = short(model.encode(at.tokens.join(" ")));
  const source = model.readSource(ids);
  const nodes = [];
  const logits = [];
  const looks = [];
  let level = [{ text: [], ways: waysOf(state) }];
  let kept;
  for (let depth = 0; depth <= MOST && level.length; depth++) {
    const last = level.map(({ text }) => text.at(-1) ?? model.start);
    const now = model.step(source, last, depth, kept);
    const V = now.logits.length / level.length;
    const first = nodes.length + level.length;
    const following = [];
    const rows = [];
    for (const [row, { text, ways }] of level.entries()) {
      const found = best(now.logits.subarray(row * V, (row + 1) * V));
      const groups = new Map();
      for (const way of depth < MOST ? ways : []) {
        const pick = picked(left(found.logits, way), way.numbers[depth]);
        groups.set(pick, [...(groups.get(pick) ?? []), way]);
      }
      const next = found.ids.map(() => /** @type {number | null} */ (null));
      for (const [pick, those] of groups) {
        if (found.ids[pick] === model.end) continue;
        next[pick] = first + following.length;
        following.push({ text: [...text, found.ids[pick]], ways: those });
        rows.push(row);
      }
      nodes.push({
        text: model.decode(text),
        names: found.ids.map((id) => label(model, id)),
        next,
        others: found.others,
      });
      logits.push(...found.logits);
      looks.push(...now.looks[LOOKS].subarray(row * ids.length, (row + 1) * ids.length));
    }
    kept = now.state.map((means) => rowsOf(means, means.length / level.length, rows));
    level = following;
  }
  return {
    source: ids.map((id) => label(model, id)),
    nodes: nodes.map(({ others: _, ...node }) => node),
    logits: halves(logits),
    others: nodes.map(({ others }) => Math.round(1000 * others) / 1000),
    looks: shares(looks),
    rivals: [greedy(model, source)],
    note,
    copy: COPY.translator,
  };
}
