/** Real heads: all those of a trained model in small, one of them in large. */
import { matrix, widget } from "./kit.js";
import { h, heatMap, line, paint, same, shares, word } from "./pictures.js";
import { offer, silence, upTo } from "./silencing.js";

export default widget("real_heads", (ui) => {
  const canvas = h("canvas", { role: "img" });
  const mark = h("span");
  const silencing = ui.typed ? silence(ui) : undefined;
  const marks = h("div");
  const wall = h("div", { class: "tl-wall" }, canvas, mark, marks);
  const map = heatMap(ui, { choose: tell, at: [2, 1] });
  const [title, habit, readout, result] = ["title", "habit", "readout", "result"].map(line);
  /** @type {HeadsFrame} */
  let seen;
  let deep = 1;
  let across = 1;
  let values = [];
  let habits = [];

  ui.on(canvas, "click", ({ offsetX, offsetY }) => {
    const x = Math.floor((offsetX / canvas.clientWidth) * across);
    const y = Math.floor((offsetY / canvas.clientHeight) * deep);
    ui.move({ layer: y + deep * Math.floor(x / seen.heads), head: x % seen.heads });
  });

  /** Where a head hangs on the wall. */
  function placed(layer, head) {
    const column = head + seen.heads * Math.floor(layer / deep);
    const place = `left:${(100 * column) / across}%;top:${(100 * (layer % deep)) / deep}%`;
    return `${place};width:${100 / across}%;height:${100 / deep}%`;
  }

  /** The picture of all heads. */
  function drawWall({ queries, keys, layers, heads, wall }) {
    paint(canvas, shares(wall), deep * (queries.length + 1), across * (keys.length + 1));
    const label = `All ${layers * heads} heads, a row for each layer, a column for each head`;
    canvas.setAttribute("aria-label", label);
  }
  /** The weights of a head in that picture, where a gap follows each. */
  function weightsOf({ queries, keys, heads, wall }, layer, head) {
    const row = (layer % deep) * (queries.length + 1);
    const column = head + heads * Math.floor(layer / deep);
    return queries.flatMap((_, i) => shares(wall, ((row + i) * across + column) * (keys.length + 1), keys.length));
  }

  /** The place of the largest weight in a row: of another sentence, one that says something is chosen. */
  function mostIn(row, width) {
    const weights = values.slice(row * width, (row + 1) * width);
    return [row, weights.indexOf(Math.max(...weights))];
  }

  /** Describe to which positions most of the weight goes. */
  function habitIn(places) {
    const most = Math.max(...habits);
    const place = `${places[habits.indexOf(most)]}: ${most.toFixed(2)} of a token's weight, on average.`;
    return most < 0.4 ? `No clear habit. Most goes to ${place}` : `It looks at ${place}`;
  }

  /** Describe the result, and that without a change. @param {HeadsFrame} frame */
  function outcomeIn({ model: name, second, silent, order, outcome: [now, before] }) {
    if (!now) return "";
    const what = { MiniLM: `Similarity to “${second.join(" ")}”`, GPT: "Next" }[name] ?? "Translation";
    return `${what}: ${now}${silent.length || !order ? ` (unchanged: ${before})` : ""}.`;
  }

  /** @param {HeadsFrame} frame */
  function draw(frame) {
    const { queries, keys, layers, heads, banks, places, silent } = frame;
    const layer = upTo(ui, "layer", layers - 1);
    const head = upTo(ui, "head", heads - 1);
    deep = layers / banks;
    across = heads * banks;
    if (frame !== seen) drawWall(frame);
    const isOther = seen?.model !== frame.model || !same(seen.keys, keys);
    seen = frame;
    mark.style.cssText = placed(layer, head);
    values = weightsOf(frame, layer, head);
    if (isOther) map.at.splice(0, 2, ...mostIn(Math.min(map.at[0], queries.length - 1), keys.length));
    const first = (layer * heads + head) * places.length;
    habits = shares(frame.habits, first, places.length);
    title.textContent = `${frame.model}, layer ${layer}, head ${head}`;
    habit.textContent = habitIn(places);
    map.draw({
      label: `${title.textContent}: a row for each query, a column for each key`,
      rows: queries,
      columns: keys,
      values,
      say: (i, j) => `query ${queries[i]}, key ${keys[j]}: weight`,
    });
    tell(map.at[0], map.at[1]);
    result.textContent = outcomeIn(frame);
    const there = silent.filter((each) => each[0] < layers && each[1] < heads);
    marks.replaceChildren(...there.map((each) => h("i", { style: placed(each[0], each[1]) })));
    silencing?.draw(there, { layer, head, heads });
    offer(ui, "second", frame.model === "MiniLM");
    return `${title.textContent}. ${habit.textContent} ${result.textContent}`;
  }

  function tell(i, j) {
    readout.replaceChildren(
      seen.model === "translator" ? "To write " : "In this head ",
      word("query", seen.queries[i]),
      seen.model === "translator" ? " this head" : "",
      ` gives ${values[i * seen.keys.length + j].toFixed(2)} of its weight to `,
      word("key", seen.keys[j]),
      ".",
    );
  }

  const numbers = ({ queries, keys, places }) => [
    matrix(`Weights, ${title.textContent}`, queries, keys, values),
    matrix("Where it looks, on average", places, ["weight"], habits),
  ];

  const every = h("p", {}, "Every head (layer ↓ head →); choose one:");
  const main = [title, map.element, silencing?.element ?? "", every, wall];
  return { side: [result, habit, readout], main, draw, numbers };
});
