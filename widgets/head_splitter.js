/** The head splitter: two ways to cut the same numbers into heads, step by step. */
import { widget } from "./kit.js";
import { h, list, svg } from "./pictures.js";

const [LEFT, TOP, WIDE, HIGH, GAP] = [38, 20, 33, 34, 5];

/** One way's picture: a cell for each number, named on the left, headed above. */
function lane(ui, words, width) {
  const cells = list(words.length * width, (number) => {
    const share = svg("rect", { class: "tl-ink" });
    const [name, text] = [svg("text", { x: 15, y: 12, class: "tl-name" }), svg("text", { x: 15 })];
    const element = svg("g", {}, svg("rect"), share, name, text);
    ui.on(element, "click", () => ui.move({ word: words[Math.floor(number / width)] }));
    return { element, share, name, text };
  });
  const titles = list(width, () => svg("text", { y: TOP - 7 }));
  const names = words.map((_, i) => svg("text", { x: 15, y: TOP + HIGH * i + 20 }));
  const viewBox = `0 0 ${LEFT + width * (WIDE + GAP)} ${TOP + words.length * HIGH}`;
  const elements = cells.map(({ element }) => element);
  const picture = svg("svg", { viewBox, role: "img" }, ...titles, ...names, ...elements);
  const [code, said] = [h("code"), h("p")];
  return { cells, titles, names, picture, code, said, element: h("div", {}, code, said, picture) };
}

export default widget("head_splitter", (ui) => {
  const { model } = ui;
  const { heads: counts, step: steps, word: words } = model.get("stops");
  const [T, D] = [words.length, counts.at(-1)];
  const lanes = list(2, () => lane(ui, words, D));
  const [what, facts] = [h("p"), h("p")];
  const main = h("div", { class: "tl-lanes" }, ...lanes.map(({ element }) => element));
  let tables = [];
  let last = 0;

  /** Numbers travel from rest; who moves on sees at once where they end. */
  function travel() {
    const now = performance.now();
    main.classList.toggle("tl-travel", now - last > 600);
    last = now;
  }

  /** Report whose numbers are where they should be. */
  function verdict(at, word, who) {
    if (!at) return "";
    const all = who.length === T;
    const heard = at > 1 ? `${word} is heard by` : "Head 1 has";
    const numbers = at > 2 ? "" : "numbers of ";
    return `${all ? "✓" : "✗"} ${heard} ${numbers}${all ? "every word" : `${who.join(" and ")} only`}.`;
  }

  /** Name a head above its numbers, while they stand apart. */
  function title(head, heads, apart) {
    if (!apart || head >= heads) return "";
    return heads < D ? `head ${head + 1}` : `${head + 1}`;
  }

  /** Draw one way to split; give it as a table. */
  function drawWay({ cells, titles, names, code, said, picture }, way, { heads, steps: meanings }) {
    const [step, word] = [model.get("step"), model.get("word")];
    const at = steps.indexOf(step);
    const apart = at === 1 || at === 2;
    const K = D / heads;
    const rows = words.map((_, row) => [`row ${row + 1}`]);
    const owners = words.map(() => new Set());
    const [inFirst, reached] = [new Set(), new Set()];
    way.places.forEach((number, place) => {
      const [token, feature, head] = [Math.floor(number / D), number % D, Math.floor(place / T / K)];
      const [row, column] = apart ? [Math.floor(place / K) % T, head * K + (place % K)] : [token, feature];
      const heard = at < 2 ? Number(words[token] === word) : way.heard[(at - 2) >> 1][number][words.indexOf(word)];
      const { element, share, name, text } = cells[number];
      const own = words[token][0] + feature;
      const x = LEFT + column * WIDE + (apart ? head : (heads - 1) / 2) * GAP;
      element.style.transform = `translate(${x}px, ${TOP + row * HIGH}px)`;
      share.style.opacity = heard;
      name.textContent = at < 2 ? "" : own;
      text.textContent = at < 2 ? own : heard.toFixed(2).replace(/^0/, "");
      text.setAttribute("y", at < 2 ? "20" : "26");
      for (const each of [name, text]) each.classList.toggle("tl-dark", heard > 0.6);
      rows[row][column + 1] = `${name.textContent} ${text.textContent}`.trim();
      owners[row].add(words[token]);
      if (!head) inFirst.add(words[token]);
      if (heard) reached.add(words[token]);
    });
    for (const [row, held] of owners.entries()) {
      // A row of several words' numbers is named by their first letters.
      const all = words.filter((each) => held.has(each));
      rows[row][0] = all.length === 1 ? all[0] : all.length === T ? "all" : all.map((each) => each[0]).join("+");
      names[row].textContent = rows[row][0];
    }
    for (const [head, text] of titles.entries()) {
      text.textContent = title(head, heads, apart);
      text.setAttribute("x", LEFT + (head + 0.5) * K * WIDE + head * GAP);
    }
    code.textContent = way.code;
    said.textContent = verdict(at, word, [...(at > 1 ? reached : inFirst)]);
    const caption = `${way.code}, ${step}, ${meanings[at][0]}`;
    picture.setAttribute("aria-label", `${caption}: ${rows.map((row) => row.join(" ")).join("; ")}`);
    const columns = list(D, (i) => (apart ? `head ${Math.floor(i / K) + 1}` : `${i}`));
    return { caption, columns: ["", ...columns], rows };
  }

  /** @param {SplitFrame} frame */
  function draw(frame) {
    const step = model.get("step");
    const [shape, meaning] = frame.steps[steps.indexOf(step)];
    travel();
    facts.textContent = frame.facts;
    what.replaceChildren(h("b", {}, `${step}: ${shape}. `), meaning);
    tables = frame.ways.map((way, k) => drawWay(lanes[k], way, frame));
    return `${what.textContent} ${lanes.map(({ code, said }) => `${code.textContent}: ${said.textContent}`).join(" ")}`;
  }

  return { side: [facts], main: [what, main], draw, numbers: () => tables };
});
