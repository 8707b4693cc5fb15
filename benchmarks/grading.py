"""Grading, ours beside what teachers use: `pytest --nbval` and nbgrader, on the same submissions.

As a command, `python -m benchmarks.grading` also grades a thousand mixed submissions: good, bad and
hostile.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from benchmarks import report
from lab_notebooks.notebooks import read_notebook
from tensorgrader.classes.grade_class import grade_class, local_pool
from tensorgrader.source.forms import release_text, solved_text
from tests.course import Settings
from tests.tensorgrader.sandbox.hostile import replaced

CORES = 2
COMMAND = "import sys, lab_notebooks.entry; sys.exit(lab_notebooks.entry.main())"
HOSTILE = Path(__file__).parents[1] / "corpus/hostile"
EXERCISE = "exercises/attention"
BAD = {
    "attention-lookup": "def soft_lookup(query, keys, values):\n    return (keys @ query) @ values",
    "attention-softmax": "def softmax(x):\n    return x.exp() / x.exp().sum(-1, keepdim=True)",
}
WHAT = """\
Notebooks with ten functions and a check for each, each handed in by a student of its own: a third
solved, a third with one mistake, a third untouched. `transformer-lab grade --out` runs with {cores}
processes, nbval with {cores} of pytest-xdist, nbgrader as it is. Ours includes its start and grades
{copies} copies of each submission, since starting is paid once a class; the others start a kernel
for each notebook, so that more copies would not change their time for one. What is still the stub,
ours sees in the source and does not run. nbval tells which cells fail and gives no grade.
nbgrader's time is `autograde`'s alone."""


def submissions(count: int) -> Iterator[tuple[str, NotebookNode]]:
    """Yield honest notebooks with their students."""
    solved, stub = (read_notebook(EXERCISE, form) for form in (solved_text, release_text))
    bad = list(BAD.items())
    for number in range(count):
        kinds = (solved, replaced(solved, *bad[number // 3 % len(bad)]), stub)
        yield f"student-{number:04}", kinds[number % 3]


def measure(count: int = 12, copies: int = 40) -> str:
    """Grade the same submissions in three ways; return the report."""
    ways: dict[str, tuple[Callable[[Path, int], None], int]] = {
        "`transformer-lab grade`": (ours, count * copies),
        "`pytest --nbval`": (nbval, count),
        "`nbgrader autograde`": (nbgrader, count),
    }
    each = {}
    for name, (way, students) in ways.items():
        with tempfile.TemporaryDirectory() as folder:
            each[name] = way(Path(folder), students) / students
    quickest = each["`transformer-lab grade`"]
    rows = [
        [name, str(ways[name][1]), f"{seconds:.3f}", f"{seconds / quickest:.1f}"]
        for name, seconds in each.items()
    ]
    header = ["on the same submissions", "notebooks", "seconds for one", "÷ ours"]
    return f"{report.table(header, rows)}\n\n{WHAT.format(cores=CORES, copies=copies)}"


def ours(folder: Path, students: int, jobs: int = CORES) -> float:
    """Grade a class with reports; return the seconds."""
    for student, notebook in submissions(students):
        nbformat.write(notebook, folder / f"{student}.ipynb")
    with tempfile.TemporaryDirectory() as out:
        began = time.perf_counter()
        run("-c", COMMAND, "grade", ".", "--out", out, "--jobs", str(jobs), folder=folder)
        return time.perf_counter() - began


def nbval(folder: Path, students: int) -> float:
    """Run each notebook under nbval, two at a time; return the seconds."""
    for student, notebook in submissions(students):
        nbformat.write(notebook, folder / f"{student}.ipynb")
    began = time.perf_counter()
    options = ["--nbval-lax", "-n", str(CORES), "--dist", "loadscope", "-p", "no:cacheprovider"]
    codes = (0, 1)  # 1: some cells fail, as they should
    run("-m", "pytest", *options, ".", folder=folder, codes=codes)
    return time.perf_counter() - began


def nbgrader(folder: Path, students: int) -> float:
    """Autograde an assignment; return the seconds."""
    (folder / "source/one").mkdir(parents=True)
    nbformat.write(read_notebook(EXERCISE, solved_text), folder / "source/one/attention.ipynb")
    for student, notebook in submissions(students):
        place = folder / f"submitted/{student}/one"
        place.mkdir(parents=True)
        nbformat.write(notebook, place / "attention.ipynb")
    run("-m", "nbgrader", "generate_assignment", "one", folder=folder)
    began = time.perf_counter()
    run("-m", "nbgrader", "autograde", "one", folder=folder)
    return time.perf_counter() - began


def run(*words: str, folder: Path, codes: tuple[int, ...] = (0,)) -> None:
    """Run a tool of this environment, without its user's settings."""
    own = {"JUPYTER_CONFIG_DIR": str(folder / ".config"), "IPYTHONDIR": str(folder / ".ipython")}
    tools = str(Path(sys.executable).parent)
    own["PATH"] = tools + os.pathsep + os.environ["PATH"]
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder, env=os.environ | own, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode not in codes:
        raise RuntimeError(f"{words} ended with code {done.returncode}: {done.stderr[-2000:]}")


def mixed(count: int = 1000) -> str:
    """Grade a class of which every fifth is hostile; return the outcome."""
    cells = [path.read_text("utf8").split("\n", 1) for path in sorted(HOSTILE.glob("*.cell"))]
    solved = read_notebook(EXERCISE, solved_text)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "submissions"
        folder.mkdir()
        for number, (student, notebook) in enumerate(submissions(count)):
            if number % 5 == 4:
                function, cell = cells[number // 5 % len(cells)]
                identity = f"attention-{function[2:].replace('_', '-')}"
                notebook = replaced(solved, identity, cell)
                student = f"hostile-{number:04}"
            (folder / f"{student}.ipynb").write_text(json.dumps(notebook), encoding="utf8")
        began = time.perf_counter()
        settings = Settings(seed=1)
        records = list(grade_class(folder, Path(home) / "results", settings, local_pool(CORES)))
        seconds = time.perf_counter() - began
    lost = count - len({record["student"] for record in records})
    failed = sum(record.get("failed", False) for record in records)
    late = sorted(record["seconds"] for record in records)
    honest = [r for r in records if r["student"].startswith("student")]
    return (
        f"{count} mixed submissions, a fifth of them hostile: {seconds:.0f} s, {lost} lost, "
        f"{failed} not graded. The honest ones took {seconds_for(honest):.3f} s each of one "
        f"process, the slowest of all {late[-1]:.0f} s."
    )


def seconds_for(records: list[dict]) -> float:
    """Return the mean time of these records."""
    return sum(record["seconds"] for record in records) / max(len(records), 1)


if __name__ == "__main__":
    print(measure(), mixed(), sep="\n\n")
