/**
 * The models that read a reader's own words. A button says what will come, and lets it; a worker then runs the
 * model, so that the page does not stand still. What is typed goes to the worker and nowhere else.
 */
import { make } from "../../widgets/element.js";
import { bring, megabytes, unpacked } from "../files.js";

/** Where the scripts lie: this one was loaded later than the page. */
const PLACE = document.currentScript?.getAttribute("src")?.replace(/[^/]*$/, "") ?? "";

const WEIGHTS = "gpt.safetensors";
/** The models of widgets that show but one. */
const MODELS = { logit_lens: "GPT", one_head: "MiniLM" };
const PRIVACY = `What you type stays in your browser. But a sentence needs parts of the table of tokens, and this
  site's host can see which: they hint at your words. The whole table hints at nothing.`;

class Readers {
  /** Files that came, and that the worker has not asked for yet. @type {Map<string, Blob>} */
  #files = new Map();
  /** @type {Map<number, { resolve(frame: object): void, reject(error: Error): void }>} */
  #waiting = new Map();
  /** @type {Worker | undefined} */
  #worker;
  /** @type {Blob | undefined} */
  #script;
  #asked = 0;
  /** The GPT that the reader has trained, which is used instead of the book's. @type {ArrayBuffer | undefined} */
  #trained;
  /** The models that are there, by name, and whether they are whole. @type {Map<string, boolean>} */
  #there = new Map();
  /** The callbacks that wait for a model, by its name. @type {Map<string, ((value?: unknown) => void)[]>} */
  #awaited = new Map();
  /** What is on its way: one comes after the other, and none twice. */
  #coming = Promise.resolve();

  /**
   * Load a model: what every sentence needs, or the whole; only what another widget has not loaded.
   * @param {string} name
   * @param {boolean} whole
   * @param {(done: number, all: number) => void} progress in bytes
   */
  #bring(name, whole, progress) {
    const brought = this.#coming.then(() => this.#brought(name, whole, progress));
    this.#coming = brought.catch(() => {}); // who asked for it is told
    return brought;
  }
  /** @param {string} name @param {boolean} whole @param {(done: number, all: number) => void} progress */
  async #brought(name, whole, progress) {
    const isWhole = this.#there.get(name);
    const beginning = name.toLowerCase().replaceAll(" ", "-");
    const isMissing = (file) => (file.includes("-tokens-") ? whole && !isWhole : isWhole === undefined);
    const isTrained = (file) => this.#trained && file === WEIGHTS;
    const isWanted = (file) => file.startsWith(beginning) && isMissing(file) && !isTrained(file);
    const files = Object.keys(PACKED).filter((file) => isWanted(file) || (file === "worker.js" && !this.#script));
    const brought = await bring(Object.fromEntries(files.map((file) => [file, PACKED[file]])), PLACE, progress);
    const { "worker.js": script, ...models } = brought;
    this.#script ??= script;
    for (const [file, content] of Object.entries(models)) this.#files.set(file, content);
    this.#worker ??= this.#started(await unpacked(this.#script));
    this.#there.set(name, whole || isWhole === true);
    for (const goOn of this.#awaited.get(name) ?? []) goOn();
    this.#awaited.delete(name);
  }

  /** @param {ArrayBuffer} script */
  #started(script) {
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
    worker.onmessage = ({ data }) => (data.want ? this.#give(data.want) : this.#told(data));
    worker.onerror = ({ message }) => this.#failed(message ?? "");
    return worker;
  }

  /** Drop a worker that failed, and its models, which may be loaded again. @param {string} why */
  #failed(why) {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#there.clear();
    const trouble = `What computes here has failed${why && ` (${why})`}. To try again, type your words again.`;
    for (const { reject } of this.#waiting.values()) reject(new Error(trouble));
    this.#waiting.clear();
  }

  /** Hand a file to the worker: one that came, or one that comes now. @param {string} file */
  async #give(file) {
    try {
      const content = file === WEIGHTS && this.#trained ? this.#trained.slice(0) : await this.#unpacked(file);
      this.#worker?.postMessage({ file, content }, [content]);
    } catch (error) {
      this.#worker?.postMessage({ file, failed: String(error) });
    }
  }

  /** @param {string} file */
  async #unpacked(file) {
    const packed = this.#files.get(file) ?? (await bring({ [file]: PACKED[file] }, PLACE, () => {}))[file];
    this.#files.delete(file);
    return unpacked(packed);
  }

  /** Return whether a model is there. @param {string} name */
  has(name) {
    return this.#there.has(name);
  }

  /** Use the model that the reader has trained instead of the GPT. @param {ArrayBuffer} content */
  async take(content) {
    this.#trained = content;
    this.#worker?.postMessage({ forget: "GPT" });
    await this.#bring("GPT", false, () => {});
  }

  /** @param {{ id: number, frame?: object, failed?: string }} answer */
  #told({ id, frame, failed }) {
    const { resolve, reject } = this.#waiting.get(id) ?? {};
    this.#waiting.delete(id);
    if (frame) resolve?.(frame);
    else reject?.(new Error(failed));
  }

  /**
   * Request a widget's frame from a model, as soon as the reader has had it loaded.
   * @param {{ widget: string, at: { [name: string]: any }, baked: object }} question
   * @param {HTMLElement} place where it says so, and what it does
   * @returns {Promise<object>}
   */
  async ask(question, place) {
    const { model = MODELS[question.widget] ?? "translator" } = question.at;
    const name = question.widget === "tokenizer_lab" ? `pieces of ${model}` : model;
    if (!SIZES[name]) throw new Error(`${name} is too large for a page: open this page as a notebook.`);
    if (!this.#there.has(name)) await this.#offered(name, place);
    const said = make("p", {}, `${name} reads …`);
    place.replaceChildren(said);
    const id = ++this.#asked;
    try {
      const frame = await new Promise((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        this.#worker?.postMessage({ id, name, ...question });
      });
      said.textContent = frame.copy;
      return frame;
    } catch (error) {
      said.remove(); // what went wrong is said by the widget
      throw error;
    }
  }

  /** Wait until the reader lets a model come, and it is there. @param {string} name @param {HTMLElement} place */
  #offered(name, place) {
    const [some, whole] = SIZES[name];
    return new Promise((resolve) => {
      this.#awaited.set(name, [...(this.#awaited.get(name) ?? []), resolve]);
      const said = make("p", {});
      const button = (text, all) =>
        make("button", { type: "button", className: "tl-button", onclick: () => come(all) }, text);
      const buttons = make("div", { className: "tl-row" });
      const offer = (words) => {
        said.textContent = words;
        buttons.replaceChildren(button(`Load ${name}: ${some} MB`, false));
        if (whole) buttons.append(button(`Load all of it: ${whole} MB`, true));
        place.replaceChildren(said, buttons);
      };
      const come = async (all) => {
        const bar = make("progress", {});
        said.textContent = `${name} is on its way …`;
        place.replaceChildren(said, bar);
        Object.assign(place, { tabIndex: -1 }).focus(); // the button that was pressed is gone
        try {
          const tell = (value, max) =>
            Object.assign(bar, { value, max, ariaLabel: `${megabytes(value)} of ${megabytes(max)} MB` });
          await this.#bring(name, all, tell);
        } catch (error) {
          offer(String(error));
        }
      };
      const why = `To compute this, ${name} must come to your browser: ${some} MB from this site, once.`;
      offer(`${why} ${whole ? PRIVACY : "What you type stays in your browser."}`);
    });
  }
}

window.transformerLab.words = new Readers();
