/** What more parameters, steps and text buy: the losses of small GPTs, each trained by itself. */
import { chart } from "./charts.js";
import { matrix, widget } from "./kit.js";
import { heatMap, line } from "./pictures.js";

const TITLE = "Loss on held-out plays";

export default widget("scaling_runs", (ui) => {
  const { model } = ui;
  const { width: widths, steps: stops } = model.get("stops");
  const { best, worst, read, parameters, operations } = model.get("scale");
  const rows = parameters.map((count) => `${Math.round(count / 1000)} k`);
  const choose = (i, j) => ui.move({ width: widths[i], steps: stops[j] });
  const map = heatMap(ui, { choose, corner: "steps →" });
  const [title, summary] = ["title", "summary"].map(line);
  const picture = chart();
  title.textContent = `${TITLE}, by thousands of parameters and steps`;

  const show = (value) => (value + best).toFixed(2);
  const table = ({ losses }, which) => losses.flatMap((row) => row.map((pair) => pair[which]));

  /** @param {ScalingRunsFrame} frame */
  function draw(frame) {
    const [i, j] = [widths.indexOf(model.get("width")), stops.indexOf(model.get("steps"))];
    map.draw({
      label: title.textContent ?? "",
      rows,
      columns: stops.map(String),
      values: table(frame, 1).map((loss) => loss - best),
      scale: worst - best,
      say: (row, column) => `${parameters[row].toLocaleString("en")} parameters, ${stops[column]} steps: loss`,
      show,
    });
    map.point(i, j);
    const [known, heldOut] = frame.losses[i][j].map((loss) => loss.toFixed(2));
    const times = (stops[j] * read) / frame.characters;
    const often = times < 10 ? times.toFixed(1) : Math.round(times);
    const [digits, exponent] = (stops[j] * operations[i]).toExponential(1).split("e+");
    summary.textContent =
      `${parameters[i].toLocaleString("en")} parameters, ${stops[j]} steps: loss ${known} on the text it learned, ` +
      `${heldOut} on held-out plays. It has read ${often} times the length of the text, ` +
      `in ${digits}e${exponent} operations.`;
    picture.draw({
      label: `The loss by steps. ${summary.textContent}`,
      x: [0, ...stops],
      xLabel: "steps, each point a training of its own",
      yLabel: "loss",
      low: 1,
      high: 3,
      mark: stops[j],
      series: ["learned", "held out"].map((name, which) => ({
        name,
        y: [NaN, ...frame.losses[i].map((pair) => pair[which])],
      })),
    });
    return summary.textContent;
  }

  const numbers = (frame) =>
    [TITLE, "Loss on the text that it learned"].map((name, k) =>
      matrix(`${name}, by parameters and steps`, rows, stops.map(String), table(frame, 1 - k)),
    );
  return { main: [title, map.element, summary], side: [picture.element], draw, numbers };
});
