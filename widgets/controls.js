/** The controls of a widget, and the question before them. */
import { h, named, same } from "./pictures.js";

/** @type {Controls["control"]} */
export function control(ui, name) {
  const { model } = ui;
  const trait = {
    ui,
    name,
    id: `${ui.id}-${name}`,
    label: model.get("labels")[name],
    offer: () => model.get("stops")[name],
    get: () => model.get(name),
    set: (value) => ui.move({ [name]: value }),
  };
  const { row, show } = kind(trait.offer())(trait);
  row.setAttribute("data-name", name);
  return { name, row, show };
}

/** Numbers slide, words are chosen, true and false are switched. */
function kind(offer) {
  if ("heads" in offer) return unseen;
  if ("features" in offer || "characters" in offer) return bare;
  if (Array.isArray(offer[0])) return areEndings(offer) ? ending : sentence;
  if (typeof offer[0] === "boolean") return toggle;
  return typeof offer[0] === "string" ? choice : slider;
}

/** A place for the control that the widget draws itself. */
const bare = () => ({ row: h("div"), show() {} });
/** Of heads, which are chosen in the picture, there is no control to be seen. */
const unseen = () => ({ row: h("div", { hidden: "" }), show() {} });

function toggle({ ui, label, get, set }) {
  const input = h("input", { type: "checkbox", "aria-label": label });
  ui.on(input, "change", () => set(input.checked));
  const show = () => {
    input.checked = get();
  };
  return { row: h("label", { class: "tl-switch" }, input, h("span", {}, ...named(label))), show };
}

/** Some values, of which one is chosen by its words. */
function choice({ ui, id, label, offer, get, set }, legend = named(label), words = (value) => value) {
  const values = offer();
  const inputs = values.map((value) => radio(ui, id, value, () => set(value)));
  const choices = inputs.map((input, i) => h("label", {}, input, ` ${words(values[i])}`));
  const show = () => {
    for (const [i, input] of inputs.entries()) input.checked = same(values[i], get());
  };
  return { row: h("fieldset", { class: "tl-choice" }, h("legend", {}, ...legend), ...choices), show };
}
function radio(ui, name, value, choose) {
  const input = h("input", { type: "radio", name, value });
  ui.on(input, "change", choose);
  return input;
}

/** Over the numbers of a list, or all between two bounds. @type {Controls["slider"]} */
export function slider({ ui, id, label, offer, get, set }) {
  const stops = offer();
  const isList = Array.isArray(stops);
  const { low, high, step } = isList ? { low: 0, high: stops.length - 1, step: 1 } : stops;
  const input = h("input", { id, type: "range", min: low, max: high, step, "aria-label": label });
  const output = h("output", { for: id });
  ui.on(input, "input", () => set(isList ? stops[input.value] : Number(input.value)));
  const show = () => {
    const now = get();
    input.value = isList ? stops.indexOf(now) : now;
    output.textContent = isList ? now : `${Number(now.toPrecision(3))}`;
    input.setAttribute("aria-valuetext", output.textContent ?? "");
  };
  return { row: h("div", { class: "tl-slider" }, h("label", { for: id }, ...named(label)), output, input), show };
}

/** The baked sentences, and a field for others. */
function sentence(trait) {
  const { ui, id, label, offer, get, set } = trait;
  const select = h("select", { id });
  let all = [];
  ui.on(select, "change", () => set(all[select.selectedIndex]));
  const show = () => {
    const now = get();
    const isNow = (sentence) => same(sentence, now);
    all = offer().some(isNow) ? offer() : [...offer(), now];
    select.replaceChildren(...all.map((words) => h("option", {}, words.join(" "))));
    if (!ui.typed) select.append(h("option", { disabled: "" }, "your own words: open this page as a notebook"));
    select.selectedIndex = all.findIndex(isNow);
  };
  return { row: h("div", { class: "tl-words" }, h("label", { for: id }, label), select, ...ownWords(trait)), show };
}

/** Whether sentences differ in their last words only. */
const areEndings = (sentences) =>
  sentences.length > 1 && sentences.every((words) => same(words.slice(0, -1), sentences[0].slice(0, -1)));

/** Such sentences, by their endings, and a field for others. */
function ending(trait) {
  const { label, offer } = trait;
  const before = offer()[0].slice(-3, -1).join(" ");
  const { row, show } = choice(trait, [`${label}: … ${before}`], (words) => words.at(-1));
  return { row: h("div", { class: "tl-words" }, row, ...ownWords(trait)), show };
}

function ownWords({ ui, id, name, label, set }) {
  if (!ui.typed) return [];
  const field = h("input", {
    type: "text",
    id: `${id}-own`,
    "aria-label": `${label}: your own words, then Enter`,
    placeholder: "your own words, then Enter",
  });
  function accept() {
    const own = field.value.split(/\s+/).filter(Boolean);
    const [fewest, most] = ui.model.get("words")[name];
    if (own.length >= fewest && own.length <= most) set(own);
    else ui.warn(`${fewest} to ${most} words fit here, not ${own.length}.`);
  }
  ui.on(field, "change", accept);
  // JupyterLab stops the change. An input method's Enter only ends a word; Safari tells it by the code alone.
  ui.on(field, "keydown", ({ key, isComposing, keyCode }) => {
    if (key === "Enter" && !isComposing && keyCode !== 229) accept();
  });
  return [field];
}
