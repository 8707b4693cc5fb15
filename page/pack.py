"""Pack compiled Python for the page: the needed part of the standard library, and our packages.

Run by Pyodide itself when the book is built, in a folder that holds the sources and Pyodide's own
library. Packed are the modules that were imported when an exercise of each chapter was tried.
"""

import importlib
import importlib.util
import json
import marshal
import sys
import zipfile
from pathlib import Path

WORK = Path("/work")
SOURCES = WORK / "sources"
LIBRARY = "python_stdlib.zip"
TEXTS = ("page/drawn.json", "page/sections.json", "page/solutions.json")
#: What a learner may import, besides what the checks use of the standard library.
OFFERED = ("bisect", "copy", "dataclasses", "heapq", "random", "string", "textwrap")

#: The modules built into Python.
FROZEN = {"importlib/_bootstrap.py", "importlib/_bootstrap_external.py"}


def compiled(source: bytes, name: str) -> bytes:
    """Compile a module for an archive: without docstrings, date, or a check of its source."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=2)
    unchecked = (1).to_bytes(4, "little") + bytes(8)
    return importlib.util.MAGIC_NUMBER + unchecked + marshal.dumps(code)


def pack(target: str, modules: dict[str, bytes]) -> None:
    """Write compiled modules, by their names in the archive, always as the same bytes."""
    with zipfile.ZipFile(WORK / target, "w") as archive:  # stored: all of it is compressed at once
        for name in sorted(modules):
            entry = zipfile.ZipInfo(f"{name}c")
            archive.writestr(entry, compiled(modules[name], name))


def reference(file: Path) -> str:
    """Return what stands before the exercise in its file: the reference, which is to be read.

    Known mistakes are edits of it, or of the parts that it calls, and a search for the place of a
    mistake wants to see what its expressions give.
    """
    before, exercise, _ = file.read_text("utf-8").partition("\nEXERCISE = ")
    return before if exercise or file.stem in ("given", "parts") else ""


def try_out() -> None:
    """Import whatever an exercise may need, by taking every path of a check."""
    import start  # type: ignore[import-not-found]

    notebook = start.begin()
    for name in notebook.course.exercises:
        for asked in notebook.rehearsed(name):
            notebook.overdue(json.dumps(asked))
            notebook.answer(json.dumps(asked))
    notebook.answer(json.dumps({"certificate": "", "earlier": {name: asked["code"]}}))
    if troubles := [*getattr(start, "unfit", lambda _: ())(notebook.course)]:
        raise ValueError("; ".join(troubles))

    for name in ("page.doors", *OFFERED):
        importlib.import_module(name)


def main() -> None:
    """Write library.zip and lab.zip."""
    sys.path.insert(0, str(SOURCES))
    sys.dont_write_bytecode = True
    try_out()
    files = {getattr(module, "__file__", None) or "" for module in sys.modules.values()}
    prefix = f"{SOURCES}/"
    ours = {file.removeprefix(prefix) for file in files if file.startswith(prefix)}
    pack("lab.zip", {name: (SOURCES / name).read_bytes() for name in ours})
    with zipfile.ZipFile(WORK / "lab.zip", "a") as archive:
        for name in sorted(ours):
            if source := reference(SOURCES / name):
                archive.writestr(zipfile.ZipInfo(name), source)
        for path in (*map(SOURCES.joinpath, TEXTS), *SOURCES.glob("*/hunts.json")):
            archive.write(path, path.relative_to(SOURCES))
    theirs = {file.split(".zip/")[1] for file in files if ".zip/" in file} - FROZEN
    with zipfile.ZipFile(WORK / LIBRARY) as library:
        pack("library.zip", {name: library.read(name) for name in theirs})


main()
