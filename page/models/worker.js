/** The models, in a worker: the page asks for what its widgets show, and hands over files that are wanted. */
import { openShakespeare } from "./gpt.js";
import { openMiniLM } from "./minilm.js";
import { openBytePairs, openUnigram, openWordPiece } from "./pieces.js";
import { show } from "./show.js";
import { openTranslator } from "./translator.js";

const OPEN = {
  GPT: openShakespeare,
  MiniLM: openMiniLM,
  translator: openTranslator,
  "pieces of MiniLM": openWordPiece,
  "pieces of translator": openUnigram,
  "pieces of SmolLM2": openBytePairs,
};
const models = {};
/** The callbacks that wait for a file, by its name. */
const wanted = new Map();

/** Request a file from the page. @param {string} file @returns {Promise<ArrayBuffer>} */
function read(file) {
  return new Promise((resolve, reject) => {
    const others = wanted.get(file) ?? [];
    wanted.set(file, [...others, { resolve, reject }]);
    if (!others.length) postMessage({ want: file });
  });
}

/** Open a model, unless that is done; where it fails, the next time may have more luck. @param {string} name */
function opened(name) {
  models[name] ??= OPEN[name](read).catch((error) => {
    delete models[name];
    throw error;
  });
  return models[name];
}

addEventListener("message", async ({ data: { forget, file, content, id, name, widget, at, baked, failed } }) => {
  if (forget) {
    delete models[forget];
    return;
  }
  if (file) {
    const waiting = wanted.get(file);
    wanted.delete(file);
    for (const { resolve, reject } of waiting) {
      if (content) resolve(content);
      else reject(new Error(failed));
    }
    return;
  }
  try {
    postMessage({ id, frame: await show[widget](await opened(name), at, baked) });
  } catch (error) {
    postMessage({ id, failed: error instanceof Error ? error.message : String(error) });
  }
});
