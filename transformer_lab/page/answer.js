/* The code cells of a page: those that prepare, and the answers, which become editors. */

/** A code cell of the page: what prepares, or an answer. */
class Cell {
  /** @type {Editor | undefined} */
  editor;
  /** How often Python had been begun when this was run, and what was run. */
  ran = { begun: 0, code: "" };

  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.shown = /** @type {HTMLElement} */ (place.querySelector(".highlight"));
    this.given = this.shown.querySelector("pre")?.textContent?.trimEnd() ?? "";
  }
  get code() {
    return this.editor?.text() ?? this.given;
  }
  get name() {
    return this.place.id || "a cell of the page";
  }
}

class Answer extends Cell {
  status = make("span", { className: "tl-status", role: "status" });
  output = make("div", { className: "tl-output" });
  /** @type {Promise<Editor> | undefined} */
  #opening;

  /** @param {HTMLElement} place @param {Bench} bench */
  constructor(place, bench) {
    super(place);
    this.bench = bench;
    const run = make("button", { type: "button", className: "tl-run", onclick: () => bench.run(this) }, "Run");
    const reset = make("button", { type: "button", onclick: () => this.reset() }, "Reset");
    for (const [button, what] of /** @type {const} */ ([
      [run, "Run"],
      [reset, "Reset"],
    ])) {
      button.setAttribute("aria-label", `${what} ${this.function}`);
    }
    this.bar = make("div", { className: "tl-bar" }, run, reset, this.status);
    place.append(this.bar, this.output);
    // Of what lies within, the theme says by itself whether Tab goes there.
    Object.assign(this.shown, { tabIndex: 0, role: "textbox", ariaMultiLine: "true", ariaLabel: this.label });
    this.shown.addEventListener("focusin", () => this.open(true));
  }
  get function() {
    return /^def (\w+)/m.exec(this.given)?.[1] ?? "this";
  }
  get label() {
    return `Your ${this.function}`;
  }

  /** Put the editor into the place of what is shown. @param {boolean} focus */
  async open(focus = false) {
    this.bench.wake(this);
    this.#opening ??= this.#opened();
    try {
      const editor = await this.#opening;
      if (focus) editor.focus();
    } catch (error) {
      this.#opening = undefined;
      this.say(String(error));
    }
  }
  async #opened() {
    await Promise.all(EDITOR.map(([script]) => loadScript(`${FOLDER}${script}`)));
    const options = { label: this.label, help: HELP, run: () => this.bench.run(this) };
    const parent = make("div", { className: "highlight tl-editor" });
    this.editor = window.transformerLabEditor(parent, this.given, options);
    this.shown.replaceWith(parent);
    return this.editor;
  }

  /** @param {string} words */
  say(words) {
    this.status.textContent = words;
  }

  /** Begin anew with what was given; undo brings back what was written. */
  reset() {
    this.editor?.write(this.given);
    this.editor?.focus();
    this.output.replaceChildren();
    this.say("");
  }

  /** Show what came of it. @param {Partial<Told>} told */
  show({ said = "", note = "", card = "", line = 0 }) {
    const built = builtCard(card);
    this.output.replaceChildren(
      ...(said ? [make("pre", { className: "tl-printed", tabIndex: 0 }, said)] : []),
      ...(note ? [make("p", { className: "tl-note" }, note)] : []),
      ...built.childNodes,
    );
    this.editor?.mark(line);
    const group = this.output.querySelector("[role=group]");
    this.say(note ? "See below." : (group?.getAttribute("aria-label") ?? ""));
  }
}
