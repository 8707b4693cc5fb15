/**
 * The training playback. A frame holds the weights of all heads (shares), the letters to be
 * written, and the model's guess for each. `curves` is measured at every stop of `step`.
 */
const { h, heatMap, chart, shares } = widgetKit;

export default widgetKit.widget("training_playback", (ui) => {
  const { model } = ui, heads = model.get("stops").head, steps = model.get("stops").step, { loss, known, accuracy } = model.get("curves");
  const map = heatMap(ui, { choose: tell, at: [8, 2] }), losses = chart(), rights = chart();
  const guessed = h("div", { class: "tl-guessed" }), readout = h("p", { class: "tl-readout" }), summary = h("p", { class: "tl-summary" });
  let seen;

  function draw({ step, letters, guesses, weights }) {
    const head = heads.indexOf(model.get("head")), read = ["start", ...letters.slice(0, -1)], n = read.length, at = steps.indexOf(step);
    seen = { head: heads[head], letters, guesses, read, weights: shares(weights).slice(head * n * n, (head + 1) * n * n) };
    map.draw({
      label: `Attention of ${heads[head]} after ${step} steps, one row for each query, one column for each key`,
      rows: read, columns: read, values: seen.weights, say: (i, j) => `query ${read[i]} (${i + 1}), key ${read[j]} (${j + 1}): weight`,
    });
    const line = (name, words, right) => h("div", {}, h("span", {}, name), ...words.map((word, i) => h(right && word === letters[i] ? "b" : "span", {}, word)));
    guessed.replaceChildren(line("comes next", letters), line("its guess", guesses, true));
    const x = { x: steps, low: 0, xLabel: "steps of training", mark: step };
    losses.draw({ ...x, label: `Loss: ${loss[at].toFixed(2)} after ${step} steps, of repeated letters ${known[at].toFixed(2)}`,
      series: [{ name: "all letters", y: loss }, { name: "repeated", y: known }], high: 4, yLabel: "loss" });
    rights.draw({ ...x, label: `Repeated letters guessed right: ${Math.round(100 * accuracy[at])} % after ${step} steps`,
      series: [{ name: "", y: accuracy }], high: 1, yLabel: "share of repeated letters guessed right" });
    summary.textContent = `After ${step} steps the loss is ${loss[at].toFixed(2)}; of letters that are repeated it guesses ${Math.round(100 * accuracy[at])} % right.`;
    tell(...map.at);
    return summary.textContent;
  }

  /** Say what the chosen query reads, and what the model makes of it. */
  function tell(i, j) {
    const { head, letters, guesses, read, weights } = seen, n = read.length, again = read.indexOf(read[i]) + 1;
    readout.replaceChildren("Having read ", h("b", { class: "tl-query" }, read.slice(0, i + 1).join(" ")), `, the model guesses ${guesses[i]}, ${guesses[i] === letters[i] ? "and" : "but"} ${letters[i]} comes. In ${head}, ${Math.round(100 * weights[i * n + j])} % of the attention goes to `, h("b", { class: "tl-key" }, read[j]), ` (place ${j + 1}).`,
      again <= i ? ` ${read[i]} has been there before, at place ${again}, and ${read[again]} followed it.` : "");
  }

  function numbers() {
    const { head, letters, guesses, read, weights } = seen, n = read.length;
    return [{ caption: `Weights of ${head}`, columns: ["", ...read], rows: read.map((token, i) => [token, ...weights.slice(i * n, (i + 1) * n)]) },
      { caption: "What comes next, and what the model guesses", columns: ["after", "comes", "guess"], rows: read.map((token, i) => [token, letters[i], guesses[i]]) },
      { caption: "The training", columns: ["steps", "loss", "loss of repeated letters", "share of them right"], rows: steps.map((step, k) => [step, loss[k], known[k], accuracy[k]]) }];
  }

  return { side: [summary, losses.element, rights.element], main: [map.element, guessed, readout], draw, numbers };
});
