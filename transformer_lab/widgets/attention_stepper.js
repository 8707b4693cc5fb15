/** The stepper: one sentence on its way through attention, with every number in sight. */
import { player, slider } from "./controls.js";
import { matrix, widget } from "./kit.js";
import { clamp, h, heatMap, line, list, named, number, same, word } from "./pictures.js";
import { plane } from "./plane.js";

const PACE = 3200; // of the film, a step
/** What the first reading does without. */
const MORE = ["layer", "length", "heads", "head", "d_k", "scaled", "causal", "features"];

const times = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, i) => sum + x * b[i][j], 0)));
const turned = (a) => a[0].map((_, j) => a.map((row) => row[j]));
const total = (numbers) => numbers.reduce((a, b) => a + b, 0);
const spoken = ({ beginning }, { ending, length }) => [...beginning, ending].slice(0, length);

/** Read the sentence as the kernel would; but a learner's attention is in the kernel only. */
function compute(state, { own }) {
  const { example, ending, length, heads, d_k, scaled, causal, features } = state;
  if (same(own, [ending, length, heads, d_k, scaled, causal, features])) return {};
  if (own) return { trouble: example.needs };
  const words = spoken(example, state).map((each) => each.toLowerCase());
  const changed = (each, n) => features.find(([name, axis]) => name === each && axis === example.features[n])?.[2];
  const x = [words.map((each) => example.vectors[each].map((value, n) => changed(each, n) ?? value))];
  const layers = list(2, (layer) => {
    const done = example.heads.slice(0, heads).map((head, n) => {
      const [q, k] = [head.query, head.key].map((W, which) =>
        times(x[layer], W).map((row, i) => {
          const rest = example.noise[words[i]][which];
          return [...row, ...rest.slice(rest.length - n), ...rest].slice(0, d_k);
        }),
      );
      const v = times(x[layer], head.value);
      const scores = times(q, turned(k)).map((row) => row.map((score) => score / (scaled ? Math.sqrt(d_k) : 1)));
      const weights = scores.map((row, i) => {
        const most = Math.max(...row.slice(0, causal ? i + 1 : length));
        const powers = row.map((score, j) => (causal && j > i ? 0 : Math.exp(score - most)));
        return powers.map((power) => power / total(powers));
      });
      const output = times(weights, v);
      return { q, k, v, scores, weights, output, added: times(output, head.writes) };
    });
    x.push(x[layer].map((row, i) => row.map((value, j) => value + total(done.map(({ added }) => added[i][j])))));
    return done;
  });
  const all = example.each.map((name) => [name, layers.map((done) => done.map((head) => head[name]))]);
  return { x, own, ...Object.fromEntries(all) };
}

/** Write a number so that it fits a cell. */
function short(value) {
  if (Number.isInteger(value)) return `${value}`;
  return Math.abs(value) >= 10 ? value.toFixed(1) : number(value);
}
const signed = (value) => (value < 0 ? `(${short(value)})` : short(value));

function build(ui) {
  const { model } = ui;
  const example = model.get("example");
  ui.row("asks")?.classList.add("tl-who");
  const labels = [...(ui.row("asks")?.querySelectorAll("label") ?? [])];

  // The step: forward, back, or all of them as a film.
  const [back, next] = ["Back", "Next"].map((text, i) => {
    const button = h("button", { type: "button", class: "tl-button" }, text);
    ui.on(button, "click", () => ui.move({ step: clamp(model.get("step") + 2 * i - 1, 1, example.steps.length) }));
    return button;
  });
  const title = h("b");
  const steering = h("div", { class: "tl-row" }, back, next, player(ui, "step", PACE), title);
  const rows = h("div", { class: "tl-controls" }, ...MORE.map((name) => ui.row(name) ?? ""));
  const more = h("details", { class: "tl-more" }, h("summary", {}, "Layers, heads, widths, mask, your numbers"), rows);
  more.open = innerWidth > 1220 && (model.get("heads") > 1 || model.get("causal")); // what a later page is about

  // Up to three tables, a product's factors left and above, so that row and column meet in the result.
  const parts = ["left", "top", "result"].map((place, n) => {
    const choose = (i, j) => {
      clearInterval(beat);
      light(n === 1 ? result.map.at[0] : i, n ? j : result.map.at[1]);
    };
    const map = heatMap(ui, { choose, corner: "row ↓ column →", most: 10 });
    const heading = line("title");
    const element = h("div", { class: `tl-part tl-${place}` }, heading, map.element);
    return { map, heading, element, rows: [], columns: [], values: [], hides: [] };
  });
  const [left, top, result] = parts;
  const picture = h("div", { class: "tl-picture" });
  const stage = h("div", { class: "tl-stage" }, ...parts.map(({ element }) => element), picture);
  const readout = line("readout");
  const showEdits = edits(ui);
  ui.watch("heads", () => ui.move({ head: model.get("heads") }));
  ui.watch("head", () => ui.move({ heads: Math.max(model.get("head"), model.get("heads")) }));
  let step = example.steps[0];
  /** What tables may have for rows, columns and values, and sentences for words. */
  let names = {};
  let place = ""; // of which a cell was chosen
  let beat = 0;
  /** @type {ReturnType<Plane> | undefined} */
  let drawn;
  ui.end.addEventListener("abort", () => clearInterval(beat));

  /** Write and colour a table, or leave its place empty. */
  function fill(part, table) {
    const { map, element } = part;
    element.hidden = !table;
    if (!table) return;
    const [title, rows, columns, from, role, scale, keys] = table;
    Object.assign(part, { rows: names[rows], columns: names[columns] });
    const [name, ...turns] = from.split(" ");
    const whole = turns.reduce((values, turn) => (turn === "T" ? turned(values) : [values[names.i]]), names[name]);
    part.values = part.rows.map((_, i) => whole[i].slice(0, part.columns.length));
    const flat = part.values.flat();
    const most = (j) => Math.max(scale, ...(role === "bars" ? turned(part.values)[j] : flat).map(Math.abs));
    const asking = (i) => (part.rows.length > 1 ? i : names.i);
    const isHidden = (i, j) => names.causal && keys && (keys === "rows" ? i > names.i : j > asking(i));
    part.hides = part.values.flatMap((row, i) => row.map((_, j) => isHidden(i, j)));
    part.heading.replaceChildren(...named(title));
    element.dataset.role = role;
    element.style.setProperty("--tone", `var(--tl-${role}, var(--tl-ink))`);
    map.draw({
      label: title,
      rows: part.rows,
      columns: part.columns,
      values: flat,
      blocked: part.hides,
      say: (i, j) => `${part.rows[i]}, ${part.columns[j]}:`,
      show: (value) => short(value).replace(/^(-?)0\./, "$1."),
    });
    for (const [k, cell] of map.cells().entries()) {
      const share = Math.abs(flat[k]) / most(k % part.columns.length);
      cell.style.setProperty("--share", `${80 * share}%`);
      cell.classList.toggle("tl-minus", flat[k] < 0);
      cell.classList.toggle("tl-dark", share > 0.6 && role !== "bars");
    }
  }

  /** Light the row and the column that make a cell, and say how. */
  function light(i, j) {
    result.map.point(i, j);
    const [row, column] = result.map.at;
    for (const [k, cell] of left.map.cells().entries())
      cell.classList.toggle("tl-lit", Math.floor(k / left.columns.length) === row);
    for (const [k, cell] of top.map.cells().entries())
      cell.classList.toggle("tl-lit", k % top.columns.length === column);
    const here = result.values[row];
    const isProduct = !left.element.hidden;
    const [a, b] = isProduct ? [left.values[row], turned(top.values)[column]] : [[], []];
    if (isProduct) left.map.point(row, left.map.at[1]);
    if (isProduct) top.map.point(top.map.at[0], column);
    const whole = here[column] * (names.scaled ? Math.sqrt(names.d_k) : 1);
    const said = {
      ...names,
      ...here.map(short),
      row: result.rows[row],
      column: result.columns[column],
      value: short(here[column]),
      product: a.map((x, n) => `${signed(x)} · ${signed(b[n])}`).join(" + "),
      whole: short(whole),
      noise: names.d_k > 4 ? ` + ${signed(whole - total(a.map((x, n) => x * b[n])))} of noise` : "",
      divided: names.scaled ? `, divided by √${names.d_k}` : "",
      all: number(here[1] / here[2]),
      given: names.gives.map((name, n) => `${short(here[n + 1])} ${name}`).join(" and "),
    };
    const isOther = result.hides[row * here.length + column] || said.row === "sum";
    const pieces = step.says[Number(isOther)].split(/\{(.*?)\}/).map((piece, n) => {
      const [role, name] = piece.split(":");
      return n % 2 && name ? word(role, said[name]) : n % 2 ? `${said[role]}` : piece;
    });
    readout.replaceChildren(...pieces);
  }
  /** Run the highlight over the result once, unless the reader prefers no motion. */
  function run(i, j) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [count, width] = [result.hides.length, result.columns.length];
    const pace = Math.ceil(count / 10);
    const stride = pace + Number(pace % width === 0); // or it would stay in the first column
    let k = 0;
    beat = setInterval(() => {
      if (k >= count) clearInterval(beat);
      light(...(k < count ? [Math.floor(k / width), k % width] : [i, j]));
      k += stride;
    }, PACE / 14);
  }

  function draw(frame) {
    clearInterval(beat);
    const layer = Number(model.get("layer") === "second");
    const at = Math.min(model.get("head"), frame.heads) - 1;
    const head = example.heads[at];
    const words = spoken(example, frame);
    const i = Math.min(model.get("stops").asks.indexOf(model.get("asks")), words.length - 1);
    const own = Object.fromEntries(example.each.map((name) => [name, frame[name][layer][at]]));
    const { scores, weights, output } = own;
    const [x, after] = frame.x.slice(layer);
    const asks = words[i];
    const shares = own.v.map((value, j) => value.map((each) => weights[i][j] * each));
    const added = list(frame.heads, (n) => times([frame.output[layer][n][i]], example.heads[n].writes)[0]);
    step = example.steps[model.get("step") - 1];
    names = {
      ...frame,
      ...example,
      ...head,
      ...own,
      i,
      x,
      words,
      sought: example.sought.slice(0, frame.d_k),
      asks: [asks],
      terms: [...words, "sum"],
      weighted: ["weight", ...head.gives],
      added: [`old ${asks}`, ...added.map((_, n) => `+ head ${n + 1}`), `new ${asks}`],
      old: `(${x[i].map(short).join(", ")})`,
      new: `(${after[i].map(short).join(", ")})`,
      powers: scores[i].map((score, j) => [score, frame.causal && j > i ? 0 : Math.exp(score), weights[i][j]]),
      shares: [...shares.map((share, j) => [weights[i][j], ...share]), [1, ...output[i]]],
      moved: [x[i], ...added, after[i]],
    };
    const where = layer ? ["layer 2"] : [];
    if (frame.heads > 1) where.push(`head ${at + 1} (${head.name})`);
    const note = h("small", {}, where.join(", "));
    title.replaceChildren(`${model.get("step")} of ${example.steps.length}: ${step.name} `, note);
    for (const [j, label] of labels.entries()) {
      const share = model.get("step") > 4 ? (weights[i][j] ?? 0) : 0;
      label.hidden = j >= words.length;
      label.style.setProperty("--share", `${80 * share}%`);
      label.dataset.share = share > 0.02 ? share.toFixed(2) : "";
      label.classList.toggle("tl-dark", share > 0.6);
    }
    if (words[9]) labels[9].lastChild.textContent = ` ${frame.ending}`;
    for (const [n, part] of parts.entries()) fill(part, step.tables.at(n - 3));
    stage.dataset.step = step.name;
    const moves = step.name === "move";
    const start = head.gives.map((name) => (moves ? (x[i][example.features.indexOf(name)] ?? 0) : 0));
    const draws = { words, axes: head.gives, steps: shares, start, asks: moves ? asks : "" };
    function show() {
      drawn ??= plane();
      picture.replaceChildren(drawn.element);
      drawn.draw(draws);
    }
    picture.hidden = !moves && step.name !== "sum";
    if (!picture.hidden) ui.more ? ui.more("plane").then(show) : show();
    const best = weights[i].indexOf(Math.max(...weights[i]));
    const now = [step.name, i, layer].join();
    const first = step.first.map((at) => ({ asks: i, best })[at] ?? at);
    light(...(now === place ? result.map.at : first));
    if (place && !place.startsWith(step.name) && !left.element.hidden) run(...first);
    place = now;
    showEdits();
    return readout.textContent ?? "";
  }
  const numbers = () =>
    parts
      .filter(({ element }) => !element.hidden)
      .map(({ heading, rows, columns, values }) => matrix(heading.textContent ?? "", rows, columns, values.flat()));
  const main = [steering, ui.row("step") ?? "", ui.row("asks") ?? "", readout, stage];
  return { side: [more], main, draw, numbers };
}

/** The control of the numbers that a reader changes: of which word and feature, and a slider. */
function edits(ui) {
  const { model } = ui;
  const stops = model.get("stops").features;
  const { vectors, features } = model.get("example");
  const names = stops.words.flatMap((each) => features.map((axis) => `${each}: ${axis}`));
  const label = model.get("labels").features;
  const select = h("select", { "aria-label": label }, ...names.map((name) => h("option", {}, name)));
  const chosen = () => select.value.split(": ");
  const others = (isHere) => model.get("features").filter((each) => same(each.slice(0, 2), chosen()) === isHere);
  const { row, show } = slider({
    ui,
    name: "features",
    id: `${ui.id}-number`,
    label: "Its number",
    offer: () => stops,
    get: () => others(true)[0]?.[2] ?? vectors[chosen()[0]][features.indexOf(chosen()[1])],
    set: (value) => ui.move({ features: [...others(false), [...chosen(), value]] }),
  });
  ui.row("features")?.append(select, row);
  ui.on(select, "change", show);
  return show;
}

export default widget("attention_stepper", build, compute);
