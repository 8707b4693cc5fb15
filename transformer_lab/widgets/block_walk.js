/**
 * The block walk. A frame holds `steps`, each with its part of the model, name, line of code, shape,
 * rows and columns; and the `values` (halves) of all of them, end to end.
 */
const { h, heatMap, halves, number } = widgetKit;

export default widgetKit.widget("block_walk", (ui) => {
  const { model } = ui, text = (kind) => h("p", { class: `tl-${kind}` });
  const group = (label) => h("div", { class: "tl-row", role: "group", "aria-label": label });
  const button = (value, name, label = name) => h("button", { type: "button", class: "tl-button", value, "aria-label": label }, name);
  const plain = (part) => part.replace(".layers.", " ").replace("_", " ");
  let seen, known;
  const encoder = group("Encoder"), decoder = group("Decoder"), inside = group("Operations"), paces = group("Walk");
  const title = text("title"), does = text("does"), where = text("where"), shown = text("shown"), readout = text("readout");
  const map = heatMap(ui, { choose: tell, corner: "token ↓" });

  paces.append(button(-1, "‹ back"), button(1, "on ›"));
  const go = (step) => ui.move({ step: Math.min(Math.max(step, 0), seen.steps.length - 1) });
  ui.on(paces, "click", ({ target }) => target.value && go(model.get("step") + Number(target.value)));
  for (const list of [encoder, decoder, inside]) ui.on(list, "click", ({ target }) => target.value && go(Number(target.value)));

  /** Mark the button of the present step, or of the part in which it is. */
  function press(buttons, at) {
    const now = buttons.filter(({ value }) => Number(value) <= at).pop();
    for (const one of buttons) one.setAttribute("aria-pressed", one === now);
  }

  function draw({ steps, values }) {
    const at = model.get("step"), step = steps[at], { part, rows, columns, scale } = step;
    if (!known) {
      steps.forEach((one, i) => {
        if (one.part !== steps[i - 1]?.part) (/^enc|^emb/.test(one.part) ? encoder : decoder).append(button(i, one.part.match(/\d$/) ?? one.part.replace(/.*embed.*/, "embed"), plain(one.part)));
      });
    }
    if (known !== part) inside.replaceChildren(...steps.flatMap((one, i) => (one.part === part ? [button(i, one.name)] : [])));
    known = part;
    press([...encoder.children, ...decoder.children], at);
    press([...inside.children], at);
    const size = (one) => one.rows.length * one.columns.length, before = steps.slice(0, at).reduce((sum, one) => sum + size(one), 0);
    seen = { steps, step, values: halves(values).slice(before, before + size(step)) };
    title.replaceChildren(h("b", {}, `${plain(part)}: ${step.name}`), ` ${step.shape}`);
    does.textContent = step.does;
    where.replaceChildren(h("code", {}, step.code), ` ${step.where}`);
    shown.textContent = `${step.shown} Full colour: ±${scale}.`;
    map.draw({ label: `${step.name}: a row for each token`, rows, columns, values: seen.values, scale, say: (i, j) => `${rows[i]}, ${columns[j]}:` });
    tell(...map.at);
    return `${title.textContent}. ${step.does}`;
  }

  const value = (i, j) => seen.values[i * seen.step.columns.length + j];
  function tell(i, j) {
    readout.textContent = `${seen.step.rows[i]}, column ${seen.step.columns[j]}: ${number(value(i, j))}`;
  }
  const numbers = () => [{ caption: title.textContent, columns: ["", ...seen.step.columns], rows: seen.step.rows.map((row, i) => [row, ...seen.step.columns.map((_, j) => value(i, j))]) }];

  const whole = h("div", { class: "tl-whole" }, "Encoder", encoder, "Decoder", decoder, "Operations in it", inside);
  return { side: [paces, whole], main: [title, does, where, map.element, shown, readout], draw, numbers };
});
