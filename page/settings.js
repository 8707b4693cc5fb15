/** What the page of an exercise tells its script: where files lie, and which chapter it is. */
const {
  files = "{}",
  folder: FOLDER = "",
  chapter = "",
  notebook: NOTEBOOK = "",
} = document.currentScript?.dataset ?? {};
const { "editor.js": EDITOR, ...PYTHON } = /** @type {Manifest} */ (JSON.parse(files));

export let CHAPTER = chapter;
/** Go on with another chapter: each hunt is one. @param {string} chapter */
export function turnTo(chapter) {
  CHAPTER = chapter;
}
export { EDITOR, FOLDER, NOTEBOOK, PYTHON };
