/** The logit lens: under each character, what the model would write next after each of its layers; and one neuron. */
import { widget } from "./kit.js";
import { clamp, h, halves, line, list } from "./pictures.js";
import { typing } from "./typing.js";

const TOP = 5;
const STRONGEST = 15; // the activation at which the neuron has full colour
const named = (depth) => (depth ? `layer ${depth}` : "embedding");
const told = ({ name, share }) => `${name} ${share.toFixed(2)}`;
/** An activation, if it is not 0 when rounded. */
const rounded = (value) => (value >= 0.5 ? `${Math.round(value)}` : "\u00a0");
const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
/** How a cell is coloured: the surer the model, the more colour. */
const shade = (share) => `--sure: ${Math.round(40 * share)}%`;

function build(ui) {
  typing(ui, "text");
  const columns = h("div", { class: "tl-lens", role: "region", tabindex: 0, "aria-label": "Guesses" });
  const about = h("span", {}); // the neuron
  const [legend, summary] = ["legend", "readout"].map(line);
  legend.append(
    "Below each character is the likeliest next one, from the embedding alone and after each layer: the more " +
      "colour, the surer; ",
    h("u", {}, "underlined"),
    " if the text goes on with it. ",
    about,
  );
  const likeliest = h("dl", {});
  ui.on(columns, "click", ({ target }) => {
    const { at } = target.closest("[data-at]")?.dataset ?? {};
    if (at) ui.move({ position: Number(at) });
  });

  /** What is guessed at a depth and a position, the likeliest first. */
  const guesses = ({ read, names, shares }, depth, t) => {
    const n = depth * read.length + t;
    const values = halves(shares, n * TOP, TOP);
    return [...names[n]].map((name, i) => ({ name, share: values[i] }));
  };

  /** The chosen position, or the last one. @param {LensFrame} frame */
  const place = ({ read }) => clamp(ui.model.get("position"), 0, read.length - 1);

  /** @param {LensFrame} frame */
  function draw(frame) {
    const { read, depths, neuron } = frame;
    const fires = halves(frame.fires); // none, of a model that has another neuron there
    const at = place(frame);
    const cell = (depth, t) => {
      const [{ name, share }] = guesses(frame, depth, t);
      return h("span", { style: shade(share) }, name === read[t + 1] ? h("u", {}, name) : name);
    };
    const fired = (value) => h("span", { style: shade(clamp(value / STRONGEST, 0, 1)) }, rounded(value));
    const column = (letter, t) =>
      h(
        "div",
        { "data-at": t, class: t === at ? "tl-here" : "" },
        h("b", {}, letter),
        ...list(depths, (d) => cell(d, t)),
        ...fires.slice(t, t + 1).map(fired),
      );
    const names = h(
      "div",
      { class: "tl-depths" },
      h("b", {}, "reads"),
      ...list(depths, (d) => h("span", {}, named(d))),
      ...fires.slice(0, 1).map(() => h("span", {}, `neuron ${neuron}`)),
    );
    about.textContent = fires.length
      ? `Last, neuron ${neuron} of layer ${depths - 1}: it fires after “an” at the beginning of a word and ` +
        `promotes “d”. Full colour is an activation of ${STRONGEST}, just above its highest in Macbeth.`
      : "";
    columns.replaceChildren(names, ...read.map(column));
    const offered = ({ name, share }) => h("span", { style: shade(share) }, `${name} ${percent(share)}`);
    const row = (d) => [h("dt", {}, named(d)), h("dd", {}, ...guesses(frame, d, at).map(offered))];
    likeliest.replaceChildren(...list(depths, row).flat());
    const [{ name, share }] = guesses(frame, depths - 1, at);
    const next = read[at + 1];
    const before = read.slice(Math.max(0, at - 11), at + 1).join("");
    summary.textContent =
      `After “${before}” it would write “${name}”, with a probability of ${percent(share)}.` +
      (next ? ` The text goes on with “${next}”.` : "");
    return summary.textContent;
  }

  /** @param {LensFrame} frame */
  const numbers = (frame, fires = halves(frame.fires)) => [
    {
      caption: `What may follow position ${place(frame)}, the likeliest first`,
      columns: ["", ...list(TOP, (i) => `${i + 1}`)],
      rows: list(frame.depths, (d) => [named(d), ...guesses(frame, d, place(frame)).map(told)]),
    },
    {
      caption: "The likeliest next character, and its probability",
      columns: ["position", "reads", ...list(frame.depths, named), ...(fires.length ? [`neuron ${frame.neuron}`] : [])],
      rows: frame.read.map((letter, t) => {
        const cells = list(frame.depths, (d) => guesses(frame, d, t)[0]);
        return [t, letter, ...cells.map(told), ...fires.slice(t, t + 1).map((value) => value.toFixed(2))];
      }),
    },
  ];

  return { main: [columns, legend], side: [summary, likeliest], draw, numbers };
}

export default widget("logit_lens", build);
