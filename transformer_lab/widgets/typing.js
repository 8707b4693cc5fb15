/** The field of a text that is read while it is typed. */
import { h } from "./pictures.js";

/** Add a field to the control, unless it is there. @param {Ui} ui @param {string} name */
export function typing(ui, name) {
  const { model } = ui;
  const row = ui.row(name);
  if (!row || row.querySelector("textarea")) return;
  const id = `${ui.id}-${name}`;
  const area = h("textarea", { id, maxlength: model.get("stops")[name].characters, spellcheck: false });
  function show() {
    if (area.value !== model.get(name)) area.value = model.get(name);
  }
  row.className = "tl-words";
  row.append(h("label", { for: id }, model.get("labels")[name]), area);
  ui.on(area, "input", () => ui.move({ [name]: area.value }));
  ui.watch(name, show);
  show();
}
