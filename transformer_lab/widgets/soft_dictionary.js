/**
 * The soft dictionary. A frame holds scores, weights and the answer; with a learner's softmax also
 * the query for which a page has it (`own`).
 */
const { h, svg, number } = widgetKit;
const across = (x) => 170 + 30 * x, up = (y) => across(-y), along = (value) => 14 + 26 * value;
const path = (d, more) => svg("path", { d, ...more });
const arrow = (x, y) => path(`M170 170L${across(x)} ${up(y)}`);
const say = (x, y, words) => svg("text", { x, y }, words);
const dot = (cx, cy, r) => svg("circle", { cx, cy, r });

export default widgetKit.widget("soft_dictionary", (ui) => {
  const { names, keys, values } = ui.model.get("shelf"), { low, high } = ui.model.get("stops").fruit;

  // The plane: an arrow for each key, and one for the query, whose head can be dragged.
  const handle = svg("g", { class: "tl-handle" }, dot(0, 0, 9), say(0, 25, "query")), shaft = svg("g");
  const plane = svg("svg", { class: "tl-chart tl-plane", viewBox: "0 0 340 340", role: "img" },
    path("M10 170H330M170 10V330", { class: "tl-rule" }), say(320, 160, "fruit"), say(170, 6, "furniture"), say(75, 330, "keys drawn 4 times as long"),
    svg("g", { class: "tl-key" }, ...keys.flatMap(([x, y], i) => [arrow(4 * x, 4 * y), dot(across(4 * x), up(4 * y), 3), say(...[[292, 189], [262, 160], [194, 54]][i], names[i])])),
    svg("g", { class: "tl-query" }, shaft, handle));
  const follow = ({ clientX, clientY }) => {
    const { left, top, width } = plane.getBoundingClientRect();
    const place = (pixels) => Math.round(Math.min(Math.max((pixels / width - 0.5) * 113.3, 10 * low), 10 * high)) / 10;
    if (!plane.closest(".tl-body").querySelector(".tl-slider :disabled")) ui.move({ fruit: place(clientX - left), furniture: place(top + width - clientY) });
  };
  ui.on(plane, "click", follow);
  ui.on(handle, "touchstart", (event) => event.preventDefault()); // else a finger scrolls the page
  ui.on(handle, "pointerdown", ({ pointerId }) => handle.setPointerCapture(pointerId));
  ui.on(handle, "pointermove", (event) => { if (handle.hasPointerCapture(event.pointerId)) follow(event); });

  // The shelf: what each key scores, weighs and holds; and the values on a line, with the answer.
  const shelf = h("table", { class: "tl-shelf" }), line = svg("svg", { class: "tl-chart tl-plane", viewBox: "0 0 340 52", "aria-hidden": "true" });

  function draw({ fruit, furniture, scores, weights, answer }) {
    shaft.replaceChildren(arrow(fruit, furniture));
    handle.setAttribute("transform", `translate(${across(fruit)} ${up(furniture)})`);
    const row = (head, ...cells) => h("tr", {}, h("th", {}, head), ...cells.map((cell) => h("td", {}, cell)));
    shelf.replaceChildren(row("key", "score", "weight", "", "value"),
      ...names.map((name, i) => row(name, number(scores[i]), number(weights[i]), h("i", { style: `width:${100 * weights[i]}%` }), `· ${values[i]}`)),
      row("answer", "", "", "", number(answer)));
    line.replaceChildren(path("M14 30H326", { class: "tl-rule" }), path(`M${along(answer)} 40l6 10h-12z`),
      svg("g", { class: "tl-value" }, ...values.flatMap((value, i) => [dot(along(value), 30, 1 + 9 * Math.sqrt(weights[i])), say(along(value), 12, value)])));
    const words = `Query (${fruit}, ${furniture}): weights ${weights.map(number).join(", ")}, answer ${number(answer)}.`;
    plane.setAttribute("aria-label", words);
    return words;
  }

  const numbers = ({ fruit, furniture, scores, weights, answer }) => [{
    caption: `Query (${fruit}, ${furniture}), answer ${number(answer)}`, columns: ["", "fruit", "furniture", "score", "weight", "value"],
    rows: names.map((name, i) => [name, ...keys[i], scores[i], weights[i], values[i]]) }];

  return { main: [plane], side: [shelf, line], draw, numbers };
}, ({ fruit, furniture, temperature, shelf: { keys, values } }, { own }) => {
  if (own) return `${own}` === `${[fruit, furniture]}` ? {} : { trouble: `Your softmax needs Python: here it is shown for the query (${own}) only.` };
  const scores = keys.map(([x, y]) => x * fruit + y * furniture);
  const powers = scores.map((score) => Math.exp(score / temperature)), total = powers.reduce((a, b) => a + b);
  const weights = powers.map((power) => power / total);
  return { scores, weights, answer: weights.reduce((sum, weight, i) => sum + weight * values[i], 0) };
});
