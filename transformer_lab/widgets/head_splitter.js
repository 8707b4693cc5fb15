/**
 * The head splitter. A frame holds `facts`, the shape and the meaning of each of the `steps`, and
 * two `ways` to split: `code`, `places` (head by head, row by row: which number stands there) and
 * `heard`, after attention and after W_O: for each number, the share of each word.
 */
const { h, svg } = widgetKit;
const [LEFT, TOP, WIDE, HIGH, GAP] = [38, 20, 33, 30, 5];
const list = (count, make) => Array.from({ length: count }, (_, i) => make(i));

export default widgetKit.widget("head_splitter", (ui) => {
  const { model } = ui, { heads: counts, step: steps, word: words } = model.get("stops");
  const T = words.length, D = counts.at(-1);
  const lanes = list(2, () => {
    const cells = list(T * D, (number) => {
      const share = svg("rect", { class: "tl-ink" }), text = svg("text", { x: 15, y: 18 });
      const element = svg("g", {}, svg("rect"), share, text);
      ui.on(element, "click", () => ui.move({ word: words[Math.floor(number / D)] }));
      return { element, share, text };
    });
    const titles = list(D, () => svg("text", { y: TOP - 7 }));
    const names = words.map((word, i) => svg("text", { x: 15, y: TOP + HIGH * i + 18 }, word));
    const picture = svg("svg", { viewBox: `0 0 ${LEFT + D * (WIDE + GAP)} ${TOP + T * HIGH}`, role: "img" },
      ...titles, ...names, ...cells.map(({ element }) => element));
    const code = h("code"), said = h("p");
    return { cells, titles, picture, code, said, element: h("div", {}, code, picture, said) };
  });
  const what = h("p"), facts = h("p");
  const main = h("div", { class: "tl-lanes" }, ...lanes.map(({ element }) => element));
  let tables, last = 0;

  function draw(frame) {
    const { heads, ways } = frame, K = D / heads, step = model.get("step"), word = model.get("word");
    const at = steps.indexOf(step), apart = at === 1 || at === 2, [shape, meaning] = frame.steps[at];
    const now = performance.now(); // numbers travel from rest; who moves on sees at once where they end
    main.classList.toggle("tl-travel", now - last > 600);
    last = now;
    facts.textContent = frame.facts;
    what.replaceChildren(h("b", {}, `${step}: ${shape}. `), meaning);
    tables = ways.map(({ code, places, heard }, way) => {
      const { cells, titles, ...lane } = lanes[way], inFirst = new Set(), reached = new Set(), rows = words.map((name) => [name]);
      places.forEach((number, place) => {
        const home = [Math.floor(number / D), number % D], owner = words[home[0]], head = Math.floor(place / T / K);
        const [row, column] = apart ? [Math.floor(place / K) % T, head * K + place % K] : home;
        const share = at < 2 ? Number(owner === word) : heard[at - 2 >> 1][number][words.indexOf(word)];
        const { element, share: ink, text } = cells[number];
        element.style.transform = `translate(${LEFT + column * WIDE + (apart ? head : (heads - 1) / 2) * GAP}px, ${TOP + row * HIGH}px)`;
        ink.style.opacity = share;
        text.textContent = rows[row][column + 1] = at < 2 ? owner[0] + home[1] : share.toFixed(2).replace(/^0/, "");
        text.classList.toggle("tl-dark", share > 0.55);
        if (!head) inFirst.add(owner);
        if (share) reached.add(owner);
      });
      titles.forEach((title, head) => {
        title.textContent = head < heads && apart ? (K > 1 ? `head ${head + 1}` : head + 1) : "";
        title.setAttribute("x", LEFT + (head + 0.5) * K * WIDE + head * GAP);
      });
      const who = at > 1 ? reached : inFirst, all = who.size === T;
      lane.code.textContent = code;
      lane.said.textContent = at ? `${all ? "✓" : "✗"} ${at > 1 ? `${word} is heard by` : "Head 1 has numbers of"} ${all ? "every word" : `${[...who].join(" and ")} only`}.` : "";
      const caption = `${code}, ${step}, ${shape}`;
      lane.picture.setAttribute("aria-label", `${caption}: ${rows.map((row) => row.join(" ")).join("; ")}`);
      return { caption, columns: ["", ...list(D, (i) => (apart ? `head ${Math.floor(i / K) + 1}` : `${i}`))], rows };
    });
    return `${what.textContent} ${lanes.map(({ code, said }) => `${code.textContent}: ${said.textContent}`).join(" ")}`;
  }

  return { side: [facts], main: [what, main], draw, numbers: () => tables };
});
