/** The next token, with a beginning of the reader's: every text that the widget's controls can lead to. */
import { left, picked } from "../../widgets/sampling.js";
import { softmax } from "./arithmetic.js";
import { beamSearch, likeliest } from "./beams.js";
import { unknownOf } from "./gpt_walk.js";
import { AS_IT_IS, changed, isChanged } from "./layers.js";
import { halves, inHalf, shares } from "./packing.js";
import { COPY, label, short } from "./sentence.js";

const CANDIDATES = 12; // the likeliest tokens, of which one is chosen
const MOST = 8; // tokens written
const [BEAMS, LONG] = [4, 12]; // and the most tokens that they write

/** The likeliest tokens, their logits below the best one's, and the probability of all the rest. */
function best(logits) {
  const probabilities = logits.slice();
  softmax(probabilities);
  const ids = likeliest(logits, CANDIDATES);
  return {
    ids,
    logits: ids.map((id) => inHalf(logits[id] - logits[ids[0]])),
    others: 1 - ids.reduce((sum, id) => sum + probabilities[id], 0),
  };
}

/** What is written by following so many texts at once, and the logarithm of its probability. */
function rival(model, source, name, beams) {
  const { text, score } = beamSearch(model, source, beams, LONG);
  return { name, text: model.decode(text), log: Math.round(100 * score) / 100 };
}

/** Every rule that the controls offer, with every throw of the dice. */
function waysOf({ stops, dice }) {
  return stops.temperature.flatMap((temperature) =>
    stops.top_k.flatMap((top_k) =>
      stops.top_p.flatMap((top_p) => dice.map((numbers) => ({ temperature, top_k, top_p, numbers }))),
    ),
  );
}

/**
 * What the GPT says of the character after a text, and where its heads look for it.
 * @param {import("./gpt.js").ShakespeareGPT} model
 * @param {{ text: string, silent: number[][], order: boolean }} at
 */
function following(model, { text, silent, order }) {
  const known = model.encode(text).slice(-model.reads);
  const ids = known.length ? known : [0]; // the end of a line, as at the beginning of a play
  const { logits, weights } = model.look(ids, { silent, places: order });
  const [S, V] = [ids.length, model.vocabulary.length];
  const last = logits.subarray((S - 1) * V);
  const sorted = likeliest(last, V);
  const looks = weights.flatMap((layer) =>
    Array.from({ length: model.heads }, (_, head) => [...layer.subarray(((head + 1) * S - 1) * S, (head + 1) * S * S)]),
  );
  return {
    source: model.layers ? ids.map(model.piece) : [],
    nodes: [{ text: "", names: sorted.map(model.piece), next: sorted.map(() => null) }],
    logits: halves(sorted.map((id) => last[id] - last[sorted[0]])),
    others: [0],
    layers: model.layers,
    heads: model.heads,
    looks: shares(looks.flat()),
    rivals: [],
    note: unknownOf(model, text),
    copy: model.copy,
  };
}

/**
 * Write all texts, those of one length together.
 * @param {any} model
 * @param {{ model?: string, text: string, tokens: string[], silent: number[][], order: boolean }} at
 * @param {{ stops: any, dice: number[][] }} state
 */
export function nextToken(model, at, state) {
  if (at.model === "GPT") return following(model, at);
  const { ids, note } = short(model.encode(at.tokens.join(" ")));
  const how = changed(model.looking, at);
  const source = model.readSource(ids, how);
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
      for (const layer of now.looks) {
        for (let head = 0; head < model.heads; head++) {
          const first = (head * level.length + row) * ids.length;
          looks.push(...layer.subarray(first, first + ids.length));
        }
      }
    }
    kept = model.reorder(now.state, rows);
    level = following;
  }
  const rivals = [rival(model, source, "greedy", 1), rival(model, source, `${BEAMS} beams`, BEAMS)];
  if (isChanged(how)) rivals.push(rival(model, model.readSource(ids, AS_IT_IS), "unchanged", 1));
  return {
    source: ids.map((id) => label(model, id)),
    nodes: nodes.map(({ others: _, ...node }) => node),
    logits: halves(logits),
    others: nodes.map(({ others }) => Math.round(1000 * others) / 1000),
    layers: model.layers.writing,
    heads: model.heads,
    looks: shares(looks),
    rivals,
    note,
    copy: COPY.translator,
  };
}
