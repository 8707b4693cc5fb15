/**
 * Python, for a page: its files come when it is first wanted. It runs in a worker within a frame that has an
 * origin of its own, no network and no storage; one that gives no answer is ended, and another begun.
 */
import { bring, text, unpacked } from "./files.js";
import { isText } from "./kept.js";

const PATIENCE = 120; // seconds for all that is asked, our judging too
export const TIRED = `It took more than ${PATIENCE} seconds, and was stopped: your answer may still be right.`;
const STOPPED = "Python has stopped: did your code end it?";
const SLOW = 3; // seconds after which the reader is told that there is more to come

export class Python {
  #manifest;
  #folder;
  #progress;
  /** Compressed, so as to be begun again. @type {Promise<{ [file: string]: Blob }> | undefined} */
  #files;
  /** @type {Promise<MessagePort> | undefined} */
  #port;
  /** Ends the frame, its port, and what listens to them. @type {AbortController | undefined} */
  #life;
  #asked = 0;
  /** Is told where the worker fails. @param {string} _why */
  #failed = (_why) => {};
  /** Counts how often it was begun: what was defined before is gone then. */
  begun = 0;
  /** What each question says besides. */
  also = {};
  /** Whether it is there, and not merely on its way. */
  isThere = false;

  /**
   * @param {Manifest} manifest
   * @param {string} folder
   * @param {(done: number, all: number) => void} progress in bytes
   */
  constructor(manifest, folder, progress) {
    this.#manifest = manifest;
    this.#folder = folder;
    this.#progress = progress;
  }

  /** Load it, and keep it ready from now on. */
  wake() {
    this.#port ??= this.#begin();
    return this.#port;
  }

  /** @returns {Promise<MessagePort>} */
  async #begin() {
    this.#files ??= this.#load();
    try {
      const all = Object.entries(await this.#files).map(async ([file, packed]) => [file, await unpacked(packed)]);
      const { "worker.js": script, "frame.html": source, ...files } = Object.fromEntries(await Promise.all(all));
      const port = await this.#started(text(source), { script: text(script), files });
      this.begun += 1;
      this.isThere = true;
      this.#failed = () => this.end();
      return port;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** End it, whatever it does. */
  end() {
    this.#life?.abort();
    this.#life = this.#port = undefined;
    this.isThere = false;
  }

  async #load() {
    try {
      return await bring(this.#manifest, this.#folder, this.#progress);
    } catch (error) {
      this.#files = undefined; // the next time may have more luck
      throw error;
    }
  }

  /**
   * @param {string} source
   * @param {{ script: string, files: { [file: string]: ArrayBuffer } }} message
   * @returns {Promise<MessagePort>}
   */
  #started(source, message) {
    const { port1: port, port2 } = new MessageChannel();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    frame.title = "Python";
    frame.setAttribute("sandbox", "allow-scripts");
    frame.srcdoc = source;
    this.#life = new AbortController();
    const { signal } = this.#life;
    signal.addEventListener("abort", () => {
      frame.remove();
      port.close();
    });
    return new Promise((resolve, reject) => {
      this.#failed = (why) => reject(new Error(why));
      const heard = ({ source, data }) => source === frame.contentWindow && this.#failed(String(data?.failed));
      addEventListener("message", heard, { signal });
      port.onmessage = ({ data }) => (data?.ready ? resolve(port) : this.#failed(String(data?.failed)));
      frame.onload = () => frame.contentWindow?.postMessage(message, "*", [port2, ...Object.values(message.files)]);
      document.body.append(frame);
    });
  }

  /**
   * Send a question, and return the reply. For code of the reader's that gives no answer, return the card that
   * says so; for what takes long in other ways, and for what stops Python, only that it was ended.
   * @param {Question} question
   * @param {() => void} [slow] is called when there is more to wait for
   * @returns {Promise<{ told?: Told, late?: string, ended?: string }>}
   */
  async ask(question, slow = () => {}) {
    const port = await this.wake();
    const id = ++this.#asked;
    const { seconds = 10 } = question; // for each piece of the reader's own code
    const request = JSON.stringify({ ...this.also, ...question, seconds });
    /** @type {string[]} */
    let late = []; // cards: for a cell that takes too long, for a call of its function
    let turns = 0; // of the reader's own code: first the cell, then calls
    return new Promise((resolve) => {
      const given = (answer) => {
        [patience, telling, turn].map(clearTimeout);
        port.onmessage = null;
        this.#failed = () => this.end();
        resolve(answer);
      };
      const ended = (answer) => {
        this.end();
        given(answer);
      };
      const tired = () => ended({ ended: TIRED });
      this.#failed = () => ended({ ended: STOPPED });
      const patience = setTimeout(tired, PATIENCE * 1000);
      const telling = setTimeout(slow, SLOW * 1000);
      /** @type {number | undefined} */
      let turn; // runs while the reader's own code does
      port.onmessage = ({ data }) => {
        if (data?.isYours !== undefined) {
          clearTimeout(turn);
          if (!data.isYours) return;
          const card = ++turns > 1 ? 1 : 0;
          turn = setTimeout(
            () => ended({ late: late[card] ?? "", ended: `It took more than ${seconds} seconds, and was stopped.` }),
            seconds * 1000,
          );
        } else if (data?.id === id && Array.isArray(data.late)) late = data.late.map(String);
        else if (data?.id === id) {
          if (data.told === undefined) this.#failed(String(data.failed));
          else given({ told: read(data.told) });
        }
      };
      port.postMessage({ id, request });
    });
  }
}

/**
 * Check and convert what Python sends, which may be a reader's own code.
 * @param {unknown} data
 * @returns {Told}
 */
function read(data) {
  /** @type {any} */
  let told = {};
  try {
    told = JSON.parse(String(data)) ?? {};
  } catch {} // then nothing is told
  const held = Object.entries(told.held ?? {}).map(([name, holds]) => [name, holds === true]);
  return {
    said: String(told.said ?? ""),
    line: Number.isInteger(told.line) ? told.line : 0,
    note: String(told.note ?? ""),
    card: String(told.card ?? ""),
    holds: told.holds === true,
    looking: told.looking === true,
    hint: String(told.hint ?? ""),
    mistakes: Array.isArray(told.mistakes) ? told.mistakes.map(String) : [],
    held: Object.fromEntries(held),
    frame: told.frame && Object.fromEntries(Object.entries(told.frame).map(([name, value]) => [name, seen(value)])),
  };
}

/** A value of a widget's frame; bytes come as text. */
function seen(value) {
  if (!isText(value?.base64)) return value;
  return new DataView(Uint8Array.from(atob(value.base64), (letter) => letter.charCodeAt(0)).buffer);
}
