/** Real heads: all those of a trained model in small, one of them in large. */
const { h, heatMap, line, list, matrix, paint, same, shares, word } = widgetKit;

export default widgetKit.widget("real_heads", (ui) => {
  const { model } = ui;
  const canvas = h("canvas", { role: "img" });
  const mark = h("span");
  const quiet = h("div");
  const wall = h("div", { class: "tl-wall" }, canvas, quiet, mark);
  const map = heatMap(ui, { choose: tell, at: [2, 1] });
  const [title, habit, readout, result] = ["title", "habit", "readout", "result"].map(line);
  const button = () => h("button", { type: "button", class: "tl-button" });
  const [one, all] = [button(), button()];
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

  /** Silence some heads, or let them speak again if all of them are silent. */
  function toggle(heads) {
    const silent = model.get("silent");
    const others = silent.filter((each) => !heads.some((head) => same(head, each)));
    const allSilent = silent.length - others.length === heads.length;
    ui.move({ silent: allSilent ? others : [...others, ...heads].sort(([a, b], [c, d]) => a - c || b - d) });
  }
  const layerOf = (frame) => Math.min(model.get("layer"), frame.layers - 1);
  const headOf = (frame) => Math.min(model.get("head"), frame.heads - 1);
  const wholeLayer = (frame) => list(frame.heads, (head) => [layerOf(frame), head]);
  ui.on(one, "click", () => toggle([[layerOf(seen), headOf(seen)]]));
  ui.on(all, "click", () => toggle(wholeLayer(seen)));

  /** Say on the buttons and on the wall which heads are silent. */
  function drawSilent(frame) {
    const isSilent = (head) => frame.silent.some((each) => same(each, head));
    const [own, layer] = [[layerOf(frame), headOf(frame)], wholeLayer(frame)];
    one.textContent = isSilent(own) ? "Let this head speak" : "Silence this head";
    all.textContent = layer.every(isSilent) ? `Let layer ${own[0]} speak` : `Silence layer ${own[0]}`;
    const there = frame.silent.filter(([layer, head]) => layer < frame.layers && head < frame.heads);
    quiet.replaceChildren(...there.map(([layer, head]) => h("i", { style: placed(layer, head) })));
  }
  /** Where on the wall a head hangs. */
  function placed(layer, head) {
    const column = head + seen.heads * Math.floor(layer / deep);
    const place = `left:${(100 * column) / across}%;top:${(100 * (layer % deep)) / deep}%`;
    return `${place};width:${100 / across}%;height:${100 / deep}%`;
  }

  /** Say what the model makes of the sentence, and what it makes of it when nothing is changed. */
  function drawResult({ outcome, model: name, second, silent, order, unread }) {
    const compare = wall.closest(".tl-body")?.querySelector("[data-name=second]");
    if (ui.typed) compare?.toggleAttribute("hidden", name !== "MiniLM");
    const [now, before] = outcome.map((each) => (typeof each === "number" ? each.toFixed(2) : `“${each}”`));
    const what = name === "MiniLM" ? `Similarity to “${second.join(" ")}”:` : "Translation:";
    const changed = silent.length || !order;
    const whole = unread ? ` The last ${unread} tokens but the end were not read: there is no room.` : "";
    result.replaceChildren(
      ...(outcome[0] === null ? [] : [`${what} `, h("b", {}, now), changed ? ` (unchanged: ${before}).` : "."]),
      whole,
    );
  }

  /** Where a slider stands: no further than the model goes. */
  function upTo(frame, name) {
    const max = frame[`${name}s`] - 1;
    const value = Math.min(model.get(name), max);
    const slider = wall.closest(".tl-body")?.querySelector(`[data-name=${name}] input`);
    Object.assign(slider ?? {}, { max, value });
    // A model whose frame is still to come may have more.
    if (value < model.get(name) && frame.model === model.get("model")) ui.move({ [name]: value });
    return value;
  }

  /** The picture of all heads, with the chosen one marked; gives the weights of that. */
  function drawWall({ queries, keys, layers, heads, wall: packed }, layer, head) {
    const [high, wide] = [queries.length + 1, keys.length + 1];
    const row = layer % deep;
    const column = head + heads * Math.floor(layer / deep);
    const all = shares(packed);
    paint(canvas, all, deep * high, across * wide);
    const label = `All ${layers * heads} heads, a row for each layer, a column for each head`;
    canvas.setAttribute("aria-label", label);
    mark.style.cssText = placed(layer, head);
    return queries.flatMap((_, i) => {
      const first = ((row * high + i) * across + column) * wide;
      return all.slice(first, first + wide - 1);
    });
  }

  /** Say to which places most of the weight goes. */
  function habitIn(places) {
    const most = Math.max(...habits);
    const place = `${places[habits.indexOf(most)]}: ${most.toFixed(2)} of a token's weight, on average.`;
    return most < 0.4 ? `No clear habit. Most goes to ${place}` : `It looks at ${place}`;
  }

  /** @param {HeadsFrame} frame */
  function draw(frame) {
    const { queries, keys, layers, heads, banks, places } = frame;
    const layer = upTo(frame, "layer");
    const head = upTo(frame, "head");
    seen = frame;
    deep = layers / banks;
    across = heads * banks;
    values = drawWall(frame, layer, head);
    const first = (layer * heads + head) * places.length;
    habits = shares(frame.habits).slice(first, first + places.length);
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
    drawSilent(frame);
    drawResult(frame);
    return `${title.textContent}. ${habit.textContent} ${result.textContent}`;
  }

  function tell(i, j) {
    readout.replaceChildren(
      seen.model === "translator" ? "To write " : "For ",
      word("query", seen.queries[i]),
      ` this head takes ${values[i * seen.keys.length + j].toFixed(2)} of what it gathers from `,
      word("key", seen.keys[j]),
      ".",
    );
  }

  const numbers = ({ queries, keys, places }) => [
    matrix(`Weights, ${title.textContent}`, queries, keys, values),
    matrix("Where it looks, on average", places, ["weight"], habits),
  ];

  const every = h("p", {}, "Every head (layer ↓ head →); choose one:");
  const silence = ui.typed ? [h("div", { class: "tl-row" }, one, all)] : [];
  return { side: [result, habit, readout], main: [title, map.element, ...silence, every, wall], draw, numbers };
});
