"""Pack Python and an editor for the pages: from npm at pinned versions, as scripts of the site.

Pages may load scripts from a folder too, and nothing else. So each file is compressed, encoded as
text and split into scripts; a name contains the hash of the content, and a browser caches what has
not changed.
"""

import base64
import gzip
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from book._ext.lab import node
from book._ext.lab.node import PAGE

ROOT = PAGE.parent
TORCH = ROOT / "page_torch/torch"
#: The folders from which the page imports.
FOLDERS = ("exercises", "page", "tensorgrader", "transformer_lab")
NEVER_IMPORTED = {"pretrained", "_sources", "__pycache__"}
PART = 700_000  # characters of a script: several scripts show progress
NOTICES = "notices.txt"
#: What is computed for the page, by the module that prints it.
TEXTS = {"page.drawn_ahead": "drawn.json", "page.solutions": "solutions.json"}
#: The scripts of every page, of one with exercises, and of the one that asks questions again.
WITH_A_PAGE = ("every_page.js", "exercises.js", "again.js")
#: The exercises of each chapter, with their properties.
Chapters = dict[str, dict[str, list[str]]]
#: The policy of the frame of Python's worker: only its own script, which starts the worker.
FRAME_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval' '{hash}'; worker-src blob:"
#: The packages whose code is packed, besides CodeMirror's.
BUNDLED = {"pyodide", "crelt", "style-mod", "w3c-keyname", "@marijn/find-cluster-break"}
PYTHON_NOTICE = """\
Pyodide is under the Mozilla Public License 2.0 (https://www.mozilla.org/MPL/2.0/). It holds CPython
and its standard library, Copyright (c) 2001 Python Software Foundation, under its licence
(https://docs.python.org/3/license.html); of the library, a part is packed, compiled."""


def place(cache: Path, chapters: Chapters) -> Path:
    """Return the folder for the scripts, their manifest and the notices, of the present sources."""
    return cache / _hash(_sources(), chapters)


def is_packed(target: Path) -> bool:
    """Return whether a folder has all of it."""
    return (target / "manifest.json").exists()


def pack(target: Path, chapters: Chapters) -> None:
    """Pack into a folder of the cache: what is loaded on demand, and what a page loads at once.

    Raises NoNodeError if npm's packages are not available.
    """
    npm = node.installed(target.parent)
    _remove_others(target.parent, {npm.name})
    work = npm / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    files = _files(npm, work)
    target.mkdir()
    comes = node.bundled(npm, *(PAGE / name for name in WITH_A_PAGE), define={"CHAPTERS": _ends(chapters)})
    for name, script in comes.items():
        (target / name).write_text(script, "utf8")
    manifest = {name: list(scripts(name, files[name], target)) for name in sorted(files)}
    (target / NOTICES).write_text(_notices(npm), "utf8")
    (target / "manifest.json").write_text(json.dumps(manifest, separators=(",", ":")), "utf8")
    shutil.rmtree(work)


def _ends(chapters: Chapters) -> Chapters:
    """Return what the names of properties add to those of their exercises, which scripts put before."""
    return {
        chapter: {id: [name.removeprefix(f"{id}-") for name in names] for id, names in ids.items()}
        for chapter, ids in chapters.items()
    }


def source_hash(script: str) -> str:
    """Return the hash by which a policy allows an inline script."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def frame() -> str:
    """Return the page that starts Python's worker: a policy and a script."""
    script = (PAGE / "frame.js").read_text("utf8")
    policy = FRAME_POLICY.format(hash=source_hash(script))
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><script>{script}</script>'
    )


def _sources() -> list[Path]:
    """Return those of our sources that are packed."""
    ours = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    ours = (path for path in ours if not NEVER_IMPORTED & set(path.relative_to(ROOT).parts))
    kinds = (".js", ".css", ".json", ".py")
    page = (path for top in (PAGE, TORCH) for path in top.rglob("*") if path.suffix in kinds)
    solved = (ROOT / "exercises").glob("*.md")
    return sorted({*ours, *solved, *(path for path in page if path.parent.name != "models")})


def _hash(paths: list[Path], chapters: Chapters) -> str:
    digest = hashlib.sha256(json.dumps(chapters).encode())
    for path in (Path(__file__), Path(node.__file__), *paths):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _remove_others(folder: Path, names: set[str]) -> None:
    for old in folder.iterdir():
        if old.is_dir() and old.name not in names:
            shutil.rmtree(old)


def _files(npm: Path, work: Path) -> dict[str, bytes]:
    """Build the files that the page loads, in a folder where Node finds npm's packages."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, work / "sources" / folder, ignore=_ignored)
    for path in (*(PAGE / "stand_ins").iterdir(), TORCH):
        copy: Any = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, work / "sources" / path.name)
    for module, name in TEXTS.items():
        with (work / "sources/page" / name).open("w") as file:
            subprocess.run([sys.executable, "-m", module], cwd=ROOT, stdout=file, check=True)
    for name in ("pack.js", "pack.py"):
        shutil.copy(PAGE / name, work)
    pyodide = npm / "node_modules/pyodide"
    shutil.copy(pyodide / "python_stdlib.zip", work)
    node.run("node", "pack.js", str(work), at=work)
    ours = ["--external:node:*", "--external:ws", '--define:import.meta.url="lab:/"']
    made = node.bundled(npm, PAGE / "worker.js", PAGE / "editor.js", options=ours)
    return {
        "editor.js": made["editor.js"].encode(),
        "frame.html": frame().encode(),
        "lab.zip": (work / "lab.zip").read_bytes(),
        "library.zip": (work / "library.zip").read_bytes(),
        "pyodide.asm.wasm": (pyodide / "pyodide.asm.wasm").read_bytes(),
        "worker.js": made["worker.js"].encode(),
    }


def _ignored(_folder: str, names: list[str]) -> set[str]:
    """Return the names that no page imports, or has in another place."""
    without = {*NEVER_IMPORTED, "stand_ins"}
    return {name for name in names if name in without or name.endswith(".md")}


def scripts(name: str, content: bytes, target: Path) -> Iterator[tuple[str, int]]:
    """Write a file as scripts; return the name of each, and its compressed size."""
    stem = name.partition(".")[0]
    if name == "editor.js":
        yield _script(stem, content.decode(), "{0}", target)
        return
    text = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    brings = '(window.transformerLabParts ??= {{}})["{1}"] = "{0}";'
    for number, start in enumerate(range(0, len(text), PART)):
        yield _script(f"{stem}-{number}", text[start : start + PART], brings, target)


def _script(stem: str, text: str, brings: str, target: Path) -> tuple[str, int]:
    """Write one script, named after its content."""
    name = f"{stem}.{hashlib.sha256(text.encode()).hexdigest()[:12]}.js"
    content = f"/* Whose it is: {NOTICES} */\n{brings.format(text, name)}\n".encode()
    (target / name).write_bytes(content)
    return name, len(gzip.compress(content, 9, mtime=0))


def _notices(npm: Path) -> str:
    """Return the names, licences and sources of the packed third-party software."""
    told = ["The exercises of the pages run by these, whose licences they keep:"]
    for described in sorted(npm.glob("node_modules/**/package.json")):
        package = json.loads(described.read_text("utf8"))
        name = package.get("name", "")
        if name not in BUNDLED and not name.startswith(("@codemirror/", "@lezer/")):
            continue
        place = package.get("repository", "")
        source = place if isinstance(place, str) else place.get("url", "")
        told.append(f"{name} {package['version']}, {package['license']}: {source}")
        licence = described.parent / "LICENSE"
        told += [licence.read_text("utf8").strip()] if licence.exists() else []
    return "\n\n".join([*told, PYTHON_NOTICE]) + "\n"
