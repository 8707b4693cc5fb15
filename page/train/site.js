/** Where readers train on a page: what that takes comes as scripts of the site, once Train is pressed. */
import { bring, unpacked } from "../files.js";
import { FOLDER, PYTHON } from "../settings.js";
import { OwnParts } from "./own.js";
import { Trainer } from "./train.js";

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

/** @type {import("./train.js").Site} */
const site = {
  ...TRAINED,
  own: Object.keys(PYTHON).length ? new OwnParts(PYTHON, FOLDER) : undefined,
  async engine(isOwn) {
    const [script, wasm] = await Promise.all([get(isOwn ? "own_worker.js" : "worker.js"), get("kernels.wasm")]);
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    return { worker: new Worker(address), wasm };
  },
  async text(name) {
    if (name === "play") return { text: await read("play.txt") };
    const [text, held] = await Promise.all([read("plays.txt"), read("held.txt")]);
    return { text, held };
  },
};

/** @type {NodeListOf<HTMLElement>} */
const places = document.querySelectorAll(".tl-train[data-train]");
for (const place of places) new Trainer(place, site);
