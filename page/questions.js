/**
 * Questions with choices, which are `<details>` and open without a script: here the first choice that a reader
 * presses is stored, and shown when they come back. Where the choices are numbers, a number is asked for first.
 */
import { make } from "./element.js";
import { numberIn } from "./number.js";
import { KEPT } from "./progress.js";

/**
 * Pass what is chosen first to `note`, or show what was chosen before.
 * @param {HTMLElement} asked
 * @param {(chosen: string, right: boolean) => void} note
 * @param {string} [before]
 */
export function listen(asked, note, before) {
  /** @type {NodeListOf<HTMLDetailsElement>} */
  const found = asked.querySelectorAll(".tl-option");
  const choices = [...found];
  const words = (choice) => choice?.querySelector("summary")?.textContent ?? "";
  const numbers = choices.filter((choice) => choice.dataset.number);
  let isOpen = before === undefined;

  /** @param {HTMLDetailsElement | undefined} choice @param {string} chosen */
  const show = (choice, chosen) => {
    isOpen = false;
    for (const number of numbers) number.hidden = false;
    choice?.querySelector("summary")?.toggleAttribute("data-chosen", true);
    if (field && choice !== choices.at(-1)) Object.assign(field, { value: chosen, readOnly: true });
  };
  const field = numbers.length ? askNumber() : undefined;

  function askNumber() {
    const input = make("input", { type: "text", inputMode: "decimal", autocomplete: "off", ariaLabel: "Your number" });
    const said = make("span", { role: "status" });
    const form = make("form", { className: "tl-number" }, input, make("button", {}, "Answer"), said);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!isOpen) return;
      const value = numberIn(input.value);
      if (!Number.isFinite(value)) {
        said.textContent = "Write a number, such as 0.25 or 1/4.";
        return;
      }
      const near = ({ dataset }) => Math.abs(value - Number(dataset.number)) <= Number(dataset.within);
      const choice = numbers.find(near);
      const right = numbers.find((one) => one.classList.contains("tl-right"));
      const chosen = choice ? words(choice) : input.value.trim().slice(0, 40);
      show(choice, chosen);
      (choice ?? right ?? numbers[0]).open = true;
      said.textContent = choice === right ? "Right." : choice ? "No: see below." : `No: it is ${words(right)}.`;
      note(chosen, choice === right);
    });
    for (const number of numbers) number.hidden = isOpen;
    numbers[0].before(form);
    return input;
  }

  const chosen = before ? choices.find((choice) => words(choice) === before) : choices.at(-1); // "I don’t know"
  if (before !== undefined) show(chosen, before);
  asked.addEventListener("click", ({ target }) => {
    const choice = target instanceof Element ? target.closest("summary")?.parentElement : undefined;
    if (!choice || !isOpen) return;
    const said = choice === choices.at(-1) ? "" : words(choice);
    show(/** @type {HTMLDetailsElement} */ (choice), said);
    note(said, choice.classList.contains("tl-right"));
  });
}

/** @type {NodeListOf<HTMLElement>} */
const all = document.querySelectorAll("article .predict[role=group]");
for (const asked of all) {
  listen(asked, (chosen, right) => KEPT.choose(asked.id, chosen, right), KEPT.answers()[asked.id]?.chosen);
}
