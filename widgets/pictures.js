/** Elements, numbers, heat maps. */

const INK = [59, 42, 140];
const NEGATIVE = [184, 134, 11];
const STEPS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -Infinity],
  End: [0, Infinity],
};

/** @type {Pictures["list"]} */
export const list = (count, make) => Array.from({ length: count }, (_, i) => make(i));
/** @type {Pictures["clamp"]} */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
/** @type {Pictures["same"]} */
export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  element.append(...children);
  return element;
};
/** @type {Pictures["h"]} */
export const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
/** @type {Pictures["svg"]} */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
/** @type {Pictures["line"]} */
export const line = (kind) => h("p", { class: `tl-${kind}` });
/** Write a name's indices below the line, as in d_k: in text, and in a picture. */
export const parts = (name, text, index) =>
  name.split(/([a-z]_\w+)/i).map((part, i) => (i % 2 ? index(...part.split("_")) : text(part)));
/** @type {Pictures["named"]} */
export const named = (name) =>
  parts(
    name,
    (text) => text,
    (letter, low) => h("span", {}, h("i", {}, letter), h("sub", {}, low)),
  );
/** @type {Pictures["word"]} */
export const word = (role, text) => h("b", { class: `tl-${role}` }, text);

/** @type {Pictures["bytes"]} */
export const bytes = (view, first = 0, count = view.byteLength - first) => [
  ...new Uint8Array(view.buffer, view.byteOffset + first, count),
];
/** @type {Pictures["shares"]} */
export const shares = (view, first, count) => bytes(view, first, count).map((byte) => byte / 255);
/** @type {Pictures["halves"]} */
export const halves = (view, first = 0, count = view.byteLength / 2 - first) =>
  list(count, (i) => half(view.getUint16(2 * (first + i), true)));
/** Read a number in IEEE half precision. @param {number} bits */
export function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction);
}
/** @type {Pictures["number"]} */
export function number(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value < 0 ? "-∞" : "∞";
  if (Math.abs(value) >= 1e4) return value.toExponential(1).replace("e+", "e");
  return value.toFixed(2).replace(/^-(?=0\.00$)/, "");
}

/** @type {Pictures["paint"]} */
export function paint(canvas, values, rows, columns, scale = 1) {
  canvas.width = columns;
  canvas.height = rows;
  const image = new ImageData(columns, rows);
  values.forEach((value, i) => {
    const size = Number.isFinite(value) ? Math.min(Math.abs(value) / scale, 1) : 0;
    image.data.set([...(value < 0 ? NEGATIVE : INK), Math.round(255 * size)], 4 * i);
  });
  canvas.getContext("2d")?.putImageData(image, 0, 0);
}

/** A canvas, and over it a grid of cells, one of them chosen. @type {Pictures["heatMap"]} */
export function heatMap(ui, { choose, corner = "query ↓ key →", at = [0, 0], most = 6 }) {
  const canvas = h("canvas", { class: "tl-canvas", "aria-hidden": "true" });
  const grid = h("div", { class: "tl-grid", role: "grid" });
  const element = h("div", { class: "tl-map" }, canvas, grid);
  let cells = [];
  let [left, top] = [cells, cells];
  let names = "";

  const cell = (role, text, place) => h("span", { role, style: `grid-area:${place}` }, text);
  const row = (...children) => h("div", { role: "row" }, ...children);
  function build(rows, columns) {
    const width = columns.length;
    left = rows.map((name, i) => cell("rowheader", name, `${i + 2}/1`));
    top = columns.map((name, j) => cell("columnheader", name, `1/${j + 2}`));
    cells = list(rows.length * width, (k) => cell("gridcell", "", `${Math.floor(k / width) + 2}/${(k % width) + 2}`));
    const first = row(cell("columnheader", corner, "1/1"), ...top);
    grid.replaceChildren(first, ...left.map((head, i) => row(head, ...cells.slice(i * width, (i + 1) * width))));
    element.style.setProperty("--rows", `${rows.length}`);
    element.style.setProperty("--columns", `${width}`);
    element.dataset.many = `${width > most}`;
  }

  const within = (i, j) => [clamp(i, 0, left.length - 1), clamp(j, 0, top.length - 1)];
  const chosen = () => cells[at[0] * top.length + at[1]];
  function mark(here) {
    at.splice(0, 2, ...within(at[0], at[1]));
    left[at[0]].classList.toggle("tl-query", here);
    top[at[1]].classList.toggle("tl-key", here);
    chosen().classList.toggle("tl-here", here);
    chosen().setAttribute("tabindex", here ? "0" : "-1");
  }
  function point(i, j) {
    mark(false);
    at.splice(0, 2, i, j);
    mark(true);
  }

  function select(i, j) {
    point(i, j);
    choose(at[0], at[1]);
  }
  function selectTarget({ target }) {
    const k = cells.indexOf(target);
    if (k >= 0) select(Math.floor(k / top.length), k % top.length);
  }
  ui.on(grid, "pointerover", selectTarget);
  ui.on(grid, "focusin", selectTarget);
  ui.on(grid, "click", ({ target }) => cells.includes(target) && chosen().focus());
  ui.on(grid, "keydown", (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    select(at[0] + step[0], at[1] + step[1]);
    chosen().focus();
  });

  /** @param {Matrix} matrix */
  function draw({ label, rows, columns, values, scale = 1, blocked, say, show = number }) {
    if (JSON.stringify([rows, columns]) !== names) build(rows, columns);
    names = JSON.stringify([rows, columns]);
    paint(canvas, values, rows.length, columns.length, scale);
    grid.setAttribute("aria-label", label);
    for (const [k, cell] of cells.entries()) {
      const value = values[k];
      const text = show(value, k);
      if (cell.textContent !== text) cell.textContent = text;
      cell.classList.toggle("tl-dark", value / scale > 0.6 && Number.isFinite(value));
      cell.classList.toggle("tl-blocked", Boolean(blocked?.[k]));
      cell.classList.toggle("tl-nan", Number.isNaN(value));
      cell.setAttribute("aria-label", `${say(Math.floor(k / columns.length), k % columns.length)} ${text}`);
    }
    point(at[0], at[1]);
  }
  return { element, at, draw, point, cells: () => cells };
}
