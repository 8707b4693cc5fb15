/** A page of text with cells to change and run: each needs those above it, and nothing is kept. */
import "./every_page.js";
import { Bench, SIZE } from "./bench.js";
import { make } from "./element.js";

const ABOUT = `You can change the cells that have a Run button. The first run downloads ${SIZE} MB from this site, \
once. Ctrl+Enter runs. Tab indents; to leave the editor, press Escape, then Tab.`;

document.documentElement.classList.add("tl-lab");
/** @type {NodeListOf<HTMLElement>} */
const PLACES = document.querySelectorAll(".tl-example");
new Bench([...PLACES]);
PLACES[0].before(make("p", { id: "tl-lab-help", className: "tl-lab-intro" }, ABOUT));
