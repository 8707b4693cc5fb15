/**
 * The attention explorer. State: d_k, length, scaled (the numbers depend on them), heads (how many
 * heads are shown), tokens, stops. A frame holds all heads: weights (uint8, 255 is 1), scores
 * (float16), and the largest weight of a row, averaged over the rows, for each head.
 */
const SLIDERS = { d_k: "Key width d_k", heads: "Heads", length: "Words" };
const INK = [59, 42, 140];
let instances = 0;

/** Make an element. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** @param {{model: {get, set, save_changes, on, off}, el: HTMLElement}} home @returns the clean-up */
function render({ model, el }) {
  const id = `tl-attention-explorer-${++instances}`;
  const names = [...Object.keys(SLIDERS), "scaled"];
  const start = Object.fromEntries(names.map((name) => [name, model.get(name)]));
  const body = h("div", { class: "tl-body" });
  const at = { head: 0, query: 1, key: 0 };
  const listeners = new AbortController();
  const on = (target, event, handler) => target.addEventListener(event, handler, { signal: listeners.signal });
  const move = (changes) => {
    for (const [name, value] of Object.entries(changes)) model.set(name, value);
    model.save_changes();
  };

  // Controls: one range a slider, its stops as steps.
  const sliders = Object.entries(SLIDERS).map(([name, text]) => {
    const stops = model.get("stops")[name];
    const input = h("input", { id: `${id}-${name}`, type: "range", min: 0, max: stops.length - 1, step: 1 });
    const output = h("output", { for: input.id });
    on(input, "input", () => move({ [name]: stops[input.value] }));
    const show = () => {
      input.value = stops.indexOf(model.get(name));
      output.textContent = model.get(name);
      input.setAttribute("aria-valuetext", model.get(name));
    };
    return { name, show, row: h("div", { class: "tl-slider" }, h("label", { for: input.id }, text), input, output) };
  });
  const scaled = h("input", { type: "checkbox" });
  on(scaled, "change", () => move({ scaled: scaled.checked }));
  const reset = h("button", { type: "button", class: "tl-button" }, "Reset");
  on(reset, "click", () => move(start));
  const controls = h("div", { class: "tl-controls" }, ...sliders.map((s) => s.row),
    h("div", { class: "tl-row" }, h("label", { class: "tl-switch" }, scaled, " divide by √d_k"), reset));

  // The heads: a small picture each, which is also the button that opens it.
  const thumbs = model.get("stops").heads.map((count) => {
    const canvas = h("canvas", { "aria-hidden": "true" });
    const button = h("button", { type: "button", class: "tl-thumb" }, canvas, `head ${count}`);
    on(button, "click", () => { at.head = count - 1; draw(); });
    return { canvas, button };
  });
  const spread = h("p", { class: "tl-spread" });
  const strip = h("div", { class: "tl-thumbs", role: "group", "aria-label": "Heads" }, ...thumbs.map((t) => t.button));

  // The open head: a canvas with one pixel a weight, and over it a grid to read and walk through.
  const canvas = h("canvas", { class: "tl-canvas", "aria-hidden": "true" });
  const grid = h("div", { class: "tl-grid", role: "grid" });
  const map = h("div", { class: "tl-map" }, canvas, grid);
  const readout = h("p", { class: "tl-readout" });
  let cells = [], rowheads = [], columnheads = [];

  function build(n) {
    const tokens = model.get("tokens").slice(0, n);
    const cell = (role, text, place) => h("span", { role, style: `grid-area:${place}` }, text);
    columnheads = tokens.map((token, j) => cell("columnheader", token, `1/${j + 2}`));
    rowheads = tokens.map((token, i) => cell("rowheader", token, `${i + 2}/1`));
    cells = tokens.map((_, i) => tokens.map((_, j) => cell("gridcell", "", `${i + 2}/${j + 2}`)));
    const row = (...children) => h("div", { role: "row" }, ...children);
    grid.replaceChildren(row(cell("columnheader", "query ↓ key →", "1/1"), ...columnheads),
      ...rowheads.map((head, i) => row(head, ...cells[i])));
    map.style.setProperty("--n", n);
    map.dataset.many = n > 6;
  }
  const place = (target) => {
    for (const [query, row] of cells.entries()) {
      const key = row.indexOf(target);
      if (key >= 0) return { query, key };
    }
  };
  const select = (where) => { if (where) { Object.assign(at, where); point(); } };
  on(grid, "pointerover", (event) => select(place(event.target)));
  on(grid, "click", (event) => place(event.target) && cells[at.query][at.key].focus());
  on(grid, "focusin", (event) => select(place(event.target)));
  on(grid, "keydown", (event) => {
    const n = cells.length;
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -n], End: [0, n] }[event.key] ?? [];
    if (down === undefined) return;
    event.preventDefault();
    const clamp = (value) => Math.min(Math.max(value, 0), n - 1);
    select({ query: clamp(at.query + down), key: clamp(at.key + right) });
    cells[at.query][at.key].focus();
  });

  const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  const paint = (target, weights, n) => {
    target.width = target.height = n;
    const image = new ImageData(n, n);
    weights.forEach((weight, i) => image.data.set([...INK, weight], 4 * i));
    target.getContext("2d").putImageData(image, 0, 0);
  };

  /** Show where the controls stand, and whether the frame is still to come that belongs to them. */
  function steer() {
    for (const slider of sliders) slider.show();
    scaled.checked = model.get("scaled");
    const frame = model.get("frame");
    body.setAttribute("aria-busy", names.some((name) => name in frame && frame[name] !== model.get(name)));
  }

  /** Show the frame: every head small, the open one large with its numbers. */
  function draw() {
    steer();
    const frame = model.get("frame");
    const n = frame.length, heads = model.get("heads");
    const all = bytes(frame.weights);
    at.head = Math.min(at.head, heads - 1);
    at.query = Math.min(at.query, n - 1);
    at.key = Math.min(at.key, n - 1);
    if (cells.length !== n) build(n);
    thumbs.forEach(({ canvas, button }, head) => {
      paint(canvas, all.subarray(head * n * n, (head + 1) * n * n), n);
      button.style.visibility = head < heads ? "visible" : "hidden";
      button.setAttribute("aria-pressed", head === at.head);
    });
    const weights = all.subarray(at.head * n * n, (at.head + 1) * n * n);
    paint(canvas, weights, n);
    grid.setAttribute("aria-label", `Head ${at.head + 1}: attention weights, one row for each query, one column for each key`);
    const tokens = model.get("tokens");
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const weight = weights[i * n + j] / 255;
      cell.textContent = weight.toFixed(2);
      cell.classList.toggle("tl-dark", weight > 0.5);
      cell.setAttribute("aria-label", `query ${tokens[i]}, key ${tokens[j]}: weight ${weight.toFixed(2)}`);
    }));
    spread.textContent = `The largest weight of a row is ${frame.largest[at.head].toFixed(2)} on average (equal shares would be ${(1 / n).toFixed(2)}).`;
    point();
  }

  /** Mark the chosen cell and say what it means. */
  function point() {
    const { head, query, key } = at;
    const frame = model.get("frame"), n = frame.length, tokens = model.get("tokens");
    const i = (head * n + query) * n + key;
    const weight = bytes(frame.weights)[i] / 255;
    const score = half(frame.scores.getUint16(2 * i, true));
    rowheads.forEach((cell, i) => cell.classList.toggle("tl-query", i === query));
    columnheads.forEach((cell, j) => cell.classList.toggle("tl-key", j === key));
    cells.forEach((row, i) => row.forEach((cell, j) => {
      const here = i === query && j === key;
      cell.setAttribute("tabindex", here ? 0 : -1);
      cell.classList.toggle("tl-here", here);
    }));
    const word = (kind, index) => h("b", { class: `tl-${kind}` }, tokens[index]);
    const sum = frame.scaled ? `q·k / √${frame.d_k}` : "q·k";
    readout.replaceChildren("Query ", word("query", query), " meets key ", word("key", key), `: score ${sum} = ${score.toFixed(2)}, weight ${weight.toFixed(2)}. In head ${head + 1}, ${Math.round(100 * weight)} % of the new `,
      word("query", query), " is the value of ", word("value", key), ".");
  }

  // JupyterLab takes the arrow keys from what has the focus, unless told not to; keys with Ctrl or ⌘ are its own.
  const keep = ({ target, ctrlKey, metaKey }) => target.toggleAttribute("data-lm-suppress-shortcuts", !(ctrlKey || metaKey));
  for (const type of ["focusin", "keydown", "keyup"]) on(body, type, keep);

  const changes = [...names.map((name) => [name, steer]), ["heads", draw], ["frame", draw]];
  for (const [name, show] of changes) model.on(`change:${name}`, show);
  const side = h("div", { class: "tl-side" }, controls, strip, spread);
  body.append(side, map, readout);
  el.replaceChildren(h("div", { class: "tl-widget tl-attention-explorer" }, body));
  draw();
  return () => {
    listeners.abort();
    for (const [name, show] of changes) model.off(`change:${name}`, show);
  };
}

/** Read an IEEE half-precision number from its 16 bits. */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

export default { render };
