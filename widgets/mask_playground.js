/** The mask playground: a mask, what it makes of the scores, and of the weights. */
import { matrix, widget } from "./kit.js";
import { bytes, h, halves, heatMap, line, named, number, word } from "./pictures.js";

const TITLES = ["mask", "scores q·k / √d_k", "weights, and their sum"];
const LOW = { "-inf before softmax": "-∞", "-1e9 before softmax": "-1e9", both: "low" };

export default widget("mask_playground", (ui) => {
  const at = [1, 2];
  const maps = TITLES.map(() => heatMap(ui, { choose, at: [...at], corner: "q↓ k→", most: 7 }));
  const titled = maps.map(({ element }, i) =>
    h("div", {}, h("p", { class: "tl-title" }, ...named(TITLES[i])), element),
  );
  const trio = h("div", { class: "tl-trio" }, ...titled);
  const [readout, summary, change] = ["readout", "summary", "change"].map(line);
  /** @type {MaskFrame} */
  let seen;
  let hidden = [];
  let moves = []; // whether a row's output moves when a column's word is changed
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
    moves = bytes(frame.moves);
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
    summary.textContent = `Hidden: ${hidden.filter(Boolean).length} of ${hidden.length} pairs. ${frame.state}`;
    choose(at[0], at[1]);
    return summary.textContent;
  }

  /** Describe whether the chosen query may see the chosen key, why, and its weights. */
  function tell() {
    const { queries, keys, reasons, because, ends } = seen;
    const width = keys.length;
    const [i, j] = [Math.min(at[0], queries.length - 1), Math.min(at[1], width - 1)];
    const k = i * width + j;
    const moved = queries.filter((_, row) => moves[row * width + j]);
    for (const [row, mark] of [...maps[2].element.querySelectorAll("[role=rowheader]")].entries())
      mark.classList.toggle("tl-moved", Boolean(moves[row * width + j]));
    change.replaceChildren(
      "Change ",
      word("key", keys[j]),
      ": ",
      moved.length ? `the outputs of ${moved.join(", ")} change (▸).` : "no output changes.",
    );
    readout.replaceChildren(
      "May ",
      word("query", queries[i]),
      " see ",
      word("key", keys[j]),
      `? ${reasons[bytes(because)[k]]} Its score is ${said[k]}, its weight ${number(summed[k + i])}. `,
      `The row adds up to ${number(summed[(i + 1) * (width + 1) - 1])}. ${ends[i]}`,
    );
  }

  const numbers = ({ queries, keys }) => [
    matrix(
      "May the query (row) see the key (column)?",
      queries,
      keys,
      hidden.map((why) => (why ? "no" : "yes")),
    ),
    matrix(
      "Does the output of the row change if the word of the column is another?",
      queries,
      keys,
      moves.map((does) => (does ? "yes" : "no")),
    ),
    matrix("Scores", queries, keys, said),
    matrix("Weights, and the sum of each row", queries, [...keys, "sum"], summed),
  ];

  return { side: [summary], main: [trio, change, readout], draw, numbers };
});
