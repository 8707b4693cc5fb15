/** Clocks: a column for each position, and in it a dial for each hand, from fast to slow. */
import { matrix, widget } from "./kit.js";
import { list, number, svg } from "./pictures.js";
import { player } from "./player.js";

const [COLUMNS, STEP, HIGH, LEFT, TOP, RADIUS] = [6, 38, 43, 68, 44, 17];
const INK = "fill: var(--tl-ink); stroke: var(--tl-ink)";
const RIM = "fill: var(--tl-panel); stroke: var(--tl-line); stroke-width: 1";
const PACE = 400; // milliseconds a position

const positions = ({ position, apart }) => list(COLUMNS, (i) => position + i * apart);
const compute = (state) => ({ angles: positions(state).map((t) => state.speeds.map((speed) => t * speed)) });

/** How far a hand turns from column to column. */
function turn(radians) {
  const degrees = (radians * 180) / Math.PI;
  return degrees < 360 ? `${Number(degrees.toPrecision(2))}°` : `${Math.round(degrees / 360)} turns`;
}

function build(ui) {
  const speeds = ui.model.get("speeds");
  const text = (x, y, words, more = {}) => svg("text", { x, y, "text-anchor": "middle", ...more }, words);
  const [start, end] = ["start", "end"].map((side) => ({ "text-anchor": side }));
  const heads = list(COLUMNS, (i) => text(LEFT + STEP * i, 14, ""));
  const turns = speeds.map((_, k) => text(342, TOP + HIGH * k + 4, "", end));
  const hands = list(COLUMNS, () => speeds.map(() => svg("path", { d: "M0 4V-11M0 -17l4 8h-8z", style: INK })));
  const dials = hands.flatMap((column, i) =>
    column.map((hand, k) => {
      const place = `translate(${LEFT + STEP * i} ${TOP + HIGH * k})`;
      return svg("g", { transform: place }, svg("circle", { r: RADIUS, style: RIM }), hand);
    }),
  );
  const names = speeds.map((_, k) => text(0, TOP + HIGH * k + 4, `hand ${k}`, start));
  const box = { class: "tl-chart tl-clocks", viewBox: `0 0 342 ${TOP + HIGH * speeds.length - 20}`, role: "img" };
  const ends = [text(0, 14, "position", start), text(342, 14, "turns by", end)];
  const picture = svg("svg", box, ...ends, ...heads, ...names, ...turns, ...dials);
  let before = 0;

  /** @param {ClocksFrame} frame */
  function draw({ position, apart, angles }) {
    const transition = apart === before ? "transform .25s" : "none";
    before = apart;
    for (const [i, t] of positions({ position, apart }).entries()) {
      heads[i].textContent = `${t}`;
      for (const [k, hand] of hands[i].entries())
        Object.assign(hand.style, { transition, transform: `rotate(${angles[i][k]}rad)` });
    }
    for (const [k, speed] of speeds.entries()) turns[k].textContent = turn(speed * apart);
    const told = turns.map(({ textContent }, k) => `hand ${k} ${textContent}`).join(", ");
    const pairs = angles[0].map((angle) => `(${number(Math.sin(angle))}, ${number(Math.cos(angle))})`).join(" ");
    picture.setAttribute("aria-label", `Six dials for each hand. From one to the next they turn by: ${told}.`);
    return `Position ${position}, sine and cosine of each hand: ${pairs}`;
  }

  function numbers({ position, apart, angles }) {
    const columns = speeds.flatMap((_, k) => [`sine ${k}`, `cosine ${k}`]);
    const values = angles.flatMap((row) => row.flatMap((angle) => [Math.sin(angle), Math.cos(angle)]));
    return [matrix("Sine and cosine of each hand", positions({ position, apart }).map(String), columns, values)];
  }

  return { main: [picture], side: [player(ui, "position", PACE)], draw, numbers };
}

export default widget("position_clocks", build, compute);
