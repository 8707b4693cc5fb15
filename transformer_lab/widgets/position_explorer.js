/**
 * The position explorer. A frame holds the `table` (halves, 64 rows of `columns`), the length of
 * each pair's wave (`waves`), `curves` (halves, over distances from -63 to 63) with their `names`,
 * the `weights` in the two sentences, and in words what the table and the curves are.
 */
const { h, chart, paint, halves } = widgetKit;
const ORDERS = [["dog", "bites", "man"], ["man", "bites", "dog"]];

export default widgetKit.widget("position_explorer", (ui) => {
  const { model } = ui, longest = model.get("stops").length.at(-1);
  const what = h("p"), told = h("p"), sees = h("p"), verdict = h("p");
  const canvas = h("canvas", { role: "img" }), mark = h("div");
  const box = h("div", { class: "tl-table" }, canvas, mark);
  const [wave, curve, reads] = [chart(), chart(), chart()];
  let tables, columns;
  ui.on(box, "click", ({ clientX }) => {
    const { left, width } = box.getBoundingClientRect();
    ui.move({ feature: Math.min(Math.max(Math.floor((clientX - left) / width * columns), 0), columns - 1) });
  });

  function draw(frame) {
    const { kind, names, weights } = frame, length = model.get("length"), fades = kind === "ALiBi";
    columns = frame.columns;
    const feature = Math.min(model.get("feature"), columns - 1), places = [...Array(length).keys()];
    const table = halves(frame.table).slice(0, length * columns), [low, high] = fades ? [-length / 2, 0] : [-1, 1];
    paint(canvas, table, length, columns, -low);
    canvas.setAttribute("aria-label", `${frame.what} ${length} rows, ${columns} columns.`);
    mark.style.left = `${100 * feature / columns}%`;
    mark.style.width = `${100 / columns}%`;
    what.textContent = frame.what;
    const name = `${fades ? "Head" : "Feature"} ${feature}`, row = fades ? "distance" : "position";
    const long = frame.waves[feature >> 1];
    told.textContent = `${name}, ${feature < model.get("feature") ? "the last" : "the marked column"}${long ? `: one wave is ${long} positions long` : ""}.`;
    const column = places.map((i) => table[i * columns + feature]);
    wave.draw({ label: told.textContent, x: places, series: [{ name, y: column }], low, high, xLabel: row });

    const all = halves(frame.curves), distances = Array.from({ length: 2 * length - 1 }, (_, i) => i + 1 - length);
    const series = names.map((name, k) => ({ name, y: distances.map((d) => all[k * (2 * longest - 1) + d + longest - 1]) }));
    sees.textContent = frame.sees;
    curve.draw({ label: frame.sees, x: distances, series, low, high, xLabel: "key before the query ← 0 → key after it" });

    const dog = ORDERS.map((words, k) => ({ name: k ? "dog last" : "dog first", y: ORDERS[0].map((word) => weights[k][words.indexOf("dog")][words.indexOf(word)]) }));
    const same = dog[0].y.every((weight, i) => Math.abs(weight - dog[1].y[i]) < 0.005);
    verdict.textContent = `What dog reads in “dog bites man” and in “man bites dog”: ${same ? "the same" : "not the same"}.`;
    reads.draw({ label: verdict.textContent, x: ORDERS[0], series: dog, low: 0, high: 1, bars: true });
    const each = (count, name) => Array.from({ length: count }, (_, i) => `${name} ${i}`);
    tables = [
      { caption: frame.what, columns: ["", ...each(columns, fades ? "head" : "feature")], rows: places.map((i) => [`${row} ${i}`, ...table.slice(i * columns, (i + 1) * columns)]) },
      { caption: frame.sees, columns: ["", ...names], rows: distances.map((d, i) => [`${d}`, ...series.map(({ y }) => (Number.isNaN(y[i]) ? "hidden" : y[i]))]) },
      ...ORDERS.map((words, k) => ({ caption: `Weights in ${words.join(" ")}`, columns: ["", ...words], rows: words.map((word, i) => [word, ...weights[k][i]]) })),
    ];
    return `${kind}: ${told.textContent} ${verdict.textContent}`;
  }

  return { main: [what, box, told, wave.element], side: [sees, curve.element, verdict, reads.element], draw, numbers: () => tables };
});
