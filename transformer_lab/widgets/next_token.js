/**
 * Next token. A frame holds `nodes`: texts, names of what may come next, and the node each leads to;
 * their `logits` (halves, below the best), the probability of all `others`, where the translator
 * `looks` in the `source` (shares); and what `rivals` write.
 */
const { h, heatMap, shares, halves, number } = widgetKit;
const parts = (values, whole = 1) => { const sum = values.reduce((a, b) => a + b); return values.map((v) => whole * v / sum); };

export default widgetKit.widget("next_token", (ui) => {
  const get = (name) => ui.model.get(name), text = (kind) => h("p", { class: `tl-${kind}` });
  let seen;
  const story = text("story"), readout = text("readout"), bars = h("ol"), ways = h("dl");
  const map = heatMap(ui, { choose() {}, corner: "written ↓ source →", most: 9 });

  /** What is drawn by, after temperature, top k and top p, in turn. */
  function left(logits) {
    const kept = parts(logits.map((l) => (l < logits[get("top_k") - 1] ? 0 : Math.exp(l / get("temperature")))));
    for (let i = kept.length - 1, rest = 0; i > 0; i--) if ((rest += kept[i]) <= 1 - get("top_p")) kept[i] = 0;
    return parts(kept);
  }
  /** The nodes that random numbers lead through, and what they pick in each. */
  function walk({ nodes, logits }, dice) {
    const all = halves(logits), path = [], many = nodes[0].names.length;
    for (let at = 0, pick; at != null; at = nodes[at].next[pick]) {
      const own = all.slice(at * many, (at + 1) * many), kept = left(own), die = dice[path.length];
      let sum = 0;
      pick = kept.findIndex((p) => (sum += p) > die);
      path.push({ ...nodes[at], at, own, kept, die, pick });
    }
    return path;
  }

  function draw(frame) {
    const { source, tokens, others, rivals } = frame, paths = get("dice").map((dice) => walk(frame, dice)), path = paths[get("throw") - 1];
    const rows = path.slice(0, get("written") + 1), step = rows[rows.length - 1], { names, kept, pick } = step;
    const model = parts(step.own.map(Math.exp), 1 - others[step.at]), S = source.length, looks = shares(frame.looks);
    seen = { names, model, kept, source, written: rows.map((row) => row.names[row.pick]), looks: rows.flatMap(({ at }) => looks.slice(at * S, (at + 1) * S)) };
    story.replaceChildren(tokens.join(" "), S ? " → " : "", h("b", {}, step.text), " …");
    const bar = (tag, value) => h(tag, { style: `width:${100 * value}%` });
    bars.replaceChildren(...names.map((name, i) => h("li", { class: i === pick ? "tl-query" : "" }, h("span", {}, name),
      h("i", {}, bar("i", model[i]), bar("b", kept[i])), `${number(model[i])} → ${kept[i] ? number(kept[i]) : "cut"}`)));
    readout.textContent = `${kept.filter(Boolean).length} tokens are left; the dice, ${step.die}, choose “${names[pick]}”. The thousands that are not shown had ${number(others[step.at])} together.`;
    const ends = [...rivals.map(({ name, text: words, log }) => [name, `${words} (log p = ${log})`]), ...paths.map((one, i) => [`throw ${i + 1}`, one[one.length - 1].text])];
    ways.replaceChildren(...ends.flatMap(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]));
    map.element.style.visibility = S ? "visible" : "hidden";
    if (S) map.draw({ label: "Cross-attention of each token written", rows: seen.written, columns: source, values: seen.looks, say: (i, j) => `${seen.written[i]} looks at ${source[j]}:`, show: (v) => v.toFixed(2).replace(/^0/, "") });
    return `${step.text} … ${readout.textContent}`;
  }

  const numbers = () => [
    { caption: "Probability of the next token", columns: ["", "by the model", "to choose by"], rows: seen.names.map((name, i) => [name, seen.model[i], seen.kept[i]]) },
    ...(seen.source.length ? [{ caption: "Cross-attention", columns: ["", ...seen.source], rows: seen.written.map((name, i) => [name, ...seen.source.map((_, j) => seen.looks[i * seen.source.length + j])]) }] : []),
  ];

  return { side: [map.element], main: [story, h("p", {}, "Probability by the model → to choose by:"), bars, readout, ways], draw, numbers };
});
