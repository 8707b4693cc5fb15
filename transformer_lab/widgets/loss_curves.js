/** Losses over the steps of a training, each line with its name at its end. */

/** @typedef {{ kind: string, name: string, points: [step: number, loss: number][] }} Curve */

const HIGH = 260; // pixels
const [LEFT, TOP, BOTTOM] = [34, 12, HIGH - 34];
const LETTER = 7; // pixels of a name, to the right of the field
const LONGEST = 24; // letters of a name
const APART = 15; // pixels between two names

/** @param {string} tag @param {{ [name: string]: string | number }} attributes @param {string[]} text */
function svg(tag, attributes, ...text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  element.append(...text);
  return element;
}

/** @param {string} name */
const shortened = (name) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);
/** Move heights apart so that names can be read. @param {number[]} heights from low to high: they stay so */
function spread(heights) {
  for (let i = 1; i < heights.length; i++) heights[i] = Math.max(heights[i], heights[i - 1] + APART);
  const over = Math.max(0, (heights.at(-1) ?? 0) - BOTTOM);
  for (let i = heights.length - 1, most = BOTTOM; over && i >= 0; i--, most -= APART)
    heights[i] = Math.min(heights[i], most);
  return heights;
}

export class Curves {
  element = svg("svg", { class: "tl-curves", role: "img" });

  /**
   * @param {Curve[]} curves the last one on top
   * @param {{ steps: number, top: number, guess: number | undefined, label: string }} range how far the axes go,
   *   the loss of a guess among all characters, and the picture in words
   */
  draw(curves, { steps, top, guess, label }) {
    const wide = Math.max(300, this.element.clientWidth || 480);
    const shown = curves
      .filter(({ points }) => points.length > 0)
      .map((curve) => ({ ...curve, name: shortened(curve.name) }));
    const right = wide - 13 - LETTER * Math.max(15, ...shown.map(({ name }) => name.length));
    const across = (step) => LEFT + ((right - LEFT) * step) / steps;
    const up = (loss) => BOTTOM - ((BOTTOM - TOP) * Math.min(loss, top)) / top;
    const rules = Array.from({ length: Math.floor(top) + 1 }, (_, loss) => [
      svg("line", { class: "tl-rule", x1: LEFT, x2: right, y1: up(loss), y2: up(loss) }),
      svg("text", { x: LEFT - 6, y: up(loss) + 4, "text-anchor": "end" }, `${loss}`),
    ]);
    const ticks = [0, 0.5, 1].map((share) =>
      svg(
        "text",
        { x: across(share * steps), y: BOTTOM + 16, "text-anchor": "middle" },
        (share * steps).toLocaleString("en"),
      ),
    );
    const lines = shown.map(({ kind, points }) => {
      const path = points.map(([step, loss], n) => `${n ? "L" : "M"}${across(step).toFixed(1)} ${up(loss).toFixed(1)}`);
      return svg("path", { class: `tl-${kind}`, d: path.join("") });
    });
    const ends = shown.map(({ kind, name, points }) => ({
      kind,
      name,
      x: across(points.at(-1)?.[0]),
      y: up(points.at(-1)?.[1]),
    }));
    ends.sort((a, b) => a.y - b.y);
    const heights = spread(ends.map(({ y }) => y));
    const names = ends.flatMap(({ kind, name, x, y }, n) => [
      svg("line", { class: `tl-lead tl-${kind}`, x1: x, y1: y, x2: right + 6, y2: heights[n] }),
      svg("text", { class: `tl-name tl-${kind}`, x: right + 9, y: heights[n] + 4 }, name),
    ]);
    const chance =
      guess === undefined
        ? []
        : [
            svg("line", { class: "tl-guessed", x1: LEFT, x2: right, y1: up(guess), y2: up(guess) }),
            svg("text", { class: "tl-name", x: right - 4, y: up(guess) - 5, "text-anchor": "end" }, "a guess"),
          ];
    this.element.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
    this.element.setAttribute("aria-label", label);
    this.element.replaceChildren(
      ...rules.flat(),
      ...ticks,
      svg("text", { x: (LEFT + right) / 2, y: HIGH - 3, "text-anchor": "middle" }, "steps"),
      svg("text", { x: 0, y: TOP - 3 }, "loss"),
      ...chance,
      ...lines,
      ...names,
    );
  }
}
