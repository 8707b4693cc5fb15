/** The attention explorer: all heads in small, one of them in large. */
import { matrix, widget } from "./kit.js";
import { h, halves, heatMap, line, paint, shares, svg, word } from "./pictures.js";

const [MIDDLE, FLOOR, UNIT] = [170, 95, 78]; // of the plane on which values, of length 1, are drawn

/** An arc from one word to another, or a loop above the word itself. */
function arc(from, to) {
  if (from === to) return `M${to - 4} 84C${to - 14} 60 ${to + 14} 60 ${to + 4} 84`;
  const top = 84 - 1.33 * (20 + (60 * Math.abs(to - from)) / 340);
  return `M${from} 84C${from} ${top} ${to} ${top} ${to} 84`;
}

/** Draw one query's row of weights, as arcs from it to the words it reads, and as numbers. */
function drawRow(picture, tokens, query, weights) {
  const step = 340 / tokens.length;
  const upright = step < 50;
  const style = upright ? { dy: 4, "text-anchor": "end" } : { dy: 12, "text-anchor": "middle" };
  const x = (i) => (i + 0.5) * step;
  const paths = weights.map((weight, j) =>
    svg("path", { d: arc(x(query), x(j)), "stroke-width": 9 * weight, opacity: 0.35 + 0.65 * weight }),
  );
  const words = tokens.flatMap((token, j) => {
    const transform = `translate(${x(j)} 106) rotate(${upright ? -90 : 0})`;
    return [
      svg("text", { x: x(j), y: 98, class: "tl-share" }, weights[j].toFixed(2)),
      svg("text", { transform, class: j === query ? "tl-query" : "", ...style }, token),
    ];
  });
  picture.replaceChildren(...paths, ...words);
  const read = tokens.map((token, j) => `${token} ${weights[j].toFixed(2)}`);
  picture.setAttribute("aria-label", `What ${tokens[query]} reads: ${read.join(", ")}`);
}

/** A plane in which the chosen word's new vector is put together from the values that arrive. */
function sumOf() {
  const spokes = svg("g", { class: "tl-value" });
  const [chain, newest, total] = ["chain", "newest", "total"].map((kind) => svg("path", { class: `tl-${kind}` }));
  const label = svg("text", { class: "tl-query", x: 5, y: -5 });
  const element = svg(
    "svg",
    { class: "tl-adds", viewBox: "0 0 340 190", role: "img" },
    spokes,
    chain,
    newest,
    total,
    label,
  );

  /** Lay the values, each times its weight, one behind the other; that of key j is marked. */
  function draw(tokens, values, weights, i, j) {
    const put = (place) => [MIDDLE + UNIT * place[0], FLOOR - UNIT * place[1]].map((number) => number.toFixed(1));
    const path = (...places) => `M${places.map(put).join("L")}`;
    const stops = [[0, 0]];
    for (const [k, value] of values.entries())
      stops.push(stops[k].map((place, axis) => place + weights[k] * value[axis]));
    const end = stops[values.length];
    spokes.replaceChildren(
      ...tokens.flatMap((token, k) => {
        const [x, y] = put(values[k]);
        const side = { x, y, dx: values[k][0] < 0 ? -4 : 4, dy: 4, "text-anchor": values[k][0] < 0 ? "end" : "start" };
        const again = values.findIndex((value) => `${value}` === `${values[k]}`) < k;
        return again ? [] : [svg("path", { d: path([0, 0], values[k]) }), svg("text", side, token)];
      }),
    );
    chain.setAttribute("d", path(...stops));
    newest.setAttribute("d", path(stops[j], stops[j + 1]));
    total.setAttribute("d", path([0, 0], end));
    label.setAttribute("transform", `translate(${put(end)})`);
    label.textContent = `new ${tokens[i]}`;
    element.setAttribute(
      "aria-label",
      `The new ${tokens[i]}: the values of all words, each times its weight, added up`,
    );
  }
  return { element, draw };
}

export default widget("attention_explorer", (ui) => {
  const { model } = ui;
  let head = 0;
  let seen;
  let tokens = [];
  let weights = [];
  let scores = [];
  let values = [];

  // The heads: a small picture each, which is also the button that opens it.
  const thumbs = model.get("stops").heads.map((count) => {
    const canvas = h("canvas", { "aria-hidden": "true" });
    const button = h("button", { type: "button", class: "tl-thumb" }, canvas, `head ${count}`);
    ui.on(button, "click", () => {
      head = count - 1;
      draw(seen);
    });
    return button;
  });
  const strip = h("div", { class: "tl-thumbs", role: "group", "aria-label": "Heads" }, ...thumbs);
  const [spread, readout] = ["spread", "readout"].map(line);
  const map = heatMap(ui, { choose: tell, at: [1, 0] });
  const row = svg("svg", { class: "tl-arcs", viewBox: "0 0 340 170", role: "img" });
  const sum = sumOf();

  /** @param {AttentionFrame} frame */
  function draw(frame) {
    const heads = model.get("heads");
    const every = frame.tokens.length;
    const all = shares(frame.weights);
    seen = frame;
    tokens = frame.tokens.slice(0, frame.length);
    const n = tokens.length;
    const of = (which) => all.slice(which * n * n, (which + 1) * n * n);
    head = Math.min(head, heads - 1);
    weights = of(head);
    values = tokens.map((_, k) => halves(frame.values, 2 * k, 2));
    scores = tokens.flatMap((_, i) => halves(frame.scores, (head * every + i) * every, n));
    for (const [which, button] of thumbs.entries()) {
      paint(button.firstChild, of(which), n, n);
      button.style.visibility = which < heads ? "" : "hidden";
      button.setAttribute("aria-pressed", which === head);
    }
    map.draw({
      label: `Head ${head + 1}: attention weights, one row for each query, one column for each key`,
      rows: tokens,
      columns: tokens,
      values: weights,
      say: (i, j) => `query ${tokens[i]}, key ${tokens[j]}: weight`,
    });
    const largest = `The largest weight of a row is ${frame.largest[head].toFixed(2)} on average`;
    spread.textContent = `${largest} (equal shares would be ${(1 / n).toFixed(2)}).`;
    tell(...map.at);
    return spread.textContent;
  }

  /** Say what the chosen cell means, and show the row in which it lies. */
  function tell(i, j) {
    const n = tokens.length;
    const [score, weight] = [scores[i * n + j], weights[i * n + j]];
    const made = seen.scaled ? `q·k / √${seen.d_k}` : "q·k";
    readout.replaceChildren(
      "Query ",
      word("query", tokens[i]),
      " meets key ",
      word("key", tokens[j]),
      `: score ${made} = ${score.toFixed(2)}, weight ${weight.toFixed(2)}. `,
      `In head ${head + 1}, ${Math.round(100 * weight)} % of the new `,
      word("query", tokens[i]),
      " is the value of ",
      word("value", tokens[j]),
      ".",
    );
    const given = weights.slice(i * n, (i + 1) * n);
    drawRow(row, tokens, i, given);
    sum.draw(tokens, values, given, i, j);
  }

  function numbers() {
    const rest = `of head ${head + 1}: a row for each query, a column for each key`;
    return [matrix(`Weights ${rest}`, tokens, tokens, weights), matrix(`Scores ${rest}`, tokens, tokens, scores)];
  }

  return { side: [strip, spread, row], main: [map.element, readout, sum.element], draw, numbers };
});
