/** Where readers train on a page: what that takes comes as scripts of the site, once Train is pressed. */
import { bring, unpacked } from "../files.js";
import { FOLDER, PYTHON } from "../settings.js";
import { OwnParts } from "./own.js";
import { Trainer } from "../../widgets/train_here.js";

const place = /** @type {HTMLElement} */ (document.querySelector(".tl-train[data-train]"));
/** Where the scripts lie. */
const PLACE = document.currentScript?.getAttribute("src")?.replace(/[^/]*$/, "train/") ?? "";

/** @type {{ [file: string]: Promise<ArrayBuffer> }} */
const came = {};
/** Load a file once. After a failure, the next call tries again. @param {string} file */
function get(file) {
  came[file] ??= bring({ [file]: PACKED[file] }, PLACE, () => {})
    .then((files) => unpacked(files[file]))
    .catch((error) => {
      delete came[file];
      throw error;
    });
  return came[file];
}
/** @param {string} file */
const read = async (file) => new TextDecoder().decode(await get(file));

/**
 * Do something in the place for the last model. That is no `localStorage`: a model leaves the answers their room.
 * @param {IDBTransactionMode} mode @param {(models: IDBObjectStore) => IDBRequest} act
 */
const inStore = (mode, act) =>
  new Promise((resolve, reject) => {
    const asked = indexedDB.open("transformer-lab", 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore("models");
    asked.onerror = () => reject(asked.error);
    asked.onsuccess = () => {
      const change = asked.result.transaction("models", mode);
      const answer = act(change.objectStore("models"));
      change.oncomplete = () => resolve(answer.result);
      change.onabort = () => reject(change.error);
    };
  });

/** A program with an instruction of SIMD, to see whether the browser knows it. */
const SIMD = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];
const NO_SIMD = "This browser has no WebAssembly with SIMD, so it cannot train here. The recording shows a training.";

/** @type {import("../../widgets/train_here.js").Site} */
const site = {
  ...TRAINED,
  own: Object.keys(PYTHON).length ? new OwnParts(PYTHON, FOLDER) : undefined,
  async engine(isOwn) {
    const [script, wasm] = await Promise.all([get(isOwn ? "own_worker.js" : "worker.js"), get("kernels.wasm")]);
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    return { worker: new Worker(address), wasm };
  },
  kept: {
    get: () => inStore("readonly", (models) => models.get("last")),
    put: (content) => inStore("readwrite", (models) => models.put(content, "last")),
  },
  async text(name) {
    if (name === "play") return { text: await read("play.txt") };
    const [text, held] = await Promise.all([read("plays.txt"), read("held.txt")]);
    return { text, held };
  },
  link: {
    label: "Copy link",
    copied(words) {
      const address = `${location.href.split("#")[0]}#${place.id}:${words}`;
      history.replaceState(null, "", address);
      return address;
    },
  },
  start: "",
  where: "one core of this machine. Nothing is sent anywhere.",
  trouble: WebAssembly.validate(new Uint8Array(SIMD)) ? "" : NO_SIMD,
};
new Trainer(place, site);
