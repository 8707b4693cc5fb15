/**
 * Python, in a worker within a frame that has no origin and no network. The page sends its files and a
 * port; by that port it asks, and is answered in text.
 */
import { serve, shut } from "./doors.js";
// The doors are shut before this is read.
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { loadPyodide } from "pyodide/pyodide.mjs";
import { info } from "pyodide/pyodide-lock.json";

const PLACE = "lab:/";

/** @param {{ [name: string]: ArrayBuffer }} files @param {MessagePort} port */
async function start(files, port) {
  serve(files);
  const python = await loadPyodide({
    indexURL: PLACE,
    stdLibURL: `${PLACE}library.zip`,
    createPyodideModule,
    lockFileContents: { info, packages: {} }, // nothing is to be had besides
  });
  python.FS.writeFile("/lab.zip", new Uint8Array(files["lab.zip"]), { canOwn: true });
  python.runPython("import sys; sys.path.insert(0, '/lab.zip')");
  const { begin } = python.pyimport("start");
  // Python computes without a pause: what it writes here, the page hears at once.
  const hear = (byte) => port.postMessage({ isYours: byte === "1".charCodeAt(0) });
  python.FS.createDevice("/dev", "turn", undefined, hear);
  const { overdue, answer } = begin("/dev/turn");
  python.pyimport("page.doors").shut();
  shut();
  return { overdue, answer };
}

addEventListener(
  "message",
  async ({ data, ports: [port] }) => {
    try {
      const { overdue, answer } = await start(data, port);
      port.onmessage = ({ data: { id, request } }) => {
        try {
          port.postMessage({ id, late: JSON.parse(overdue(request)) });
          port.postMessage({ id, told: answer(request) });
        } catch (error) {
          port.postMessage({ id, failed: String(error) });
        }
      };
      port.postMessage({ ready: true });
    } catch (error) {
      port.postMessage({ failed: String(error) });
    }
  },
  { once: true },
);
