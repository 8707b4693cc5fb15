/** The soft dictionary: a shelf of three keys and values, and a query that can be dragged. */
import { headings, matrix, row, widget } from "./kit.js";
import { clamp, h, number, svg } from "./pictures.js";

const LABELS = [
  [292, 189],
  [262, 160],
  [194, 54],
];
const across = (x) => 170 + 30 * x;
const up = (y) => across(-y);
const along = (value) => 14 + 26 * value;
const path = (d, more = {}) => svg("path", { d, ...more });
const arrow = (x, y) => path(`M170 170L${across(x)} ${up(y)}`);
const say = (x, y, words) => svg("text", { x, y }, words);
const dot = (cx, cy, r) => svg("circle", { cx, cy, r });

/** Look up as the kernel would; but a learner's softmax is in the kernel only. */
function compute({ fruit, furniture, temperature, shelf: { keys, values } }, { own }) {
  if (own && `${own}` === `${[fruit, furniture]}`) return {};
  if (own) return { trouble: `Your softmax needs Python: it is shown here only for the query (${own}).` };
  const scores = keys.map(([x, y]) => x * fruit + y * furniture);
  const powers = scores.map((score) => Math.exp(score / temperature));
  const total = powers.reduce((a, b) => a + b);
  const weights = powers.map((power) => power / total);
  return { scores, weights, answer: weights.reduce((sum, weight, i) => sum + weight * values[i], 0) };
}

function build(ui) {
  const { names, keys, values } = ui.model.get("shelf");
  const { low, high } = ui.model.get("stops").fruit;

  // The plane: an arrow for each key, and one for the query, whose head can be dragged.
  const handle = svg("g", { class: "tl-handle" }, dot(0, 0, 9), say(0, 25, "query"));
  const shaft = svg("g");
  const arrows = keys.flatMap(([x, y], i) => [
    arrow(4 * x, 4 * y),
    dot(across(4 * x), up(4 * y), 3),
    say(LABELS[i][0], LABELS[i][1], names[i]),
  ]);
  const plane = svg(
    "svg",
    { class: "tl-chart tl-plane", viewBox: "0 0 340 340", role: "img" },
    path("M10 170H330M170 10V330", { class: "tl-rule" }),
    say(320, 160, "fruit"),
    say(170, 6, "furniture"),
    say(75, 330, "arrows of keys: 4 times too long"),
    svg("g", { class: "tl-key" }, ...arrows),
    svg("g", { class: "tl-query" }, shaft, handle),
  );
  function follow({ clientX, clientY }) {
    const { left, top, width } = plane.getBoundingClientRect();
    const place = (pixels) => Math.round(clamp((pixels / width - 0.5) * 113.3, 10 * low, 10 * high)) / 10;
    ui.move({ fruit: place(clientX - left), furniture: place(top + width - clientY) });
  }
  ui.on(plane, "click", follow);
  ui.on(handle, "touchstart", (event) => event.preventDefault()); // else a finger scrolls the page
  ui.on(handle, "pointerdown", ({ pointerId }) => handle.setPointerCapture(pointerId));
  ui.on(handle, "pointermove", (event) => handle.hasPointerCapture(event.pointerId) && follow(event));

  // The shelf: what each key scores, weighs and holds; and the values on a line, with the answer.
  const shelf = h("table", { class: "tl-shelf" });
  const line = svg("svg", { class: "tl-chart tl-plane", viewBox: "0 0 340 52", "aria-hidden": "true" });

  /** @param {DictionaryFrame} frame */
  function draw({ fruit, furniture, scores, weights, answer }) {
    shaft.replaceChildren(arrow(fruit, furniture));
    handle.setAttribute("transform", `translate(${across(fruit)} ${up(furniture)})`);
    const rows = names.map((name, i) => {
      const bar = h("i", { style: `width:${100 * weights[i]}%` });
      return row([name, scores[i], weights[i], bar, `· ${values[i]}`]);
    });
    const head = headings(["key", "score", "weight", "", "value"]);
    shelf.replaceChildren(head, ...rows, row(["answer", "", "", "", answer]));
    const dots = values.flatMap((value, i) => [
      dot(along(value), 30, 1 + 9 * Math.sqrt(weights[i])),
      say(along(value), 12, value),
    ]);
    line.replaceChildren(
      path("M14 30H326", { class: "tl-rule" }),
      path(`M${along(answer)} 40l6 10h-12z`),
      svg("g", { class: "tl-value" }, ...dots),
    );
    const query = `Query (${fruit}, ${furniture})`;
    const words = `${query}: weights ${weights.map(number).join(", ")}, answer ${number(answer)}.`;
    plane.setAttribute("aria-label", words);
    return words;
  }

  function numbers({ fruit, furniture, scores, weights, answer }) {
    const columns = ["fruit", "furniture", "score", "weight", "value"];
    const rows = names.flatMap((_, i) => [...keys[i], scores[i], weights[i], values[i]]);
    const caption = `Query (${fruit}, ${furniture}), answer ${number(answer)}`;
    return [matrix(caption, names, columns, rows)];
  }

  return { main: [plane], side: [shelf, line], draw, numbers };
}

export default widget("soft_dictionary", build, compute);
