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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tensorgrader.course import Course
from tensorgrader.sphinx import node
from tensorgrader.sphinx.node import PAGE, ROOT

TORCH = ROOT / "page_torch/torch"
NEVER_IMPORTED = {"pretrained", "sphinx", "build", "_build", "__pycache__"}
PART = 700_000  # characters of a script: several scripts show progress
NOTICES = "notices.txt"
#: What is computed for the page, by the module that prints it.
TEXTS = {"page.drawn_ahead": "drawn.json", "page.solutions": "solutions.json"}
#: The policy of the frame of Python's worker: only its own script, which starts the worker.
FRAME_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval' '{hash}'; worker-src blob:"
#: The packages whose code is packed, besides CodeMirror's.
BUNDLED = {"pyodide", "crelt", "style-mod", "w3c-keyname", "@marijn/find-cluster-break"}
PYTHON_NOTICE = """\
Pyodide is under the Mozilla Public License 2.0 (https://www.mozilla.org/MPL/2.0/). It holds CPython
and its standard library, Copyright (c) 2001 Python Software Foundation, under its licence
(https://docs.python.org/3/license.html); of the library, a part is packed, compiled."""


@dataclass(frozen=True)
class Bundle:
    """What is packed for the pages of a course, and what it is made of.

    `start` is the module that begins the notebook of a page, `folder` the name of the course's
    folder there, `scripts` what pages load at once. `kept_as` names what a browser keeps. `pages`
    has the page of each chapter's exercises, `sections` the address of each section that a card
    may name, such as "book/line#Downhill", from the root of the site.
    """

    course: Course
    start: Path = PAGE / "begin.py"
    folder: str = "course"
    scripts: tuple[str, ...] = ("exercises.js", "progress.js")
    kept_as: str = ""
    pages: Mapping[str, str] = field(default_factory=dict)
    sections: Mapping[str, str] = field(default_factory=dict)

    @property
    def defined(self) -> dict[str, Any]:
        """Return what the scripts of a page do not define themselves."""
        chapters = {  # the names of properties add these ends to their exercises'
            name: {
                e.id: [prop.id.removeprefix(f"{e.id}-") for prop in e.properties]
                for e in chapter.exercises
            }
            for name, chapter in self.course.chapters.items()
        }
        return {
            "CHAPTERS": chapters,
            "PAGES": {c: page for c, page in self.pages.items() if page != f"exercises/{c}"},
            "KEPT_AS": self.kept_as or self.course.name,
        }

    @property
    def folders(self) -> dict[str, Path]:
        """Return the folders from which the page imports, by their names there."""
        found = (find_spec(name) for name in self.course.packages)
        theirs = [Path(spec.origin).parent for spec in found if spec and spec.origin]
        return {
            self.folder: self.course.folder,
            "page": PAGE,
            "tensorgrader": Path(__file__).parents[1],
            **{folder.name: folder for folder in theirs},
        }


def place(cache: Path, bundle: Bundle) -> Path:
    """Return the folder for the scripts, their manifest and the notices, of the present sources."""
    return cache / _hash(bundle)


def is_packed(target: Path) -> bool:
    """Return whether a folder has all of it."""
    return (target / "manifest.json").exists()


def pack(target: Path, bundle: Bundle, npm: Path) -> None:
    """Pack into a folder: what is loaded on demand, and what a page loads at once.

    What was packed before, beside it, is removed. Raises RuntimeError if the course cannot be run
    on a page.
    """
    with TemporaryDirectory(prefix="work-", dir=npm) as work:
        files = _files(bundle, npm, Path(work))
    target.mkdir(parents=True, exist_ok=True)
    for old in target.parent.iterdir():
        if old.is_dir() and old.name not in (npm.name, target.name):
            shutil.rmtree(old)
    comes = node.bundled(npm, *(PAGE / name for name in bundle.scripts), define=bundle.defined)
    for name, script in comes.items():
        (target / name).write_text(script, "utf8")
    manifest = {name: list(scripts(name, files[name], target)) for name in sorted(files)}
    (target / NOTICES).write_text(_notices(npm), "utf8")
    (target / "manifest.json").write_text(json.dumps(manifest, separators=(",", ":")), "utf8")


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


def _hash(bundle: Bundle) -> str:
    """Return a hash of all that is packed."""
    told = json.dumps([bundle.defined, dict(bundle.sections), bundle.scripts])
    digest = hashlib.sha256(told.encode() + bundle.start.read_bytes())
    for path in (Path(__file__), Path(node.__file__)):
        digest.update(path.read_bytes())
    for name, folder in (bundle.folders | {"torch": TORCH}).items():
        kinds = {"page": "py js json", bundle.folder: "py md json"}.get(name, "py").split()
        for path in sorted(path for kind in kinds for path in folder.rglob(f"*.{kind}")):
            parts = path.relative_to(folder).parts
            if not any(map(_is_left_out, parts)) and parts[0] != "models":
                digest.update("/".join((name, *parts)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _files(bundle: Bundle, npm: Path, work: Path) -> dict[str, bytes]:
    """Build the files that the page loads, in a folder where Node finds npm's packages."""
    sources = work / "sources"
    for name, folder in (bundle.folders | {"torch": TORCH}).items():
        shutil.copytree(folder, sources / name, ignore=_ignored)
    for path in (PAGE / "stand_ins").glob("*.py"):
        shutil.copy(path, sources)
    shutil.copy(bundle.start, sources / "start.py")
    for module, text in TEXTS.items():
        with (sources / "page" / text).open("w") as file:
            command = [sys.executable, "-m", module, str(bundle.course.folder)]
            done = subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().rpartition("\n")[2])
    (sources / "page/sections.json").write_text(json.dumps(dict(bundle.sections)), "utf8")
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


def _is_left_out(name: str) -> bool:
    """Return whether no page imports what is in a folder of this name."""
    return name in NEVER_IMPORTED or name.startswith((".", "_sources"))


def _ignored(_folder: str, names: list[str]) -> set[str]:
    """Return the names that no page imports, or has in another place."""
    return {
        name for name in names if _is_left_out(name) or name == "stand_ins" or name.endswith(".md")
    }


def scripts(name: str, content: bytes, target: Path) -> Iterator[tuple[str, int]]:
    """Write a file as scripts; return the name of each, and its compressed size."""
    stem = name.partition(".")[0]
    if name == "editor.js":
        yield _script(stem, content.decode(), "{0}", target)
        return
    text = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    brings = '(window.tensorgraderParts ??= {{}})["{1}"] = "{0}";'
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
