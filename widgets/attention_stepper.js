/** The stepper: one sentence on its way through attention, with every number in sight. */
import { edits } from "./edits.js";
import { matrix, widget } from "./kit.js";
import { clamp, h, heatMap, line, list, named, number, same } from "./pictures.js";
import { plane, sweep, verdict } from "./plane.js";
import { player } from "./player.js";

const PACE = 3200; // of the film, a beat
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
    const done = example.heads.slice(0, heads).map((head) => {
      const [q, k] = [head.query, head.key].map((W, which) =>
        times(x[layer], W).map((row, i) => {
          const again = (each, m) => each + row[m % 4] / Math.sqrt(1 + Math.sqrt(d_k / 4)); // softly
          return [...row, ...example.noise[words[i]][which].map(again)].slice(0, d_k);
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
  const size = Math.abs(value);
  if (value === -Infinity) return "−∞";
  if (size >= 1e7) return number(value);
  if (size >= 1e3) return Number(value.toPrecision(3)).toLocaleString("en");
  if (Number.isInteger(value)) return `${value}`;
  return size >= 10 ? value.toFixed(1) : number(value);
}
const largest = (numbers) => numbers.indexOf(Math.max(...numbers));
const signed = (value) => (value < 0 ? `(${short(value)})` : short(value));

function build(ui) {
  const { model } = ui;
  const example = model.get("example");
  const who = ui.row("asks") ?? h("div");
  who.classList.add("tl-who");
  const labels = [...who.querySelectorAll("label")];

  // The step: forward, back, or all of them as a film.
  const [back, next] = ["Back", "Next"].map((text, i) => {
    const button = h("button", { type: "button", class: "tl-button" }, text);
    ui.on(button, "click", () => ui.move({ step: clamp(model.get("step") + 2 * i - 1, 1, example.steps.length) }));
    return button;
  });
  const title = h("b");
  const play = player(ui, "step", (at) => PACE * example.steps[at - 1].rests);
  const steering = h("div", { class: "tl-row" }, back, next, play, title);
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
    /** @type {number[][]} */
    const values = [];
    return { map, heading, element, rows: [], columns: [], values, hides: [] };
  });
  const [left, top, result] = parts;
  const picture = h("div", { class: "tl-picture" });
  const stage = h("div", { class: "tl-stage" }, ...parts.map(({ element }) => element), picture);
  const readout = line("readout");
  /** @type {(() => void) | undefined} */
  let showEdits;
  ui.on(more, "toggle", async () => {
    if (ui.more) await ui.more("edits");
    showEdits ??= edits(ui);
    showEdits();
  });
  ui.watch("heads", () => ui.move({ head: model.get("heads") }));
  ui.watch("head", () => ui.move({ heads: Math.max(model.get("head"), model.get("heads")) }));
  let step = example.steps[0];
  /** What tables may have for rows, columns and values, and sentences for words. @type {any} */
  let names = {};
  let place = ""; // where all controls stood when a cell was chosen
  let before = ""; // the step that was shown then
  let beat = 0;
  let drawn; // the plane, when the reader has walked on
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
    const isBar = role === "bars";
    const scaled = isBar ? turned(part.values)[0] : flat; // the other bars are weights: shares of the sum
    const most = Math.max(scale, ...scaled.filter(Number.isFinite).map(Math.abs));
    const isLater = (i, j) => (keys === "rows" ? i > names.i : j > (part.rows[1] ? i : names.i));
    part.hides = part.values.flatMap((row, i) => row.map((_, j) => names.causal && keys && isLater(i, j)));
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
      const own = isBar && k % 3 ? flat[k - (k % 3) + 2] : Math.abs(flat[k]) / most;
      const share = part.hides[k] ? 0 : own;
      cell.style.setProperty("--share", `${isBar ? 40 : 80 * share}%`);
      cell.style.setProperty("--bar", isBar ? `${80 * share}%` : "");
      cell.classList.toggle("tl-minus", flat[k] < 0);
      cell.classList.toggle("tl-zero", Math.abs(flat[k]) < 0.005);
      cell.classList.toggle("tl-dark", share > 0.6 && !isBar);
    }
  }

  /** Light the row and the column that make a cell. */
  function mark(i, j) {
    result.map.point(i, j);
    const [row, column] = result.map.at;
    for (const [k, cell] of left.map.cells().entries())
      cell.classList.toggle("tl-lit", Math.floor(k / left.columns.length) === row);
    for (const [k, cell] of top.map.cells().entries())
      cell.classList.toggle("tl-lit", k % top.columns.length === column);
    if (left.element.hidden) return;
    left.map.point(row, left.map.at[1]);
    top.map.point(top.map.at[0], column);
  }
  /** Light a cell, and say how it is made. */
  function light(i, j) {
    mark(i, j);
    const [row, column] = result.map.at;
    const here = result.values[row];
    const [a, b] = left.element.hidden ? [[], []] : [left.values[row], turned(top.values)[column]];
    const whole = here[column] * (names.scaled ? Math.sqrt(names.d_k) : 1);
    const others = names.d_k > 4 && signed(whole - total(a.map((x, n) => x * b[n])));
    const said = {
      ...names,
      ...here.map(short),
      row: result.rows[row],
      column: result.columns[column],
      value: short(here[column]),
      product: a.map((x, n) => `${signed(x)} · ${signed(b[n])}`).join(" + "),
      whole: short(whole),
      rest: others ? ` + ${others}` : "",
      other: others ? ` ${others} ${example.other.replace("N", names.d_k - 4)}` : "",
      divided: names.scaled ? `, divided by √${names.d_k}` : "",
      given: names.gives.map((name, n) => `${short(here[n + 1])} ${name}`).join(" and "),
    };
    const isOther = result.hides[row * here.length + column] || said.row === "sum";
    const pieces = step.says[Number(isOther)].split(/\{(.*?)\}/).map((piece, n) => {
      const [role, name] = piece.split(":");
      if (n % 2 && name) return h(role === "sup" ? role : "b", { class: `tl-${role}` }, said[name]);
      return n % 2 ? `${said[role]}` : piece;
    });
    readout.replaceChildren(...pieces);
  }

  function draw(frame) {
    clearInterval(beat);
    step = example.steps[model.get("step") - 1];
    const layer = Number(step.is_second || model.get("layer") === "second");
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
    const isHidden = (i, j) => frame.causal && j > i;
    const scored = scores.map((row, i) => row.map((score, j) => (isHidden(i, j) ? -Infinity : score)));
    const powers = scored[i].map(Math.exp);
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
      added: [`old ${asks}`, ...added.map((_, n) => (added[1] ? `+ head ${n + 1}` : "+ collected")), `new ${asks}`],
      old: `(${x[i].map(short).join(", ")})`,
      new: `(${after[i].map(short).join(", ")})`,
      scores: scored,
      powers: powers.map((power, j) => [scored[i][j], power, weights[i][j]]),
      all: short(total(powers)),
      verdict: "",
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
      label.classList.toggle("tl-blocked", isHidden(i, j));
    }
    if (words[9]) labels[9].lastChild.textContent = ` ${frame.ending}`;
    for (const [n, part] of parts.entries()) fill(part, step.tables.at(n - 3));
    stage.className = `tl-stage ${step.look}`;
    const moves = step.name.startsWith("move");
    picture.hidden = !moves && step.name !== "sum";
    const now = JSON.stringify(Object.keys(model.get("stops")).map((name) => frame[name] ?? model.get(name)));
    const isNew = now !== place;
    const best = largest(weights[i]);
    let spot = result.map.at;
    if (isNew) {
      const [from, to] = step.first;
      const row = Math.min({ asks: i, best }[from] ?? from, result.rows.length - 1);
      const gain = moves ? x[i] : step.name === "sum" ? [1] : []; // what was there before, or is always
      const gained = result.values[row].map((each, n) => Math.abs(each - (gain[n] ?? 0)));
      spot = [row, { best, most: largest(gained), sought: largest(own.q[i].slice(0, 4)) }[to] ?? to];
    }
    const isOther = before && before !== step.name;
    [place, before] = [now, step.name];
    /** What a reader sees who walks on. */
    function follow() {
      drawn ??= plane();
      picture.replaceChildren(drawn.element);
      drawn.draw({ ...names, steps: shares, moves, isNew });
      names.verdict = verdict(names, best, at);
      light(...spot);
      if (isOther && !left.element.hidden) beat = sweep(result.values, spot, mark);
    }
    light(...spot);
    if (drawn || !ui.more) follow();
    else if (isOther || step !== example.steps[0]) ui.more("plane").then(follow);
    showEdits?.();
    return readout.textContent ?? "";
  }
  const numbers = () =>
    parts
      .filter(({ element }) => !element.hidden)
      .map(({ heading, rows, columns, values }) => matrix(heading.textContent ?? "", rows, columns, values.flat()));
  const main = [steering, ui.row("step") ?? "", who, readout, stage];
  return { side: [more], main, draw, numbers };
}

export default widget("attention_stepper", build, compute);
