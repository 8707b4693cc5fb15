/**
 * Shut the worker's doors before anything else of it runs: of all that a browser offers, this is what
 * Python needs. Files are not fetched, they are handed over: `serve` says which.
 */
const KEPT = new Set(
  `AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error
  EvalError FinalizationRegistry Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array
  Intl Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
  SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt undefined unescape
  EventTarget MessagePort TextDecoder TextEncoder WorkerGlobalScope clearTimeout console crypto location
  performance queueMicrotask self setTimeout`.split(/\s+/),
);

/** What goes once Python is there. */
const UNTIL_READY = ["fetch", "Response", "Headers", "URL", "location", "WorkerGlobalScope"];

const scopes = [];
for (let scope = globalThis; scope && scope !== EventTarget.prototype; scope = Object.getPrototypeOf(scope)) {
  scopes.push(scope);
}

/** @param {(name: string | symbol) => boolean} goes */
function remove(goes) {
  for (const scope of scopes) {
    for (const name of Reflect.ownKeys(scope)) if (goes(name)) Reflect.deleteProperty(scope, name);
  }
}

remove((name) => typeof name === "string" && !KEPT.has(name) && !UNTIL_READY.includes(name) && name !== "constructor");

/** Answer requests from these files. @param {{ [name: string]: BodyInit }} files */
export function serve(files) {
  globalThis.fetch = async (request) => {
    const name = String(request).split("/").at(-1) ?? "";
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    return new Response(files[name], { headers: { "Content-Type": type } });
  };
}

/** Shut the last ones. */
export const shut = () => remove((name) => UNTIL_READY.includes(String(name)));
