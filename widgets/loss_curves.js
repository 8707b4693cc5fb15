/** Losses over the steps of a training, each line with its name at its end. */
import { list, svg } from "./pictures.js";

/** @typedef {{ kind: string, name: string, points: [step: number, loss: number][] }} Curve */

const HIGH = 260; // pixels
const [LEFT, TOP, BOTTOM] = [34, 12, HIGH - 34];
const LETTER = 7; // pixels of a name, to the right of the field
const LONGEST = 24; // letters of a name
const APART = 15; // pixels between two names

const text = (x, y, words, anchor = "start") => svg("text", { x, y, "text-anchor": anchor }, words);
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
    const rules = list(Math.floor(top) + 1, (loss) => [
      svg("line", { class: "tl-rule", x1: LEFT, x2: right, y1: up(loss), y2: up(loss) }),
      text(LEFT - 6, up(loss) + 4, `${loss}`, "end"),
    ]);
    const ticks = [0, 0.5, 1].map((share) =>
      text(across(share * steps), BOTTOM + 16, (share * steps).toLocaleString("en"), "middle"),
    );
    /** @type {SVGElement[]} */
    const lines = shown.map(({ kind, points }) => {
      const path = points.map(([step, loss], n) => `${n ? "L" : "M"}${across(step).toFixed(1)} ${up(loss).toFixed(1)}`);
      return svg("path", { class: `tl-${kind}`, d: path.join("") });
    });
    const ends = shown.map(({ points, ...rest }) => {
      const [step, loss] = points[points.length - 1];
      return { ...rest, x: across(step), y: up(loss) };
    });
    ends.sort((a, b) => a.y - b.y);
    const heights = spread(ends.map(({ y }) => y));
    const names = ends.flatMap(({ kind, name, x, y }, n) => [
      svg("line", { class: `tl-lead tl-${kind}`, x1: x, y1: y, x2: right + 6, y2: heights[n] }),
      svg("text", { class: `tl-name tl-${kind}`, x: right + 9, y: heights[n] + 4 }, name),
    ]);
    if (guess !== undefined) {
      lines.unshift(
        svg("line", { class: "tl-guessed", x1: LEFT, x2: right, y1: up(guess), y2: up(guess) }),
        text(right - 4, up(guess) - 5, "a guess", "end"),
      );
    }
    this.element.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
    this.element.setAttribute("aria-label", label);
    const axes = [text((LEFT + right) / 2, HIGH - 3, "steps", "middle"), text(0, TOP - 3, "loss")];
    this.element.replaceChildren(...rules.flat(), ...ticks, ...axes, ...lines, ...names);
  }
}
