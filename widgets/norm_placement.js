/** Where the norm stands: which depths learn at which rates, in both wirings. */
import { chart } from "./charts.js";
import { matrix, widget } from "./kit.js";
import { halves, heatMap, line, list } from "./pictures.js";

const WIRINGS = ["post-norm", "pre-norm"];

export default widget("norm_placement", (ui) => {
  const { model } = ui;
  const { layers, rate } = model.get("stops");
  const { guess, every } = model.get("scale");
  const depths = layers.map((n) => `${n} ${n > 1 ? "layers" : "layer"}`);
  const choose = (i, j) => ui.move({ layers: layers[i], rate: rate[j] });
  const maps = WIRINGS.map(() => heatMap(ui, { choose, corner: "rate →" }));
  const titles = WIRINGS.map((name) => {
    const title = line("title");
    title.textContent = `${name}: loss at the end`;
    return title;
  });
  const picture = chart();
  const summary = line("summary");

  /** @param {PlacementFrame} frame */
  function draw({ final, curves }) {
    const [i, j] = [layers.indexOf(model.get("layers")), rate.indexOf(model.get("rate"))];
    const all = halves(curves);
    const steps = all.length / (2 * layers.length * rate.length);
    for (const [k, map] of maps.entries()) {
      map.draw({
        label: titles[k].textContent ?? "",
        rows: depths,
        columns: rate.map(String),
        values: final[k],
        scale: guess,
        say: (row, column) => `${WIRINGS[k]}, ${depths[row]}, rate ${rate[column]}: loss`,
      });
      map.point(i, j);
    }
    const here = i * rate.length + j;
    const told = WIRINGS.map((name, k) => `${name} ${final[k][here].toFixed(2)}`).join(", ");
    summary.textContent = `${depths[i]}, learning rate ${rate[j]}: ${told}. Guessing is ${guess.toFixed(2)}.`;
    picture.draw({
      label: `The loss during training. ${summary.textContent}`,
      x: list(steps + 1, (n) => every * n),
      xLabel: "step",
      yLabel: "loss",
      low: 0,
      high: 3,
      series: WIRINGS.map((name, k) => {
        const first = (k * final[k].length + here) * steps;
        return { name, y: [NaN, ...all.slice(first, first + steps)] };
      }),
    });
    return summary.textContent;
  }

  const numbers = ({ final }) =>
    WIRINGS.map((name, k) => matrix(`${name}: loss at the end, by learning rate`, depths, rate.map(String), final[k]));
  return {
    main: maps.flatMap(({ element }, k) => [titles[k], element]),
    side: [summary, picture.element],
    draw,
    numbers,
  };
});
