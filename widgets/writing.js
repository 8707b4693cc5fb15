/** What may come next, and of the GPT a text that a reader types, and lets the model write on. */
import { h, line, number } from "./pictures.js";
import { offer, reading } from "./silencing.js";
import { typing } from "./typing.js";

const FEW = 12; // bars, unless the reader wants every character
const PACE = 30; // milliseconds, at least, from one written character to the next
const WRITTEN = { "↵": "\n", "␣": " " };

/** The probabilities of what may come next as bars, and what the dice choose. @type {Writing["chances"]} */
export function chances(ui) {
  const title = h("p", {}, "Probability before → after temperature, top k, top p:");
  const [bars, readout] = [h("ol"), line("readout")];

  /** A token's bars, and its probability in numbers. */
  function item(name, model, kept, chosen) {
    const bar = (tag, value) => h(tag, { style: `width:${100 * value}%` });
    const told = `${number(model)} → ${kept ? number(kept) : "cut"}`;
    const both = h("i", {}, bar("i", model), bar("b", kept));
    return h("li", { class: chosen ? "tl-query" : "" }, h("span", {}, name), both, told);
  }
  function draw(isGPT, { names, model, kept, pick, die, others }) {
    const shown = isGPT && !ui.model.get("every") ? Math.max(FEW, pick + 1) : names.length;
    bars.replaceChildren(...names.slice(0, shown).map((name, i) => item(name, model[i], kept[i], i === pick)));
    const [what, dice] = isGPT ? ["characters", number(die)] : ["tokens", die];
    const choice = `${kept.filter(Boolean).length} ${what} are left; the dice, ${dice}, choose “${names[pick]}”.`;
    const unseen = isGPT ? model.slice(shown).reduce((sum, share) => sum + share, 0) : others;
    const rest = isGPT ? `The ${names.length - shown} others have` : "The thousands that are not shown had";
    readout.textContent = shown < names.length || !isGPT ? `${choice} ${rest} ${number(unseen)} together.` : choice;
    return readout.textContent;
  }
  return { elements: [title, bars, readout], draw };
}

/** @type {Writing["writing"]} */
export function writing(ui) {
  const get = (name) => ui.model.get(name);
  const row = ui.row("text");
  typing(ui, "text", 5);
  const button = (text) => h("button", { type: "button", class: "tl-button" }, text);
  const [one, on] = [button("Write one"), button("Write on")];
  const pen = h("div", { class: "tl-row" }, ...(ui.typed ? [one, on] : []));
  const read = line("read");
  /** How much is to be written yet, and what will be next. */
  let [wanted, coming] = [0, ""];

  /** Offer what the chosen model has, and tell what is wrong where its text is. */
  function steer() {
    const model = get("model");
    const isGPT = model === "GPT";
    reading(ui, isGPT);
    offer(ui, "every", isGPT);
    offer(ui, "written", !isGPT);
    for (const name of ["layer", "head", "order"]) offer(ui, name, model !== "SmolLM2");
    read.hidden = !isGPT;
    pen.style.display = isGPT ? "" : "none";
  }
  ui.watch("model", steer);

  /** Write what the dice have chosen; the frame of the longer text leads to the next. */
  function write() {
    const text = get("text");
    if (get("frame").text !== text || text.length >= get("stops").text.characters) want(0);
    else ui.move({ text: text + coming });
  }
  function want(count) {
    wanted = count;
    on.textContent = wanted > 1 ? "Stop" : "Write on";
  }
  ui.on(one, "click", () => {
    want(1);
    write();
  });
  ui.on(on, "click", () => {
    want(wanted ? 0 : Infinity);
    if (wanted) write();
  });
  ui.end.addEventListener("abort", () => want(0));

  /** Mark in the text how much the chosen head takes from each character; where more is wanted, write it. */
  function draw(isGPT, next, { source, looks }) {
    steer();
    if (!isGPT) return want(0);
    coming = WRITTEN[next] ?? next;
    const marked = source.map((name, i) => {
      const style = `background:color-mix(in srgb, var(--tl-key) ${Math.round(45 * looks[i])}%, transparent)`;
      return h("span", { style, title: number(looks[i]) }, name === "␣" ? " " : name, name === "↵" ? h("br") : "");
    });
    const head = `To write “${next}”, head ${get("head")} of layer ${get("layer")} looks at: `;
    read.replaceChildren(...(source.length ? [head, h("br"), ...marked] : []));
    if (get("frame").text !== get("text")) return;
    want(Math.max(wanted - 1, 0));
    if (wanted) setTimeout(() => wanted && write(), PACE);
  }
  return { elements: [...(row ? [row] : []), pen, read], draw };
}
