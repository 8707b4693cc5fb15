/** The position explorer: a table of positions, a wave in it, and what attention makes of both. */
import { chart } from "./charts.js";
import { matrix, widget } from "./kit.js";
import { clamp, h, halves, list, paint } from "./pictures.js";

const ORDERS = [
  ["dog", "bites", "man"],
  ["man", "bites", "dog"],
];
const DISTANCES = "key before the query ← 0 → key after it";

export default widget("position_explorer", (ui) => {
  const { model } = ui;
  const longest = model.get("stops").length.at(-1);
  const [what, told, sees, verdict] = list(4, () => h("p"));
  const canvas = h("canvas", { role: "img" });
  const mark = h("div");
  const box = h("div", { class: "tl-table" }, canvas, mark);
  const [wave, curve, reads] = list(3, chart);
  let columns = 1;
  let tables = [];
  ui.on(box, "click", ({ clientX }) => {
    const { left, width } = box.getBoundingClientRect();
    ui.move({ feature: clamp(Math.floor(((clientX - left) / width) * columns), 0, columns - 1) });
  });

  /** The table itself, and the wave in the marked column. */
  function drawTable(frame, length) {
    const fades = frame.kind === "ALiBi";
    const [low, high] = fades ? [-length / 2, 0] : [-1, 1];
    const feature = Math.min(model.get("feature"), columns - 1);
    const values = halves(frame.table, 0, length * columns);
    paint(canvas, values, length, columns, -low);
    canvas.setAttribute("aria-label", `${frame.what} ${length} rows, ${columns} columns.`);
    mark.style.left = `${(100 * feature) / columns}%`;
    mark.style.width = `${100 / columns}%`;
    what.textContent = frame.what;
    const [kind, row] = fades ? ["head", "distance"] : ["feature", "position"];
    const name = `${fades ? "Head" : "Feature"} ${feature}`;
    const place = feature < model.get("feature") ? "the last" : "the marked column";
    const long = frame.waves[feature >> 1];
    told.textContent = `${name}, ${place}${long ? `: one wave is ${long} positions long` : ""}.`;
    const y = list(length, (i) => values[i * columns + feature]);
    wave.draw({ label: told.textContent, x: [...y.keys()], series: [{ name, y }], low, high, xLabel: row });
    const rows = list(length, (i) => `${row} ${i}`);
    const names = list(columns, (j) => `${kind} ${j}`);
    return matrix(frame.what, rows, names, values);
  }

  /** What a query sees of keys at every distance. */
  function drawCurves({ names, curves, sees: label, kind }, length) {
    const all = halves(curves);
    const [low, high] = kind === "ALiBi" ? [-length / 2, 0] : [-1, 1];
    const x = list(2 * length - 1, (i) => i + 1 - length);
    const at = (k, distance) => all[k * (2 * longest - 1) + distance + longest - 1];
    const series = names.map((name, k) => ({ name, y: x.map((distance) => at(k, distance)) }));
    sees.textContent = label;
    curve.draw({ label, x, series, low, high, xLabel: DISTANCES });
    const values = x.flatMap((_, i) => series.map(({ y }) => (Number.isNaN(y[i]) ? "hidden" : y[i])));
    return matrix(label, x.map(String), names, values);
  }

  /** What the dog reads when it bites, and when it is bitten. */
  function drawDogs({ weights }) {
    const dogs = ORDERS.map((words, k) => {
      const row = weights[k][words.indexOf("dog")];
      return { name: k ? "dog last" : "dog first", y: ORDERS[0].map((word) => row[words.indexOf(word)]) };
    });
    const same = dogs[0].y.every((weight, i) => Math.abs(weight - dogs[1].y[i]) < 0.005);
    const both = "What dog reads in “dog bites man” and in “man bites dog”";
    verdict.textContent = `${both}: ${same ? "the same" : "not the same"}.`;
    reads.draw({ label: verdict.textContent, x: ORDERS[0], series: dogs, low: 0, high: 1, bars: true });
    return ORDERS.map((words, k) => matrix(`Weights in ${words.join(" ")}`, words, words, weights[k].flat()));
  }

  /** @param {PositionFrame} frame */
  function draw(frame) {
    const length = model.get("length");
    columns = frame.columns;
    tables = [drawTable(frame, length), drawCurves(frame, length), ...drawDogs(frame)];
    return `${frame.kind}: ${told.textContent} ${verdict.textContent}`;
  }

  const side = [sees, curve.element, verdict, reads.element];
  return { main: [what, box, told, wave.element], side, draw, numbers: () => tables };
});
