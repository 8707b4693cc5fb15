/**
 * The attention explorer. A frame holds all heads: weights (shares) and the largest weight of a
 * row, averaged over the rows, for each head; and the scores (halves) of the whole sentence, of
 * which `length` words are shown.
 */
const { h, svg, heatMap, paint, shares, halves } = widgetKit;

/** One query's row of weights, as arcs from it to the words it reads, and as numbers. */
function arcs() {
  const element = svg("svg", { class: "tl-arcs", viewBox: "0 0 340 170", role: "img" });
  function draw({ tokens, query, weights }) {
    const step = 340 / tokens.length, x = (i) => (i + 0.5) * step;
    const paths = weights.map((weight, j) => {
      const wide = Math.abs(x(j) - x(query)), high = wide ? 20 + 60 * wide / 340 : 18;
      const d = wide ? `M${x(query)} 84C${x(query)} ${84 - 1.33 * high} ${x(j)} ${84 - 1.33 * high} ${x(j)} 84`
        : `M${x(j) - 4} 84C${x(j) - 14} 60 ${x(j) + 14} 60 ${x(j) + 4} 84`;
      return svg("path", { d, "stroke-width": 9 * weight, opacity: 0.35 + 0.65 * weight });
    });
    const words = tokens.map((token, j) => [
      svg("text", { x: x(j), y: 98, class: "tl-share" }, weights[j].toFixed(2)),
      svg("text", { transform: `translate(${x(j)} 106) rotate(${step < 50 ? -90 : 0})`, dy: step < 50 ? 4 : 12,
        class: j === query ? "tl-query" : "", "text-anchor": step < 50 ? "end" : "middle" }, token)]).flat();
    element.replaceChildren(...paths, ...words);
    element.setAttribute("aria-label", `What ${tokens[query]} reads: ${tokens.map((t, j) => `${t} ${weights[j].toFixed(2)}`).join(", ")}`);
  }
  return { element, draw };
}

export default widgetKit.widget("attention_explorer", (ui) => {
  const { model } = ui;
  let head = 0, seen;

  // The heads: a small picture each, which is also the button that opens it.
  const thumbs = model.get("stops").heads.map((count) => {
    const canvas = h("canvas", { "aria-hidden": "true" });
    const button = h("button", { type: "button", class: "tl-thumb" }, canvas, `head ${count}`);
    ui.on(button, "click", () => { head = count - 1; draw(seen.frame); });
    return { canvas, button };
  });
  const strip = h("div", { class: "tl-thumbs", role: "group", "aria-label": "Heads" }, ...thumbs.map((t) => t.button));
  const spread = h("p", { class: "tl-spread" });
  const map = heatMap(ui, { choose: tell, at: [1, 0] });
  const row = arcs();
  const readout = h("p", { class: "tl-readout" });

  function draw(frame) {
    const heads = model.get("heads"), tokens = frame.tokens.slice(0, frame.length), n = tokens.length;
    const all = shares(frame.weights);
    const of = (which) => all.slice(which * n * n, (which + 1) * n * n);
    head = Math.min(head, heads - 1);
    thumbs.forEach(({ canvas, button }, which) => {
      paint(canvas, of(which), n, n);
      button.style.visibility = which < heads ? "visible" : "hidden";
      button.setAttribute("aria-pressed", which === head);
    });
    const every = frame.tokens.length, scores = halves(frame.scores).slice(head * every * every);
    seen = { frame, tokens, weights: of(head), score: (i, j) => scores[i * every + j] };
    map.draw({
      label: `Head ${head + 1}: attention weights, one row for each query, one column for each key`,
      rows: tokens, columns: tokens, values: seen.weights,
      say: (i, j) => `query ${tokens[i]}, key ${tokens[j]}: weight`,
    });
    spread.textContent = `The largest weight of a row is ${frame.largest[head].toFixed(2)} on average (equal shares would be ${(1 / n).toFixed(2)}).`;
    tell(...map.at);
    return spread.textContent;
  }

  /** Say what the chosen cell means, and show the row in which it lies. */
  function tell(i, j) {
    const { frame, tokens, weights, score } = seen, n = tokens.length, weight = weights[i * n + j];
    const word = (kind, index) => h("b", { class: `tl-${kind}` }, tokens[index]);
    const sum = frame.scaled ? `q·k / √${frame.d_k}` : "q·k";
    readout.replaceChildren("Query ", word("query", i), " meets key ", word("key", j), `: score ${sum} = ${score(i, j).toFixed(2)}, weight ${weight.toFixed(2)}. In head ${head + 1}, ${Math.round(100 * weight)} % of the new `,
      word("query", i), " is the value of ", word("value", j), ".");
    row.draw({ tokens, query: i, weights: weights.slice(i * n, (i + 1) * n) });
  }

  function numbers() {
    const { tokens, weights, score } = seen, n = tokens.length;
    const of = (caption, value) => ({
      caption: `${caption} of head ${head + 1}: a row for each query, a column for each key`,
      columns: ["", ...tokens], rows: tokens.map((token, i) => [token, ...tokens.map((_, j) => value(i, j))]),
    });
    return [of("Weights", (i, j) => weights[i * n + j]), of("Scores", score)];
  }

  return { side: [strip, spread, row.element], main: [map.element, readout], draw, numbers };
});
