/** What the page of an exercise tells its script: where files lie, and which chapter it is. */
const {
  files = "{}",
  folder: FOLDER = "",
  chapter: CHAPTER = "",
  notebook: NOTEBOOK = "",
} = document.currentScript?.dataset ?? {};
const { "editor.js": EDITOR, ...PYTHON } = /** @type {Manifest} */ (JSON.parse(files));

export { CHAPTER, EDITOR, FOLDER, NOTEBOOK, PYTHON };
