/** The training playback: a small model's loss and heads, from its first step to its last. */
import { chart } from "./charts.js";
import { player } from "./controls.js";
import { matrix, widget } from "./kit.js";
import { h, heatMap, line, shares, word } from "./pictures.js";

const PACE = 350; // milliseconds for a step: slow enough to see what changes

/** A row of letters; those of the second that are right are bold. */
function letterRow(name, letters, right = []) {
  const cells = letters.map((letter, i) => h(letter === right[i] ? "b" : "span", {}, letter));
  return h("div", {}, h("span", {}, name), ...cells);
}

export default widget("training_playback", (ui) => {
  const { model } = ui;
  const { head: heads, step: steps } = model.get("stops");
  const { loss, known, accuracy } = model.get("curves");
  const map = heatMap(ui, { choose: tell, at: [8, 2] });
  const [losses, rights] = [chart(), chart()];
  const guessed = h("div", { class: "tl-guessed" });
  const [readout, summary] = ["readout", "summary"].map(line);
  /** @type {PlaybackFrame} */
  let seen;
  let head = "";
  let read = [];
  let weights = [];

  /** @param {PlaybackFrame} frame */
  function draw(frame) {
    const { step, letters, guesses } = frame;
    seen = frame;
    head = model.get("head");
    read = ["start", ...letters.slice(0, -1)];
    const size = read.length ** 2;
    const first = heads.indexOf(head) * size;
    weights = shares(frame.weights, first, size);
    map.draw({
      label: `Attention of ${head} after ${step} steps, one row for each query, one column for each key`,
      rows: read,
      columns: read,
      values: weights,
      say: (i, j) => `query ${read[i]} (${i + 1}), key ${read[j]} (${j + 1}): weight`,
    });
    guessed.replaceChildren(letterRow("comes next", letters), letterRow("its guess", guesses, letters));
    summary.textContent = drawCurves(step, steps.indexOf(step));
    tell(map.at[0], map.at[1]);
    return summary.textContent;
  }

  /** Draw how the training goes, and say how far it is. */
  function drawCurves(step, at) {
    const x = { x: steps, low: 0, xLabel: "steps of training", mark: step };
    const now = loss[at].toFixed(2);
    const right = Math.round(100 * accuracy[at]);
    losses.draw({
      ...x,
      label: `Loss: ${now} after ${step} steps, of repeated letters ${known[at].toFixed(2)}`,
      series: [
        { name: "all letters", y: loss },
        { name: "repeated", y: known },
      ],
      high: 4,
      yLabel: "loss",
    });
    rights.draw({
      ...x,
      label: `Repeated letters guessed right: ${right} % after ${step} steps`,
      series: [{ name: "", y: accuracy }],
      high: 1,
      yLabel: "share of repeated letters guessed right",
    });
    return `After ${step} steps the loss is ${now}; of letters that are repeated it guesses ${right}\u00a0% right.`;
  }

  /** Describe what the chosen query reads, and what the model guesses. */
  function tell(i, j) {
    const [letter, guess] = [seen.letters[i], seen.guesses[i]];
    const again = read.indexOf(read[i]) + 1;
    const before = ` ${read[i]} has been there before, at place ${again}, and ${read[again]} followed it.`;
    readout.replaceChildren(
      "Having read ",
      word("query", read.slice(0, i + 1).join(" ")),
      `, the model guesses ${guess}, ${guess === letter ? "and" : "but"} ${letter} comes. `,
      `In ${head}, ${Math.round(100 * weights[i * read.length + j])}\u00a0% of the attention goes to `,
      word("key", read[j]),
      ` (place ${j + 1}).`,
      again <= i ? before : "",
    );
  }

  const numbers = ({ letters, guesses }) => [
    matrix(`Weights of ${head}`, read, read, weights),
    {
      caption: "What comes next, and what the model guesses",
      columns: ["after", "comes", "guess"],
      rows: read.map((token, i) => [token, letters[i], guesses[i]]),
    },
    {
      caption: "The training",
      columns: ["steps", "loss", "loss of repeated letters", "share of them right"],
      rows: steps.map((step, k) => [step, loss[k], known[k], accuracy[k]]),
    },
  ];

  return {
    side: [player(ui, "step", PACE), summary, losses.element, rights.element],
    main: [map.element, guessed, readout],
    draw,
    numbers,
  };
});
