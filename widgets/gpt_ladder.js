/** From a bigram to a GPT: the lines of code that each rung adds, its loss, and what it writes. */
import { widget } from "./kit.js";
import { h, line, svg } from "./pictures.js";

const [WIDE, ROW, LEFT, RIGHT] = [340, 22, 128, 296]; // units of the picture; names left, losses right

export default widget("gpt_ladder", (ui) => {
  const names = ui.model.get("stops").rung;
  const ladder = ui.model.get("ladder");
  const all = ladder.flatMap(({ losses }) => losses);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const across = (loss) => LEFT + ((RIGHT - LEFT) * (loss - low)) / (high - low);
  const picture = svg("svg", { class: "tl-ladder", viewBox: `0 0 ${WIDE} ${ROW * (names.length + 1)}`, role: "img" });
  const code = h("pre", { class: "tl-code", role: "region", tabindex: 0, "aria-label": "Its code" });
  const written = h("div", { class: "tl-wrote", role: "region", tabindex: 0, "aria-label": "What it writes" });
  const [summary, title] = ["summary", "legend"].map(line);

  /** A row: the rung's name, a point for each seed, and their mean. */
  function rung(name, i, chosen) {
    const y = ROW * (names.length - i) - ROW / 2; // the first is at the foot
    return svg(
      "g",
      name === chosen ? { class: "tl-chosen" } : {},
      svg("rect", { x: 0, y: y - ROW / 2, width: WIDE, height: ROW }),
      svg("text", { x: 6, y: y + 4 }, name),
      svg("line", { x1: LEFT, x2: RIGHT, y1: y, y2: y }),
      ...ladder[i].losses.map((loss) => svg("circle", { cx: across(loss), cy: y, r: 3.5 })),
      svg("text", { x: WIDE - 6, y: y + 4, "text-anchor": "end" }, ladder[i].mean.toFixed(2)),
    );
  }

  /** A line of code: new, gone or the same, which is said by more than a colour. */
  function marked([mark, words]) {
    const kind = { "+": "new", "-": "gone", " ": "same" }[mark];
    const text = words.trimStart();
    const indent = words.slice(0, words.length - text.length);
    return h(
      "span",
      { class: `tl-line tl-${kind}` },
      `${mark} ${indent}`,
      kind === "gone" ? h("s", {}, text) : text,
      "\n",
    );
  }

  /** @param {LadderFrame} frame */
  function draw({ rung: chosen, lines, text }) {
    const at = names.indexOf(chosen);
    const { losses, mean, parameters, steps } = ladder[at];
    const seeds = losses.map((loss) => loss.toFixed(2)).join(", ");
    code.replaceChildren(...lines.map(marked));
    written.textContent = text;
    title.textContent = "What it writes at the end:";
    const end = svg("text", { x: LEFT, y: ROW * (names.length + 1) - 6 }, "loss on plays that it has not read");
    picture.replaceChildren(...names.map((name, i) => rung(name, i, chosen)), end);
    picture.setAttribute("aria-label", names.map((name, i) => `${name} ${ladder[i].mean.toFixed(2)}`).join(", "));
    const change = at ? mean.toFixed(2) - ladder[at - 1].mean.toFixed(2) : 0; // of what is shown
    const against = at ? `, ${Math.abs(change).toFixed(2)} ${change < 0 ? "lower" : "higher"} than one rung below` : "";
    summary.textContent =
      `Held-out loss ${mean.toFixed(2)}${against} (from ${losses.length} seeds: ${seeds}). ` +
      `${parameters.toLocaleString("en")} parameters, ${steps.toLocaleString("en")} steps.`;
    return `${chosen}. ${summary.textContent}`;
  }

  const numbers = () => [
    {
      caption: "The ladder, from the foot up",
      columns: ["rung", "parameters", "steps", "held-out loss", ...ladder[0].losses.map((_, seed) => `seed ${seed}`)],
      rows: names.map((name, i) => {
        const { parameters, steps, mean, losses } = ladder[i];
        return [name, parameters, steps, mean, ...losses];
      }),
    },
  ];

  return { main: [code, title, written], side: [summary, picture], draw, numbers };
});
