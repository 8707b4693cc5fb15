/** What may come next, and of the GPT a text that a reader types, and lets the model write on. */
import { h, line, number } from "./pictures.js";
import { offer, reading } from "./silencing.js";
import { typing } from "./typing.js";

const FEW = 12; // bars: of the likeliest, and of the one that is chosen; unless the reader wants every character
const PACE = 30; // milliseconds, at least, from one written character to the next
const WRITTEN = { "↵": "\n", "␣": " " };

/** The probabilities of what may come next as bars, and what the dice choose. @type {Writing["chances"]} */
export function chances(ui) {
  const [title, bars, readout] = [h("p"), h("ol"), line("readout")];

  /** A token's bars, and its probability in numbers. */
  function bar([name, model, kept, chosen]) {
    const part = (tag, value) => h(tag, { style: `width:${100 * value}%` });
    const told = `${number(model)} → ${kept ? number(kept) : "cut"}`;
    const both = h("i", {}, part("i", model), part("b", kept));
    return h("li", { class: chosen ? "tl-query" : "" }, h("span", {}, name), both, told);
  }
  function draw(isGPT, { names, model, kept, pick, die, others }) {
    const first = isGPT && ui.model.get("every") ? names.length : FEW - Number(pick >= FEW);
    const isShown = (_, i) => i < first || i === pick;
    const item = (name, i) => [name, model[i], kept[i], i === pick];
    title.textContent = `Probability before → after temperature, top k${isGPT ? "" : ` (${FEW} at most)`}, top p:`;
    bars.replaceChildren(...names.map(item).filter(isShown).map(bar));
    const [what, dice] = isGPT ? ["characters", number(die)] : ["tokens", die];
    const count = kept.filter(Boolean).length;
    const choice = `${count} ${what} can be chosen; the dice, ${dice}, fall on “${names[pick]}”.`;
    const unseen = model.filter((...each) => !isShown(...each));
    const sum = number(unseen.reduce((all, share) => all + share, isGPT ? 0 : others));
    const rest = isGPT
      ? `The ${unseen.length} others have ${sum} together.`
      : `The others, ${sum} together, are always cut.`;
    readout.textContent = unseen.length || !isGPT ? `${choice} ${rest}` : choice;
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

  /** Whether the model has still to be loaded: until then nothing is written. */
  const isAway = () => ui.model.reads === true;
  /** Write what the dice have chosen; the frame of the longer text leads to the next. */
  function write() {
    const text = get("text");
    const isNext = get("frame").text === text;
    if (isNext && text.length < get("stops").text.characters) ui.move({ text: text + coming });
    else if (isNext || !isAway()) want(0);
  }
  const goesOn = () => wanted > 1 && !isAway();
  function want(count) {
    wanted = count;
    on.textContent = goesOn() ? "Stop" : "Write on";
  }
  // What is shown is true of what has just been written: it may stay until the model has come.
  ui.watch("text", () => pen.classList.toggle("tl-wrote", get("text") === get("frame").text + coming));
  ui.on(one, "click", () => {
    want(1);
    write();
  });
  ui.on(on, "click", () => {
    want(goesOn() ? 0 : Infinity);
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
  return { elements: [...(row ? [row] : []), pen], read, draw };
}
