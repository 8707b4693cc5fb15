/**
 * A reader trains a GPT: here it is set, seen and heard of. On a page a worker computes, which comes with its kernels
 * and texts when Train is pressed; in a notebook its kernel does, with torch.
 */
import { make } from "./element.js";
import { Curves } from "./loss_curves.js";
import { again, BREAKS, breakable, duration, linked, named, planned, proposed, read } from "./training_settings.js";
import { RUNGS, SHORTEST, SIZES, STEPS, TIMED, USUAL, WHOLE } from "./training_settings.js";

/** @import { OwnParts } from "../page/train/own.js" */
/** @import { Plan } from "../page/train/training.js" */
/** @import { Found, News } from "../page/train/worker.js" */
/** @import { Curve } from "./loss_curves.js" */
/** @import { Settings } from "./training_settings.js" */

/** What computes: a worker, or what stands for one. @typedef {Omit<Kernel, "id">} Engine */
/**
 * What the component asks of its site.
 * @typedef {object} Site
 * @property {{ [name: string]: { title: string, kilobytes: number } }} texts
 * @property {number} kilobytes of the worker and the kernels
 * @property {(isOwn: boolean) => Promise<{ worker: Engine, wasm?: BufferSource }>} engine a new one each time, for
 *   parts of the reader's own or for ours
 * @property {(name: string) => Promise<{ text: string, held?: string } | { named: string }>} text
 * @property {Curve} recorded
 * @property {{ label: string, copied: (words: string) => string }} link how a setting is copied
 * @property {string} start the words of a setting to begin with
 * @property {string} where it computes
 * @property {string} trouble why it cannot train here, or ""
 * @property {OwnParts} [own] the reader's answers, where there is Python for them
 * @property {{ get(): Promise<ArrayBuffer>, put(content: ArrayBuffer): Promise<unknown> }} [kept] where the last model
 *   is kept; rejects where there is none, or no room
 */
/**
 * What a training is called, and its losses.
 * @typedef {{ name: string, batches: Curve["points"], held: Curve["points"] }} Run
 */

/** The widgets that can show what was trained. */
const WIDGETS = '[data-widget="next_token"], [data-widget="real_heads"]';
const KEPT = 3; // earlier trainings whose curves stay
const LONGEST = 5_000_000; // characters of a text
const QUIET = 10_000; // milliseconds between two sentences for who hears the page
const OWN_STEPS = 400; // with parts of one's own, where a step takes three times as long
const LOADED = { steps: 800, peak: 1e-3, warmUp: 50 }; // how a loaded model goes on
/** What can be seen of parts that are wrong, and what they do to the curve. */
const FOUND = {
  number: "Your parts return NaN or infinity: is there a row in which all is hidden, or a division by 0?",
  ahead:
    "Your parts look ahead: another character changes what is predicted before it. So the held-out loss will fall " +
    "almost to 0, and the text falls apart, because when it writes, the next character is not there to be copied.",
  alone:
    "With your parts no character sees those before it. So this can learn which pairs are frequent, as the bigram " +
    "does, and its loss will stay near the bigram's, 2.5.",
};
/** @param {string} size */
const sized = (size) => size.replace("x", " × ");

const whole = (number) => Math.round(number).toLocaleString("en");
const seconds = (ms) =>
  ms < 100_000 ? `${Math.max(1, Math.round(ms / 1000))}\u00a0s` : `${Math.round(ms / 60_000)} minutes`;
/** @param {string} className @param {(Node | string)[]} children */
const box = (className, ...children) => make("div", { className }, ...children);
/** @param {string} text @param {HTMLElement} control */
const labelled = (text, control) => make("label", { className: "tl-words" }, text, control);
const option = (value, text) => make("option", { value }, text);
/** @param {string[][]} options values, each with its text */
const select = (...options) => make("select", {}, ...options.map(([value, text]) => option(value, text)));
const button = (text = "", hidden = false) => make("button", { type: "button", className: "tl-button", hidden }, text);

/** Make the controls that a link can set. @param {Site["texts"]} offered */
function makeControls(offered) {
  const texts = Object.entries({ ...offered, own: { title: "your own text", kilobytes: 0 } });
  const name = `tl-text-${Math.random()}`; // radios of one group, whatever else is on the page
  return {
    text: texts.map(([value, { title, kilobytes }]) => ({
      input: make("input", { type: "radio", name, value }),
      title: kilobytes ? `${title} (${kilobytes} KB to load)` : title,
    })),
    size: select(["", "as fits here"], ...Object.keys(SIZES).map((size) => [size, sized(size)])),
    steps: select(["0", "as fit the size"], ...STEPS.map((steps) => [`${steps}`, whole(steps)])),
    seed: make("input", { type: "number", min: "0", max: "999999", value: "0" }),
    rung: select(
      ...Object.keys(RUNGS).map((rung, n) => [rung, rung === WHOLE ? "the whole GPT" : `rung ${n + 1}: ${rung}`]),
    ),
    without: Object.keys(BREAKS).map((part) => ({
      input: make("input", { type: "checkbox", value: part }),
      title: { heads: "several heads", mask: "the mask", "warm-up": "the warm-up" }[part] ?? part,
    })),
  };
}

export class Trainer {
  /** @type {Site} */
  #site;
  /** @type {Engine | undefined} */
  #worker;
  /** @type {Run[]} */
  #runs = [];
  /** @type {Plan} */
  #plan = LOADED;
  #state = /** @type {"idle" | "comes" | "runs" | "paused" | "hidden" | "ended"} */ ("idle");
  #end = 0;
  #isAble = true;
  #vocabulary = 0;
  #ms = 0;
  #costs = "";
  #spoke = -Infinity;
  #curves = new Curves();
  #own = "";
  /** Texts that came, by name. */
  #texts = {};

  #train = button();
  #pause = button();
  #more = button("More");
  #save = button("Save the model");
  #use = button("Look into it, in the widgets below");
  #last = button("Bring back your last model", true);
  /** Those who wait for the file of the model. @type {((content: Uint8Array<ArrayBuffer>) => void)[]} */
  #asked = [];
  #hasOwnParts = false; // which no file holds
  #earlierModel = button("", true);
  #isSaved = false;
  #copy = button();
  #loading = button("Load a model");
  #load = make("input", { type: "file", accept: ".safetensors", hidden: true });
  #trouble = make("p", { className: "tl-trouble", role: "alert" });
  #heard = make("span", { className: "tl-status", role: "status" });
  #said = make("p", { className: "tl-summary" });
  #cost = make("p", { className: "tl-cost" });
  #written = make("div", { className: "tl-written", role: "region", tabIndex: 0, ariaLabel: "What it writes" });
  #caption = make("p", { className: "tl-legend" });
  #earlier = make("details", { className: "tl-earlier", hidden: true }, make("summary", {}, "Earlier texts"));
  #pasted = make("textarea", {
    rows: 6,
    placeholder: "Paste a text here, or drop a file.",
    ariaLabel: "Your own text",
  });
  #file = make("input", { type: "file", accept: "text/*" });
  #yours = make("fieldset", { className: "tl-choice" });
  #found = make("p", { className: "tl-found", hidden: true });
  #counted = make("p", {});
  #pasting = box("tl-pasted", this.#pasted, labelled("or choose a file", this.#file), this.#counted);
  #sizes = make("details", {}, make("summary", {}, "Size, steps, seed"));
  /** @type {ReturnType<typeof makeControls>} */
  #controls;
  #removed = new AbortController();

  /** @param {HTMLElement} place @param {Site} site */
  constructor(place, site) {
    this.#site = site;
    this.#controls = makeControls(site.texts);
    place.ariaLabel = "Train a GPT";
    place.append(this.#body());
    this.#listen(place);
    this.#follow(place.id);
    this.#isAble = !site.trouble;
    this.#fail(site.trouble);
    this.#draw();
    this.#offer();
  }

  #body() {
    const { text, size, steps, seed, rung, without } = this.#controls;
    this.#train.classList.add("tl-go");
    /** @param {string} legend @param {{ input: HTMLInputElement, title: string }[]} each */
    function choice(legend, each) {
      const set = make("fieldset", { className: "tl-choice" }, make("legend", {}, legend));
      for (const { input, title } of each) set.append(make("label", {}, input, title));
      return set;
    }
    const selects = box("tl-selects", labelled("Width × layers", size), labelled("Steps", steps));
    selects.append(labelled("Seed", seed));
    this.#sizes.append(selects);
    const settings = box("tl-set", choice("Learn from", text), this.#pasting, labelled("Model", rung));
    settings.append(choice("Break it: train without", without), this.#yours, this.#sizes);
    this.#showOwn();
    const [pressed, files] = [
      [this.#train, this.#pause, this.#more],
      [this.#copy, this.#save, this.#use, this.#earlierModel, this.#loading, this.#load, this.#last],
    ].map((each) => box("tl-row", ...each));
    const told = [this.#trouble, this.#found, this.#said, this.#curves.element];
    return box(
      "tl-body",
      box("tl-side", settings, pressed, ...told),
      box("tl-main", this.#caption, this.#written, this.#earlier),
      box("tl-foot", files, this.#cost, this.#heard),
    );
  }

  /** @param {HTMLElement} place */
  #listen(place) {
    /** @param {any} element @param {string} event @param {(event: any) => void} act */
    const on = (element, event, act) => element.addEventListener(event, act, { signal: this.#removed.signal });
    on(place, "change", () => this.#offer());
    on(this.#train, "click", () => this.#begin());
    on(this.#pause, "click", () => (this.#state === "runs" ? this.#stop("paused") : this.#resume()));
    on(this.#more, "click", () => this.#goOn());
    on(this.#save, "click", async () => {
      this.#isSaved = true;
      this.#download(await this.#content());
    });
    on(this.#use, "click", async () => this.#lend(await this.#content()));
    on(this.#last, "click", async () => this.#begin(await this.#site.kept?.get()));
    this.#offerLast();
    on(this.#loading, "click", () => this.#load.click());
    on(this.#load, "change", async () => {
      const saved = await this.#load.files?.[0]?.arrayBuffer();
      this.#load.value = ""; // so that the same file may come again
      if (saved) this.#begin(saved);
    });
    on(this.#copy, "click", () => this.#copyLink());
    on(this.#file, "change", () => this.#file.files?.[0] && this.#take(this.#file.files[0]));
    on(this.#pasted, "input", () => this.#count(this.#pasted.value));
    on(this.#pasted, "dragover", (event) => event.preventDefault());
    on(this.#pasted, "drop", (event) => {
      const [file] = event.dataTransfer.files;
      if (!file) return;
      event.preventDefault();
      this.#take(file);
    });
    on(document, "visibilitychange", () => {
      if (document.hidden && this.#state === "runs") this.#stop("hidden");
      else if (!document.hidden && this.#state === "hidden") this.#resume();
    });
    on(window, "hashchange", () => this.#follow(place.id));
    for (const type of ["pageshow", "storage"]) on(window, type, () => this.#showOwn()); // another page was at work
    new ResizeObserver(() => this.#draw()).observe(this.#curves.element);
  }

  /** Stop, and listen no more. */
  remove() {
    this.#removed.abort();
    this.#worker?.terminate();
  }

  /** Offer the answers that the reader has written as parts, or say where to write some. */
  #showOwn() {
    const { own } = this.#site;
    this.#yours.hidden = !own;
    if (!own) return;
    const { written, titles } = own;
    const chosen = this.#parts;
    const legend = make("legend", {}, "Train it with your own");
    if (written.length) {
      const labels = written.map((id) => {
        const input = make("input", { type: "checkbox", value: id, checked: chosen.includes(id) });
        input.addEventListener("change", () => this.#makeRoom(input));
        return make("label", {}, input, make("code", {}, titles[id]));
      });
      this.#yours.replaceChildren(legend, ...labels);
      return;
    }
    const some = ["masking-causal", "attention-attention", "norm-rms"];
    const links = some.map((id) => make("a", { href: own.address(id) }, make("code", {}, titles[id])));
    const [first, second, third] = links;
    const words = ["Write ", first, ", ", second, " or ", third, " as an exercise, and it can stand in this GPT."];
    this.#yours.replaceChildren(legend, make("p", {}, ...words));
  }
  /** Of two parts that do the same, keep the one that was chosen last. @param {HTMLInputElement} input */
  #makeRoom({ value, checked }) {
    if (!checked) return;
    for (const [id, others] of Object.entries(this.#site.own?.instead ?? {})) {
      const out = id === value ? others : others.includes(value) ? [id] : [];
      for (const each of this.#yours.querySelectorAll("input")) if (out.includes(each.value)) each.checked = false;
    }
  }
  /** Which parts of the reader's own are chosen. */
  get #parts() {
    return [...this.#yours.querySelectorAll("input")].filter(({ checked }) => checked).map(({ value }) => value);
  }

  /** What the controls say. @returns {Settings} */
  get #now() {
    const { text, size, steps, seed, rung, without } = this.#controls;
    return {
      text: text.find(({ input }) => input.checked)?.input.value ?? USUAL.text,
      size: size.value,
      steps: Number(steps.value),
      seed: Math.max(0, Math.min(999_999, Math.floor(Number(seed.value)))),
      rung: rung.value,
      without: without.filter(({ input }) => input.checked).map(({ input }) => input.value),
    };
  }

  /** Set the controls as the address says, if it names this place, or as they begin. @param {string} id */
  #follow(id) {
    const [place, words] = location.hash.slice(1).split(":");
    const { text, size, steps, seed, rung, without } = this.#controls;
    const named = place === id ? words : "";
    if (!named && this.#state !== "idle") return;
    const said = read(named ? decodeURIComponent(named) : this.#site.start);
    for (const { input } of text) input.checked = input.value === said.text;
    for (const { input } of without) input.checked = said.without.includes(input.value);
    if (![...steps.options].some(({ value }) => Number(value) === said.steps)) {
      steps.append(option(`${said.steps}`, whole(said.steps)));
    }
    this.#sizes.open = Boolean(said.size || said.steps || said.seed);
    [size.value, steps.value, seed.value, rung.value] = [said.size, `${said.steps}`, `${said.seed}`, said.rung];
    this.#offer();
  }

  async #copyLink() {
    const text = this.#site.link.copied(linked(this.#now));
    try {
      await navigator.clipboard.writeText(text);
      this.#copy.textContent = "Copied";
    } catch {
      prompt("To copy:", text);
    }
  }

  /** Read a text from a file. @param {File} file */
  async #take(file) {
    this.#pasted.value = file.size > LONGEST / 10 ? "" : await file.text(); // more is not shown, only read
    this.#pasted.placeholder = file.name;
    this.#count(await file.text());
  }
  /** @param {string} text */
  #count(text) {
    this.#own = text.replaceAll("\r\n", "\n").slice(0, LONGEST);
    this.#offer();
  }

  /** Bring what can be pressed, and what is said of it, up to date. */
  #offer() {
    const { text, rung, without } = this.#controls;
    const settings = this.#now;
    const isOwn = settings.text === "own";
    const isMine = this.#parts.length > 0; // these stand in the whole GPT
    const there = isMine ? [] : breakable(rung.value);
    rung.disabled = isMine;
    for (const { input } of without) input.disabled = !there.includes(input.value);
    this.#pasting.hidden = !isOwn;
    const count = Array.from(this.#own).length;
    const enough = count < SHORTEST ? `At least ${whole(SHORTEST)} are needed` : "It is long enough";
    const stays = "from 50,000 on it learns to spell. The text stays on this machine.";
    this.#counted.textContent = `${whole(count)} characters. ${enough}; ${stays}`;
    const isOver = !["idle", "ended"].includes(this.#state);
    const engine = this.#worker ? 0 : this.#site.kilobytes;
    const kilobytes = engine + (isOwn || this.#texts[settings.text] ? 0 : this.#site.texts[settings.text].kilobytes);
    const train = this.#runs.length ? "Train again" : "Train";
    const python = isMine && this.#site.own?.megabytes;
    const comes = [...(kilobytes ? [`${kilobytes} KB`] : []), ...(python ? [`Python, ${python.toFixed(1)} MB`] : [])];
    this.#train.textContent = comes.length ? `${train}: load ${comes.join(" and ")}` : train;
    this.#train.disabled = this.#state === "comes" || (isOwn && count < SHORTEST) || !this.#isAble;
    this.#pause.textContent = this.#state === "paused" || this.#state === "hidden" ? "Go on" : "Pause";
    this.#pause.disabled = !isOver || this.#state === "comes";
    this.#more.disabled = this.#state !== "ended";
    this.#save.disabled = this.#use.disabled = this.#state === "comes" || !this.#worker;
    this.#use.hidden = this.#hasOwnParts || !document.querySelector(WIDGETS);
    this.#copy.textContent = this.#site.link.label;
    this.#caption.textContent ||= "Its texts come here, from noise to words.";
    if (!text.some(({ input }) => input.checked)) text[0].input.checked = true;
  }

  /** Load all that is needed, and train; a saved model only writes. @param {ArrayBuffer} [saved] */
  async #begin(saved) {
    const parts = saved ? [] : this.#parts;
    const settings = parts.length ? { ...this.#now, rung: WHOLE, without: [] } : this.#now;
    this.#become("comes"); // nothing is pressed meanwhile, and nothing of the last training is read as of this one
    this.#fail("");
    this.#found.hidden = true;
    this.#caption.textContent = "";
    this.#said.textContent = "The engine and the text are on their way …";
    await this.#keepModel();
    this.#worker?.terminate();
    this.#worker = undefined;
    try {
      const isOwn = settings.text === "own";
      const [{ worker, wasm }, text] = await Promise.all([
        this.#site.engine(parts.length > 0),
        isOwn ? { text: this.#own } : this.#text(settings.text),
      ]);
      this.#worker = worker;
      worker.onmessage = ({ data }) => this.#hear(data);
      worker.onerror = ({ message }) => this.#fail(`What computes here has failed${message ? ` (${message})` : ""}.`);
      const order = { wasm, ...text, seed: settings.seed };
      if (parts.length) Object.assign(settings, { size: settings.size || TIMED, steps: settings.steps || OWN_STEPS });
      if (!settings.size && !saved) settings.size = await this.#fitting(settings, order);
      const { config, plan } = planned({ ...settings, size: settings.size || TIMED });
      const programs = parts.length ? await this.#programs(parts, config) : undefined;
      this.#plan = saved ? { ...plan, steps: 0 } : plan;
      this.#end = this.#plan.steps;
      this.#runs = [
        ...this.#runs.slice(-KEPT),
        { name: saved ? "loaded" : this.#named(settings, parts), batches: [], held: [] },
      ];
      for (const old of this.#earlier.querySelectorAll("figure")) old.remove();
      worker.postMessage({ kind: "start", ...order, config, plan: this.#plan, saved, programs });
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }
  /** Before another model comes, keep the one that was trained and not saved: it can still be had. */
  async #keepModel() {
    const [worker, run] = [this.#worker, this.#runs.at(-1)];
    if (worker && run?.batches.length && !this.#isSaved) {
      worker.onmessage = ({ data }) => data.kind === "saved" && this.#hear(data);
      const content = await this.#content();
      this.#earlierModel.textContent = `Save the earlier model (${run.name})`;
      this.#earlierModel.onclick = () => this.#download(content);
      this.#earlierModel.hidden = false;
    }
    this.#isSaved = false;
  }
  /** The file of the model. @returns {Promise<Uint8Array<ArrayBuffer>>} */
  #content() {
    this.#worker?.postMessage({ kind: "save" });
    return new Promise((resolve) => this.#asked.push(resolve));
  }
  /** Offer the model that the browser keeps, if it does. */
  async #offerLast() {
    try {
      this.#last.hidden = !(await this.#site.kept?.get());
    } catch {} // it lets the page keep nothing
  }
  /** Keep the model in the browser, in the place of the last one; what parts of one's own have learned is no file. */
  async #keep() {
    if (!this.#site.kept || this.#hasOwnParts) return;
    const { buffer } = await this.#content();
    const kept = this.#site.kept.put(buffer).then(() => "This browser keeps this model until you train another.");
    const told = await kept.catch(() => "This browser has no room to keep this model: save it.");
    this.#cost.textContent = `${this.#costs} ${told}`;
  }
  /** @param {string[]} parts @param {Parameters<OwnParts["programs"]>[1]} config */
  #programs(parts, config) {
    this.#said.textContent = "Python reads your parts …";
    return /** @type {OwnParts} */ (this.#site.own).programs(parts, config);
  }
  #named(settings, parts) {
    const { what: ours, size, text } = named(settings);
    const [first, ...others] = parts;
    const what = first ? `your ${others.length ? `${parts.length} parts` : this.#site.own?.titles[first]}` : ours;
    const whose = { own: "your text", plays: "eight plays" }[text];
    return [what, this.#runs.length ? "" : size, whose].filter(Boolean).join(", ");
  }
  /** @param {string} name */
  async #text(name) {
    this.#texts[name] ??= await this.#site.text(name);
    return this.#texts[name];
  }

  /** Return the size that fits this machine: some steps are timed. */
  async #fitting(settings, order) {
    const { config, plan } = planned({ ...settings, size: TIMED, rung: WHOLE, without: [] });
    const ms = await new Promise((resolve, reject) => {
      const worker = /** @type {Engine} */ (this.#worker);
      worker.onmessage = ({ data }) => (data.kind === "timed" ? resolve(data.ms) : reject(new Error(data.message)));
      worker.postMessage({ kind: "time", ...order, config, plan });
    });
    if (this.#worker) this.#worker.onmessage = ({ data }) => this.#hear(data);
    const size = proposed(ms);
    for (const each of this.#controls.size.options) {
      if (each.value) each.textContent = `${sized(each.value)}: ${seconds(duration(each.value, settings.steps, ms))}`;
    }
    this.#controls.size.options[0].textContent = `as fits here: ${sized(size)}`;
    this.#controls.size.value = size; // so that a link, and the next training, have the same
    this.#tell(`This machine trains ${sized(size)} in about ${seconds(duration(size, settings.steps, ms))}.`);
    return size;
  }

  #goOn() {
    this.#plan = this.#plan.steps ? again(this.#plan) : LOADED;
    this.#end += this.#plan.steps;
    this.#worker?.postMessage({ kind: "more", plan: this.#plan });
    this.#become("runs");
  }
  /** @param {"paused" | "hidden"} how */
  #stop(how) {
    this.#worker?.postMessage({ kind: "pause" });
    this.#become(how);
    this.#tell(how === "hidden" ? "It waits while this tab is hidden." : "Paused.");
    this.#keep();
  }
  #resume() {
    this.#worker?.postMessage({ kind: "resume" });
    this.#become("runs");
  }
  #become(state) {
    this.#state = state;
    this.#offer();
    const run = this.#runs.at(-1);
    if (run && state !== "comes") this.#said.textContent = this.#summary(run);
  }

  /** @param {News} news */
  #hear(news) {
    const run = this.#runs[this.#runs.length - 1];
    switch (news.kind) {
      case "ready":
        this.#vocabulary = news.symbols;
        this.#costs = this.#costsOf(news);
        this.#cost.textContent = this.#costs;
        this.#last.hidden = true;
        this.#hasOwnParts = Boolean(news.found);
        if (news.found) this.#tellFound(news.found);
        this.#become("runs");
        if (document.hidden) this.#stop("hidden");
        break;
      case "step":
        run.batches.push([news.step, news.loss]);
        this.#isSaved = false;
        this.#ms = news.ms;
        break;
      case "look":
        run.held.push([news.step, news.loss]);
        this.#show(news);
        break;
      case "ended":
        this.#become("ended");
        this.#spoke = -Infinity;
        this.#tell(`It has ended. ${this.#summary(run)}`);
        this.#keep();
        break;
      case "saved":
        this.#asked.shift()?.(news.content);
        break;
      case "interrupted":
        this.#stop("paused");
        break;
      case "failed":
        this.#fail(news.message);
    }
    this.#said.textContent = this.#summary(run);
    this.#draw();
  }

  /** Show what was found out about the reader's own parts. @param {Found} found */
  #tellFound({ loss, ours, wrong }) {
    const isSame = Math.abs(loss - ours) < 1e-3;
    const still = wrong.filter((name) => !(name in FOUND));
    const said = wrong.filter((name) => name in FOUND).map((name) => FOUND[name]);
    if (still.length) said.push(`Nothing flows back to ${still.join(", ")}: what is drawn there will never change.`);
    const both = `The first loss is ${loss.toFixed(2)}, and ${ours.toFixed(2)} with our parts`;
    const other = `${both}: so yours compute something else than ours.`;
    if (!said.length) said.push(isSame ? "The first loss is the same as with our parts." : other);
    this.#found.textContent = said.join(" ");
    this.#found.hidden = false;
    this.#spoke = -Infinity;
    this.#tell(said.join(" "));
  }

  #costsOf({ parameters, bytes }) {
    const memory = bytes ? `${whole(bytes / 1e6)} MB of memory, ` : "";
    return `${whole(parameters)} parameters, ${memory}${this.#site.where}`;
  }
  /** @param {Run} run */
  #summary({ batches, held }) {
    const [step] = batches.at(-1) ?? [0];
    const loss = batches.length ? `loss ${batches.at(-1)?.[1].toFixed(2)}` : "";
    const others = held.length ? `held-out loss ${held.at(-1)?.[1].toFixed(2)}` : "";
    const left = this.#ms * (this.#end - step);
    const time =
      this.#state === "runs" && left > 0 && this.#ms ? `${this.#ms.toFixed(0)} ms a step, ${seconds(left)} left` : "";
    const how = { paused: "paused", hidden: "waits while the tab is hidden", ended: "ended" }[this.#state] ?? "";
    return [`Step ${whole(step)} of ${whole(this.#end)}`, loss, others, time, how].filter(Boolean).join(" · ");
  }

  /** Show what the model writes. @param {Extract<News, { kind: "look" }>} look */
  #show({ step, loss, pieces, share }) {
    if (this.#written.childNodes.length) {
      const quoted = make("blockquote", {}, ...[...this.#written.childNodes].map((node) => node.cloneNode(true)));
      const before = make("figure", {}, make("figcaption", {}, this.#written.dataset.when ?? ""), quoted);
      this.#earlier.children[0].after(before);
      this.#earlier.hidden = false;
    }
    const when = `After ${whole(step)} steps, held-out loss ${loss.toFixed(2)}`;
    this.#written.dataset.when = when;
    const text = pieces.join("");
    const isBlank = text.replaceAll(/\s/g, "").length < text.length / 2; // it would look like nothing
    const shown = isBlank ? [text.replaceAll("\n", "↵").replaceAll(" ", "␣")] : pieces;
    this.#written.replaceChildren(...shown.map((piece, n) => (n % 2 ? make("b", {}, piece) : piece)));
    const words = `${Math.round(100 * share)}\u00a0% of its words occur in the text (bold).`;
    this.#caption.textContent = `${when}. ${words}`;
    this.#tell(`${when}. It writes: ${text.trim().slice(0, 120) || "only spaces and line breaks"}`);
  }

  /** Announce something to screen readers, not too often. @param {string} text */
  #tell(text) {
    if (performance.now() - this.#spoke < QUIET) return;
    this.#spoke = performance.now();
    this.#heard.textContent = text;
  }
  /** @param {string} text "" if nothing is wrong any more */
  #fail(text) {
    this.#trouble.textContent = text;
    if (!text) return;
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#asked = [];
    this.#become("idle");
  }

  /** Use the model instead of the book's in the widgets of this page. @param {Uint8Array<ArrayBuffer>} content */
  #lend({ buffer }) {
    document.dispatchEvent(new CustomEvent("transformer-lab-trained", { detail: buffer }));
    document.querySelector(WIDGETS)?.scrollIntoView();
    this.#tell("The widgets of the GPT show this model now.");
  }
  /** @param {Uint8Array<ArrayBuffer>} content */
  #download(content) {
    const href = URL.createObjectURL(new Blob([content]));
    make("a", { href, download: "gpt.safetensors" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  #draw() {
    const [now, ...earlier] = this.#runs.toReversed();
    const { recorded } = this.#site;
    const ends = [recorded.points, ...this.#runs.map(({ held }) => held)].map((points) => points.at(-1)?.[0] ?? 0);
    const guess = this.#vocabulary ? Math.log(this.#vocabulary) : undefined;
    /** @type {Curve[]} */
    const curves = [
      recorded,
      ...earlier.map(({ name, held }) => ({ kind: "before", name, points: held })),
      ...(now ? [{ kind: "batches", name: "on its batches", points: now.batches }] : []),
      ...(now ? [{ kind: "held", name: now.name, points: now.held }] : []),
    ];
    const before = `${recorded.name}: ${recorded.points.at(-1)?.[1].toFixed(2)}`;
    const label = `Loss by steps. ${now ? this.#summary(now) : ""} ${before}`;
    const last = Math.max(now?.batches.at(-1)?.[0] ?? 0, ...ends);
    this.#curves.draw(curves, { steps: STEPS.find((steps) => steps >= last) ?? last, top: 4.5, guess, label });
  }
}

/** A notebook's kernel in a worker's place. It computes some steps for each message, so that cells can run too. */
class Kernel {
  /** @type {((event: any) => any) | null} */
  onmessage = null;
  /** @type {((event: any) => any) | null} */
  onerror = null;
  id = `${Math.random()}`;
  #model;
  #isPaused = false;
  #waits = false;
  #hear = ({ id, news, goes }, buffers) => {
    if (id !== this.id) return;
    for (const each of news) {
      const content = each.kind === "saved" && new Uint8Array(buffers[0].buffer.slice(buffers[0].byteOffset));
      this.onmessage?.({ data: { ...each, content } });
    }
    if (goes) this.#goOn();
  };

  constructor(model) {
    this.#model = model;
    model.on("msg:custom", this.#hear);
  }
  /** @param {any} message */
  postMessage({ saved, ...message }) {
    this.#isPaused = message.kind === "pause" || (this.#isPaused && message.kind === "save");
    if (message.kind === "resume") {
      if (this.#waits) this.#goOn();
    } else if (message.kind !== "pause") this.#send(message, saved ? [saved] : []);
  }
  terminate() {
    this.#model.off("msg:custom", this.#hear);
  }
  #send(message, buffers = []) {
    this.#model.send({ ...message, id: this.id }, undefined, buffers);
  }
  #goOn() {
    this.#waits = this.#isPaused;
    if (!this.#waits) this.#send({ kind: "go" });
  }
}

export default {
  render({ model, el }) {
    const { texts, recorded, where } = model.get("site");
    /** @type {Site} */
    const site = {
      texts,
      recorded,
      where,
      kilobytes: 0,
      engine: async () => ({ worker: new Kernel(model) }),
      text: async (named) => ({ named }),
      link: { label: "Copy as Python", copied: (words) => `TrainHere(${JSON.stringify(words)})` },
      start: model.get("start"),
      trouble: "",
    };
    el.classList.add("tl-widget", "tl-train");
    const keep = ({ target, ctrlKey, metaKey }) =>
      target.toggleAttribute("data-lm-suppress-shortcuts", !(ctrlKey || metaKey)); // JupyterLab's keys
    for (const type of ["focusin", "keydown", "keyup"]) el.addEventListener(type, keep);
    const trainer = new Trainer(el, site);
    return () => trainer.remove();
  },
};
