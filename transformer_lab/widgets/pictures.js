/**
 * What widgets draw with: elements, numbers, heat maps, charts. It stands before kit.js, which
 * hands it on as part of `widgetKit`.
 */
const widgetPictures = (() => {
  const INK = [59, 42, 140], NEGATIVE = [184, 134, 11];
  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  /** Make an element. */
  const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
  /** Make an element of a drawing. */
  const svg = (tag, attributes = {}, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

  /** Read whole numbers from 0 to 255. */
  const bytes = (view) => [...new Uint8Array(view.buffer, view.byteOffset, view.byteLength)];
  /** Read numbers from 0 to 1 that `shares` has packed. */
  const shares = (view) => bytes(view).map((byte) => byte / 255);
  /** Read numbers that `halves` has packed: IEEE half precision. */
  const halves = (view) => Array.from({ length: view.byteLength / 2 }, (_, i) => {
    const bits = view.getUint16(2 * i, true);
    const sign = bits & 0x8000 ? -1 : 1, exponent = (bits >> 10) & 31, fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
  });
  /** Write a number as a reader wants it. */
  const number = (value) => {
    if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value < 0 ? "-∞" : "∞";
    return Math.abs(value) >= 1e4 ? value.toExponential(1).replace("e+", "e") : value.toFixed(2).replace(/^-(?=0\.00$)/, "");
  };

  /** Paint a matrix, one pixel a value: opacity is size (full at `scale`), colour is sign. */
  function paint(canvas, values, rows, columns, scale = 1) {
    canvas.width = columns;
    canvas.height = rows;
    const image = new ImageData(columns, rows);
    values.forEach((value, i) => {
      const size = Number.isFinite(value) ? Math.min(Math.abs(value) / scale, 1) : 0;
      image.data.set([...(value < 0 ? NEGATIVE : INK), Math.round(255 * size)], 4 * i);
    });
    canvas.getContext("2d").putImageData(image, 0, 0);
  }

  /**
   * A matrix to read and to walk through: a canvas, and over it a grid of cells, one of them chosen.
   * `choose(row, column)` is called when the reader chooses one, by pointer, touch or keyboard.
   * With more than `most` columns only the chosen cell's number is told.
   */
  function heatMap(ui, { choose, corner = "query ↓ key →", at = [0, 0], most = 6 }) {
    const canvas = h("canvas", { class: "tl-canvas", "aria-hidden": "true" });
    const grid = h("div", { class: "tl-grid", role: "grid" });
    const element = h("div", { class: "tl-map" }, canvas, grid);
    let cells = [], heads = [[], []], names;

    function build(rows, columns) {
      names = JSON.stringify([rows, columns]);
      const cell = (role, text, place) => h("span", { role, style: `grid-area:${place}` }, text);
      heads = [rows.map((name, i) => cell("rowheader", name, `${i + 2}/1`)),
        columns.map((name, j) => cell("columnheader", name, `1/${j + 2}`))];
      cells = rows.map((_, i) => columns.map((_, j) => cell("gridcell", "", `${i + 2}/${j + 2}`)));
      const row = (...children) => h("div", { role: "row" }, ...children);
      grid.replaceChildren(row(cell("columnheader", corner, "1/1"), ...heads[1]),
        ...heads[0].map((head, i) => row(head, ...cells[i])));
      element.style.setProperty("--rows", rows.length);
      element.style.setProperty("--columns", columns.length);
      element.dataset.many = columns.length > most;
    }
    const place = (target) => {
      for (const [i, row] of cells.entries()) if (row.includes(target)) return [i, row.indexOf(target)];
    };
    const select = (where) => { if (where) { point(...where); choose(...where); } };
    ui.on(grid, "pointerover", (event) => select(place(event.target)));
    ui.on(grid, "click", (event) => place(event.target) && cells[at[0]][at[1]].focus());
    ui.on(grid, "focusin", (event) => select(place(event.target)));
    ui.on(grid, "keydown", (event) => {
      const far = cells[0].length;
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -far], End: [0, far] }[event.key];
      if (!step) return;
      event.preventDefault();
      select(within(at[0] + step[0], at[1] + step[1]));
      cells[at[0]][at[1]].focus();
    });
    const clamp = (value, size) => Math.min(Math.max(value, 0), size - 1);
    const within = (i, j) => [clamp(i, cells.length), clamp(j, cells[0].length)];

    /** Mark a cell as the chosen one. */
    function point(i, j) {
      mark(false);
      at.splice(0, 2, ...within(i, j));
      mark(true);
    }
    function mark(here) {
      const [i, j] = within(...at);
      heads[0][i].classList.toggle("tl-query", here);
      heads[1][j].classList.toggle("tl-key", here);
      cells[i][j].classList.toggle("tl-here", here);
      cells[i][j].setAttribute("tabindex", here ? 0 : -1);
    }
    /**
     * Show a matrix, row after row. Blocked cells are hatched; `say(i, j)` names a cell, as "query
     * cat, key sat: weight"; `show` writes its number.
     */
    function draw({ label, rows, columns, values, scale, blocked, say, show = number }) {
      if (JSON.stringify([rows, columns]) !== names) build(rows, columns);
      paint(canvas, values, rows.length, columns.length, scale);
      grid.setAttribute("aria-label", label);
      cells.forEach((row, i) => row.forEach((cell, j) => {
        const k = i * columns.length + j, value = values[k];
        const text = show(value, k);
        if (cell.textContent !== text) cell.textContent = text;
        cell.classList.toggle("tl-dark", value / (scale ?? 1) > 0.5 && Number.isFinite(value));
        cell.classList.toggle("tl-blocked", Boolean(blocked?.[k]));
        cell.classList.toggle("tl-nan", Number.isNaN(value));
        cell.setAttribute("aria-label", `${say(i, j)} ${text}`);
      }));
      point(...at);
    }
    return { element, at, draw, point };
  }

  /** Lines or bars over x. Series are told apart by dash and mark, and named at their end. */
  function chart() {
    const W = 340, H = 190, LEFT = 44, BOTTOM = 34, TOP = 18, RIGHT = 10;
    const element = svg("svg", { class: "tl-chart", viewBox: `0 0 ${W} ${H}`, role: "img" });
    const ticks = (low, high) => Array.from({ length: 5 }, (_, i) => low + (high - low) * i / 4);
    const short = (value) => String(Number(value.toPrecision(3)));
    /**
     * @param label the picture in words; @param x numbers, or names for bars; @param series
     * [{ name, y }]; @param low, high the range of y (fixed, so that pictures compare);
     * @param mark an x where a line is drawn (optional)
     */
    function draw({ label, x, series, low, high, xLabel = "", yLabel = "", bars = false, mark }) {
      const count = x.length, first = bars ? 0 : x[0], last = bars ? count : x[count - 1];
      const across = (value) => LEFT + (W - LEFT - RIGHT) * (value - first) / (last - first || 1);
      const up = (value) => TOP + (H - TOP - BOTTOM) * (high - Math.min(Math.max(value, low), high)) / (high - low);
      const text = (at, words, more = {}) => svg("text", { x: at[0], y: at[1], ...more }, words);
      const parts = ticks(low, high).flatMap((value) => [
        svg("line", { class: "tl-rule", x1: LEFT, x2: W - RIGHT, y1: up(value), y2: up(value) }),
        text([LEFT - 5, up(value) + 4], short(value), { "text-anchor": "end" })]);
      const names = bars ? x.map((name, i) => [i + 0.5, name]) : ticks(first, last).map((value) => [value, short(value)]);
      parts.push(...names.map(([value, name]) => text([across(value), H - BOTTOM + 14], name, { "text-anchor": "middle" })));
      parts.push(text([(LEFT + W) / 2, H - 4], xLabel, { "text-anchor": "middle" }), text([2, 11], yLabel));
      series.forEach(({ name, y }, k) => {
        if (bars) {
          const wide = 0.8 / series.length;
          y.forEach((value, i) => parts.push(svg("rect", { class: `tl-s${k}`, x: across(i + 0.1 + k * wide), width: across(wide) - across(0),
            y: Math.min(up(value), up(Math.max(low, 0))), height: Math.abs(up(value) - up(Math.max(low, 0))) })));
        } else {
          const points = y.map((value, i) => Number.isFinite(value) ? `${across(x[i])} ${up(value)}` : null);
          const d = points.map((p, i) => p && (points[i - 1] ? "L" : "M") + p).filter(Boolean).join("");
          parts.push(svg("path", { class: `tl-s${k}`, d }));
        }
        if (series.length > 1) parts.push(svg("rect", { class: `tl-s${k}`, x: LEFT + 70 + 90 * k, y: 6, width: 14, height: 3 }), text([LEFT + 88 + 90 * k, 11], name));
      });
      if (mark !== undefined) parts.push(svg("line", { class: "tl-mark", x1: across(mark), x2: across(mark), y1: TOP, y2: H - BOTTOM }));
      element.replaceChildren(...parts);
      element.setAttribute("aria-label", label);
    }
    return { element, draw };
  }

  return { fill, h, svg, bytes, shares, halves, number, paint, heatMap, chart };
})();
