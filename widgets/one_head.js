/** One head of a trained model, laid over a sentence: each word is as dark as the weight that it gets. */
import { matrix, widget } from "./kit.js";
import { h, halves, line, list, word } from "./pictures.js";

export default widget("one_head", (ui) => {
  const words = h("div", { class: "tl-sentence" });
  const asks = h("fieldset", { class: "tl-asks" }, h("legend", {}, "Choose the word that asks:"), words);
  const readout = line("readout");
  /** @type {OneHeadFrame} */
  let seen;
  let weights = [];
  let labels = [];
  let query = -1;

  ui.on(words, "change", ({ target }) => point(Number(target.value)));

  /** A word that can be chosen, with the weight that it gets below it. */
  function place(i) {
    const radio = h("input", { type: "radio", name: `${ui.id}-query`, value: i });
    const [text, share] = [h("span"), h("small")];
    return { radio, text, share, label: h("label", { class: "tl-piece" }, radio, text, share) };
  }

  /** Show where a word looks. */
  function point(i) {
    query = i;
    const row = weights.slice(i * labels.length, (i + 1) * labels.length);
    for (const [j, { radio, share, label }] of labels.entries()) {
      radio.checked = j === i;
      label.style.setProperty("--share", `${row[j]}`);
      share.textContent = row[j] < 0.05 ? "" : row[j].toFixed(2);
    }
    const [most, next] = list(row.length, (j) => j).sort((a, b) => row[b] - row[a]);
    const told = (j) => [word("key", seen.pieces[j]), ` gives ${row[j].toFixed(2)}`];
    const [first, second] = [told(most), told(next)];
    const what = ["Of what ", word("query", seen.pieces[i]), " collects here, ", ...first, ", ", ...second, "."];
    readout.replaceChildren(...what);
    return readout.textContent ?? "";
  }

  /** @param {OneHeadFrame} frame */
  function draw(frame) {
    const { pieces } = frame;
    const isOther = pieces.length !== labels.length;
    seen = frame;
    weights = halves(frame.weights);
    if (isOther) labels = pieces.map((_, i) => place(i));
    if (isOther) words.replaceChildren(...labels.map(({ label }) => label));
    for (const [i, { radio, text, label }] of labels.entries()) {
      radio.setAttribute("aria-label", pieces[i]);
      text.textContent = pieces[i];
      label.classList.toggle("tl-special", /^\[.*\]$/.test(pieces[i]));
    }
    return point(isOther ? Math.max(pieces.indexOf("it"), 1) : query);
  }

  const numbers = ({ pieces }) => [matrix("Weights: a row for each word that asks", pieces, pieces, weights)];
  return { side: [], main: [asks, readout], draw, numbers };
});
