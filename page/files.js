/** Files of the site that come when they are wanted, as scripts, which a page may load from a folder too. */
import { make } from "./element.js";

const AT_ONCE = 4; // scripts that are on their way
export const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/**
 * Load a script, once.
 * @param {string} src
 * @returns {Promise<unknown>}
 */
export function loadScript(src) {
  const script = document.createElement("script");
  const came = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${src} could not be loaded. Is there a network?`));
    document.head.append(Object.assign(script, { src }));
  });
  return came.finally(() => script.remove()); // its text need not stay
}

/**
 * Load files, and report the progress. They stay compressed until they are `unpacked`.
 * @param {Manifest} manifest
 * @param {string} folder
 * @param {(done: number, all: number) => void} progress in bytes
 * @returns {Promise<{ [file: string]: Blob }>}
 */
export async function bring(manifest, folder, progress) {
  const scripts = Object.values(manifest).flat();
  const all = scripts.reduce((sum, [, bytes]) => sum + bytes, 0);
  const waiting = [...scripts];
  const came = new Map();
  let done = 0;
  progress(done, all);
  const next = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      await loadScript(`${folder}${one[0]}`);
      came.set(one[0], taken(one[0])); // at once: the same may come for another
      done += one[1];
      progress(done, all);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  const entries = Object.entries(manifest).map(([file, parts]) => [
    file,
    decoded(parts.map(([script]) => came.get(script)).join("")),
  ]);
  return Object.fromEntries(entries);
}

/** Return what a script brought, and forget it, so that it does not stay in memory. @param {string} script */
function taken(script) {
  const { [script]: part } = window.tensorgraderParts ?? {};
  if (part === undefined) throw new Error(`${script} came without its part of a file. Reload this page.`);
  delete window.tensorgraderParts[script];
  return part;
}

/** @param {ArrayBuffer} bytes */
export const text = (bytes) => new TextDecoder().decode(bytes);

/** Read what stands in scripts. @param {string} base64 */
const decoded = (base64) =>
  new Blob([Uint8Array.fromBase64?.(base64) ?? Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]);

/** @param {Blob} file */
export const unpacked = (file) =>
  new Response(file.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();

/** Save a text as a file, by the browser's download. @param {string} name @param {string} text */
export function save(name, text, type = "application/json") {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
}
