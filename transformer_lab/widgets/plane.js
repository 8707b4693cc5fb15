/** Arrows laid end to end: what a word collects, and how that moves it. */
import { list, svg } from "./pictures.js";

const [WIDE, HIGH, LEFT, FLOOR, ROOM] = [330, 240, 52, 196, 172];

/** An arrow that can be laid anywhere. */
function arrow(role) {
  const [shaft, tip, label] = [svg("path", { d: "M0 0H1" }), svg("path", { d: "M0 0l-9 4v-8" }), svg("text")];
  const element = svg("g", { class: `tl-arrow tl-${role}` }, shaft, tip, label);
  /** @param {number[]} from @param {number[]} to */
  function lay([x1, y1], [x2, y2], words = "", isEnd = false) {
    const [length, turn] = [Math.hypot(x2 - x1, y2 - y1), `rotate(${Math.atan2(y2 - y1, x2 - x1)}rad)`];
    element.style.opacity = length < 3 ? "0" : "1";
    shaft.style.transform = `translate(${x1}px,${y1}px) ${turn} scaleX(${length})`;
    tip.style.transform = `translate(${x2}px,${y2}px) ${turn}`;
    const below = y1 - y2 > x2 - x1 ? -4 : 19; // beside the arrows before it
    const [x, y] = isEnd ? [x2, y2 + below] : [(x1 + x2) / 2, (y1 + y2) / 2 - 6];
    label.style.transform = `translate(${x + 5}px,${y}px)`;
    label.textContent = length < 3 ? "" : words;
  }
  return { element, lay };
}

/** A plane with room for ten steps, from where a word was to where it is. @type {Plane} */
export function plane() {
  const shares = list(10, () => arrow("value"));
  const [old, now] = [arrow("old"), arrow("query")];
  const [across, upward] = [
    svg("text", { x: WIDE - 4, y: FLOOR + 16, class: "tl-end" }),
    svg("text", { x: LEFT + 6, y: 12 }),
  ];
  const axes = svg("path", { class: "tl-rule", d: `M0 ${FLOOR}H${WIDE}M${LEFT} 0V${HIGH}` });
  const arrows = [now, old, ...shares].map(({ element }) => element);
  const box = { class: "tl-chart tl-moves", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" };
  const element = svg("svg", box, axes, across, upward, ...arrows);

  function draw({ words, axes, steps, start, asks }) {
    const chain = [start];
    for (const [x, y] of steps) chain.push([chain.at(-1)[0] + x, chain.at(-1)[1] + y]);
    const all = chain.flat();
    const unit = ROOM / Math.max(1, ...all, ...all.map((each) => -4 * each));
    const put = ([x, y]) => [LEFT + unit * x, FLOOR - unit * y];
    across.textContent = `${axes[0]} →`;
    upward.textContent = `${axes[1]} ↑`;
    for (const [j, { lay }] of shares.entries()) {
      const isLong = steps[j] && unit * Math.hypot(...steps[j]) > 30; // there is room for its name
      lay(put(chain[j] ?? start), put(chain[j + 1] ?? start), isLong ? words[j] : "");
    }
    old.lay(put([0, 0]), put(start), asks && `old ${asks}`, true);
    now.lay(put([0, 0]), put(chain.at(-1)), asks ? `new ${asks}` : "sum", true);
    element.setAttribute("aria-label", `${asks ? `${asks} moves` : "What is collected"}: ${axes.join(" and ")}`);
  }
  return { element, draw };
}
