/** The norm explorer: three tokens' features before and after a norm. */
import { matrix, widget } from "./kit.js";
import { h, heatMap, line, number } from "./pictures.js";

const FEATURES = ["1", "2", "3", "4"];
const BATCH = "BatchNorm";
const RMS = "RMSNorm";
const average = (values, of) => values.reduce((sum, x) => sum + of(x), 0) / values.length;
const short = (value) => (Math.abs(value) < 99.995 ? number(value) : value.toFixed(0));
const signed = (value) => (value < 0 ? `(${short(value)})` : short(value));

/** Normalise as the kernel would; but a learner's function is in the kernel only. */
function compute({ norm, x2, times, add, gamma, beta, eps }, { before, cat, right, at }) {
  const now = [x2, times, add, gamma, beta];
  if (right && String(now) === String(at)) return {};
  if (right)
    return { trouble: "Your function needs Python: it is shown here only for the first position of the sliders." };
  const rows = [before[0], cat.map((x, j) => times * (j === 1 ? x2 : x) + add), before[2]];
  const groups = norm === BATCH ? cat.map((_, j) => rows.map((row) => row[j])) : rows;
  const mean = groups.map((group) => (norm === RMS ? 0 : average(group, (x) => x)));
  const root = groups.map((group, k) => Math.sqrt(average(group, (x) => (x - mean[k]) ** 2) + eps));
  const shift = norm === RMS ? 0 : beta;
  const normal = (x, k) => (x - mean[k]) / root[k];
  const after = rows.map((row, i) =>
    row.map((x, j) => {
      const plain = normal(x, norm === BATCH ? j : i);
      return j === 1 ? gamma * plain + shift : plain;
    }),
  );
  return { before: rows, after, mean, root, at: now };
}

function build(ui) {
  const at = [1, 1];
  const maps = [0, 1].map(() => heatMap(ui, { choose, at: [...at], corner: "token" }));
  const [readout, summary] = ["readout", "summary"].map(line);
  /** @type {NormFrame} */
  let seen;

  /** Frame what was averaged for the chosen number, and work it out. */
  function choose(i, j) {
    at.splice(0, 2, i, j);
    for (const map of maps) map.point(i, j);
    const batch = seen.norm === BATCH;
    const cells = maps[0].element.querySelectorAll("[role=gridcell]");
    for (const [place, cell] of cells.entries())
      cell.classList.toggle("tl-averaged", batch ? place % 4 === j : place >> 2 === i);
    const averaged = batch ? `feature ${j + 1}'s, over all tokens` : `${seen.tokens[i]}'s own, over its features`;
    readout.replaceChildren(
      h("b", {}, `${seen.tokens[i]}, feature ${j + 1}: `),
      `${sum(i, j, batch ? j : i)}. Mean and root are ${averaged}.`,
      seen.norm === RMS ? " RMSNorm has no mean and no β." : "",
    );
  }
  /** The sum behind a number, whose mean and root are those of group k. */
  function sum(i, j, k) {
    const { norm, before, after, right, mean, root, gamma, beta } = seen;
    const [g, b] = j === 1 ? [gamma, norm === RMS ? 0 : beta] : [1, 0];
    const normal = `(${short(before[i][j])} − ${signed(mean[k])}) / ${short(root[k])}`;
    const yours = right ? ` (yours: ${short(after[i][j])})` : "";
    return `${normal} × γ ${signed(g)} + β ${signed(b)} = ${short((right ?? after)[i][j])}${yours}`;
  }

  /** @param {NormFrame} frame */
  function draw(frame) {
    const { norm, tokens, before, after, right } = frame;
    seen = frame;
    [before, after].forEach((values, k) => {
      maps[k].draw({
        label: k ? `After ${norm}` : "Before the norm",
        values: values.flat(),
        scale: 3,
        rows: tokens,
        columns: FEATURES,
        show: short,
        say: (i, j) => `${tokens[i]}, feature ${j + 1}:`,
      });
    });
    const mean = number(average(after[1], (x) => x));
    const root = number(Math.sqrt(average(after[1], (x) => x * x)));
    const off = right?.flat().map((x, k) => Math.abs(x - after.flat()[k]));
    const differs = off ? ` Your function differs from LayerNorm by up to ${number(Math.max(...off))}.` : "";
    summary.textContent = `cat after the norm: mean ${mean}, root mean square ${root}.${differs}`;
    choose(at[0], at[1]);
    return summary.textContent;
  }

  function numbers({ norm, tokens, before, after, mean, root }) {
    const averaged = norm === BATCH ? FEATURES : tokens;
    return [
      matrix("Features before", tokens, FEATURES, before.flat()),
      matrix(`Features after ${norm}`, tokens, FEATURES, after.flat()),
      matrix(
        "What was averaged",
        averaged,
        ["mean", "root"],
        mean.flatMap((value, k) => [value, root[k]]),
      ),
    ];
  }

  const [above, between] = ["before (framed: what is averaged)", "after"].map((text) => h("p", {}, text));
  return { side: [summary, readout], main: [above, maps[0].element, between, maps[1].element], draw, numbers };
}

export default widget("norm_explorer", build, compute);
