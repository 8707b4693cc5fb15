/**
 * The mask playground. A frame holds queries and keys (tokens), why each pair is hidden (`hidden`,
 * a byte of reasons, 0 = it is not), scores and weights (halves; a weight may be NaN).
 */
const { bytes, h, heatMap, halves, number } = widgetKit;
const [NOT_CAUSAL, PADDING, TOO_FAR, ASKS_NOTHING] = [1, 2, 4, 8];

export default widgetKit.widget("mask_playground", (ui) => {
  let seen;
  const at = [1, 2], maps = ["mask", "scores", "weights"].map(() => heatMap(ui, { choose, at: [...at], corner: "q↓ k→", most: 7 }));
  const titles = ["mask", "scores q·k / √d_k", "weights, and their sum"];
  const trio = h("div", { class: "tl-trio" }, ...maps.map(({ element }, i) => h("div", {}, h("p", { class: "tl-title" }, titles[i]), element)));
  const readout = h("p", { class: "tl-readout" });
  const summary = h("p", { class: "tl-summary" });

  function choose(i, j) {
    at.splice(0, 2, i, j);
    for (const map of maps) map.point(i, j);
    tell();
  }

  function draw(frame) {
    const { queries, keys, kind, fill } = frame, width = keys.length, hidden = bytes(frame.hidden);
    const scores = halves(frame.scores), weights = halves(frame.weights);
    const sums = queries.map((_, i) => weights.slice(i * width, (i + 1) * width).reduce((a, b) => a + b, 0));
    const low = { "-inf before softmax": "-∞", "-1e9 before softmax": "-1e9", both: "low" }[fill];
    const said = scores.map((score, k) => (hidden[k] && low ? low : score.toFixed(1)));
    seen = { queries, keys, kind, fill, hidden, scores, weights, sums, said };
    const grid = { rows: queries, columns: keys, blocked: hidden, say: (i, j) => `query ${queries[i]}, key ${keys[j]}:` };
    maps[0].draw({ ...grid, label: "The mask", values: hidden.map((why) => (why ? 0 : 1)), show: (value) => (value ? "yes" : "no") });
    maps[1].draw({ ...grid, label: "The scores", values: scores.map((s, k) => (hidden[k] && low ? 0 : s)), scale: 3, show: (_, k) => said[k] });
    const withSum = (rows, last) => rows.flatMap((row, k) => (k % width === width - 1 ? [row, last[(k + 1) / width - 1]] : [row]));
    maps[2].draw({ ...grid, label: "The weights", columns: [...keys, "sum"], values: withSum(weights, sums), blocked: withSum(hidden, sums.map(() => 0)),
      show: (value) => number(value).replace(/^0(?=\.)/, ""), say: (i, j) => (j < width ? grid.say(i, j) : `query ${queries[i]}, sum of the row:`) });
    const empty = sums.filter(Number.isNaN).length, short = sums.filter((sum) => Math.abs(sum - 1) > 0.01).length;
    const rows = (count) => (count === 1 ? "1 row" : `${count} rows`);
    const state = empty ? `${rows(empty)} of weights ${empty === 1 ? "is" : "are"} NaN.` : short ? `${rows(short)} of weights ${short === 1 ? "does" : "do"} not add up to 1.` : "Every row of weights adds up to 1.";
    summary.textContent = `Hidden: ${hidden.filter(Boolean).length} of ${hidden.length} pairs. ${state}`;
    choose(...at);
    return summary.textContent;
  }

  /** Say whether the chosen query may see the chosen key, why, and what its weights come to. */
  function tell() {
    const { queries, keys, kind, fill, hidden, weights, sums, said } = seen, width = keys.length;
    const i = Math.min(at[0], queries.length - 1), j = Math.min(at[1], width - 1), k = i * width + j, why = hidden[k];
    const word = (role, text) => h("b", { class: `tl-${role}` }, text);
    const reasons = [];
    if (why & PADDING) reasons.push("the key is padding");
    if (why & NOT_CAUSAL) reasons.push(j > i ? "it comes later" : "your function hides it");
    if (why & TOO_FAR) reasons.push(`it is ${i - j} words back, and the window is 3 wide`);
    if (why & ASKS_NOTHING) reasons.push("the query is padding, which asks nothing");
    const leak = !why && kind.includes("causal") && j > i;
    const because = why ? `No: ${reasons.join(", and ")}.` : leak ? "Yes, though it comes later: a leak." : kind === "cross" ? "Yes: every word of the one may see every word of the other." : i === j ? "Yes: a word may see itself." : kind === "padding" ? "Yes: it is a word, before or after." : "Yes: it came before.";
    const row = hidden.slice(i * width, (i + 1) * width);
    const ends = row.every(Boolean) ? {
      "-inf before softmax": "Everything is hidden from this row: the softmax divides 0 by 0, and all of it is NaN.",
      "-1e9 before softmax": "Everything is hidden from this row, all scores are equal, and the softmax shares it evenly among what should be hidden.",
    }[fill] ?? "Everything is hidden from this row: its weights are 0." : fill === "0 after softmax" && row.some(Boolean)
      ? "The hidden keys have taken their share before they were erased, so what is left still depends on them: a leak." : "";
    readout.replaceChildren("May ", word("query", queries[i]), " see ", word("key", keys[j]), `? ${because} Its score is ${said[k]}, its weight ${number(weights[k])}. The row adds up to ${number(sums[i])}. ${ends}`);
  }

  function numbers({ queries, keys }) {
    const of = (caption, value) => ({ caption, columns: ["", ...keys], rows: queries.map((query, i) => [query, ...keys.map((_, j) => value(i * keys.length + j))]) });
    const weights = of("Weights, and the sum of each row", (k) => seen.weights[k]);
    weights.columns.push("sum");
    weights.rows.forEach((row, i) => row.push(seen.sums[i]));
    return [of("May the query (row) see the key (column)?", (k) => (seen.hidden[k] ? "no" : "yes")), of("Scores", (k) => seen.said[k]), weights];
  }

  return { side: [summary], main: [trio, readout], draw, numbers };
});
