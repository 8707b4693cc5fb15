/** The stepper: one sentence on its way through attention, with every number in sight. */
import { player } from "./controls.js";
import { matrix, widget } from "./kit.js";
import { clamp, h, line, list, number, svg, word } from "./pictures.js";

const [WIDE, HIGH, EDGE] = [340, 236, 26]; // of the plane
const PACE = 3200; // of the film, a step
const SMALL = 0.02; // a share of an arrow that is not drawn

const times = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, x, i) => sum + x * b[i][j], 0)));
const add = (a, b) => a.map((x, i) => x + b[i]);
const turned = (a) => a[0].map((_, j) => a.map((row) => row[j]));

function softmax(scores) {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / total);
}

/** Read the sentence as the kernel would; but a learner's attention is in the kernel only. */
function compute(state, { own }) {
  const { example, ending, length, heads, d_k, scaled, causal, features } = state;
  const at = [ending, length, heads, d_k, scaled, causal, features];
  if (own && JSON.stringify(own) === JSON.stringify(at)) return {};
  if (own) return { trouble: "Your attention needs Python: here it is shown for where the controls stood." };
  const words = [...example.beginning, ending].slice(0, length).map((each) => each.toLowerCase());
  const vectors = words.map((each) => [...example.vectors[each]]);
  for (const [name, feature, value] of features)
    for (const [i, each] of words.entries()) if (each === name) vectors[i][example.features.indexOf(feature)] = value;
  const filled = (rows, head, which) =>
    rows.map((row, i) => {
      const rest = example.noise[words[i]][which];
      const size = Math.max(d_k - row.length, 0);
      return [...row.slice(0, d_k), ...list(size, (n) => rest[(n - head + rest.length) % rest.length])];
    });
  const done = { x: [vectors], q: [], k: [], v: [], scores: [], weights: [], output: [], own: null };
  for (let layer = 0; layer < 2; layer++) {
    const x = done.x[layer];
    const made = example.heads.slice(0, heads).map(({ query, key, value, output: writes }, head) => {
      const [q, k, v] = [filled(times(x, query), head, 0), filled(times(x, key), head, 1), times(x, value)];
      const scores = times(q, turned(k)).map((row) => row.map((score) => score / (scaled ? Math.sqrt(d_k) : 1)));
      const weights = scores.map((row, i) => {
        const seen = softmax(causal ? row.slice(0, i + 1) : row);
        return row.map((_, j) => seen[j] ?? 0);
      });
      const output = times(weights, v);
      return { q, k, v, scores, weights, output, added: times(output, writes) };
    });
    for (const name of ["q", "k", "v", "scores", "weights", "output"]) done[name].push(made.map((one) => one[name]));
    done.x.push(made.reduce((sum, { added }) => sum.map((row, i) => add(row, added[i])), x));
  }
  return done;
}

const dotted = (value) => number(value).replace(/^(-?)0\./, "$1.");
const short = (value) => (Number.isInteger(value) ? `${value}` : number(value));
const cellText = (value) => (Number.isInteger(value) ? `${value}` : dotted(value));
const signed = (value) => (value < 0 ? `(${short(value)})` : short(value));
const product = (a, b) => a.map((x, i) => `${signed(x)} · ${signed(b[i])}`).join(" + ");

/** A table of numbers, each as dark as it is large. @param {Cells} cells */
function table({ name, role = "", rows, columns, values, show = cellText, scale, bars = false, hidden = () => false }) {
  const size = scale ?? Math.max(1, ...values.flat().map(Math.abs));
  const cell = (value, i, j) => {
    const share = hidden(i, j) ? 0 : Math.min(Math.abs(value) / size, 1);
    const kind = [value < 0 ? "tl-minus" : "", share > 0.6 ? "tl-dark" : "", hidden(i, j) ? "tl-off" : ""];
    const text = h("span", {}, hidden(i, j) ? "–" : show(value, i, j));
    return h("td", { class: kind.join(" "), style: `--share:${share.toFixed(3)}` }, text);
  };
  const head = h("tr", {}, h("td"), ...columns.map((each) => h("th", { scope: "col" }, h("span", {}, each))));
  const body = rows.map((each, i) =>
    h("tr", {}, h("th", { scope: "row" }, each), ...values[i].map((value, j) => cell(value, i, j))),
  );
  const element = h(
    "table",
    { class: `tl-matrix ${role && `tl-of-${role}`} ${bars ? "tl-bars" : ""}` },
    h("caption", {}, name),
    h("thead", {}, head),
    h("tbody", {}, ...body),
  );
  element.dataset.columns = `${columns.length}`;
  return element;
}

/** An arrow that can be laid anywhere. */
function arrow(role) {
  const [shaft, tip, label] = [
    svg("path", { d: "M0 0H100" }),
    svg("path", { d: "M0 0L-9 4.5V-4.5Z", class: "tl-tip" }),
    svg("text", {}),
  ];
  const element = svg("g", { class: `tl-arrow tl-${role}` }, shaft, tip, label);
  /** @param {Place} from @param {Place} to */
  function lay(from, to, words = "", side = 0, drop = -6) {
    const [[x1, y1], [x2, y2]] = [from, to];
    const [length, angle] = [Math.hypot(x2 - x1, y2 - y1), Math.atan2(y2 - y1, x2 - x1)];
    element.style.opacity = length < 3 ? "0" : "1";
    shaft.style.transform = `translate(${x1}px,${y1}px) rotate(${angle}rad) scaleX(${length / 100})`;
    tip.style.transform = `translate(${x2}px,${y2}px) rotate(${angle}rad)`;
    const along = side ? 0.5 : 1;
    const [dx, dy] = side ? [Math.abs(y2 - y1) > Math.abs(x2 - x1) ? 5 : -8, side] : [6, drop];
    label.style.transform = `translate(${x1 + along * (x2 - x1) + dx}px,${y1 + along * (y2 - y1) + dy}px)`;
    label.textContent = words;
  }
  return { element, lay };
}

/** A plane in which the word that asks is moved by what it has collected. */
function planeOf() {
  const [across, upward] = [svg("text", { class: "tl-axis" }), svg("text", { class: "tl-axis" })];
  const axes = svg("path", { class: "tl-rule" });
  const values = list(10, () => arrow("value"));
  const [old, total] = [arrow("old"), arrow("query")];
  const arrows = [...values, old, total].map(({ element }) => element);
  const element = svg(
    "svg",
    { class: "tl-chart tl-moves", viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img" },
    axes,
    ...arrows,
    across,
    upward,
  );

  /** Draw values as they are, their shares end to end from the start, or what comes of them. */
  function draw({ words, names, vectors, weights, start, end, asks, step }) {
    const chain = [step === "move" ? start : [0, 0]];
    for (const [j, vector] of vectors.entries())
      chain.push(
        add(
          chain[j],
          vector.map((each) => weights[j] * each),
        ),
      );
    const seen = [[0, 0], start, end, ...(step === "values" ? vectors : chain)];
    const [low, high] = [0, 1]
      .map((axis) => seen.map((place) => place[axis]))
      .reduce(
        ([lows, highs], all) => [
          [...lows, Math.min(...all)],
          [...highs, Math.max(...all, 1)],
        ],
        [[], []],
      );
    const unit = Math.min((WIDE - 3.2 * EDGE) / (high[0] - low[0]), (HIGH - 2.2 * EDGE) / (high[1] - low[1]));
    /** @returns {Place} */
    const put = ([x, y]) => [EDGE + unit * (x - low[0]), HIGH - EDGE - unit * (y - low[1])];
    const [x0, y0] = put([0, 0]);
    axes.setAttribute("d", `M4 ${y0}H${WIDE - 4}M${x0} 4V${HIGH - 4}`);
    const write = (text, words, at) => {
      for (const [name, value] of Object.entries(at)) text.setAttribute(name, `${value}`);
      text.textContent = words;
    };
    write(across, `${names[0]} →`, { x: WIDE - 4, y: y0 + 15, class: "tl-axis tl-end" });
    write(upward, `${names[1]} ↑`, { x: x0 + 6, y: 13 });
    for (const [j, { element, lay }] of values.entries()) {
      element.style.display = j < vectors.length ? "" : "none";
      if (j >= vectors.length) continue;
      const isWhole = step === "values";
      const size = Math.hypot(...vectors[j]) * (isWhole ? 1 : weights[j]);
      const label = size > (isWhole ? 0 : 4 * SMALL) ? words[j] : "";
      if (isWhole) lay(put([0, 0]), put(vectors[j]), label);
      else lay(put(chain[j]), put(chain[j + 1]), label, -5);
    }
    const from = put(chain[0]);
    if (step === "values") total.lay(from, from);
    else if (step === "sum") total.lay(from, put(chain.at(-1)), "sum", 0, 14);
    else total.lay(put([0, 0]), put(end), `new ${asks}`, 0, 14);
    old.lay(put([0, 0]), step === "move" ? put(start) : put([0, 0]), step === "move" ? `old ${asks}` : "");
    const told = { values: `The values of all words`, sum: `Their shares, laid end to end`, move: `${asks} moves` };
    element.setAttribute("aria-label", `${told[step]}, on the axes ${names.join(" and ")}`);
  }
  return { element, draw };
}

function build(ui) {
  const { model } = ui;
  const { features, sought, steps, heads: made, beginning } = model.get("example");
  const sentence = ui.row("asks");
  const labels = [...(sentence?.querySelectorAll("label") ?? [])];
  const marks = labels.map((label) => {
    const [text, share] = [h("span"), h("small")];
    label.lastChild?.replaceWith(text, share);
    label.classList.add("tl-piece");
    return { label, text, share };
  });
  sentence?.classList.add("tl-sentence");

  // The step: forward, back, or all of them as a film.
  const go = (by) => () => ui.move({ step: clamp(model.get("step") + by, 1, steps.length) });
  const [back, next] = ["Back", "Next"].map((text, i) => {
    const button = h("button", { type: "button", class: "tl-button" }, text);
    ui.on(button, "click", go(2 * i - 1));
    return button;
  });
  const title = h("b");
  const film = player(ui, "step", PACE);
  const track = ui.row("step") ?? "";
  const steering = h("div", { class: "tl-row tl-steering" }, back, next, film, title, track);

  const headings = h("div", { class: "tl-row tl-heads", role: "group", "aria-label": "Head that is shown" });
  const headButtons = made.map(({ name }, head) => {
    const button = h("button", { type: "button", class: "tl-button" }, `head ${head + 1}: ${name}`);
    ui.on(button, "click", () => {
      shown = head;
      draw(seen);
    });
    return button;
  });
  headings.append(...headButtons);

  const stage = h("div", { class: "tl-stage" });
  const plane = planeOf();
  const scene = h("div", { class: "tl-scene" }, stage, plane.element);
  const readout = line("readout");
  const own = edits(ui);
  let shown = 0;
  let count = model.get("heads");
  let seen;
  let at = [0, 0]; // the cell of the result that is explained
  let before = -1; // the step that was drawn last
  let parts = {}; // the tables of a product, and what is said of each cell
  let beat = 0;
  ui.end.addEventListener("abort", () => clearInterval(beat));

  /** Lay out a product: its factors left and above, so that row and column meet in the result. */
  function lay(left, top, result, say, pick) {
    stage.className = "tl-stage tl-product";
    stage.dataset.wide = `${Number(result.dataset.columns) > 6}`;
    result.tabIndex = 0;
    stage.replaceChildren(top, left, result);
    parts = { left, top, result, say };
    at = pick;
  }
  /** Show one table alone. @param {HTMLTableElement} element @param {Saying} say @param {number[]} pick */
  function alone(element, say, pick) {
    stage.className = "tl-stage";
    stage.dataset.wide = `${Number(element.dataset.columns) > 6}`;
    element.tabIndex = 0;
    stage.replaceChildren(element);
    parts = { result: element, say };
    at = pick;
  }
  const cellsOf = (element) => [...element.tBodies[0].rows].map((row) => [...row.cells].slice(1));

  /** Light the row and the column that make a cell, and say how. */
  function light(i, j) {
    const cells = cellsOf(parts.result);
    at = [clamp(i, 0, cells.length - 1), clamp(j, 0, cells[0].length - 1)];
    for (const cell of stage.querySelectorAll(".tl-lit")) cell.classList.remove("tl-lit");
    cells[at[0]][at[1]].classList.add("tl-lit");
    for (const cell of parts.left ? cellsOf(parts.left)[at[0]] : []) cell.classList.add("tl-lit");
    for (const row of parts.top ? cellsOf(parts.top) : []) row[at[1]]?.classList.add("tl-lit");
    readout.replaceChildren(...parts.say(...at));
  }
  function lightTarget({ target }) {
    const cell = target.closest("td");
    if (!cell || !parts.result?.contains(cell) || !cell.parentElement.matches("tbody tr")) return;
    clearInterval(beat);
    light(cell.parentElement.sectionRowIndex, cell.cellIndex - 1);
  }
  ui.on(stage, "pointerover", lightTarget);
  ui.on(stage, "click", lightTarget);
  ui.on(stage, "keydown", (event) => {
    const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!way || event.target !== parts.result) return;
    event.preventDefault();
    clearInterval(beat);
    light(at[0] + way[0], at[1] + way[1]);
  });

  /** Let the light run over the result, once, unless the reader wants no motion. */
  function run() {
    clearInterval(beat);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const cells = cellsOf(parts.result);
    const every = cells.flatMap((row, i) => row.map((_, j) => [i, j]));
    const few = every.filter((_, n) => n % Math.ceil(every.length / 10) === 0);
    const last = at;
    let n = 0;
    beat = setInterval(() => {
      if (n === few.length) clearInterval(beat);
      light(...(few[n++] ?? last));
    }, PACE / 14);
  }

  function draw(frame) {
    if (model.get("heads") !== count) {
      count = model.get("heads");
      shown = count - 1; // the newest
    }
    shown = Math.min(shown, count - 1);
    seen = frame;
    const layer = model.get("layer") === "second" ? 1 : 0;
    const words = [...beginning, frame.ending].slice(0, frame.length);
    const i = Math.min(model.get("stops").asks.indexOf(model.get("asks")), words.length - 1);
    const step = model.get("step") - 1;
    const head = made[shown];
    const of = (name) => frame[name][layer][shown];
    const all = { words, i, layer, head, x: frame.x[layer], after: frame.x[layer + 1], frame };
    for (const name of ["q", "k", "v", "scores", "weights", "output"]) all[name] = of(name);
    all.named = sought.slice(0, frame.d_k);

    title.textContent = `${step + 1} of ${steps.length}: ${steps[step]}`;
    back.disabled = step === 0;
    next.disabled = step === steps.length - 1;
    headings.style.display = count > 1 ? "" : "none";
    for (const [n, button] of headButtons.entries()) {
      button.style.display = n < count ? "" : "none";
      button.setAttribute("aria-pressed", `${n === shown}`);
    }
    const knows = step > 3;
    for (const [j, { label, text, share }] of marks.entries()) {
      label.style.display = j < words.length ? "" : "none";
      text.textContent = words[j] ?? "";
      const weight = knows && j < words.length ? all.weights[i][j] : 0;
      label.style.setProperty("--share", `${weight}`);
      label.classList.toggle("tl-heavy", weight > 0.6);
      label.classList.toggle("tl-unseen", frame.causal && step > 2 && j > i);
      share.textContent = weight < 0.05 ? "" : weight.toFixed(2);
    }
    clearInterval(beat);
    scene.dataset.step = steps[step];
    show[step](all);
    plane.element.style.display = step > 4 && step < 8 ? "" : "none";
    if (step > 4 && step < 8) {
      const axes = head.gives.map((name) => features.indexOf(name));
      const two = axes[0] < 0 ? [0, 1] : axes;
      const moves = step === 7;
      const carried = moves && axes[0] < 0 ? all.v.map(() => [0, 0]) : all.v;
      plane.draw({
        words,
        names: moves || axes[0] >= 0 ? two.map((axis) => features[axis]) : head.gives,
        vectors: carried,
        weights: all.weights[i],
        start: moves ? two.map((axis) => all.x[i][axis]) : [0, 0],
        end: moves ? two.map((axis) => all.after[i][axis]) : [0, 0],
        asks: words[i],
        step: steps[step],
      });
    }
    light(...at);
    if (before >= 0 && before !== step && [1, 3, 8, 9].includes(step)) run();
    before = step;
    own.show();
    return readout.textContent ?? "";
  }

  const key = (text) => word("key", text);
  const asking = (text) => word("query", text);
  const more = ({ frame }) => (frame.d_k > 4 ? [` The other ${frame.d_k - 4} numbers are noise.`] : []);
  const cut = (rows, { named }) => rows.map((row) => row.slice(0, named.length));
  const isHidden =
    ({ frame }) =>
    (i, j) =>
      frame.causal && j > i;

  const words_ = ({ words, x, layer }) =>
    alone(
      table({ name: "X: the words", rows: words, columns: features, values: x, scale: 3 }),
      (row, column) => [
        key(words[row]),
        ` is ${short(x[row][column])} on the axis “${features[column]}”. `,
        layer
          ? "What the first layer has collected was added to these numbers."
          : "Each word is a list of numbers, and each number has a name. A word such as “the” says nothing here.",
      ],
      [1, 0],
    );

  function query(all) {
    const { words, i, x, head, q, named } = all;
    lay(
      table({ name: "its vector", rows: [words[i]], columns: features, values: [x[i]], scale: 3 }),
      table({ name: "W_Q", role: "query", rows: features, columns: named, values: cut(head.query, all), scale: 8 }),
      table({ name: "query", role: "query", rows: [words[i]], columns: named, values: cut([q[i]], all), scale: 8 }),
      (_, j) => [
        asking(words[i]),
        ` looks for “${named[j]}”: ${product(
          x[i],
          head.query.map((row) => row[j]),
        )} = `,
        h("b", {}, short(q[i][j])),
        ".",
        ...more(all),
      ],
      [0, 0],
    );
  }

  function keys(all) {
    const { words, x, head, k, named } = all;
    const j = best(all);
    lay(
      table({ name: "X", rows: words, columns: features, values: x, scale: 3 }),
      table({ name: "W_K", role: "key", rows: features, columns: named, values: cut(head.key, all), scale: 3 }),
      table({ name: "keys", role: "key", rows: words, columns: named, values: cut(k, all), scale: 3 }),
      (row, column) => [
        key(words[row]),
        ` can be found by “${named[column]}”: ${short(k[row][column])}. `,
        "Here a key says what the word is.",
        ...more(all),
      ],
      [j, Math.max(0, k[j].slice(0, named.length).indexOf(Math.max(...k[j].slice(0, named.length))))],
    );
  }
  const best = ({ weights, i }) => weights[i].indexOf(Math.max(...weights[i]));

  function scoring(all) {
    const { words, i, q, k, scores, named, frame } = all;
    const hidden = isHidden(all);
    lay(
      table({ name: "keys", role: "key", rows: words, columns: named, values: cut(k, all), scale: 3 }),
      table({
        name: "query",
        role: "query",
        rows: named,
        columns: [words[i]],
        values: turned(cut([q[i]], all)),
        scale: 8,
      }),
      table({
        name: frame.scaled ? "scores q · k / √d_k" : "scores q · k",
        rows: words,
        columns: ["score"],
        values: scores[i].map((score) => [score]),
        bars: true,
        hidden: (j) => hidden(i, j),
      }),
      (j) => told(all, i, j),
      [best(all), 0],
    );
  }

  /** Say how a score is made. */
  function told({ words, q, k, scores, named, frame }, i, j) {
    if (isHidden({ frame })(i, j))
      return [asking(words[i]), " may not see ", key(words[j]), ": it comes later. No score, and no weight."];
    const [a, b] = [q[i].slice(0, named.length), k[j].slice(0, named.length)];
    const whole = q[i].reduce((sum, x, n) => sum + x * k[j][n], 0);
    const plain = a.reduce((sum, x, n) => sum + x * b[n], 0);
    const noise = frame.d_k > 4 ? ` + ${signed(whole - plain)} of noise` : "";
    const divided = frame.scaled ? `, divided by √${frame.d_k}: ` : ": ";
    return [
      asking(words[i]),
      " meets ",
      key(words[j]),
      `: ${product(a, b)}${noise} = ${short(whole)}${divided}`,
      h("b", {}, `score ${number(scores[i][j])}`),
      ".",
    ];
  }

  function weighing(all) {
    const { words, i, scores, weights } = all;
    const powers = scores[i].map(Math.exp);
    const hidden = isHidden(all);
    const total = powers.reduce((sum, power, j) => sum + (hidden(i, j) ? 0 : power), 0);
    const rows = words.map((_, j) => [scores[i][j], powers[j], weights[i][j]]);
    const size = [Math.max(1, ...scores[i].map(Math.abs)), total, 1];
    alone(
      table({
        name: `softmax of the scores of ${words[i]}`,
        rows: words,
        columns: ["score", "eˢ", "weight"],
        values: rows.map((row) => row.map((value, n) => value / size[n])),
        show: (value, _, n) => number(value * size[n]),
        scale: 1,
        bars: true,
        hidden: (j) => hidden(i, j),
      }),
      (j) => [
        key(words[j]),
        hidden(i, j)
          ? " is hidden: its weight is 0."
          : `: ${number(powers[j])} of ${number(total)} in all is a weight of ${number(weights[i][j])}. `,
        "All weights of the row add up to 1.",
      ],
      [best(all), 2],
    );
  }

  function valuing(all) {
    const { words, x, v, head } = all;
    lay(
      table({ name: "X", rows: words, columns: features, values: x, scale: 3 }),
      table({ name: "W_V", role: "value", rows: features, columns: head.gives, values: head.value, scale: 3 }),
      table({ name: "values", role: "value", rows: words, columns: head.gives, values: v, scale: 3 }),
      (row, column) => [
        word("value", words[row]),
        ` gives ${short(v[row][column])} of “${head.gives[column]}” to whom it is found by.`,
      ],
      [best(all), 0],
    );
  }

  function summing(all) {
    const { words, i, v, weights, output, head } = all;
    const rows = words.map((_, j) => [weights[i][j], ...v[j].map((value) => weights[i][j] * value)]);
    alone(
      table({
        name: "each value times its weight",
        role: "value",
        rows: [...words, "sum"],
        columns: ["weight", ...head.gives],
        values: [...rows, [1, ...output[i]]],
        show: dotted,
        scale: 1.5,
      }),
      (j, n) =>
        j < words.length && n
          ? [word("value", words[j]), `: ${number(weights[i][j])} · ${signed(v[j][n - 1])} = ${number(rows[j][n])}.`]
          : [
              asking(words[i]),
              ` collects ${head.gives.map((name, n) => `${number(output[i][n])} ${name}`).join(" and ")}.`,
            ],
      [words.length, 1],
    );
  }

  function moving(all) {
    const { words, i, x, after, frame, layer } = all;
    const added = made.slice(0, count).map(({ output }, n) => times([frame.output[layer][n][i]], output)[0]);
    const names = added.map((_, n) => (count > 1 ? `+ head ${n + 1}` : "+ collected"));
    alone(
      table({
        name: "what is collected is added to the word",
        rows: [`old ${words[i]}`, ...names, `new ${words[i]}`],
        columns: features,
        values: [x[i], ...added, after[i]],
        scale: 3,
      }),
      () => [
        asking(words[i]),
        ` was (${x[i].map(short).join(", ")}) and is now (${after[i].map(short).join(", ")}). `,
        "That is what attention does to a word: it moves it.",
      ],
      [names.length + 1, 0],
    );
  }

  function allQueries(all) {
    const { words, i, x, head, q, named } = all;
    lay(
      table({ name: "X", rows: words, columns: features, values: x, scale: 3 }),
      table({ name: "W_Q", role: "query", rows: features, columns: named, values: cut(head.query, all), scale: 8 }),
      table({ name: "Q", role: "query", rows: words, columns: named, values: cut(q, all), scale: 8 }),
      (row, column) => [
        asking(words[row]),
        ` looks for “${named[column]}”: ${short(q[row][column])}. One product makes the queries of all words. `,
        "Keys and values are made in the same way.",
        ...more(all),
      ],
      [i, 0],
    );
  }

  function allScores(all) {
    const { words, i, q, k, scores, named, frame } = all;
    lay(
      table({ name: "Q", role: "query", rows: words, columns: named, values: cut(q, all), scale: 8 }),
      table({ name: "Kᵀ", role: "key", rows: named, columns: words, values: turned(cut(k, all)), scale: 3 }),
      table({
        name: frame.scaled ? "scores: Q Kᵀ / √d_k" : "scores: Q Kᵀ",
        rows: words,
        columns: words,
        values: scores,
        show: (value) => (Number.isInteger(value) ? `${value}` : value.toFixed(1)),
        hidden: isHidden(all),
      }),
      (row, column) => told(all, row, column),
      [i, best(all)],
    );
  }

  function allWeights(all) {
    const { words, i, weights } = all;
    alone(
      table({
        name: "weights: the softmax of each row",
        rows: words,
        columns: words,
        values: weights,
        show: (value) => (value < 0.005 ? "0" : dotted(value)),
        scale: 1,
        hidden: isHidden(all),
      }),
      (row, column) => [
        asking(words[row]),
        " gives ",
        key(words[column]),
        ` a weight of ${number(weights[row][column])}. Each row adds up to 1.`,
      ],
      [i, best(all)],
    );
  }

  function allOutputs(all) {
    const { words, i, weights, v, output, head } = all;
    lay(
      table({
        name: "weights",
        rows: words,
        columns: words,
        values: weights,
        show: (value) => (value < 0.005 ? "0" : dotted(value)),
        scale: 1,
        hidden: isHidden(all),
      }),
      table({ name: "V", role: "value", rows: words, columns: head.gives, values: v, scale: 3 }),
      table({ name: "output", rows: words, columns: head.gives, values: output, show: dotted, scale: 3 }),
      (row, column) => [
        asking(words[row]),
        ` collects ${number(output[row][column])} of “${head.gives[column]}”, which is added to its own.`,
      ],
      [i, 0],
    );
    stage.className = "tl-stage tl-in-a-row";
    stage.dataset.wide = "true";
  }
  const show = [
    words_,
    query,
    keys,
    scoring,
    weighing,
    valuing,
    summing,
    moving,
    allQueries,
    allScores,
    allWeights,
    allOutputs,
  ];

  function numbers(frame) {
    const layer = model.get("layer") === "second" ? 1 : 0;
    const words = [...beginning, frame.ending].slice(0, frame.length);
    const of = (name) => frame[name][layer][shown].flat();
    const head = `of head ${shown + 1}, ${model.get("layer")} layer`;
    return [
      matrix("Words: a row for each", words, features, frame.x[layer].flat()),
      matrix(`Scores ${head}: a row for each query`, words, words, of("scores")),
      matrix(`Weights ${head}`, words, words, of("weights")),
      matrix(`Output ${head}`, words, made[shown].gives, of("output")),
    ];
  }

  const main = [steering, sentence ?? "", headings, readout, scene];
  return { side: [], main, draw, numbers };
}

/** The control of the numbers that a reader changes: which word, which feature, and a slider. */
function edits(ui) {
  const { model } = ui;
  const row = ui.row("features");
  const { words, features, low, high, step } = model.get("stops").features;
  const choose = (label, names) => h("select", { "aria-label": label }, ...names.map((name) => h("option", {}, name)));
  const [which, axis] = [choose("Word to change", words), choose("Feature to change", features)];
  const slide = h("input", { type: "range", min: low, max: high, step, "aria-label": "Its number" });
  const output = h("output");
  row?.classList.add("tl-edits");
  row?.append(h("span", {}, model.get("labels").features), which, axis, slide, output);

  function now() {
    const found = model.get("features").find(([name, feature]) => name === which.value && feature === axis.value);
    return found?.[2] ?? model.get("example").vectors[which.value][features.indexOf(axis.value)];
  }
  function read() {
    slide.value = `${now()}`;
    output.textContent = short(now());
  }
  ui.on(slide, "input", () => {
    const place = [which.value, axis.value];
    const others = model.get("features").filter((each) => `${each.slice(0, 2)}` !== `${place}`);
    const changed = [...others, [...place, Number(slide.value)]];
    ui.move({ features: changed.sort((a, b) => (`${a.slice(0, 2)}` < `${b.slice(0, 2)}` ? -1 : 1)) });
  });
  for (const select of [which, axis]) ui.on(select, "change", read);
  ui.watch("features", read);
  read();
  return { show: read };
}

export default widget("attention_stepper", build, compute);
