/**
 * Questions with choices, which are `<details>` and open without a script: here the first choice that a reader
 * presses is noted, and shown when they come back.
 */
import { KEPT } from "./progress.js";

const UNKNOWN = "I don’t know";

/** @param {HTMLElement} asked @param {string} chosen */
function show(asked, chosen) {
  for (const choice of asked.querySelectorAll(".tl-choice")) {
    const words = choice.querySelector("summary");
    words?.toggleAttribute("data-chosen", words.textContent === chosen);
  }
}

/**
 * Note what is pressed first, as `note` wants it.
 * @param {HTMLElement} asked
 * @param {(chosen: string, right: boolean) => void} note
 */
export function listen(asked, note) {
  asked.addEventListener("click", ({ target }) => {
    const words = target instanceof Element ? target.closest("summary") : null;
    if (!words || asked.querySelector("[data-chosen]")) return;
    const chosen = words.textContent ?? "";
    show(asked, chosen);
    note(chosen === UNKNOWN ? "" : chosen, words.parentElement?.classList.contains("tl-right") ?? false);
  });
}

/** @type {NodeListOf<HTMLElement>} */
const all = document.querySelectorAll("article .predict[role=group]");
for (const asked of all) {
  const before = KEPT.answers()[asked.id];
  if (before) show(asked, before.chosen || UNKNOWN);
  listen(asked, (chosen, right) => KEPT.choose(asked.id, chosen, right));
}
