/** Next token: what a model offers, what is cut, and what the dice then choose. */
import { matrix, widget } from "./kit.js";
import { h, halves, heatMap, line, shares } from "./pictures.js";
import { left, parts, picked } from "./sampling.js";
import { silence, upTo } from "./silencing.js";
import { chances, writing } from "./writing.js";

/** A number from 0 to 1 for a place in a text, the same each time. @param {number} dice @param {number} place */
function thrown(dice, place) {
  let bits = Math.imul(place + 1, 0x9e3779b1) ^ Math.imul(dice, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}

export default widget("next_token", (ui) => {
  const get = (name) => ui.model.get(name);
  const story = line("story");
  const ways = h("dl");
  const map = heatMap(ui, { choose() {}, corner: "written ↓ source →" });
  const silencing = ui.typed ? silence(ui) : undefined;
  const looking = [map.element, ...(silencing ? [silencing.element] : [])];
  const [passage, next] = [writing(ui), chances(ui)];
  let seen;
  /** The nodes that random numbers lead through, and what they pick in each. */
  function walk({ nodes, logits }, dice) {
    const many = nodes[0].names.length;
    const rule = { temperature: get("temperature"), top_k: get("top_k"), top_p: get("top_p") };
    const path = [];
    let at = 0;
    while (at != null) {
      const own = halves(logits, at * many, many);
      const kept = left(own, rule);
      const die = dice[path.length];
      const pick = picked(kept, die);
      path.push({ ...nodes[at], at, own, kept, die, pick });
      at = nodes[at].next[pick];
    }
    return path;
  }

  /** Where the chosen head of the translator looks, for each token of the text. */
  function looksOf({ source, layers, heads, looks }, rows) {
    const own = get("layer") * heads + get("head");
    return rows.flatMap(({ at }) => shares(looks, (at * layers * heads + own) * source.length, source.length));
  }
  /** Show it; what does not look at a source has none of this. */
  function drawMap({ source, written, looks }, { silent, heads, model }, now) {
    const isGPT = model === "GPT";
    for (const element of looking) element.style.display = source.length ? "" : "none";
    if (isGPT) map.element.style.display = "none";
    silencing?.draw(silent, { layer: get("layer"), head: get("head"), heads });
    if (!source.length || isGPT) return;
    map.draw({
      label: "Cross-attention of each token written",
      rows: written,
      columns: source,
      values: looks,
      say: (i, j) => `${written[i]} looks at ${source[j]}:`,
      show: (value) => value.toFixed(2).replace(/^0/, ""),
    });
    map.point(now, map.at[1]);
  }

  /** @param {TokenFrame} frame */
  function draw(frame) {
    const { source, tokens, others, rivals, layers, heads } = frame;
    const isGPT = frame.model === "GPT";
    const length = Array.from(frame.text).length;
    const paths = get("dice").map((dice, i) => walk(frame, isGPT ? [thrown(i + 1, length)] : dice));
    const path = paths[get("throw") - 1];
    const now = upTo(ui, "written", path.length - 1);
    const { names, kept, pick, own, at, die, text } = path[now];
    const model = parts(own.map(Math.exp), 1 - others[at]);
    upTo(ui, "layer", Math.max(layers - 1, 0));
    upTo(ui, "head", heads - 1);
    const looks = looksOf(frame, path);
    seen = { names, model, kept, source, written: path.map((row) => row.names[row.pick]), looks };
    story.replaceChildren(tokens.join(" "), source.length ? " → " : "", h("b", {}, text), " …");
    story.hidden = isGPT;
    ways.style.display = isGPT ? "none" : "";
    const told = next.draw(isGPT, { names, model, kept, pick, die, others: others[at] });
    const ends = [
      ...rivals.map(({ name, text: words, log }) => [name, `${words} (log p = ${log})`]),
      ...paths.map((path, i) => [`throw ${i + 1}`, path.at(-1).text]),
    ];
    ways.replaceChildren(...ends.flatMap(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]));
    (source.length ? next.elements[2] : map.element).after(ways); // where there is room
    drawMap(seen, frame, now);
    passage.draw(isGPT, names[pick], seen);
    return `${text} … ${told}`;
  }

  function numbers() {
    const { names, model, kept, source, written, looks } = seen;
    const columns = ["before", "after"];
    const table = matrix(
      "Probability of the next token",
      names,
      columns,
      names.flatMap((_, i) => [model[i], kept[i]]),
    );
    if (!source.length) return [table];
    return [table, matrix("Attention", written, source, looks)];
  }

  const main = [...passage.elements, story, ...next.elements, ways];
  return { side: [passage.read, ...looking], main, draw, numbers };
});
