/** The logit lens, of a reader's text: the same frames that Python gives. */
import { softmax } from "./arithmetic.js";
import { halves } from "./packing.js";
import { COPY } from "./sentence.js";

const TOP = 5;
const NEURON = 45; // of the last layer, as logit_lens.py has it: it means something in the book's GPT only
const STREAM = /^(?:tokens|blocks\.\d+)$/; // what a layer reads, and what the last one wrote

/** @param {import("./gpt.js").ShakespeareGPT} model @param {{ text: string }} at */
export function logitLens(model, { text }) {
  const known = model.encode(text);
  const ids = known.slice(-model.reads);
  if (!ids.length) throw new Error("Type a character that the GPT knows: a letter, a space, a comma.");
  /** @type {Float32Array[]} */
  const streams = [];
  /** @type {Float32Array} */
  let hidden = new Float32Array();
  const last = `blocks.${model.layers - 1}.feed_forward.gated`;
  model.look(ids, {
    keep(name, values) {
      if (STREAM.test(name)) streams.push(values.slice());
      if (name === last && model.copy === COPY.GPT) hidden = values;
    },
  });
  const best = streams.flatMap((stream) => {
    const logits = model.say(stream);
    const V = logits.length / ids.length;
    return ids.map((_, t) => {
      const shares = logits.slice(t * V, (t + 1) * V);
      softmax(shares);
      const order = [...shares.keys()].sort((a, b) => shares[b] - shares[a]).slice(0, TOP);
      return order.map((id) => ({ name: model.piece(id), share: shares[id] }));
    });
  });
  const H = hidden.length / ids.length;
  const unread = known.length - ids.length;
  return {
    read: ids.map(model.piece),
    depths: streams.length,
    names: best.map((each) => each.map(({ name }) => name).join("")),
    shares: halves(best.flatMap((each) => each.map(({ share }) => share))),
    neuron: NEURON,
    fires: halves(hidden.filter((_, i) => i % H === NEURON)),
    note: unread ? `The first ${unread} characters are not read: there is room for ${model.reads}.` : "",
    copy: model.copy,
  };
}
