/** A small model that learns to write, from its first step to its last, whole or with a part taken out. */
import { chart } from "./charts.js";
import { widget } from "./kit.js";
import { h, line } from "./pictures.js";
import { player } from "./player.js";

const PACE = 1200; // milliseconds for a text: long enough to see what kind it is

export default widget("learning_to_write", (ui) => {
  const { step: steps, way: ways } = ui.model.get("stops");
  const curves = ui.model.get("curves");
  const losses = chart();
  const written = h("div", { class: "tl-written", role: "region", tabindex: 0, "aria-label": "What it writes" });
  const [legend, summary] = ["legend", "summary"].map(line);
  legend.append("Words in ", h("b", {}, "bold"), " occur in the plays that it learns from.");

  /** @param {WritingFrame} frame */
  function draw({ way, step, pieces, known }) {
    const [loss, heldOut] = curves[way].map((curve) => curve[steps.indexOf(step)].toFixed(2));
    written.replaceChildren(...pieces.map((piece, i) => (i % 2 ? h("b", {}, piece) : piece)));
    losses.draw({
      label: `Loss on held-out plays after ${step} steps: ${heldOut}`,
      x: steps,
      low: 0,
      high: 6,
      xLabel: "steps of training",
      yLabel: "loss",
      mark: step,
      series: [
        { name: "trained on", y: curves[way][0] },
        { name: "held out", y: curves[way][1] },
        ...(way === ways[0] ? [] : [{ name: ways[0], y: curves[ways[0]][1] }]),
      ],
    });
    const words = `${Math.round(100 * known)}\u00a0% of its words occur in the plays.`;
    summary.textContent = `After ${step} steps the loss is ${loss}, on held-out plays ${heldOut}. ${words}`;
    return summary.textContent;
  }

  /** @param {WritingFrame} frame */
  const numbers = ({ way, step, known }) => [
    {
      caption: `After ${step} steps`,
      columns: ["model", "loss", "on held-out plays", "share of words that occur in the plays"],
      rows: [[way, ...curves[way].map((curve) => curve[steps.indexOf(step)]), known]],
    },
    {
      caption: "Loss on held-out plays",
      columns: ["steps", ...ways],
      rows: steps.map((step, at) => [step, ...ways.map((way) => curves[way][1][at])]),
    },
  ];

  return { side: [player(ui, "step", PACE), summary, losses.element], main: [written, legend], draw, numbers };
});
