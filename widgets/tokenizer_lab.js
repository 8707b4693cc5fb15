/** A tokenizer: a reader's text in pieces, each with its id, by characters or by byte pairs. */
import { cut, spell, written } from "./byte_pairs.js";
import { chart } from "./charts.js";
import { widget } from "./kit.js";
import { h, line, list } from "./pictures.js";
import { player } from "./player.js";
import { offer } from "./silencing.js";
import { typing } from "./typing.js";

const PACE = 250; // milliseconds a merge
function compute({ text, by, merges, model, learned, symbols }, frame) {
  if ((model ?? "none") !== "none") return frame;
  const { ids, lengths } = cut(text, learned, merges);
  const spelled = spell(learned);
  if (by === "byte pairs") return { pieces: ids.map((id) => written(spelled[id])), ids, lengths };
  const pieces = [...text];
  return { pieces, ids: pieces.map((letter) => symbols.indexOf(letter) + 1 || -1), lengths };
}

/** Spaces are seen. */
const seen = (piece) => piece.replaceAll(" ", "␣").replaceAll("\n", "↵");
const named = (id) => (id < 0 ? "no id" : `${id}`);

function build(ui) {
  const learned = ui.model.get("learned");
  const spelled = spell(learned);
  const name = (id) => `“${seen(written(spelled[id]))}”`;
  const chips = h("div", { class: "tl-chips", role: "region", tabindex: 0, "aria-label": "Tokens" });
  const [summary, rule] = ["summary", "readout"].map(line);
  const lengths = chart();
  const play = player(ui, "merges", PACE);
  typing(ui, "text");

  /** What the last merge joined, and what the next one does. */
  function told(merges) {
    const [last, next] = [merges - 1, merges].map((n) => {
      const [left, right, times] = learned[n] ?? [];
      return times && `${name(left)} + ${name(right)}, ${times.toLocaleString("en")} times in the plays`;
    });
    return [last && `Joined last: ${last}. `, next && `Next: ${next}.`].filter(Boolean).join("");
  }

  /** @param {TokenizerFrame} frame */
  function draw({ text, by, merges, model, pieces, ids, lengths: all }) {
    const isReal = !all.length;
    for (const name of ["by", "merges"]) offer(ui, name, !isReal);
    play.style.display = isReal ? "none" : "";
    lengths.element.style.visibility = isReal ? "hidden" : "";
    const chip = (piece, i) => h("span", { "data-id": ids[i] }, h("b", {}, seen(piece)), h("i", {}, named(ids[i])));
    chips.replaceChildren(...pieces.map(chip));
    const letters = [...text].length;
    const unknown = ids.filter((id) => id < 0).length;
    summary.textContent =
      `${letters} characters, ${ids.length} tokens: ${(letters / (ids.length || 1)).toFixed(1)} characters each.` +
      (unknown ? ` ${unknown} without an id: a model of these characters cannot read this text.` : "");
    if (isReal) {
      rule.textContent = `As ${model} reads it, with the signs that it adds.`;
      return summary.textContent;
    }
    rule.textContent =
      by === "byte pairs"
        ? told(merges)
        : `A table of ${ui.model.get("symbols").length} characters. There is nothing to learn.`;
    lengths.draw({
      label: `Tokens of this text: ${all[0]} bytes, ${all[100]} after 100 merges, ${all[200]} after 200`,
      x: list(all.length, (n) => n),
      low: 0,
      high: Math.max(4, 4 * Math.ceil(all[0] / 4)),
      series: [{ name: "tokens", y: all }],
      xLabel: "merges",
      yLabel: "tokens of this text",
      mark: merges,
    });
    return summary.textContent;
  }

  /** @param {TokenizerFrame} frame */
  const numbers = ({ pieces, ids }) => [
    { caption: "Tokens", columns: ["place", "token", "id"], rows: pieces.map((p, i) => [i, seen(p), named(ids[i])]) },
  ];

  return { main: [chips, summary, lengths.element], side: [play, rule], draw, numbers };
}

export default widget("tokenizer_lab", build, compute);
