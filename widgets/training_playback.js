/** The training playback: a small model's loss and heads, from its first step to its last. */
import { chart } from "./charts.js";
import { matrix, widget } from "./kit.js";
import { h, heatMap, line, shares, svg, word } from "./pictures.js";
import { player } from "./player.js";

const PACE = 350; // milliseconds for a step: slow enough to see what changes

const [FIRST, ACROSS, LAYERS] = [70, 30, [16, 70, 124]]; // pixels: the first letter, the next, rows of both layers
const SEEN = 0.04; // smaller shares are not drawn

/** Return where a place looks most, and how much. @param {number[]} row */
function most(row) {
  const share = Math.max(...row);
  return { at: row.indexOf(share), share };
}

/**
 * Draw both layers at once: a line from each place down to the places that look at it. What the chosen place
 * finds is drawn in two steps, the last one first.
 * @param {string[]} read @param {string[]} guesses @param {number[][][]} layers rows of weights
 * @param {number} chosen @param {string} label
 */
function flow(read, guesses, layers, chosen, label) {
  const x = (i) => FIRST + ACROSS * i;
  const found = most(layers[1][chosen]).at;
  const lines = layers.flatMap((rows, layer) =>
    rows.flatMap((row, i) =>
      row.map((share, j) => {
        const kind = i === [found, chosen][layer] ? `tl-step-${layer}` : "tl-look";
        const ends = { x1: x(j), y1: LAYERS[layer] + 8, x2: x(i), y2: LAYERS[layer + 1] - 8 };
        return share < SEEN ? "" : svg("line", { ...ends, class: kind, opacity: share });
      }),
    ),
  );
  const letters = [read, read, guesses].map((row, n) =>
    row.map((letter, i) => {
      const kind = i === chosen ? "tl-chosen" : "";
      return svg("text", { x: x(i), y: LAYERS[n] + 4, class: kind }, letter === "start" ? "▸" : letter);
    }),
  );
  const names = ["reads", "layer 0", "layer 1", "guesses"].map((name, n) =>
    svg("text", { x: 0, y: 20 + 36 * n, class: "tl-axis" }, name),
  );
  const all = { viewBox: `0 0 ${x(read.length)} 140`, class: "tl-flow", role: "img", "aria-label": label };
  return svg("svg", all, ...lines, ...letters.flat(), ...names);
}

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
  const losses = chart();
  const [twoSteps, guessed] = ["two-steps", "guessed"].map((name) => h("div", { class: `tl-${name}` }));
  const [readout, summary] = ["readout", "summary"].map(line);
  /** @type {PlaybackFrame} */
  let seen;
  let head = "";
  let read = [];
  let weights = [];
  /** The largest weights of both layers' heads. */
  let layers = [];

  /** @param {PlaybackFrame} frame */
  function draw(frame) {
    const { step, letters, guesses } = frame;
    seen = frame;
    head = model.get("head");
    read = ["start", ...letters.slice(0, -1)];
    const size = read.length ** 2;
    const first = heads.indexOf(head) * size;
    weights = shares(frame.weights, first, size);
    const each = heads.map((_, n) => shares(frame.weights, n * size, size));
    layers = [each.slice(0, 2), each.slice(2)].map((both) =>
      read.map((_, i) => read.map((_, j) => Math.max(...both.map((one) => one[i * read.length + j])))),
    );
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
    const now = loss[at].toFixed(2);
    const right = Math.round(100 * accuracy[at]);
    losses.draw({
      x: steps,
      low: 0,
      xLabel: "steps of training",
      mark: step,
      label: `Loss: ${now} after ${step} steps, of repeated letters ${known[at].toFixed(2)}`,
      series: [
        { name: "all letters", y: loss },
        { name: "repeated", y: known },
      ],
      high: 4,
      yLabel: "loss",
    });
    return `After ${step} steps the loss is ${now}; of letters that are repeated it guesses ${right}\u00a0% right.`;
  }

  /** Describe what the chosen query reads, and what the model guesses. */
  function tell(i, j) {
    const [letter, guess] = [seen.letters[i], seen.guesses[i]];
    const found = most(layers[1][i]);
    const before = most(layers[0][found.at]);
    const place = (n) => `${read[n]} (place ${n + 1})`;
    const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
    const steps = [
      `Layer 1: ${place(i)} looks most at ${place(found.at)}, ${percent(found.share)}.`,
      `Layer 0: that place looked most at ${place(before.at)}, ${percent(before.share)}.`,
    ].join(" ");
    twoSteps.replaceChildren(flow(read, seen.guesses, layers, i, `Both layers after ${seen.step} steps. ${steps}`));
    twoSteps.append(h("p", {}, steps));
    const again = read.indexOf(read[i]) + 1;
    const earlier = ` ${read[i]} has been there before, at place ${again}, and ${read[again]} followed it.`;
    readout.replaceChildren(
      "Having read ",
      word("query", read.slice(0, i + 1).join(" ")),
      `, the model guesses ${guess}, ${guess === letter ? "and" : "but"} ${letter} comes. `,
      `In the map, ${head} gives `,
      word("key", read[j]),
      ` (place ${j + 1}) ${percent(weights[i * read.length + j])} of its attention.`,
      again <= i ? earlier : "",
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
    side: [player(ui, "step", PACE), summary, losses.element, readout],
    main: [twoSteps, map.element, guessed],
    draw,
    numbers,
  };
});
