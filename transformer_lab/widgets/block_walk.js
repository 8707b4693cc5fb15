/** The block walk: every operation of a model, one after another. */
const { clamp, h, heatMap, halves, line, matrix, number } = widgetKit;

const group = (label) => h("div", { class: "tl-row", role: "group", "aria-label": label });
const button = (value, name, label = name) =>
  h("button", { type: "button", class: "tl-button", value, "aria-label": label }, name);
const plain = (part) => part.replace(".layers.", " ").replace("_", " ");
/** A part's name on its button: its layer's number, or what it is. */
const short = (part) => part.match(/\d$/)?.[0] ?? part.replace(/.*embed.*/, "embed");
/** How many values a step has. */
const size = ({ rows, columns }) => rows.length * columns.length;

/** Mark the button of the present step, or of the part in which it is. */
function press(buttons, at) {
  const now = buttons.filter(({ value }) => Number(value) <= at).pop();
  for (const one of buttons) one.setAttribute("aria-pressed", one === now);
}

export default widgetKit.widget("block_walk", (ui) => {
  const { model } = ui;
  const [encoder, decoder, inside, paces] = ["Encoder", "Decoder", "Operations", "Walk"].map(group);
  const [title, does, where, shown, readout] = ["title", "does", "where", "shown", "readout"].map(line);
  const map = heatMap(ui, { choose: tell, corner: "token ↓" });
  let steps = [];
  let step;
  let values = [];
  let known = "";

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

  /** @param {WalkFrame} frame */
  function draw(frame) {
    const at = model.get("step");
    steps = frame.steps;
    step = steps[at];
    if (!known) offerParts();
    if (known !== step.part) offerOperations(step.part);
    known = step.part;
    press([...encoder.children, ...decoder.children], at);
    press([...inside.children], at);
    const before = steps.slice(0, at).reduce((sum, one) => sum + size(one), 0);
    values = halves(frame.values).slice(before, before + size(step));
    const { name, rows, columns, scale } = step;
    title.replaceChildren(h("b", {}, `${plain(known)}: ${name}`), ` ${step.shape}`);
    does.textContent = step.does;
    where.replaceChildren(h("code", {}, step.code), ` ${step.where}`);
    shown.textContent = `${step.shown} Full colour: ±${scale}.`;
    const say = (i, j) => `${rows[i]}, ${columns[j]}:`;
    map.draw({ label: `${name}: a row for each token`, rows, columns, values, scale, say });
    tell(map.at[0], map.at[1]);
    return `${title.textContent}. ${step.does}`;
  }

  function tell(i, j) {
    readout.textContent = `${step.rows[i]}, column ${step.columns[j]}: ${number(values[i * step.columns.length + j])}`;
  }

  const numbers = () => [matrix(`${title.textContent}`, step.rows, step.columns, values)];
  const whole = h("div", { class: "tl-whole" }, "Encoder", encoder, "Decoder", decoder, "Operations in it", inside);
  return { side: [paces, whole], main: [title, does, where, map.element, shown, readout], draw, numbers };
});
