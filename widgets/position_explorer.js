/** The position explorer: a table of positions, a wave in it, and what attention makes of both. */
import { chart } from "./charts.js";
import { matrix, widget } from "./kit.js";
import { clamp, h, halves, list, paint } from "./pictures.js";

const ORDERS = [
  ["dog", "bites", "man"],
  ["man", "bites", "dog"],
];
/** What a column and a row of the table are. */
const NAMES = {
  none: ["feature", "position"],
  sinusoidal: ["feature", "position"],
  rotary: ["key", "query"],
  ALiBi: ["head", "distance"],
};
const CONTROLS = ["d_model", "base", "feature"];
const DISTANCES = "key before the query ← 0 → key after it";

export default widget("position_explorer", (ui) => {
  const { model } = ui;
  const longest = model.get("stops").length.at(-1);
  const [what, told, sees, verdict] = list(4, () => h("p"));
  const canvas = h("canvas", { role: "img" });
  const mark = h("div");
  const box = h("div", { class: "tl-table" }, canvas, mark);
  const [wave, curve, reads] = list(3, chart);
  /** @returns {any} */
  const part = (name, tag) => ui.row(name)?.querySelector(tag);
  let columns = 1;
  let tables = [];
  ui.on(box, "click", ({ clientX }) => {
    const { left, width } = box.getBoundingClientRect();
    ui.move({ feature: clamp(Math.floor(((clientX - left) / width) * columns), 0, columns - 1) });
  });

  /** The table itself, and the marked column as a curve. */
  function drawTable(frame, length) {
    const [column, row] = NAMES[frame.kind];
    const [low, high] = frame.kind === "ALiBi" ? [-length / 2, 0] : [-1, 1];
    const feature = Math.min(model.get("feature"), columns - 1);
    const values = frame.kind === "rotary" ? shifted(frame.curves, length) : halves(frame.table, 0, length * columns);
    paint(canvas, values, length, columns, -low);
    canvas.setAttribute("aria-label", `${frame.what} ${length} rows, ${columns} columns.`);
    mark.style.left = `${(100 * feature) / columns}%`;
    mark.style.width = `${100 / columns}%`;
    what.textContent = frame.what;
    Object.assign(box.dataset, { columns: `${column} 0 to ${columns - 1} →`, rows: `${row} 0 to ${length - 1} →` });
    const name = `${column} ${feature}`;
    const long = frame.waves[feature >> 1];
    told.textContent = `The marked column, ${name}${long ? `: one wave is ${long} positions long` : ""}.`;
    const y = list(length, (i) => values[i * columns + feature]);
    wave.draw({ label: told.textContent, x: [...y.keys()], series: [{ name, y }], low, high, xLabel: row });
    steer(frame.kind, column, feature);
    const rows = list(length, (i) => `${row} ${i}`);
    const names = list(columns, (j) => `${column} ${j}`);
    return matrix(frame.what, rows, names, values);
  }

  /** The first curve in each row, its middle at the row's own position. */
  function shifted(curves, length) {
    const curve = halves(curves, 0, 2 * longest - 1);
    return list(length * length, (n) => curve[(n % length) - Math.floor(n / length) + longest - 1]);
  }

  /** Call the slider of columns by what they are, and switch off what plays no part. */
  function steer(kind, column, feature) {
    const used = { none: [], ALiBi: ["feature"] }[kind] ?? CONTROLS;
    for (const name of CONTROLS) part(name, "input").disabled = !used.includes(name);
    const [slider, label, output] = ["input", "label", "output"].map((tag) => part("feature", tag));
    slider.max = columns - 1;
    slider.value = feature;
    output.textContent = feature;
    label.textContent = `${column[0].toUpperCase()}${column.slice(1)}`;
    slider.setAttribute("aria-label", label.textContent);
    slider.setAttribute("aria-valuetext", `${feature}`);
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
  function drawDogs({ weights, kind }) {
    const dogs = ORDERS.map((words, k) => {
      const row = weights[k][words.indexOf("dog")];
      return { name: k ? "dog last" : "dog first", y: ORDERS[0].map((word) => row[words.indexOf(word)]) };
    });
    const same = dogs[0].y.every((weight, i) => Math.abs(weight - dogs[1].y[i]) < 0.005);
    const both = "What dog reads if it bites, and if it is bitten";
    verdict.textContent =
      kind === "ALiBi"
        ? "What dog reads. If it bites, only itself: ALiBi is causal."
        : `${both}: ${same ? "the same" : "not the same"}.`;
    reads.draw({ label: verdict.textContent, x: ORDERS[0], series: dogs, low: 0, high: 1, bars: true });
    return ORDERS.map((words, k) => matrix(`Weights in ${words.join(" ")}`, words, words, weights[k].flat()));
  }

  /** @param {PositionFrame} frame */
  function draw(frame) {
    const length = model.get("length");
    columns = frame.kind === "rotary" ? length : frame.columns;
    tables = [drawTable(frame, length), drawCurves(frame, length), ...drawDogs(frame)];
    return `${frame.kind}: ${told.textContent} ${verdict.textContent}`;
  }

  const side = [sees, curve.element, verdict, reads.element];
  return { main: [what, box, told, wave.element], side, draw, numbers: () => tables };
});
