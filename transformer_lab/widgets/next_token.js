/** Next token: what a model offers, what is cut, and what the dice then choose. */
import { matrix, widget } from "./kit.js";
import { h, halves, heatMap, line, number, shares } from "./pictures.js";
import { left, parts, picked } from "./sampling.js";
import { silence, upTo } from "./silencing.js";

export default widget("next_token", (ui) => {
  const get = (name) => ui.model.get(name);
  const [story, readout] = ["story", "readout"].map(line);
  const bars = h("ol");
  const ways = h("dl");
  const map = heatMap(ui, { choose() {}, corner: "written ↓ source →", most: 9 });
  const silencing = ui.typed ? silence(ui) : undefined;
  const looking = h("div", {}, map.element, silencing?.element ?? "");
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

  /** A token's bars, and its probability in numbers. */
  function item(name, model, kept, chosen) {
    const bar = (tag, value) => h(tag, { style: `width:${100 * value}%` });
    const told = `${number(model)} → ${kept ? number(kept) : "cut"}`;
    const both = h("i", {}, bar("i", model), bar("b", kept));
    return h("li", { class: chosen ? "tl-query" : "" }, h("span", {}, name), both, told);
  }
  /** Where the chosen head of the translator looks, for each token written. */
  function looksOf({ source, layers, heads, looks }, rows) {
    const own = get("layer") * heads + get("head");
    return rows.flatMap(({ at }) => shares(looks, (at * layers * heads + own) * source.length, source.length));
  }
  /** Show it; what does not look at a source has none of this. */
  function drawMap({ source, written, looks }, { silent, heads }) {
    looking.hidden = !source.length;
    silencing?.draw(silent, { layer: get("layer"), head: get("head"), heads });
    if (!source.length) return;
    map.draw({
      label: "Cross-attention of each token written",
      rows: written,
      columns: source,
      values: looks,
      say: (i, j) => `${written[i]} looks at ${source[j]}:`,
      show: (value) => value.toFixed(2).replace(/^0/, ""),
    });
  }

  /** @param {TokenFrame} frame */
  function draw(frame) {
    const { source, tokens, others, rivals } = frame;
    const paths = get("dice").map((dice) => walk(frame, dice));
    const path = paths[get("throw") - 1];
    const rows = path.slice(0, upTo(ui, "written", path.length - 1) + 1);
    const { names, kept, pick, own, at, die, text } = rows.at(-1);
    const model = parts(own.map(Math.exp), 1 - others[at]);
    const looks = looksOf(frame, rows);
    seen = { names, model, kept, source, written: rows.map((row) => row.names[row.pick]), looks };
    story.replaceChildren(tokens.join(" "), source.length ? " → " : "", h("b", {}, text), " …");
    bars.replaceChildren(...names.map((name, i) => item(name, model[i], kept[i], i === pick)));
    const choice = `${kept.filter(Boolean).length} tokens are left; the dice, ${die}, choose “${names[pick]}”.`;
    readout.textContent = `${choice} The thousands that are not shown had ${number(others[at])} together.`;
    const ends = [
      ...rivals.map(({ name, text: words, log }) => [name, `${words} (log p = ${log})`]),
      ...paths.map((path, i) => [`throw ${i + 1}`, path.at(-1).text]),
    ];
    ways.replaceChildren(...ends.flatMap(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]));
    drawMap(seen, frame);
    return `${text} … ${readout.textContent}`;
  }

  function numbers() {
    const { names, model, kept, source, written, looks } = seen;
    const columns = ["by the model", "to choose by"];
    const next = matrix(
      "Probability of the next token",
      names,
      columns,
      names.flatMap((_, i) => [model[i], kept[i]]),
    );
    if (!source.length) return [next];
    return [next, matrix("Cross-attention", written, source, looks)];
  }

  const title = h("p", {}, "Probability by the model → to choose by:");
  return { side: [looking], main: [story, title, bars, readout, ways], draw, numbers };
});
