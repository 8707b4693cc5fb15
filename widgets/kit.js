/** What all widgets share. A widget's file is `export default widget(stem, build)`. */
import { control } from "./controls.js";
import { h, named, number, same } from "./pictures.js";

let instances = 0;

/** @type {Kit["matrix"]} */
export const matrix = (caption, rows, columns, values) => ({
  caption,
  columns: ["", ...columns],
  rows: rows.map((name, i) => [name, ...values.slice(i * columns.length, (i + 1) * columns.length)]),
});
/** @type {Kit["headings"]} */
export const headings = (names) =>
  h("tr", {}, ...names.map((name) => (name === "" ? h("td") : h("th", { scope: "col" }, ...named(`${name}`)))));
const written = (cell) => h("td", {}, typeof cell === "number" ? number(cell) : cell);
/** @type {Kit["row"]} */
export const row = ([name, ...cells]) => h("tr", {}, h("th", { scope: "row" }, `${name}`), ...cells.map(written));
const table = ({ caption, columns, rows }) =>
  h("table", {}, h("caption", {}, caption), h("thead", {}, headings(columns)), h("tbody", {}, ...rows.map(row)));

/** Copy a text; where a page may not, the reader does it. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    prompt("To copy:", text);
  }
}
const python = (value) => ({ true: "True", false: "False" })[value] ?? JSON.stringify(value);

/** What a widget's parts are given. */
const attach = (model, id, typed, trouble, signal, rowOf, more) => ({
  model,
  more,
  id,
  typed,
  end: signal,
  on: (target, event, handler) => target.addEventListener(event, handler, { signal }),
  watch(name, handler) {
    model.on(`change:${name}`, handler);
    signal.addEventListener("abort", () => model.off(`change:${name}`, handler));
  },
  warn(text) {
    trouble.textContent = text;
  },
  move(changes) {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  },
  row: rowOf,
});

function button(ui, text, act) {
  const made = h("button", { type: "button", class: "tl-button" }, text);
  ui.on(made, "click", act);
  return made;
}

/** Copies where the controls stand: an address, or Python. */
function share(ui, stem, state, link) {
  const invitation = link ? "Copy link" : "Copy as Python";
  function words() {
    const given = Object.entries(state()).map(([name, value]) => `${name}=${python(value)}`);
    return `${stem.replace(/(?:^|_)(.)/g, (_, letter) => letter.toUpperCase())}(${given.join(", ")})`;
  }
  const element = button(ui, invitation, async () => {
    const address = link?.(new URLSearchParams(state()).toString().replaceAll("&", ","));
    if (address) history.replaceState(null, "", address);
    await copy(address ?? words());
    element.textContent = "Copied";
  });
  const show = () => {
    element.textContent = invitation;
  };
  return { row: element, show };
}

function numbersOf(stem, read) {
  const label = `Numbers ${instances}: ${stem.replaceAll("_", " ")}`; // no two on a page
  const tables = h("div", { class: "tl-tables", role: "region", tabindex: 0, "aria-label": label });
  const element = h("details", { class: "tl-numbers" }, h("summary", {}, "Show numbers"), tables);
  const show = () => {
    if (element.open) tables.replaceChildren(...read().map(table));
  };
  return { row: element, show };
}

/** JupyterLab takes arrow keys unless told not to; those with Ctrl or ⌘ are its own. */
function keepKeys(ui, el) {
  const keep = ({ target, ctrlKey, metaKey }) =>
    target.toggleAttribute("data-lm-suppress-shortcuts", !(ctrlKey || metaKey));
  ui.on(el, "focusin", keep);
  ui.on(el, "keydown", keep);
  ui.on(el, "keyup", keep);
}

const box = (className, ...children) => h("div", { class: `tl-${className}` }, ...children);

/** @type {Kit["widget"]} */
export function widget(stem, build, compute) {
  function render({ model, el, link, more }) {
    const names = Object.keys(model.get("stops"));
    const state = () => Object.fromEntries(names.map((name) => [name, model.get(name)]));
    const start = state();
    const trouble = h("p", { class: "tl-trouble", role: "alert" });
    const end = new AbortController();
    const typed = [!link, compute, model.reads].some(Boolean);
    const rowOf = (name) => controls.find((one) => one.name === name)?.row;
    const ui = attach(model, `tl-${stem}-${++instances}`, typed, trouble, end.signal, rowOf, more);
    const controls = names.map((name) => control(ui, name));
    const sharing = share(ui, stem, state, link);
    const status = h("span", { class: "tl-status", role: "status" });
    const { main, side, draw, numbers: read } = build(ui);
    let frame;
    let later = 0;
    const numbers = numbersOf(stem, () => (frame ? read(frame) : []));
    const buttons = box(
      "row",
      button(ui, "Reset", () => ui.move(start)),
      sharing.row,
      status,
    );
    const rows = controls.map(({ row }) => row).filter((row) => !row.parentElement); // else the picture has it
    const panel = box("controls", ...rows, buttons);
    const picture = box("main", ...main);
    const tries = Object.entries(model.get("tries") ?? {}).map(([text, at]) =>
      button(ui, text, () => ui.move({ ...start, ...at })),
    );
    const tasks = tries.length ? [box("row tl-tries", h("span", {}, "Try:"), ...tries)] : [];
    const body = box("body", box("side", panel, ...side), picture, box("foot", trouble, numbers.row));
    panel.querySelector(".tl-words")?.append(trouble); // there most of it begins

    /** Whether a control says what is read, or by which model: under other words, old numbers must not stand. */
    const isRead = (name) => name === "model" || name in model.get("words") || model.get("stops")[name].characters;
    /** Show where the controls stand, and whether a frame is to come. */
    function steer() {
      for (const { show } of controls) show();
      const now = model.get("frame");
      const waits = names.some((name) => name in now && !same(now[name], model.get(name)));
      picture.ariaBusy = `${waits}`;
      const isOld = Boolean(now.trouble) || (waits && model.reads === true);
      const isOther = names.some(
        (name) => name in (frame ?? {}) && isRead(name) && !same(frame[name], model.get(name)),
      );
      body.classList.toggle("tl-old", isOld);
      body.classList.toggle("tl-gone", isOther || (isOld && Boolean(model.reads)));
      trouble.textContent = now.trouble ?? now.note ?? "";
      sharing.show();
    }
    /** Show the frame; one that tells of trouble leaves the last picture. */
    function show() {
      const now = model.get("frame");
      if (!now.trouble) frame = now;
      steer();
      if (!frame) return;
      const words = draw(frame);
      numbers.show();
      clearTimeout(later); // read aloud at rest, not on the way
      if (body.contains(document.activeElement)) later = setTimeout(() => status.replaceChildren(words), 700);
    }
    const isFrames = (name) => name in model.get("frame") || name === "stops";
    for (const name of [...names, "stops"]) ui.watch(name, () => (isFrames(name) ? steer() : show()));
    ui.watch("frame", show);
    ui.on(numbers.row, "toggle", show);
    keepKeys(ui, el);
    el.replaceChildren(box(`widget tl-${stem.replaceAll("_", "-")}`, ...tasks, body));
    show();
    end.signal.addEventListener("abort", () => clearTimeout(later));
    return () => end.abort();
  }
  const made = { render, compute };
  if (window.transformerLab) window.transformerLab.widgets[stem] = made; // for host.js, on a page without a kernel
  return made;
}
