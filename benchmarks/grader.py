"""The grader beside itself and PyTorch's start: a notebook, a class, one or two processes."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import nbformat

from benchmarks import clock, grading, report
from lab_notebooks.notebooks import read_notebook
from tensorgrader.source.forms import solved_text

WHAT = """\
A solved notebook of ten functions is graded by the command as installed, whose time is nearly all
start-up: PyTorch is loaded once, by the process that the workers and the grader are forked from.
The class is {students} notebooks as above, with all that belongs to it, by two processes and by
one, in turn. Medians of {runs} runs."""


def measure(students: int = 240, runs: int = 3) -> str:
    """Measure all three; return the report."""
    alone = single(runs)
    two, one = by_jobs(students, runs)
    per_one = median(two) / students
    rows = [
        ['`transformer-lab grade NOTEBOOK` ÷ `python -c "import torch"`', alone],
        ["seconds for a submission in a class", f"{per_one:.3f}"],
        ["one process ÷ two", clock.ratio(one, two)],
    ]
    told = report.table(["the grader", "measured"], rows)
    return f"{told}\n\n{WHAT.format(students=students, runs=runs)}"


def single(runs: int) -> str:
    """Return the ratio of a notebook's grading to PyTorch's start."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "attention.ipynb")
        nbformat.write(read_notebook(grading.EXERCISE, solved_text), path)
        words = {"grade": [grading.COMMAND, "grade", str(path)], "torch": ["import torch"]}
        ways = {name: lambda code=code: _python(*code) for name, code in words.items()}
        times = clock.runs(ways, rounds=3, runs=runs)
    return clock.ratio(times["grade"], times["torch"])


def by_jobs(students: int, runs: int) -> tuple[list[float], list[float]]:
    """Return the seconds of two processes and of one for the same class."""
    times: dict[int, list[float]] = {2: [], 1: []}
    for _ in range(runs):
        for jobs, found in times.items():
            with tempfile.TemporaryDirectory() as folder:
                found.append(grading.ours(Path(folder), students, jobs))
    return times[2], times[1]


def _python(*words: str) -> float:
    """Run code in a Python process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", *words], check=True, capture_output=True)
    return time.perf_counter() - began
