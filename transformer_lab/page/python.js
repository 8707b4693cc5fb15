/**
 * Python, for a page: its files come when it is first wanted, as scripts, which a page may load from a
 * folder too. It runs in a worker within a frame that has an origin of its own, no network and no storage;
 * one that gives no answer is ended, and another begun.
 */
const SECONDS = 10; // for an answer
const AT_ONCE = 4; // scripts that are on their way

class Python {
  #manifest;
  #folder;
  #progress;
  /** @type {Promise<{ [file: string]: ArrayBuffer }> | undefined} */
  #files;
  /** @type {Promise<MessagePort> | undefined} */
  #port;
  /** @type {HTMLIFrameElement | undefined} */
  #frame;
  #asked = 0;
  /** Counts how often it was begun: what was defined before is gone then. */
  begun = 0;

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

  /** Have it ready, from now on. */
  wake() {
    this.#port ??= this.#begin();
    return this.#port;
  }

  /** @returns {Promise<MessagePort>} */
  async #begin() {
    this.#files ??= this.#load();
    try {
      const { "worker.js": script, "frame.html": source, ...files } = await this.#files;
      const port = await this.#started(text(source), { script: text(script), files });
      this.begun += 1;
      return port;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** End it, whatever it does. */
  end() {
    this.#frame?.remove();
    this.#frame = this.#port = undefined;
  }

  /** @returns {Promise<{ [file: string]: ArrayBuffer }>} */
  async #load() {
    const scripts = Object.values(this.#manifest).flat();
    const all = scripts.reduce((sum, [, bytes]) => sum + bytes, 0);
    const waiting = [...scripts];
    let done = 0;
    this.#progress(done, all);
    const next = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        await loadScript(`${this.#folder}${one[0]}`);
        done += one[1];
        this.#progress(done, all);
      }
    };
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, next));
    } catch (error) {
      this.#files = undefined; // the next time may have more luck
      throw error;
    }
    const entries = Object.entries(this.#manifest).map(async ([file, parts]) => {
      const bytes = await unpacked(parts.map(([script]) => window.transformerLabParts[script]).join(""));
      return /** @type {const} */ ([file, bytes]);
    });
    return Object.fromEntries(await Promise.all(entries));
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
    this.#frame = frame;
    return new Promise((resolve, reject) => {
      const failed = (told) => reject(new Error(String(told)));
      addEventListener("message", ({ source, data }) => source === frame.contentWindow && failed(data?.failed));
      port.onmessage = ({ data }) => (data?.ready ? resolve(port) : failed(data?.failed));
      frame.onload = () => frame.contentWindow?.postMessage(message, "*", [port2]);
      document.body.append(frame);
    });
  }

  /**
   * Ask, and give what is told, or of an answer that never came the card that says so.
   * @param {{ cell: string, code: string, check: boolean, held: Told["held"] }} question
   * @returns {Promise<{ told?: Told, late?: string, failed?: string }>}
   */
  async ask(question) {
    const port = await this.wake();
    const id = ++this.#asked;
    const request = JSON.stringify({ ...question, seconds: SECONDS });
    let late = "";
    return new Promise((resolve) => {
      const given = (answer) => {
        clearTimeout(timer);
        port.onmessage = null;
        resolve(answer);
      };
      const timer = setTimeout(() => {
        this.end();
        given({ late });
      }, SECONDS * 1000);
      port.onmessage = ({ data }) => {
        if (data?.id !== id) return;
        if (data.late !== undefined) late = String(data.late);
        else given(data.told === undefined ? { failed: String(data.failed) } : { told: read(data.told) });
      };
      port.postMessage({ id, request });
    });
  }
}

/**
 * Read what Python tells, whoever wrote it.
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
    held: Object.fromEntries(held),
  };
}

/** @param {ArrayBuffer} bytes */
const text = (bytes) => new TextDecoder().decode(bytes);

/**
 * Unpack what stands in scripts.
 * @param {string} base64
 */
async function unpacked(base64) {
  const bytes = Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/**
 * Load a script, once.
 * @param {string} src
 * @returns {Promise<unknown>}
 */
function loadScript(src) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const onerror = () => {
      script.remove();
      reject(new Error(`${src} did not come. Is there a network?`));
    };
    document.head.append(Object.assign(script, { src, onload: resolve, onerror }));
  });
}
