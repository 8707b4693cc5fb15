"""Building the whole book, in a copy of the tree: from nothing, again, and after a change."""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.report import table

ROOT = Path(__file__).parents[1]
PAGE = "book/attention.md"
WHAT = """\
`jupyter-book build . -W -n --keep-going`, as `make html` runs it, in a copy of the tree with
everything installed. From nothing, every cell of every chapter is executed, and every widget's
frames are computed. A chapter whose text has changed is built anew but not executed; one whose code
has changed would be."""


def measure() -> str:
    """Build three times; return the report."""
    with tempfile.TemporaryDirectory() as home:
        tree = copy(Path(home) / "book")
        rows = [["from nothing", *build(tree)], ["again, nothing changed", *build(tree)]]
        with (tree / PAGE).open("a", encoding="utf8") as page:
            page.write("\nOne more sentence.\n")
        rows.append(["the text of one chapter changed", *build(tree)])
    header = ["the book, pages and all", "seconds", "seconds of processor time"]
    return f"{table(header, rows)}\n\n{WHAT}"


def copy(tree: Path) -> Path:
    """Copy the files that git knows or would add."""
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    )
    for name in filter(lambda name: (ROOT / name).is_file(), listed.splitlines()):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name)
    return tree


def build(tree: Path) -> list[str]:
    """Build the book; return seconds by the clock, and seconds of processor time."""
    began, before = time.perf_counter(), _busy()
    done = subprocess.run(
        [Path(sys.executable).with_name("jupyter-book"), "build", ".", "-W", "-n", "--keep-going"],
        cwd=tree, env=os.environ | {"PYTHONPATH": str(tree)}, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"The book could not be built: {done.stderr[-2000:]}")
    return [f"{time.perf_counter() - began:.0f}", f"{_busy() - before:.0f}"]


def _busy() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
