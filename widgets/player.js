/** A film of a list of numbers. */
import { h } from "./pictures.js";

/**
 * A button that moves a list of numbers on from where it stands, or from its start, until its end.
 * @type {Controls["player"]}
 */
export function player(ui, name, pace) {
  const { model } = ui;
  const play = h("button", { type: "button", class: "tl-button tl-play" }, "Play");
  const stops = () => model.get("stops")[name];
  let beat = 0;
  function stop() {
    clearTimeout(beat);
    beat = 0;
    play.textContent = "Play";
  }
  const wait = () => {
    beat = setTimeout(advance, typeof pace === "number" ? pace : pace(model.get(name)));
  };
  function advance() {
    const next = stops()[stops().indexOf(model.get(name)) + 1];
    if (next === undefined) return stop();
    ui.move({ [name]: next });
    wait();
  }
  ui.on(play, "click", () => {
    if (beat) return stop();
    if (model.get(name) === stops().at(-1)) ui.move({ [name]: stops()[0] });
    wait();
    play.textContent = "Pause";
  });
  ui.end.addEventListener("abort", stop);
  return play;
}
