/** Rotary positions: a query and a key in three circles. Positions turn them; a reader can, too. */
import { slider } from "./controls.js";
import { matrix, widget } from "./kit.js";
import { h, line, number, same, svg } from "./pictures.js";

const [STEP, RADIUS, MIDDLE] = [113, 42, 88];
const NAMES = ["query", "key"];
const DEGREE = Math.PI / 180;
const centre = (n) => 57 + STEP * n;

/** The direction of an arrow before it is turned, in degrees. */
const given = ({ arrows, rope }, name, n) =>
  arrows.find((each) => same(each.slice(0, 2), [name, rope.pairs[n]]))?.[2] ?? rope.start[name][n];
const position = ({ before, distance }, name) => before + (name === "query" ? distance : 0);

function compute(state) {
  const [query, key] = NAMES.map((name) =>
    state.rope.speeds.flatMap((speed, n) => {
      const angle = given(state, name, n) * DEGREE + position(state, name) * speed;
      return [Math.cos(angle), Math.sin(angle)];
    }),
  );
  const products = state.rope.pairs.map((_, n) => query[2 * n] * key[2 * n] + query[2 * n + 1] * key[2 * n + 1]);
  return { query, key, products };
}

function build(ui) {
  const { model } = ui;
  const rope = model.get("rope");
  const unturned = (name, n) => given({ arrows: model.get("arrows"), rope }, name, n);
  const text = (x, y, words) => svg("text", { x, y, "text-anchor": "middle" }, words);

  const arrows = rope.pairs.flatMap((pair, n) =>
    ["key", "query"].map((name) => {
      const hand = svg("path", { d: `M0 0H${RADIUS}l-9 4v-8l9 4` });
      const grip = svg("circle", { class: "tl-grip", cx: RADIUS - 8, r: 16 });
      const label = text(0, 0, name[0]);
      const now = svg("g", {}, hand, grip);
      const element = svg("g", { class: `tl-${name}`, transform: `translate(${centre(n)} ${MIDDLE})` }, now, label);
      ui.on(grip, "pointerdown", ({ pointerId }) => {
        grip.setPointerCapture(pointerId);
        select.value = `${name}, ${pair}`;
        show();
      });
      ui.on(grip, "pointermove", (event) => grip.hasPointerCapture(event.pointerId) && follow(event, name, n));
      return { name, n, now, label, element };
    }),
  );
  const circles = rope.pairs.flatMap((pair, n) => [
    text(centre(n), 12, pair),
    text(centre(n), 25, rope.turns[n]),
    svg("circle", { class: "tl-rule", fill: "none", cx: centre(n), cy: MIDDLE, r: RADIUS }),
  ]);
  const products = rope.pairs.map((_, n) => text(centre(n), 160, ""));
  const box = { class: "tl-chart tl-circles", viewBox: "0 0 340 166", "aria-hidden": true };
  const picture = svg("svg", box, ...circles, ...arrows.map(({ element }) => element), ...products);
  const readout = line("readout");

  /** Point an arrow to where the pointer is. */
  function follow({ clientX, clientY }, name, n) {
    const { left, top, width } = picture.getBoundingClientRect();
    const unit = width / 340;
    const angle = Math.atan2(top + unit * MIDDLE - clientY, clientX - left - unit * centre(n));
    const degrees = (angle - position(model.get("frame"), name) * rope.speeds[n]) / DEGREE;
    point(name, rope.pairs[n], degrees - 360 * Math.round(degrees / 360));
  }
  function point(name, pair, degrees) {
    const others = model.get("arrows").filter((each) => !same(each.slice(0, 2), [name, pair]));
    ui.move({ arrows: [...others, [name, pair, Math.round(degrees)]] });
  }

  // For the keyboard: which arrow, and a slider that turns it.
  const names = NAMES.flatMap((name) => rope.pairs.map((pair) => h("option", {}, `${name}, ${pair}`)));
  const select = h("select", {}, ...names);
  const chosen = () => select.value.split(", ");
  const { row, show } = slider({
    ui,
    name: "arrows",
    id: `${ui.id}-angle`,
    label: "Its direction",
    offer: () => model.get("stops").arrows,
    get: () => unturned(chosen()[0], rope.pairs.indexOf(chosen()[1])),
    set: (degrees) => point(...chosen(), degrees),
  });
  ui.row("arrows")?.append(h("label", {}, `${model.get("labels").arrows}: `, select), row);
  ui.on(select, "change", show);

  /** @param {ArrowsFrame} frame */
  function draw(frame) {
    for (const { name, n, now, label } of arrows) {
      const [x, y] = frame[name].slice(2 * n);
      const angle = Math.atan2(y, x);
      now.setAttribute("transform", `rotate(${-angle / DEGREE})`);
      const side = angle + (name === "key" ? -0.14 : 0.14); // the labels stand apart
      label.setAttribute("x", `${1.22 * RADIUS * Math.cos(side)}`);
      label.setAttribute("y", `${4 - 1.22 * RADIUS * Math.sin(side)}`);
    }
    for (const [n, product] of frame.products.entries()) products[n].textContent = number(product);
    const score = number(frame.products.reduce((sum, product) => sum + Number(number(product)), 0)); // of what is shown
    const [query, key] = NAMES.map((name) => position(frame, name));
    readout.textContent = `Key (k) at position ${key}, query (q) at ${query}: they add up to a score of ${score}.`;
    show();
    return readout.textContent;
  }

  function numbers({ query, key }) {
    const columns = rope.pairs.flatMap((pair) => [`${pair} x`, `${pair} y`]);
    return [matrix("The turned arrows", NAMES, columns, [...query, ...key])];
  }

  return { main: [picture, readout], side: [], draw, numbers };
}

export default widget("rotary_arrows", build, compute);
