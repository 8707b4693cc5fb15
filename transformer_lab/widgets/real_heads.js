/**
 * Real heads. A frame holds the `queries` and `keys` (tokens); as one picture, the `wall`, the weights
 * of all heads, a line after each, in `banks` side by side; and what each gives to `places` (`habits`).
 */
const { h, heatMap, paint, shares } = widgetKit;

export default widgetKit.widget("real_heads", (ui) => {
  const { model } = ui, text = (kind) => h("p", { class: `tl-${kind}` });
  let seen;
  const canvas = h("canvas", { role: "img" }), mark = h("span"), wall = h("div", { class: "tl-wall" }, canvas, mark);
  const map = heatMap(ui, { choose: tell, at: [2, 1] }), title = text("title"), habit = text("habit"), readout = text("readout");

  ui.on(canvas, "click", ({ offsetX, offsetY }) => {
    const { deep, across, frame: { heads } } = seen;
    const x = Math.floor(offsetX / canvas.clientWidth * across), y = Math.floor(offsetY / canvas.clientHeight * deep);
    ui.move({ layer: y + deep * Math.floor(x / heads), head: x % heads });
  });

  /** Where a slider stands: no further than the model goes. */
  function upTo(frame, name) {
    const max = frame[`${name}s`] - 1, value = Math.min(model.get(name), max);
    Object.assign(wall.closest(".tl-body").querySelector(`[data-name=${name}] input`), { max, value });
    if (value < model.get(name) && frame.model === model.get("model")) ui.move({ [name]: value }); // else its frame is to come
    return value;
  }

  function draw(frame) {
    const { queries, keys, layers, heads, banks, places } = frame, high = queries.length + 1, wide = keys.length + 1;
    const layer = upTo(frame, "layer"), head = upTo(frame, "head"), deep = layers / banks, across = heads * banks;
    const row = layer % deep, column = head + heads * Math.floor(layer / deep), all = shares(frame.wall);
    paint(canvas, all, deep * high, across * wide);
    canvas.setAttribute("aria-label", `All ${layers * heads} heads, a row for each layer, a column for each head`);
    mark.style = `left:${100 * column / across}%;top:${100 * row / deep}%;width:${100 / across}%;height:${100 / deep}%`;
    const cut = (array, from, count) => array.slice(from, from + count);
    const values = queries.flatMap((_, i) => cut(all, ((row * high + i) * across + column) * wide, wide - 1));
    const habits = cut(shares(frame.habits), (layer * heads + head) * places.length, places.length);
    seen = { frame, deep, across, values, habits };
    title.textContent = `${frame.model}, layer ${layer}, head ${head}`;
    map.draw({
      label: `${title.textContent}: a row for each query, a column for each key`, rows: queries, columns: keys,
      values, say: (i, j) => `query ${queries[i]}, key ${keys[j]}: weight`,
    });
    const most = Math.max(...habits), place = `${places[habits.indexOf(most)]}: ${most.toFixed(2)} of a token's weight, on average.`;
    habit.textContent = most < 0.4 ? `No clear habit. Most goes to ${place}` : `It looks at ${place}`;
    tell(...map.at);
    return `${title.textContent}. ${habit.textContent}`;
  }

  function tell(i, j) {
    const { frame: { model: name, queries, keys }, values } = seen, word = (kind, token) => h("b", { class: `tl-${kind}` }, token);
    readout.replaceChildren(name === "translator" ? "To write " : "For ", word("query", queries[i]), ` this head takes ${values[i * keys.length + j].toFixed(2)} of what it gathers from `, word("key", keys[j]), ".");
  }

  const numbers = ({ queries, keys, places }) => [
    { caption: `Weights, ${title.textContent}`, columns: ["", ...keys], rows: queries.map((query, i) => [query, ...keys.map((_, j) => seen.values[i * keys.length + j])]) },
    { caption: "Where it looks, on average", columns: ["", "weight"], rows: places.map((place, i) => [place, seen.habits[i]]) },
  ];

  return { side: [habit, readout], main: [title, map.element, h("p", {}, "Every head (layer ↓ head →); choose one:"), wall], draw, numbers };
});
