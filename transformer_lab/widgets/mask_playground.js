/** The mask playground: a mask, what it makes of the scores, and of the weights. */
import { matrix, widget } from "./kit.js";
import { bytes, h, halves, heatMap, line, named, number, word } from "./pictures.js";

const [NOT_CAUSAL, PADDING, TOO_FAR] = [1, 2, 4];
const TITLES = ["mask", "scores q·k / √d_k", "weights, and their sum"];
const LOW = { "-inf before softmax": "-∞", "-1e9 before softmax": "-1e9", both: "low" };

const rows = (count, one, many) => (count === 1 ? `1 row of weights ${one}` : `${count} rows of weights ${many}`);

/** Say whether the rows of weights add up to 1. */
function state(sums) {
  const empty = sums.filter(Number.isNaN).length;
  const short = sums.filter((sum) => Math.abs(sum - 1) > 0.01).length;
  if (empty) return rows(empty, "is NaN.", "are NaN.");
  if (short) return rows(short, "does not add up to 1.", "do not add up to 1.");
  return "Every row of weights adds up to 1.";
}

/** Say what hides key j from query i. */
function reasons(why, i, j) {
  const said = [];
  if (why & PADDING) said.push("the key is padding");
  if (why & NOT_CAUSAL) said.push(j > i ? "it comes later" : "your function hides it");
  if (why & TOO_FAR) said.push(`it is ${i - j} words back, and the window is 3 wide`);
  return said.join(", and ");
}

/** Say why query i may see key j. */
function allowed({ kind, queries }, i, j) {
  if (kind.includes("causal") && j > i) return "Yes, though it comes later: a leak.";
  if (queries[i] === "<pad>") return "Yes: only keys are hidden, for nobody reads the row of padding.";
  if (kind === "cross") return "Yes: every word of the one may see every word of the other.";
  if (i === j) return "Yes: a word may see itself.";
  return kind === "padding" ? "Yes: it is a word, before or after." : "Yes: it came before.";
}

const EMPTY = {
  "-inf before softmax": ": the softmax divides 0 by 0, and all of it is NaN.",
  "-1e9 before softmax": ", all scores are equal, and the softmax shares it evenly among what should be hidden.",
};
const LEAK =
  "The hidden keys have taken their share before they were erased, so what is left still depends on them: a leak.";
/** Say what comes of the hidden keys of a row. */
function ending(hidden, fill) {
  if (hidden.every(Boolean)) return `Everything is hidden from this row${EMPTY[fill] ?? ": its weights are 0."}`;
  return fill === "0 after softmax" && hidden.some(Boolean) ? LEAK : "";
}

export default widget("mask_playground", (ui) => {
  const at = [1, 2];
  const maps = TITLES.map(() => heatMap(ui, { choose, at: [...at], corner: "q↓ k→", most: 7 }));
  const titled = maps.map(({ element }, i) =>
    h("div", {}, h("p", { class: "tl-title" }, ...named(TITLES[i])), element),
  );
  const trio = h("div", { class: "tl-trio" }, ...titled);
  const [readout, summary] = ["readout", "summary"].map(line);
  /** @type {MaskFrame} */
  let seen;
  let hidden = [];
  let said = []; // the scores
  let summed = []; // the weights, and the sum of each row

  function choose(i, j) {
    at.splice(0, 2, i, j);
    for (const map of maps) map.point(i, j);
    tell();
  }

  /** @param {MaskFrame} frame */
  function draw(frame) {
    const { queries, keys, fill } = frame;
    const low = LOW[fill];
    const scores = halves(frame.scores);
    const weights = halves(frame.weights);
    const row = (values, i) => values.slice(i * keys.length, (i + 1) * keys.length);
    const sums = queries.map((_, i) => row(weights, i).reduce((a, b) => a + b, 0));
    seen = frame;
    hidden = bytes(frame.hidden);
    said = scores.map((score, k) => (hidden[k] && low ? low : score.toFixed(1)));
    summed = sums.flatMap((sum, i) => [...row(weights, i), sum]);
    const say = (i, j) => `query ${queries[i]}, key ${keys[j]}:`;
    const grid = { rows: queries, columns: keys, blocked: hidden, say };
    maps[0].draw({
      ...grid,
      label: "The mask",
      values: hidden.map((why) => (why ? 0 : 1)),
      show: (value) => (value ? "yes" : "no"),
    });
    maps[1].draw({
      ...grid,
      label: "The scores",
      values: scores.map((score, k) => (hidden[k] && low ? 0 : score)),
      scale: 3,
      show: (_, k) => said[k],
    });
    maps[2].draw({
      ...grid,
      label: "The weights",
      columns: [...keys, "sum"],
      values: summed,
      blocked: queries.flatMap((_, i) => [...row(hidden, i), 0]),
      show: (value) => number(value).replace(/^0(?=\.)/, ""),
      say: (i, j) => (j < keys.length ? say(i, j) : `query ${queries[i]}, sum of the row:`),
    });
    summary.textContent = `Hidden: ${hidden.filter(Boolean).length} of ${hidden.length} pairs. ${state(sums)}`;
    choose(at[0], at[1]);
    return summary.textContent;
  }

  /** Say whether the chosen query may see the chosen key, why, and what its weights come to. */
  function tell() {
    const { queries, keys, fill } = seen;
    const width = keys.length;
    const [i, j] = [Math.min(at[0], queries.length - 1), Math.min(at[1], width - 1)];
    const k = i * width + j;
    const because = hidden[k] ? `No: ${reasons(hidden[k], i, j)}.` : allowed(seen, i, j);
    const end = ending(hidden.slice(i * width, (i + 1) * width), fill);
    readout.replaceChildren(
      "May ",
      word("query", queries[i]),
      " see ",
      word("key", keys[j]),
      `? ${because} Its score is ${said[k]}, its weight ${number(summed[k + i])}. `,
      `The row adds up to ${number(summed[(i + 1) * (width + 1) - 1])}. ${end}`,
    );
  }

  const numbers = ({ queries, keys }) => [
    matrix(
      "May the query (row) see the key (column)?",
      queries,
      keys,
      hidden.map((why) => (why ? "no" : "yes")),
    ),
    matrix("Scores", queries, keys, said),
    matrix("Weights, and the sum of each row", queries, [...keys, "sum"], summed),
  ];

  return { side: [summary], main: [trio, readout], draw, numbers };
});
