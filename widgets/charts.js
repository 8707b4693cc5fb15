/** Lines or bars over x. */
import { clamp, list, parts, svg } from "./pictures.js";

/** Write a name with its indices in a picture. */
export const drawn = (name) =>
  parts(
    name,
    (text) => svg("tspan", {}, text),
    (letter, low) =>
      svg(
        "tspan",
        {},
        svg("tspan", { "font-style": "italic" }, letter),
        svg("tspan", { dy: 3, "font-size": ".75em" }, low),
      ),
  );

const WIDE = 340;
const HIGH = 190;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, WIDE - 10, 24, HIGH - 34]; // of the field that is drawn on
const LINE = 13; // of text
const MIDDLE = { "text-anchor": "middle" };

const ticks = (low, high) => list(5, (i) => low + ((high - low) * i) / 4);
const short = (value) => String(Number(value.toPrecision(3)));
const text = (x, y, words, more = {}) => svg("text", { x, y, ...more }, ...drawn(`${words}`));

const scales = (first, last, low, high) => ({
  across: (value) => LEFT + ((RIGHT - LEFT) * (value - first)) / (last - first || 1),
  up: (value) => TOP + ((BOTTOM - TOP) * (high - clamp(value, low, high))) / (high - low),
});

/** A line for each number of y, with the number. */
const rules = ({ up }, low, high) =>
  ticks(low, high).flatMap((value) => [
    svg("line", { class: "tl-rule", x1: LEFT, x2: RIGHT, y1: up(value), y2: up(value) }),
    text(LEFT - 5, up(value) + 4, short(value), { "text-anchor": "end" }),
  ]);

/** A bar for each value; several series stand side by side. */
function bars({ across, up }, low, series) {
  const wide = 0.8 / series.length;
  const ground = up(Math.max(low, 0));
  return series.flatMap(({ y }, k) =>
    y.map((value, i) =>
      svg("rect", {
        class: `tl-s${k}`,
        x: across(i + 0.1 + k * wide),
        width: across(wide) - across(0),
        y: Math.min(up(value), ground),
        height: Math.abs(up(value) - ground),
      }),
    ),
  );
}

/** A line for each series, with gaps where there is no number. */
function curves({ across, up }, x, series) {
  return series.map(({ y }, k) => {
    const steps = y.map((value, i) => {
      if (!Number.isFinite(value)) return "";
      return `${Number.isFinite(y[i - 1]) ? "L" : "M"}${across(x[i])} ${up(value)}`;
    });
    return svg("path", { class: `tl-s${k}`, d: steps.join("") });
  });
}

/** The names of bars, above them. */
function legend(series) {
  if (series.length < 2) return [];
  const step = (RIGHT - LEFT - 40) / series.length;
  return series.flatMap(({ name }, k) => [
    svg("rect", { class: `tl-s${k}`, x: LEFT + 48 + step * k, y: 3, width: 12, height: 10 }),
    text(LEFT + 66 + step * k, 12, name),
  ]);
}

/** The name of each line at one of its ends, where they lie farther apart: the first above, others below. */
function labels({ up }, series) {
  if (series.length < 2) return [];
  const lines = series.map(({ y }) => y.filter(Number.isFinite).map(up));
  const spread = (at) => Math.max(...lines.map((line) => line.at(at))) - Math.min(...lines.map((line) => line.at(at)));
  const end = spread(0) > spread(-1) ? 0 : -1;
  const place = end ? { x: RIGHT - 2, "text-anchor": "end" } : { x: LEFT + 4 };
  const order = list(series.length, (k) => k).sort((a, b) => lines[a].at(end) - lines[b].at(end));
  let free = TOP - 6;
  return order.map((k, n) => {
    const count = Math.ceil(lines[k].length / 4); // as long as a name
    const near = end ? lines[k].slice(-count) : lines[k].slice(0, count);
    const wanted = n ? Math.max(...near) + LINE : Math.min(...near) - 5;
    const y = clamp(wanted, free, BOTTOM - 7 - LINE * (series.length - 1 - n));
    free = y + LINE;
    return text(place.x, y, series[k].name, { ...place, class: `tl-s${k}` });
  });
}

/** @type {Charts["chart"]} */
export function chart() {
  const element = svg("svg", { class: "tl-chart", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" });
  function draw({ label, x, series, low, high, xLabel = "", yLabel = "", bars: asBars = false, mark }) {
    const [first, last] = asBars ? [0, x.length] : [x[0], x[x.length - 1]];
    const to = scales(first, last, low, high);
    const at = to.across(mark);
    const names = asBars
      ? x.map((name, i) => [i + 0.5, name])
      : ticks(first, last).map((value) => [value, short(value)]);
    element.replaceChildren(
      ...rules(to, low, high),
      ...names.map(([value, name]) => text(to.across(value), BOTTOM + 14, name, MIDDLE)),
      text((LEFT + WIDE) / 2, HIGH - 4, xLabel, MIDDLE),
      text(2, 10, yLabel),
      ...(asBars ? bars(to, low, series) : curves(to, x, series)),
      ...(mark === undefined ? [] : [svg("line", { class: "tl-mark", x1: at, x2: at, y1: TOP, y2: BOTTOM })]),
      ...(asBars ? legend(series) : labels(to, series)),
    );
    element.setAttribute("aria-label", label);
  }
  return { element, draw };
}
