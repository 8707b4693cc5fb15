/** A reader's work on the page: kept in the browser, taken along as a notebook, brought back from one. */
import { counted } from "./answer.js";
import { make } from "./element.js";
import { loadScript, save } from "./files.js";
import { broughtIn, LARGEST, trimmed, withAnswers } from "./ipynb.js";
import { KEPT, showProgress } from "./progress.js";
import { CHAPTER, NOTEBOOK } from "./settings.js";

/** @import { Bench } from "./bench.js" */

export class Work {
  #bench;
  #place;
  #status;

  /** @param {HTMLElement} place @param {Bench} bench */
  constructor(place, bench) {
    this.#place = place;
    this.#bench = bench;
    this.#status = /** @type {HTMLElement} */ (place.querySelector("[role=status]"));
    const file = /** @type {HTMLInputElement} */ (place.querySelector("input"));
    const does = {
      take: () => this.#take(),
      progress: () => save("progress.json", KEPT.taken()),
      bring: () => file.click(),
      clear: () => this.#clear(),
      file: () => this.#file({ file: true }),
      certificate: () => this.#certificate(),
    };
    for (const [name, act] of Object.entries(does)) {
      place.querySelector(`[name=${name}]`)?.addEventListener("click", act);
    }
    file.addEventListener("change", async () => {
      await this.#bring(file.files);
      file.value = ""; // the same one may come again
    });
    this.#listenToDrops();
    this.#showOthers();
    addEventListener("beforeunload", (event) => KEPT.isAtRisk && event.preventDefault()); // the browser asks
    for (const type of ["storage", "pageshow"]) addEventListener(type, () => this.#follow());
    this.say(KEPT.trouble);
  }

  /** @param {string} words */
  say(words) {
    this.#status.textContent = words;
  }

  /** Save this page's notebook with the answers in it. */
  async #take() {
    try {
      const answers = this.#bench.answers.filter((answer) => answer.code !== answer.given);
      const codes = Object.fromEntries(answers.map((answer) => [answer.place.id, answer.code]));
      const name = `${CHAPTER}.ipynb`;
      save(name, withAnswers(await notebookText(), codes), "application/x-ipynb+json");
      this.say(`${name} has ${counted(answers.length, "answer")} of yours.`);
    } catch (error) {
      this.say(String(error));
    }
  }

  /** Save a file that Python makes of the reader's answers. @param {object} wanted */
  async #file(wanted) {
    this.say("Running …");
    const { text, name, said, trouble } = await this.#bench.file(wanted);
    if (text) save(name, text, "application/octet-stream");
    this.say(trouble ?? said);
  }
  #certificate() {
    const name = prompt("Your name:");
    if (name) this.#file({ certificate: name });
  }

  /** @param {FileList | null | undefined} files */
  async #bring(files) {
    const said = [];
    for (const file of files ?? []) {
      try {
        if (file.size > LARGEST)
          throw new Error(`It is larger than ${LARGEST / 2 ** 20} MB: clear its outputs, and save it.`);
        said.push(`${file.name}: ${this.#fill(broughtIn(await file.text()))}`);
      } catch (error) {
        said.push(`${file.name}: ${error instanceof Error ? error.message : error}`);
      }
    }
    this.say([...said, KEPT.trouble].filter(Boolean).join(" "));
    showProgress();
  }

  /**
   * Insert what was brought into its places, keeping what stood there; return what became of it.
   * @param {ReturnType<typeof broughtIn>} brought
   */
  #fill({ answers, held, questions }) {
    if (held) {
      KEPT.bring(questions);
      KEPT.hold(Object.fromEntries(Object.entries(held).filter(([, holds]) => holds))); // what holds here stays
      return "Your progress was read from it.";
    }
    const [first] = answers.keys();
    const mine = [...answers].filter(([id]) => id.startsWith(`${CHAPTER}-`));
    if (!mine.length) throw new Error(`It answers other exercises (${first}): load it on their page.`);
    let changed = 0;
    for (const [id, code] of mine) {
      const answer = this.#bench.answers.find(({ place }) => place.id === id);
      const isNews = ![answer?.given, trimmed(answer?.code ?? "")].includes(code);
      if (!isNews) continue;
      changed += 1;
      if (answer) answer.replace(code, "Loaded, but not run yet.");
      else KEPT.replace(id, code, ""); // of an exercise that this edition has not
    }
    this.#showOthers();
    if (!changed) return "All its answers are here already.";
    return `${counted(changed, "answer")} came from it, not run. Earlier ones are below.`;
  }

  #listenToDrops() {
    const isFile = (event) => event.dataTransfer?.types.includes("Files");
    for (const type of /** @type {const} */ (["dragover", "drop"])) {
      const taken = (event) => {
        if (!isFile(event)) return;
        event.preventDefault(); // else the page is left for the file
        event.stopPropagation(); // else an editor takes its text
        if (type === "drop") this.#bring(event.dataTransfer?.files);
      };
      document.addEventListener(type, taken, { capture: true });
    }
  }

  /** Show what another page of the book has done meanwhile; what it has cleared stays here, to be had. */
  #follow() {
    for (const answer of this.#bench.answers) if (KEPT.answer(answer.place.id)) answer.showKept();
  }

  /** Show kept answers to exercises that this edition of the page has not. */
  #showOthers() {
    const there = new Set(this.#bench.answers.flatMap(({ place, was }) => [place.id, ...was]));
    const others = KEPT.answered(CHAPTER).filter((id) => !there.has(id));
    const shown = others.map((id) => make("pre", { tabIndex: 0 }, `# ${id}\n${KEPT.answer(id)?.code ?? ""}`));
    const title = make("summary", {}, "Answers to exercises that are no longer here");
    this.#place.querySelector(".tl-before")?.remove();
    if (others.length) this.#place.append(make("details", { className: "tl-before" }, title, ...shown));
  }

  async #clear() {
    if (!confirm("Clear all your answers on this page? They cannot be restored.")) return;
    await this.#bench.forget(); // what runs now would be noted
    KEPT.clear(CHAPTER);
    for (const answer of this.#bench.answers) answer.clear();
    this.#showOthers();
    this.say("This browser no longer keeps them.");
    showProgress();
  }
}

/** The text of this page's notebook, which comes as a script: from a folder nothing else can be read. */
async function notebookText() {
  /** @type {Promise<string>} */
  const text = new Promise((resolve) => {
    window.tensorgraderNotebook = resolve;
  });
  await loadScript(NOTEBOOK);
  return text;
}
