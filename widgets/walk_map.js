/** The drawing of a model that shows where a walk is: its parts, and the operations in one of them. */
import { h, svg } from "./pictures.js";

/**
 * Where each operation stands in its band, and what it reads: of the alternatives that are there, the first.
 * @type {{ [name: string]: [column: number, row: number, ...reads: string[]] }}
 */
const PLACES = {
  x: [0, 0],
  memory: [0, 1],
  norm: [0, 1, "x"],
  query: [1, 0, "norm|x"],
  key: [1, 1, "norm|memory|x"],
  value: [1, 2, "norm|memory|x"],
  forget: [1, 1, "x"],
  candidate: [1, 2, "x"],
  "query.rotated": [2, 0, "query"],
  "key.rotated": [2, 1, "key"],
  scores: [3, 0, "query.rotated|query", "key.rotated|key"],
  weights: [3, 1, "scores|query", "scores|key"],
  heads: [3, 2, "weights", "value"],
  mean: [3, 1, "forget", "candidate"],
  output: [4, 2, "heads|weights", "heads|value"],
  gate: [1, 0, "norm|x"],
  up: [1, 1, "norm|x"],
  gated: [2, 0, "gate", "up"],
  down: [3, 1, "gated|up"],
  sum: [4, 1, "x", "output|mean|down"],
};
const BAND = /^(?:cross_)?(?:attention|feed_forward)/;
/** An operation's place in its band: the translator normalises what it adds. @param {string} operation */
const placeOf = (operation) =>
  operation
    .replace(BAND, "")
    .replace(/^_residual\.norm$/, ".sum")
    .slice(1) || "mean";

/** A title that fits into a box: of which attention it is, the band says. @param {string} name */
const short = (name) => name.replace(/^(?:cross|running) /, "").replace("add &", "+");

/** Draw a band: its operations as buttons, over lines from what each reads. */
function band(steps, at, button) {
  const name = steps[0].operation.match(BAND)?.[0];
  const cells = new Map();
  for (const step of steps) cells.set(name ? placeOf(step.operation) : step.operation, step);
  const names = [...(name ? ["x"] : []), ...(name?.startsWith("cross") ? ["memory"] : []), ...cells.keys()];
  const place = (each, i) => (name ? PLACES[each] : [i, 0, names[i - 1] ?? ""]);
  const boxes = names.map((each, i) => ({ each, step: cells.get(each), place: place(each, i) }));
  const find = (wanted) => wanted.split("|").flatMap((one) => boxes.find(({ each }) => each === one) ?? [])[0];
  const rows = 1 + Math.max(...boxes.map(({ place: [, row] }) => row));
  const lines = svg("svg", { viewBox: `0 0 5 ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const read = new Set();
  for (const { step, place } of boxes) {
    const [column, row, ...reads] = place;
    for (const other of new Set(reads.map(find))) {
      if (!other) continue;
      const [c, r] = [other.place[0] + 0.5, other.place[1] + 0.5];
      const isStream = other.each === "x" && column === 4; // past all that is computed
      const way = isStream ? `V-.15H${column + 0.5}V` : `L${column + 0.5} `;
      const isHere = step?.at === at;
      if (isHere) read.add(other);
      lines.append(svg("path", { d: `M${c} ${r}${way}${row + 0.5}`, class: isHere ? "tl-read" : "" }));
    }
  }
  const drawn = boxes.map((box) => {
    const [column, row] = box.place;
    const made = box.step ? button(box.step.at, short(box.step.name), box.step.name) : h("span", {}, box.each);
    made.style.gridArea = `${row + 1}/${column + 1}`;
    made.classList.toggle("tl-read", read.has(box));
    return made;
  });
  return h("div", { class: "tl-band", style: `--rows:${rows}` }, lines, ...drawn);
}

/** Draw the operations of a part. @type {WalkMap} */
export function drawPart(steps, wanted, at, button) {
  const numbered = steps.map((step, i) => ({ ...step, at: i }));
  const bands = new Map();
  for (const step of numbered.filter(({ part }) => part === wanted)) {
    const name = step.operation.match(BAND)?.[0];
    bands.set(name, [...(bands.get(name) ?? []), step]);
  }
  return [...bands.values()].map((some) => band(some, at, button));
}
