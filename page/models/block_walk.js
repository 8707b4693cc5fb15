/** The walk through the GPT or the translator, with a reader's words: what comes out of every operation. */
import { softmax } from "./arithmetic.js";
import { gptWalk } from "./gpt_walk.js";
import { AS_IT_IS, changed, isChanged } from "./layers.js";
import { halves, scaleOf } from "./packing.js";
import { COPY, label, short } from "./sentence.js";

const LONGEST = 16; // tokens that the translator may write
const FEATURES = 16; // of each token's vector, as many are shown
const [D, FF, V] = [256, 1536, 32_001];
const LETTERS = { [D]: "D", [FF]: "d_ff", [V]: "V" };

/** Watch the translator: its translation, and what came out of each module, by its name. */
function watched(model, ids, how) {
  /** @type {Map<string, Float32Array[]>} */
  const seen = new Map();
  const keep = (name, output) => seen.set(name, [...(seen.get(name) ?? []), output]);
  const { written } = model.translate(ids, { ...how, keep }, LONGEST);
  return { written, seen };
}

/** Of each row of a matrix some columns. */
function cut(rows, width, columns) {
  return rows.flatMap((part) =>
    Array.from({ length: part.length / width }, (_, i) => columns.map((c) => part[i * width + c])).flat(),
  );
}

/** All weights, head by head, of each time that attention was asked. */
function byHead(parts, heads) {
  const share = (part, head) => part.subarray((head * part.length) / heads, ((head + 1) * part.length) / heads);
  return Array.from({ length: heads }, (_, head) => parts.flatMap((part) => [...share(part, head)])).flat();
}

/** What the attention with heads is called of a layer, counted through those that read and those that write. */
const attentionOf = (model) => (layer) =>
  layer < model.layers.reading ? `encoder.layers.${layer}.attention` : model.looking(layer - model.layers.reading);

/** For each token that was written, the probability of every other one to stand there. */
function probabilities(parts, written) {
  return parts.flatMap((logits) => {
    const shares = logits.slice();
    softmax(shares);
    return written.map((id) => shares[id]);
  });
}

/**
 * Return the walk of a text. The translator's steps are the same for every sentence.
 * @param {any} model
 * @param {{ model: string, text: string, tokens: string[], silent: number[][], order: boolean }} at
 * @param {{ frame: { steps: any[] } }} baked
 */
export function blockWalk(model, at, { frame }) {
  if (at.model === "GPT") return gptWalk(model, at, { frame });
  const { ids, note } = short(model.encode(at.tokens.join(" ")));
  const how = changed(attentionOf(model), at);
  const { written, seen } = watched(model, ids, how);
  const before = isChanged(how) ? model.translate(ids, AS_IT_IS, LONGEST).written : written;
  const source = ids.map((id) => label(model, id));
  const target = written.map((id) => label(model, id));
  const read = ["(start)", ...target.slice(0, -1)];
  const all = [];
  const steps = frame.steps.map((step) => {
    const { part, operation } = step;
    const ofSource = /^(embeddings|encoder)/.test(part) || /^cross_attention\.(key|value)$/.test(operation);
    const [letter, rows] = ofSource ? ["S", source] : ["T", read];
    const isOutput = part === "output";
    const parts = seen.get(isOutput ? part : `${part}.${operation}`) ?? [];
    const shown = isOutput ? `Shown: ${target.length} tokens, the written ones, of ${V}.` : step.shown;
    let told;
    if (operation.endsWith("weights")) {
      const values = byHead(parts, model.heads);
      const shape = `(H, ${letter}, S) = (${model.heads}, ${rows.length}, ${source.length})`;
      told = { values, columns: source, shape, shown };
    } else if (operation === "choose") {
      told = {
        values: probabilities(parts, written),
        columns: target,
        shape: `(T) = (${rows.length})`,
        shown,
      };
    } else {
      const length = parts.reduce((sum, { length }) => sum + length, 0);
      const width = isOutput ? V : length / rows.length;
      const features = Array.from({ length: FEATURES }, (_, i) => i);
      const values = cut(parts, isOutput ? length / rows.length : width, isOutput ? written : features);
      const columns = isOutput ? target : features.map(String);
      told = { values, columns, shape: `(${letter}, ${LETTERS[width]}) = (${rows.length}, ${width})`, shown };
    }
    const { values, ...rest } = told;
    all.push(...values);
    return { ...step, ...rest, rows, scale: scaleOf(operation, values) };
  });
  const outcome = [written, before].map((text) => `“${model.decode(text)}”`);
  return { steps, values: halves(all), outcome, note, copy: COPY.translator };
}
