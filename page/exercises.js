/**
 * The page of an exercise: each answer becomes an editor with Run and Reset, and a click on Run shows the card
 * that JupyterLab shows.
 */
import { Bench } from "./bench.js";
import { showOwnFunctions } from "./own_function.js";
import { Work } from "./work.js";

/** @type {NodeListOf<HTMLElement>} */
const PLACES = document.querySelectorAll(".tl-answer, .tl-setup");
const BENCH = new Bench([...PLACES]);
document.documentElement.classList.add("tl-lab");
document
  .querySelector(".tl-lab-intro .tl-run")
  ?.addEventListener("click", () => BENCH.answers.map((each) => BENCH.run(each)));
showOwnFunctions(BENCH);
new Work(/** @type {HTMLElement} */ (document.querySelector(".tl-work")), BENCH);
