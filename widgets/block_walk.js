/** The block walk: every operation of a model, one after another. */
import { matrix, widget } from "./kit.js";
import { clamp, h, halves, heatMap, line, number } from "./pictures.js";
import { reading, silence, upTo } from "./silencing.js";
import { typing } from "./typing.js";
import { drawPart } from "./walk_map.js";

const group = (label) => h("div", { class: "tl-row", role: "group", "aria-label": label });
const button = (value, name, label = name) =>
  h("button", { type: "button", class: "tl-button", value, "aria-label": label }, name);
const plain = (part) => part.replace(".layers.", " ").replace("blocks.", "block ").replace("_", " ");
const layerOf = (part) => plain(part).replace(/coder (?=\d)/, "coder layer ");
/** A part's name on its button: its layer's number, or what it is. */
const short = (part) => part.match(/layers\.(\d+)$/)?.[1] ?? plain(part.replace(/.*embed.*/, "embed"));
const isOfEncoder = ({ part }) => /^(enc|emb)/.test(part);

/** Mark the button of the present step, or of the part in which it is. */
function press(buttons, at) {
  const now = buttons.filter(({ value }) => Number(value) <= at).pop();
  for (const one of buttons) one.setAttribute("aria-pressed", one === now);
}

export default widget("block_walk", (ui) => {
  const { model } = ui;
  const [encoder, decoder, inside, paces] = ["Encoder", "Model", "Operations", "Walk"].map(group);
  const [title, does, where, shown, readout] = ["title", "does", "where", "shown", "readout"].map(line);
  const result = line("result");
  const map = heatMap(ui, { choose: tell, corner: "token ↓" });
  let steps = [];
  let step;
  let values = [];
  let known = "";
  const silencing = ui.typed ? silence(ui) : undefined;
  const text = ui.row("text");
  typing(ui, "text");
  inside.className = "tl-part";

  const go = (to) => ui.move({ step: clamp(to, 0, steps.length - 1) });
  paces.append(button(-1, "‹ back"), button(1, "on ›"));
  ui.on(paces, "click", ({ target }) => target.value && go(model.get("step") + Number(target.value)));
  for (const list of [encoder, decoder, inside])
    ui.on(list, "click", ({ target }) => target.value && go(Number(target.value)));

  /** Offer the parts of the model, unless they are there: of the GPT, each step outside its blocks is one. */
  function offerParts(isGPT) {
    const nameOf = ({ part, name, layer }) => (isGPT && layer === null ? name : part);
    const parts = steps.flatMap((one, i) => {
      const part = nameOf(one);
      return i && part === nameOf(steps[i - 1]) ? [] : [{ part, i }];
    });
    const names = parts.map(({ part }) => part).join();
    if (known === names) return;
    known = names;
    const [read, written] = [true, false].map((is) => parts.filter((each) => isOfEncoder(each) === is));
    for (const [row, some] of /** @type {const} */ ([
      [encoder, read],
      [decoder, written],
    ])) {
      row.replaceChildren(...some.map(({ part, i }) => button(i, short(part), plain(part))));
    }
    encoder.style.display = read.length ? "" : "none";
    if (read.length) {
      encoder.prepend("Encoder");
      decoder.prepend("Decoder");
    }
  }
  /** Draw the operations of the part, or of the block that is next to it; the focus stays on its button. */
  function drawOperations(at, isGPT) {
    const hadFocus = inside.contains(document.activeElement);
    const isBlock = ({ layer }) => layer !== null;
    const near = steps.slice(at).find(isBlock) ?? steps.findLast(isBlock) ?? step;
    inside.dataset.model = model.get("frame").model;
    inside.replaceChildren(...drawPart(steps, isGPT ? near.part : step.part, at, button));
    const buttons = [...inside.querySelectorAll("button")];
    for (const one of buttons) one.setAttribute("aria-pressed", `${one.value === `${at}`}`);
    if (hadFocus) buttons.find(({ value }) => value === `${at}`)?.focus();
  }

  /** The values of the step, of all steps' values; where there are heads, those of the chosen one. */
  function valuesOf({ values: packed }, at, head) {
    const size = ({ rows, columns }) => rows.length * columns.length;
    const before = steps.slice(0, at).reduce((sum, one) => sum + size(one) * one.heads, 0);
    const first = before + Math.min(head, steps[at].heads - 1) * size(steps[at]);
    return halves(packed, first, size(steps[at]));
  }
  /** Name a layer by the part that it is. */
  function named(layer) {
    const { part } = steps.find((one) => one.layer === layer);
    return layerOf(part);
  }

  /** @param {WalkFrame} frame */
  function draw(frame) {
    steps = frame.steps;
    const heads = Math.max(...steps.map((one) => one.heads));
    const at = upTo(ui, "step", steps.length - 1);
    const head = upTo(ui, "head", heads - 1);
    step = steps[at];
    const isGPT = frame.model === "GPT";
    reading(ui, isGPT);
    offerParts(isGPT);
    drawOperations(at, isGPT);
    for (const row of [encoder, decoder])
      press([...row.querySelectorAll("button")], isOfEncoder(step) === (row === encoder) ? at : -1);
    values = valuesOf(frame, at, head);
    const { part, operation, name, rows, columns, scale, layer } = step;
    title.replaceChildren(h("b", {}, `${plain(part)}: ${name}`), h("br"), step.shape);
    does.textContent = step.does;
    where.replaceChildren(h("code", {}, step.code), ` ${step.where}`);
    shown.textContent = `${step.shown.replace("{}", head)} Full colour: ±${scale}.`.trim();
    const say = (i, j) => `${rows[i]}, ${columns[j]}:`;
    const show = operation === "ids" ? String : number;
    map.draw({ label: `${name}: a row for each token`, rows, columns, values, scale, say, show });
    tell(map.at[0], map.at[1]);
    const { silent, order, outcome } = frame;
    const unchanged = silent.length || !order ? ` (unchanged: ${outcome[1]})` : "";
    result.textContent = `${isGPT ? "Next" : "Translation"}: ${outcome[0]}${unchanged}.`;
    silencing?.draw(silent, layer === null ? undefined : { layer, head, heads }, named);
    return `${title.textContent}. ${step.does} ${result.textContent}`;
  }

  function tell(i, j) {
    readout.textContent = `${step.rows[i]}, column ${step.columns[j]}: ${number(values[i * step.columns.length + j])}`;
  }

  const numbers = () => [matrix(`${title.textContent}`, step.rows, step.columns, values)];
  const whole = h("div", { class: "tl-whole" }, encoder, decoder, inside);
  const head = h("div", { class: "tl-step" }, title, paces);
  const above = [...(text ? [text] : []), head, does];
  const beside = [whole, ...(silencing ? [silencing.element] : []), result];
  return { side: beside, main: [...above, map.element, shown, readout, where], draw, numbers };
});
