/** Next token: what a model offers, what is cut, and what the dice then choose. */
import { matrix, widget } from "./kit.js";
import { h, halves, heatMap, line, number, shares } from "./pictures.js";
import { left, parts, picked } from "./sampling.js";
import { silence, upTo } from "./silencing.js";

const FEW = 12; // bars, unless the reader wants every character
const PACE = 30; // milliseconds, at least, from one written character to the next
const WRITTEN = { "↵": "\n", "␣": " " };

/** A number from 0 to 1 for a place in a text, the same each time. @param {number} throw_ @param {number} place */
function thrown(throw_, place) {
  let bits = Math.imul(place + 1, 0x9e3779b1) ^ Math.imul(throw_, 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  bits = Math.imul(bits ^ (bits >>> 12), 0x297a2d39);
  return ((bits ^ (bits >>> 15)) >>> 0) / 2 ** 32;
}

export default widget("next_token", (ui) => {
  const get = (name) => ui.model.get(name);
  const [story, readout] = ["story", "readout"].map(line);
  const bars = h("ol");
  const button = (text) => h("button", { type: "button", class: "tl-button" }, text);
  const [one, on] = [button("Write one"), button("Write on")];
  const pen = h("div", { class: "tl-row" }, ...(ui.typed ? [one, on] : []));
  const ways = h("dl");
  const map = heatMap(ui, { choose() {}, corner: "written ↓ source →", most: 9 });
  const silencing = ui.typed ? silence(ui) : undefined;
  const looking = h("div", {}, map.element, silencing?.element ?? "");
  const read = h("p");
  let seen;
  /** What the GPT is to write yet, and what it will write next. */
  let [wanted, coming] = [0, ""];

  /** Write what the dice have chosen; the frame of the longer text leads to the next. */
  function write() {
    const text = get("text");
    if (get("frame").text !== text || text.length >= get("stops").text.characters) want(0);
    else ui.move({ text: text + coming });
  }
  function want(count) {
    wanted = count;
    on.textContent = wanted > 1 ? "Stop" : "Write on";
  }
  ui.on(one, "click", () => {
    want(1);
    write();
  });
  ui.on(on, "click", () => {
    want(wanted ? 0 : Infinity);
    if (wanted) write();
  });
  ui.end.addEventListener("abort", () => want(0));

  /** The nodes that random numbers lead through, and what they pick in each. */
  function walk({ nodes, logits }, dice) {
    const many = nodes[0].names.length;
    const rule = { temperature: get("temperature"), top_k: get("top_k"), top_p: get("top_p") };
    const path = [];
    let at = 0;
    while (at != null) {
      const own = halves(logits, at * many, many);
      const kept = left(own, rule);
      const die = dice[path.length];
      const pick = picked(kept, die);
      path.push({ ...nodes[at], at, own, kept, die, pick });
      at = nodes[at].next[pick];
    }
    return path;
  }

  /** A token's bars, and its probability in numbers. */
  function item(name, model, kept, chosen) {
    const bar = (tag, value) => h(tag, { style: `width:${100 * value}%` });
    const told = `${number(model)} → ${kept ? number(kept) : "cut"}`;
    const both = h("i", {}, bar("i", model), bar("b", kept));
    return h("li", { class: chosen ? "tl-query" : "" }, h("span", {}, name), both, told);
  }
  /** Where the chosen head of the translator looks, for each token written. */
  function looksOf({ source, layers, heads, looks }, rows) {
    const own = get("layer") * heads + get("head");
    return rows.flatMap(({ at }) => shares(looks, (at * layers * heads + own) * source.length, source.length));
  }
  /** Mark in the text how much the chosen head takes from each character. */
  function drawRead({ source, written, looks }) {
    const marked = source.map((name, i) => {
      const style = `background:color-mix(in srgb, var(--tl-key) ${Math.round(45 * looks[i])}%, transparent)`;
      return h("span", { style, title: number(looks[i]) }, name === "␣" ? " " : name, name === "↵" ? h("br") : "");
    });
    const head = `To write “${written[0]}”, head ${get("head")} of layer ${get("layer")} looks at: `;
    read.replaceChildren(head, h("br"), ...marked);
  }
  /** Show it; what does not look at a source has none of this. */
  function drawMap({ source, written, looks }, { silent, heads, model }) {
    const isGPT = model === "GPT";
    looking.hidden = !source.length;
    map.element.hidden = isGPT;
    read.hidden = !isGPT;
    silencing?.draw(silent, { layer: get("layer"), head: get("head"), heads });
    if (isGPT) drawRead(seen);
    if (!source.length || isGPT) return;
    map.draw({
      label: "Cross-attention of each token written",
      rows: written,
      columns: source,
      values: looks,
      say: (i, j) => `${written[i]} looks at ${source[j]}:`,
      show: (value) => value.toFixed(2).replace(/^0/, ""),
    });
  }

  /** @param {TokenFrame} frame */
  function draw(frame) {
    const { source, tokens, others, rivals, layers, heads } = frame;
    const isGPT = frame.model === "GPT";
    const length = Array.from(frame.text).length;
    const paths = get("dice").map((dice, i) => walk(frame, isGPT ? [thrown(i + 1, length)] : dice));
    const path = paths[get("throw") - 1];
    const rows = path.slice(0, upTo(ui, "written", path.length - 1) + 1);
    const { names, kept, pick, own, at, die, text } = rows.at(-1);
    const model = parts(own.map(Math.exp), 1 - others[at]);
    upTo(ui, "layer", Math.max(layers - 1, 0));
    upTo(ui, "head", heads - 1);
    const looks = looksOf(frame, rows);
    seen = { names, model, kept, source, written: rows.map((row) => row.names[row.pick]), looks };
    story.replaceChildren(tokens.join(" "), source.length ? " → " : "", h("b", {}, text), " …");
    story.hidden = ways.hidden = isGPT;
    pen.hidden = !isGPT;
    const shown = isGPT && !get("every") ? Math.max(FEW, pick + 1) : names.length;
    bars.replaceChildren(...names.slice(0, shown).map((name, i) => item(name, model[i], kept[i], i === pick)));
    const [what, dice] = isGPT ? ["characters", number(die)] : ["tokens", die];
    const choice = `${kept.filter(Boolean).length} ${what} are left; the dice, ${dice}, choose “${names[pick]}”.`;
    const unseen = isGPT ? model.slice(shown).reduce((sum, share) => sum + share, 0) : others[at];
    const rest = isGPT ? `The ${names.length - shown} others have` : "The thousands that are not shown had";
    readout.textContent = shown < names.length || !isGPT ? `${choice} ${rest} ${number(unseen)} together.` : choice;
    if (isGPT) {
      coming = WRITTEN[names[pick]] ?? names[pick];
      want(Math.max(wanted - 1, 0));
      if (wanted) setTimeout(() => wanted && write(), PACE);
    }
    const ends = [
      ...rivals.map(({ name, text: words, log }) => [name, `${words} (log p = ${log})`]),
      ...paths.map((path, i) => [`throw ${i + 1}`, path.at(-1).text]),
    ];
    ways.replaceChildren(...ends.flatMap(([name, words]) => [h("dt", {}, name), h("dd", {}, words)]));
    drawMap(seen, frame);
    return `${text} … ${readout.textContent}`;
  }

  function numbers() {
    const { names, model, kept, source, written, looks } = seen;
    const columns = ["by the model", "to choose by"];
    const next = matrix(
      "Probability of the next token",
      names,
      columns,
      names.flatMap((_, i) => [model[i], kept[i]]),
    );
    if (!source.length) return [next];
    return [next, matrix("Attention", written, source, looks)];
  }

  const title = h("p", {}, "Probability by the model → to choose by:");
  const text = ui.row("text");
  return {
    side: [looking],
    main: [...(text ? [text] : []), pen, read, story, title, bars, readout, ways],
    draw,
    numbers,
  };
});
