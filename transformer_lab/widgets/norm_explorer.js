/**
 * The norm explorer. A frame holds `before` and `after` (rows of features), and the `mean` and
 * `root` of what was averaged: each token's features, or, in BatchNorm, each feature's tokens.
 * `right` is there when `after` comes from a function of the learner's: what LayerNorm gives.
 */
const { h, heatMap, number } = widgetKit;
const FEATURES = ["1", "2", "3", "4"], BATCH = "BatchNorm", RMS = "RMSNorm";
const average = (values, of) => values.reduce((sum, x) => sum + of(x), 0) / values.length;
const short = (value) => (Math.abs(value) < 99.995 ? number(value) : value.toFixed(0));
const signed = (value) => (value < 0 ? `(${short(value)})` : short(value));

/** Normalise as the kernel would; but a learner's function is in the kernel only. */
function compute({ norm, x2, times, add, gamma, beta, eps }, { before, cat, right, at }) {
  const now = [x2, times, add, gamma, beta];
  if (right) return String(now) === String(at) ? {} : { trouble: "Your function needs Python: here it is shown only where the sliders stood at first." };
  const rows = [before[0], cat.map((x, j) => times * (j === 1 ? x2 : x) + add), before[2]];
  const groups = norm === BATCH ? cat.map((_, j) => rows.map((row) => row[j])) : rows;
  const mean = groups.map((group) => (norm === RMS ? 0 : average(group, (x) => x)));
  const root = groups.map((group, k) => Math.sqrt(average(group, (x) => (x - mean[k]) ** 2) + eps));
  const after = rows.map((row, i) => row.map((x, j) => {
    const k = norm === BATCH ? j : i, normal = (x - mean[k]) / root[k];
    return j === 1 ? gamma * normal + (norm === RMS ? 0 : beta) : normal;
  }));
  return { before: rows, after, mean, root, at: now };
}

export default widgetKit.widget("norm_explorer", (ui) => {
  let seen;
  const at = [1, 1], maps = [0, 1].map(() => heatMap(ui, { choose, at: [...at], corner: "token" }));
  const readout = h("p", { class: "tl-readout" }), summary = h("p", { class: "tl-summary" });

  /** Frame what was averaged for the chosen number, and work it out. */
  function choose(i, j) {
    at.splice(0, 2, i, j);
    for (const map of maps) map.point(i, j);
    const { norm, tokens, before, after, right, mean, root, gamma, beta } = seen;
    const batch = norm === BATCH, k = batch ? j : i, [g, b] = j === 1 ? [gamma, norm === RMS ? 0 : beta] : [1, 0];
    maps[0].element.querySelectorAll("[role=gridcell]").forEach((cell, place) =>
      cell.classList.toggle("tl-averaged", batch ? place % 4 === j : place >> 2 === i));
    readout.replaceChildren(h("b", {}, `${tokens[i]}, feature ${j + 1}: `),
      `(${short(before[i][j])} − ${signed(mean[k])}) / ${short(root[k])} × γ ${signed(g)} + β ${signed(b)} = ${short((right ?? after)[i][j])}${right ? ` (yours: ${short(after[i][j])})` : ""}. `
      + `Mean and root are ${batch ? `feature ${j + 1}'s, over all tokens` : `${tokens[i]}'s own, over its features`}.${norm === RMS ? " RMSNorm has no mean and no β." : ""}`);
  }

  function draw(frame) {
    seen = frame;
    const { norm, tokens, before, after, right } = frame, off = right?.flat().map((x, k) => Math.abs(x - after.flat()[k]));
    [before, after].forEach((values, k) => maps[k].draw({
      label: k ? `After ${norm}` : "Before the norm", values: values.flat(), scale: 3, rows: tokens, columns: FEATURES,
      show: short, say: (i, j) => `${tokens[i]}, feature ${j + 1}:`,
    }));
    summary.textContent = `cat after the norm: mean ${number(average(after[1], (x) => x))}, root mean square ${number(Math.sqrt(average(after[1], (x) => x * x)))}.`
      + (off ? ` Your function differs from LayerNorm by up to ${number(Math.max(...off))}.` : "");
    choose(...at);
    return summary.textContent;
  }

  function numbers({ norm, tokens, before, after, mean, root }) {
    const of = (caption, columns, names, rows) => ({ caption, columns: ["", ...columns], rows: rows.map((row, i) => [names[i], ...row]) });
    return [of("Features before", FEATURES, tokens, before), of(`Features after ${norm}`, FEATURES, tokens, after),
      of("What was averaged", ["mean", "root"], norm === BATCH ? FEATURES : tokens, mean.map((value, k) => [value, root[k]]))];
  }

  return { side: [summary], main: [h("p", {}, "before (framed: what is averaged)"), maps[0].element, h("p", {}, "after"), maps[1].element, readout], draw, numbers };
}, compute);
