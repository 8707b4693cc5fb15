/** The scaling explorer: scores, weights and their response, not divided and divided. */
import { chart } from "./charts.js";
import { headings, matrix, row, widget } from "./kit.js";
import { h, halves, list, number, shares } from "./pictures.js";

const KEYS = 10;
const SCORES = list(61, (i) => 2 * i - 60);
const MEASURES = {
  spread: "spread of the scores",
  largest: "largest weight",
  entropy: "entropy of the weights",
  response: "response to the scores",
  saturated: "saturated queries (%)",
};
const NOTE =
  "Entropy is 2.30 when all ten weights are equal. The response is the norm of ∂weights/∂scores; " +
  "below 0.01 a query is saturated.";

export default widget("scaling_explorer", (ui) => {
  const pictures = [chart(), chart()];
  const table = h("table", { class: "tl-effects" });
  let drawn = [];

  /** @param {ScalingFrame} frame */
  function draw(frame) {
    const { names, spread, entropy, response } = frame;
    const query = ui.model.get("query");
    const weights = shares(frame.weights);
    const often = halves(frame.often);
    const series = (values) => names.map((name, i) => ({ name, y: values(i) }));
    const each = (what, values) => names.map((kind, i) => `${kind}, ${what} ${number(values[i])}`).join("; ");
    const first = KEYS * (query - 1);
    drawn = [
      {
        label: `How often a score occurs: ${each("they spread by", spread)}`,
        x: SCORES,
        xLabel: "score",
        yLabel: "how often",
        series: series((i) => often.slice(61 * i, 61 * (i + 1))),
      },
      {
        label: `Weights of query ${query}`,
        x: list(KEYS, (key) => key + 1),
        xLabel: `key, asked by query ${query}`,
        yLabel: "weight",
        bars: true,
        series: series((i) => weights.slice(80 * i + first, 80 * i + first + KEYS)),
      },
    ];
    for (const [i, picture] of pictures.entries()) picture.draw({ low: 0, high: 1, ...drawn[i] });
    const rows = Object.entries(MEASURES).map(([name, words]) => row([words, ...frame[name]]));
    table.replaceChildren(headings(["over 2,000 queries", ...names]), ...rows);
    return `d_k ${frame.d_k}: ${each("entropy", entropy)}; ${each("response", response)}.`;
  }

  function numbers(frame) {
    const means = Object.keys(MEASURES).flatMap((name) => frame[name]);
    return [
      matrix("Averages over 2,000 queries", Object.values(MEASURES), frame.names, means),
      ...drawn.map(({ label, xLabel, x, series }) => ({
        caption: label,
        columns: [xLabel, ...x],
        rows: series.map(({ name, y }) => [name, ...y]),
      })),
    ];
  }

  return { main: pictures.map(({ element }) => element), side: [table, h("p", {}, NOTE)], draw, numbers };
});
