/** Where the norm stands: gradients, and the size of the stream, in both wirings. */
import { chart } from "./charts.js";
import { widget } from "./kit.js";
import { line, list } from "./pictures.js";

const FIRST = { gradient: 1, stream: 0 };
const WIRINGS = ["post-norm", "pre-norm"];

export default widget("norm_placement", (ui) => {
  const { model } = ui;
  const picture = chart();
  const summary = line("summary");
  const most = Math.max(...model.get("stops").layers);

  /** @param {PlacementFrame} frame */
  function draw(frame) {
    const { layers } = frame;
    const shown = model.get("shown");
    const [post, pre] = frame[shown].map((values) => values.at(-1).toFixed(2));
    const what =
      shown === "gradient"
        ? `The gradient in each layer, before training. In the last of ${layers} it is`
        : `The size of the stream after each layer; 0 is the input. After ${layers} layers it is`;
    summary.textContent = `${what} ${post} in post-norm and ${pre} in pre-norm.`;
    picture.draw({
      label: summary.textContent,
      xLabel: "layer",
      x: list(most + 1, (layer) => layer),
      low: 0,
      high: shown === "gradient" ? 1.2 : 6,
      series: WIRINGS.map((name, k) => ({ name, y: [...Array(FIRST[shown]).fill(NaN), ...frame[shown][k]] })),
      mark: layers,
    });
    return summary.textContent;
  }

  function numbers(frame) {
    return Object.entries(FIRST).map(([what, first]) => ({
      caption: `The ${what}, layer by layer`,
      columns: ["layer", ...WIRINGS],
      rows: frame[what][0].map((post, k) => [String(k + first), post, frame[what][1][k]]),
    }));
  }

  return { side: [], main: [picture.element, summary], draw, numbers };
});
