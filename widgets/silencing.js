/** What the widgets of real models have besides: heads that a reader silences. */
import { h, list, same } from "./pictures.js";

/** Buttons that silence a head or its layer, and words that say which are silent. @type {Silencing["silence"]} */
export function silence(ui) {
  const button = () => h("button", { type: "button", class: "tl-button" });
  const [one, all] = [button(), button()];
  const row = h("div", { class: "tl-row" }, one, all);
  const said = h("p");
  const asks = ui.row("silent"); // where a model is offered that can do it
  asks?.removeAttribute("hidden");
  let chosen = { layer: 0, head: 0, heads: 0 };

  /** Silence some heads, or let them speak again if all of them are silent. */
  function toggle(heads) {
    const silent = ui.model.get("silent");
    const others = silent.filter((each) => !heads.some((head) => same(head, each)));
    const allSilent = silent.length - others.length === heads.length;
    ui.move({ silent: allSilent ? others : [...others, ...heads].sort(([a, b], [c, d]) => a - c || b - d) });
  }
  const whole = () => list(chosen.heads, (head) => [chosen.layer, head]);
  ui.on(one, "click", () => toggle([[chosen.layer, chosen.head]]));
  ui.on(all, "click", () => toggle(whole()));

  /** Offer to silence the chosen head or its layer, where there is one, and say which are silent. */
  function draw(silent, now, named = (layer) => `layer ${layer}`) {
    row.style.visibility = now ? "visible" : "hidden";
    if (now) {
      chosen = now;
      const isSilent = (one) => silent.some((each) => same(each, one));
      const name = named(now.layer);
      one.textContent = isSilent([now.layer, now.head]) ? "Let this head speak" : "Silence this head";
      all.textContent = whole().every(isSilent) ? `Let ${name} speak` : `Silence ${name}`;
    }
    const layers = [...new Set(silent.map(([layer]) => layer))];
    const headsOf = (layer) => silent.filter((each) => each[0] === layer).map(([, head]) => head);
    const told = layers.map((layer) => `${named(layer)}, head ${headsOf(layer).join(", ")}`);
    said.textContent = told.length ? `Silent: ${told.join("; ")}.` : "";
  }
  return { element: h("div", { class: "tl-silence" }, row, ...(asks ? [asks] : []), said), draw };
}

/** Show the control of a value, or hide it. @type {Silencing["offer"]} */
export const offer = (ui, name, isOffered) => ui.row(name)?.style.setProperty("display", isOffered ? "" : "none");

/** Show the field of what the chosen model reads, and in it what is wrong. @type {Silencing["reading"]} */
export function reading(ui, isGPT) {
  offer(ui, "text", isGPT);
  offer(ui, "tokens", !isGPT);
  const [home, away] = [ui.row(isGPT ? "text" : "tokens"), ui.row(isGPT ? "tokens" : "text")];
  const trouble = away?.querySelector(".tl-trouble");
  if (trouble) home?.append(trouble);
}

/** Limit a slider to the chosen model; return its value. @type {Silencing["upTo"]} */
export function upTo(ui, name, max) {
  const { model } = ui;
  const value = Math.min(model.get(name), max);
  Object.assign(ui.row(name)?.querySelector("input") ?? {}, { max, value });
  // A model whose frame is still to come may have more.
  if (value < model.get(name) && model.get("frame").model === model.get("model")) ui.move({ [name]: value });
  return value;
}
