/**
 * Run by Node when the book is built: start Pyodide, and let it pack itself and us by pack.py.
 * usage: node pack.js FOLDER   (which is /work for Python)
 */
import { loadPyodide } from "pyodide";

try {
  const env = { PYTHONNODEBUGRANGES: "1" }; // no columns of each expression: a tenth less to carry
  const python = await loadPyodide({ env });
  python.mountNodeFS("/work", process.argv[2]);
  python.runPython(python.FS.readFile("/work/pack.py", { encoding: "utf8" }));
} catch (error) {
  console.error(String(error).trim().split("\n").at(-1)); // Python's last line says what it is
  process.exitCode = 1;
}
