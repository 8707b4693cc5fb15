/**
 * Signs of how far a reader is: in the list of pages, and in each `<span class="tl-progress"
 * data-chapter="attention"></span>` of a page. And on a page that a card led to, the way back.
 */
import { make } from "./element.js";
import { Kept } from "./kept.js";

/** What is checked of each exercise, by whole names: a script brings their ends only. */
const named = ([exercise, ends]) => [exercise, ends.map((end) => `${exercise}-${end}`)];
const chapters = Object.entries(CHAPTERS).map(([chapter, exercises]) => [
  chapter,
  Object.fromEntries(Object.entries(exercises).map(named)),
]);
export const CHECKS = Object.fromEntries(chapters);
export const KEPT = new Kept(() => localStorage, CHECKS, KEPT_AS);
/** The way to the root of the site. */
export const ROOT = document.currentScript?.dataset.root ?? "";
/** The page of a chapter's exercises. @param {string} chapter */
export const pageOf = (chapter) => `${PAGES[chapter] ?? `exercises/${chapter}`}.html`;
const STANDINGS = { new: "not begun", begun: "begun", done: "done" };

/** A sign that is seen, and words that are heard. @param {string} state @param {string} words */
function sign(state, words) {
  const heard = make("span", { className: "tl-heard" }, `, ${words}`);
  const drawn = make("span", { className: "tl-sign", title: words }, heard);
  drawn.dataset.state = state;
  return drawn;
}

/** A sign whose words are heard in another place. @param {HTMLElement} drawn */
function silent(drawn) {
  drawn.replaceChildren();
  return drawn;
}

/** @param {Standing[]} states */
export function together(states) {
  const done = states.filter((state) => state === "done").length;
  const state = states.every((each) => each === "new") ? "new" : done === states.length ? "done" : "begun";
  return { state, words: `${done} of ${states.length} exercises done` };
}

/** The exercise of a section on the page of its chapter, or "". @param {string} hash */
function exerciseAt(hash) {
  const section = document.getElementById(hash.slice(1));
  return section?.querySelector(":scope > .tl-answer")?.id ?? "";
}

export function showProgress() {
  for (const old of document.querySelectorAll("nav .tl-sign")) old.remove();
  /** @type {{ [chapter: string]: ReturnType<Kept["states"]> }} */
  const known = {};
  /** @type {NodeListOf<HTMLAnchorElement>} */
  const links = document.querySelectorAll("nav.bd-docs-nav a[href]");
  for (const link of links) {
    const asks = Object.keys(CHAPTERS).find((name) => link.pathname.endsWith(`/${pageOf(name)}`));
    const chapter = asks ?? /\/book\/(\w+)\.html$/.exec(link.pathname)?.[1] ?? "";
    known[chapter] ??= KEPT.states(chapter);
    const states = known[chapter];
    const all = together(Object.values(states));
    const own = link.hash && states[exerciseAt(link.hash)];
    if (own) link.append(sign(own, STANDINGS[own]));
    else if (!link.hash && asks) link.append(sign(all.state, all.words));
    else if (!link.hash && all.state !== "new") link.append(silent(sign(all.state, all.words)));
  }
  /** @type {NodeListOf<HTMLElement>} */
  const places = document.querySelectorAll(".tl-progress[data-chapter]");
  for (const place of places) {
    const states = Object.values(KEPT.states(place.dataset.chapter ?? ""));
    const signs = states.map((state) => silent(sign(state, STANDINGS[state])));
    const { words } = together(states);
    place.replaceChildren(...signs, make("span", {}, words));
  }
}

/** Lead back from a section to the answer whose card led to it. */
function showWayBack() {
  const from = new URLSearchParams(location.search).get("from") ?? "";
  const chapter = Object.keys(CHAPTERS).find((name) => Object.hasOwn(CHAPTERS[name], from));
  if (!chapter) return;
  const heading = document.getElementById(location.hash.slice(1))?.querySelector("h1, h2, h3, h4");
  if (!heading) return;
  const href = `${ROOT}${pageOf(chapter)}#${from}`;
  heading.after(make("a", { className: "tl-back", href }, "Back to your answer"));
}

showProgress();
showWayBack();
addEventListener("storage", showProgress); // another page of the book was at work
addEventListener("pageshow", (event) => event.persisted && showProgress());
