/** Numbers of words that a reader changes. */
import { slider } from "./controls.js";
import { h, same } from "./pictures.js";

/** The control of the numbers that a reader changes: of which word and feature, and a slider. */
export function edits(ui) {
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
