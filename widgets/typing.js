/** The field of a text that is read while it is typed, or written by something else. */
import { h } from "./pictures.js";

/** Add a field to the control, unless it is there. @param {Ui} ui @param {string} name @param {number} [rows] */
export function typing(ui, name, rows = 2) {
  const { model } = ui;
  const row = ui.row(name);
  if (!row || row.querySelector("textarea")) return;
  const id = `${ui.id}-${name}`;
  const area = h("textarea", { id, rows, maxlength: model.get("stops")[name].characters, spellcheck: false });
  function show() {
    if (area.value === model.get(name)) return;
    area.value = model.get(name);
    area.scrollTop = area.scrollHeight;
  }
  row.className = "tl-words";
  row.append(h("label", { for: id }, model.get("labels")[name]), area);
  ui.on(area, "input", () => ui.move({ [name]: area.value }));
  ui.watch(name, show);
  show();
}
