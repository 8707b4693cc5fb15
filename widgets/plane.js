/** What the later steps of the stepper need: arrows laid end to end, the light that runs, the verdict. */
import { list, svg } from "./pictures.js";

const [WIDE, HIGH, LEFT, FLOOR, ROOM] = [330, 230, 52, 190, 168];
const STYLE = `.tl-arrow { stroke: currentcolor; fill: currentcolor; }
.tl-arrow path { vector-effect: non-scaling-stroke; }
.tl-arrow * { transition: transform 1.2s; }
.tl-at-rest * { transition: none; }
.tl-arrow path + path { stroke: none; fill: currentcolor; }
.tl-arrow.tl-query path:first-child { stroke-width: 7; opacity: .45; }
.tl-moves .tl-name { fill: currentcolor; text-anchor: middle; }
.tl-moves :is(.tl-old, .tl-name) { color: var(--tl-soft); }
.tl-moves .tl-arrow.tl-aim { color: var(--tl-line); }
.tl-moves .tl-query { color: var(--tl-query); font-weight: 700; }
.tl-moves .tl-value { color: var(--tl-value); }
.tl-moves circle { fill: var(--tl-query); }
.tl-moves .tl-diagonal { stroke-dasharray: 4 4; }
.tl-moves .tl-end { text-anchor: end; }`;
/** How long a letter of a name is and how high, and how far from its place the name may stand. */
const [LETTER, LINE, RINGS] = [7.7, 16, [7, 20]];

/** An arrow that can be laid anywhere, and its name. */
function arrow(role) {
  const [shaft, tip] = [svg("path", { d: "M0 0H1" }), svg("path", { d: "M0 0l-9 4.5v-9" })];
  const label = svg("text", { class: `tl-name tl-${role}` });
  const element = svg("g", { class: `tl-arrow tl-${role}` }, shaft, tip);
  /** @param {number[]} from @param {number[]} to */
  function lay([x1, y1], [x2, y2], angle = Math.atan2(y2 - y1, x2 - x1)) {
    const [length, turn] = [Math.hypot(x2 - x1, y2 - y1), `rotate(${angle}rad)`];
    element.style.opacity = length < 3 ? "0" : "1";
    shaft.style.transform = `translate(${x1}px,${y1}px) ${turn} scaleX(${Math.max(length - 4, 0)})`;
    tip.style.transform = `translate(${x2}px,${y2}px) ${turn}`;
  }
  return { element, lay, label };
}

/** Draw names on no line and on no other name, as near to their places as possible. */
function write(names, lines, taken) {
  const inked = lines.flatMap(([[x1, y1], [x2, y2]]) =>
    list(41, (n) => [x1 + ((x2 - x1) * n) / 40, y1 + ((y2 - y1) * n) / 40]),
  );
  for (const { label, text, at } of names) {
    label.textContent = text;
    if (!text) continue;
    const [w, h] = [(LETTER * text.length) / 2 + 2, LINE / 2];
    const costs = RINGS.flatMap((far) =>
      list(8, (n) => {
        const [dx, dy] = [Math.cos((n * Math.PI) / 4), Math.sin((n * Math.PI) / 4)];
        const [x, y] = [at[0] + dx * (w + far), at[1] + dy * (h + far)];
        const isOut = x - w < 0 || x + w > WIDE || y - h < 0 || y + h > HIGH;
        const met = inked.filter(([px, py]) => Math.abs(px - x) < w + 3 && Math.abs(py - y) < h + 2).length;
        const over = taken.filter((other) => Math.abs(other.x - x) < w + other.w && Math.abs(other.y - y) < LINE);
        return { x, y, w, cost: 99 * Number(isOut) + met + 40 * over.length + far / 9 };
      }),
    );
    const best = costs.reduce((a, b) => (b.cost < a.cost ? b : a));
    taken.push(best);
    label.setAttribute("x", `${best.x}`);
    label.setAttribute("y", `${best.y + 4}`);
  }
}

/** A plane with room for ten steps, from where a word was to where it is. @type {Plane} */
export function plane() {
  const shares = list(10, () => arrow("value"));
  const [old, now] = [arrow("old"), arrow("query")];
  const aims = list(2, () => arrow("aim"));
  const [across, upward] = [
    svg("text", { x: WIDE - 4, y: FLOOR + 16, class: "tl-end" }),
    svg("text", { x: LEFT + 6, y: 12 }),
  ];
  const dot = svg("circle", { r: 4 });
  const axes = svg("path", { class: "tl-rule", d: `M0 ${FLOOR}H${WIDE}M${LEFT} 0V${HIGH}` });
  const ticks = svg("g", { class: "tl-ticks" });
  const diagonal = svg("path", { class: "tl-rule tl-diagonal", d: `M${LEFT} ${FLOOR}l${ROOM} ${-ROOM}` });
  const all = [...aims, now, old, ...shares];
  const box = { class: "tl-chart tl-moves", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" };
  const drawn = all.map(({ element }) => element);
  const names = all.map(({ label }) => label);
  const element = svg(
    "svg",
    box,
    svg("style", {}, STYLE),
    axes,
    diagonal,
    ticks,
    across,
    upward,
    ...drawn,
    dot,
    ...names,
  );

  function draw({ words, gives, features, x, i, steps, moves, isNew }) {
    const asks = moves ? words[i] : "";
    const places = x.map((row) => gives.map((name) => row[features.indexOf(name)] ?? 0));
    const start = asks ? places[i] : [0, 0];
    const others = [1, 5].filter((j) => j !== i && places[j]); // cat, mat
    const targets = others.map((j) => ({ name: words[j], at: places[j] }));
    const chain = [start];
    for (const [x, y] of steps) chain.push([chain.at(-1)[0] + x, chain.at(-1)[1] + y]);
    const numbers = [...chain, ...targets.map(({ at }) => at)].flat();
    const unit = ROOM / Math.max(1, ...numbers, ...numbers.map((each) => -4 * each));
    const put = ([x, y]) => [LEFT + unit * x, FLOOR - unit * y];
    const [zero, was, end] = [[0, 0], start, chain.at(-1)].map(put);
    /** @type {any[]} */
    const lines = [];
    /** @type {any[]} */
    const written = [];
    const isLong = (from, to, least = 3) => Math.hypot(to[0] - from[0], to[1] - from[1]) > least;
    function set({ lay, label }, from, to, text, at = to) {
      lay(from, to);
      if (isLong(from, to)) lines.push([from, to]);
      written.push({ label, text, at });
    }
    const shown = (target) => (target && isLong(zero, put(target.at)) ? target.name : "");
    diagonal.style.opacity = targets.filter(shown).length > 1 ? "1" : "0";
    for (const [j, each] of aims.entries()) set(each, zero, put(targets[j]?.at ?? [0, 0]), shown(targets[j]));
    set(old, zero, was, asks && `old ${asks}`);
    set(now, zero, end, asks ? `new ${asks}` : "sum");
    for (const [j, each] of shares.entries()) {
      const [from, to] = [j, j + 1].map((n) => put(chain[n] ?? chain.at(-1)));
      const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
      set(each, from, to, isLong(from, to, 20) ? words[j] : "", middle);
    }
    // From where the word was, its arrow swings to where it is.
    dot.setAttribute("transform", `translate(${was})`);
    dot.style.opacity = asks ? "1" : "0";
    if (asks && isNew) {
      element.classList.add("tl-at-rest");
      now.lay(zero, was, isLong(zero, was) ? undefined : Math.atan2(end[1] - zero[1], end[0] - zero[0]));
      element.getBoundingClientRect(); // there it begins
      element.classList.remove("tl-at-rest");
      now.lay(zero, end);
    }
    element.setAttribute("aria-label", `${asks ? `${asks} moves` : "What is collected"}: ${gives.join(" and ")}`);
    const every = unit < 40 ? 2 : 1;
    const stops = list(Math.floor(ROOM / unit / every), (n) => every * (n + 1));
    ticks.replaceChildren(
      ...stops.flatMap((n) => [
        svg("path", { class: "tl-rule", d: `M${LEFT + unit * n} ${FLOOR}v4M${LEFT} ${FLOOR - unit * n}h-4` }),
        svg("text", { x: LEFT + unit * n, y: FLOOR + 15, "text-anchor": "middle" }, `${n}`),
        svg("text", { x: LEFT - 8, y: FLOOR - unit * n + 4, "text-anchor": "end" }, `${n}`),
      ]),
    );
    across.textContent = `${gives[0]} →`;
    upward.textContent = `${gives[1]} ↑`;
    lines.push([zero, [WIDE, FLOOR]], [zero, [LEFT, 0]]);
    const numbered = stops.flatMap((n) => [
      { x: LEFT - 12, y: FLOOR - unit * n, w: 8 },
      { x: LEFT + unit * n, y: FLOOR + 11, w: 8 },
    ]);
    write(written, lines, [{ x: LEFT + 36, y: 8, w: 34 }, ...numbered]);
  }
  return { element, draw };
}

/** Run the light over what is not 0 once, unless the reader prefers no motion. */
export function sweep(values, at, mark) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return 0;
  const rest = [...at];
  const isSeen = (value) => Math.abs(value) > 0.005 && Number.isFinite(value);
  const seen = values.flatMap((row, i) => row.flatMap((value, j) => (isSeen(value) ? [[i, j]] : [])));
  let k = 0;
  const beat = setInterval(() => {
    if (k >= seen.length) clearInterval(beat);
    mark(...(seen[k] ?? rest));
    k += Math.ceil(seen.length / 10);
  }, 230);
  return beat;
}

/** Return the word that gets most of the weight in the end, in a sentence, or that none stands out. */
export function verdict({ words, weights, i, causal }, best, head) {
  if (weights[i].some((weight, j) => j !== best && 2 * weight > weights[i][best]))
    return `Still undecided${causal ? ": what comes later is hidden" : ""}.`;
  const isWho = !head && words[i] === "it" && ["cat", "mat"].includes(words[best]);
  return isWho ? `So it is the ${words[best]}.` : `So ${words[i]} has found ${words[best]}.`;
}
