/** Clocks: a column for each position, and in it a dial for each hand, from fast to slow. */
import { player } from "./controls.js";
import { matrix, widget } from "./kit.js";
import { line, list, number, svg } from "./pictures.js";

const [COLUMNS, STEP, HIGH, LEFT, TOP, RADIUS] = [6, 38, 43, 68, 44, 17];
const PACE = 400; // milliseconds a position

const positions = ({ position, apart }) => list(COLUMNS, (i) => position + i * apart);
const compute = (state) => ({ angles: positions(state).map((t) => state.speeds.map((speed) => t * speed)) });

/** How far a hand turns from dial to dial. */
function turn(radians) {
  const degrees = (radians * 180) / Math.PI;
  return degrees < 360 ? `${Number(degrees.toPrecision(2))}°` : `${Math.round(degrees / 360)} rounds`;
}

function build(ui) {
  const speeds = ui.model.get("speeds");
  const text = (x, y, words, end = "middle") => svg("text", { x, y, "text-anchor": end }, words);
  const heads = list(COLUMNS, (i) => text(LEFT + STEP * i, 14, ""));
  const turns = speeds.map((_, k) => text(342, TOP + HIGH * k + 4, "", "end"));
  for (const told of turns) told.classList.add("tl-turns");
  const hands = list(COLUMNS, () => speeds.map(() => svg("path", { d: "M0 4V-11M0 -17l4 8h-8z" })));
  const dials = hands.flatMap((column, i) =>
    column.map((hand, k) => {
      const place = `translate(${LEFT + STEP * i} ${TOP + HIGH * k})`;
      return svg("g", { transform: place }, svg("circle", { r: RADIUS }), hand);
    }),
  );
  const names = speeds.map((_, k) => text(0, TOP + HIGH * k + 4, `hand ${k}`, "start"));
  const box = { class: "tl-chart tl-clocks", viewBox: `0 0 342 ${TOP + HIGH * speeds.length - 20}`, role: "img" };
  const ends = [text(0, 14, "position", "start"), text(342, 14, "turns by", "end")];
  const picture = svg("svg", box, ...ends, ...heads, ...names, ...turns, ...dials);
  const readout = line("readout");
  let before = 0;

  /** @param {ClocksFrame} frame */
  function draw({ position, apart, angles }) {
    picture.classList.toggle("tl-turning", apart === before);
    before = apart;
    for (const [i, t] of positions({ position, apart }).entries()) {
      heads[i].textContent = `${t}`;
      for (const [k, hand] of hands[i].entries()) hand.style.transform = `rotate(${angles[i][k]}rad)`;
    }
    for (const [k, speed] of speeds.entries()) turns[k].textContent = turn(speed * apart);
    const pairs = angles[0].map((angle) => `(${number(Math.sin(angle))},\u00a0${number(Math.cos(angle))})`);
    readout.textContent = `Added at position ${position}, sine and cosine of each hand: ${pairs.join(" ")}`;
    const told = turns.map(({ textContent }, k) => `hand ${k} ${textContent}`).join(", ");
    picture.setAttribute(
      "aria-label",
      `Dials of positions ${position}, ${position + apart} and so on. They turn by: ${told}.`,
    );
    return readout.textContent;
  }

  function numbers({ position, apart, angles }) {
    const columns = speeds.flatMap((_, k) => [`sine ${k}`, `cosine ${k}`]);
    const values = angles.flatMap((row) => row.flatMap((angle) => [Math.sin(angle), Math.cos(angle)]));
    return [matrix("Sine and cosine of each hand", positions({ position, apart }).map(String), columns, values)];
  }

  return { main: [picture], side: [player(ui, "position", PACE), readout], draw, numbers };
}

export default widget("position_clocks", build, compute);
