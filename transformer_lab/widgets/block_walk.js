/** The block walk: every operation of a model, one after another. */
import { matrix, widget } from "./kit.js";
import { clamp, h, halves, heatMap, line, number } from "./pictures.js";
import { silence } from "./silencing.js";

const group = (label) => h("div", { class: "tl-row", role: "group", "aria-label": label });
const button = (value, name, label = name) =>
  h("button", { type: "button", class: "tl-button", value, "aria-label": label }, name);
const plain = (part) => part.replace(".layers.", " ").replace("_", " ");
/** A part's name on its button: its layer's number, or what it is. */
const short = (part) => part.match(/\d$/)?.[0] ?? part.replace(/.*embed.*/, "embed");
const hasHeads = ({ operation }) => operation.endsWith("weights");

/** Mark the button of the present step, or of the part in which it is. */
function press(buttons, at) {
  const now = buttons.filter(({ value }) => Number(value) <= at).pop();
  for (const one of buttons) one.setAttribute("aria-pressed", one === now);
}

export default widget("block_walk", (ui) => {
  const { model } = ui;
  const [encoder, decoder, inside, paces] = ["Encoder", "Decoder", "Operations", "Walk"].map(group);
  const [title, does, where, shown, readout] = ["title", "does", "where", "shown", "readout"].map(line);
  const result = line("result");
  const map = heatMap(ui, { choose: tell, corner: "token ↓" });
  let steps = [];
  let step;
  let values = [];
  let known = "";
  const silencing = ui.typed ? silence(ui) : undefined;

  const go = (to) => ui.move({ step: clamp(to, 0, steps.length - 1) });
  paces.append(button(-1, "‹ back"), button(1, "on ›"));
  ui.on(paces, "click", ({ target }) => target.value && go(model.get("step") + Number(target.value)));
  for (const list of [encoder, decoder, inside])
    ui.on(list, "click", ({ target }) => target.value && go(Number(target.value)));

  /** Offer the parts of the model, once. */
  function offerParts() {
    for (const [i, { part }] of steps.entries()) {
      if (part === steps[i - 1]?.part) continue;
      (/^enc|^emb/.test(part) ? encoder : decoder).append(button(i, short(part), plain(part)));
    }
  }
  /** Offer the operations of the part. */
  function offerOperations(part) {
    const offered = steps.map((one, i) => (one.part === part ? [button(i, one.name)] : []));
    inside.replaceChildren(...offered.flat());
  }

  /** The values of the step, of all steps' values; where there are heads, those of the chosen one. */
  function valuesOf({ values: packed, heads }, at, head) {
    const size = ({ rows, columns }) => rows.length * columns.length;
    const wide = (one) => size(one) * (hasHeads(one) ? heads : 1);
    const before = steps.slice(0, at).reduce((sum, one) => sum + wide(one), 0);
    const first = before + (hasHeads(steps[at]) ? head * size(steps[at]) : 0);
    return halves(packed, first, size(steps[at]));
  }
  /** Name a layer by the part that it is. */
  function named(layer) {
    const { part } = steps.find((one) => one.layer === layer);
    return plain(part).replace(" ", " layer ");
  }

  /** @param {WalkFrame} frame */
  function draw(frame) {
    const [at, head] = [model.get("step"), model.get("head")];
    steps = frame.steps;
    step = steps[at];
    if (!known) offerParts();
    if (known !== step.part) offerOperations(step.part);
    known = step.part;
    press([...encoder.children, ...decoder.children], at);
    press([...inside.children], at);
    values = valuesOf(frame, at, head);
    const { name, rows, columns, scale, layer } = step;
    title.replaceChildren(h("b", {}, `${plain(known)}: ${name}`), ` ${step.shape}`);
    does.textContent = step.does;
    where.replaceChildren(h("code", {}, step.code), ` ${step.where}`);
    shown.textContent = `${step.shown.replace("{}", head)} Full colour: ±${scale}.`;
    const say = (i, j) => `${rows[i]}, ${columns[j]}:`;
    map.draw({ label: `${name}: a row for each token`, rows, columns, values, scale, say });
    tell(map.at[0], map.at[1]);
    const { silent, order, outcome, heads } = frame;
    const unchanged = silent.length || !order ? ` (unchanged: ${outcome[1]})` : "";
    result.textContent = `Translation: ${outcome[0]}${unchanged}.`;
    silencing?.draw(silent, layer === null ? undefined : { layer, head, heads }, named);
    return `${title.textContent}. ${step.does} ${result.textContent}`;
  }

  function tell(i, j) {
    readout.textContent = `${step.rows[i]}, column ${step.columns[j]}: ${number(values[i * step.columns.length + j])}`;
  }

  const numbers = () => [matrix(`${title.textContent}`, step.rows, step.columns, values)];
  const whole = h("div", { class: "tl-whole" }, "Encoder", encoder, "Decoder", decoder, "Operations in it", inside);
  const below = [map.element, shown, readout, silencing?.element ?? "", result];
  return { side: [paces, whole], main: [title, does, where, ...below], draw, numbers };
});
