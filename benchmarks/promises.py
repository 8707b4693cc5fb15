"""The book's promises of speed and weight, compared with the measurements."""

import re
from collections.abc import Callable, Mapping
from itertools import dropwhile, takewhile
from typing import NamedTuple

from benchmarks.report import table

Row = dict[str, str]
WHAT = """\
Where a promise covers several rows or sizes, the worst counts. Of repeated runs, the median of the
ratios counts."""


class Promise(NamedTuple):
    """A bound on a column of a topic's table, or of some of its rows."""

    what: str
    topic: str
    column: str
    bound: float
    at_least: bool = False
    rows: Callable[[Row], bool] = lambda row: True


def named(*words: str) -> Callable[[Row], bool]:
    """Return a filter for the rows whose first column contains one of these words."""
    return lambda row: any(word in next(iter(row.values())) for word in words)


PROMISES = [
    Promise("attention ÷ the formula in plain PyTorch", "attention", "÷ plain PyTorch", 1.2),
    Promise("fused attention ÷ PyTorch's", "attention", "÷ PyTorch's", 1.1),
    Promise(
        "48 tokens without a cache ÷ with it",
        "generation", "uncached ÷ cached", 2, at_least=True, rows=named("+ 48"),
    ),
    *(
        Promise(f"attention without weights ÷ torch.nn's, {direction}", "modules",
                f"{direction} ÷ PyTorch's", 1, rows=named("without"))
        for direction in ("forward", "backward")
    ),
    Promise("SmolLM2, writing and reading, ÷ Hugging Face's", "smollm2", "ours ÷ Hugging Face", 1),
    Promise(
        "a step of training ÷ torch.nn's", "training", "÷ PyTorch", 1.15, rows=named("ours"),
    ),
    Promise(
        "byte-pair training, counting anew ÷ ours",
        "tokenizer", "anew ÷ ours", 10, at_least=True,
    ),
    *(
        Promise(f"seconds to learn from Shakespeare{how}", "shakespeare", "seconds", seconds,
                rows=named(task))
        for task, how, seconds in (("SHAKESPEARE", "", 45), ("LONGER", ", the longer way", 90))
    ),
    Promise(
        "`pytest --nbval` and nbgrader ÷ `transformer-lab grade`",
        "grading", "÷ ours", 30, at_least=True, rows=named("nbval", "nbgrader"),
    ),
    Promise(
        "`transformer-lab grade NOTEBOOK` ÷ `import torch`",
        "grader", "measured", 1.5, rows=named("import torch"),
    ),
    Promise(
        "seconds for a submission in a class",
        "grader", "measured", 0.05, rows=named("a submission"),
    ),
    Promise(
        "a class: one process ÷ two",
        "grader", "measured", 1.7, at_least=True, rows=named("one process"),
    ),
    Promise(
        "`interact` with matplotlib ÷ our slider, in JupyterLab",
        "sliders", "median / live", 4, at_least=True, rows=named("plain panels", "with numbers"),
    ),
    Promise(
        "ms from a slider to its picture on a page, 95 times of 100",
        "sliders", "95th percentile", 16, rows=named("static"),
    ),
    Promise("the same for every control of every widget", "widgets", "95th percentile", 16),
    Promise(
        "KB of a page of text", "pages", "before data", 300, rows=lambda r: r["widget data"] == "0"
    ),
    Promise(
        "KB of a page with widgets, before their data",
        "pages", "before data", 450, rows=lambda r: r["widget data"] != "0",
    ),
    *(
        Promise(f"{what}, on {machine}", "laboratory", column, bound, rows=named(machine))
        for what, column, bounds in (
            ("seconds until an exercise's Python is ready", "ready, s", (5, 15)),
            ("ms of a check, 95 times of 100", "95th percentile", (300, 300)),
            ("MB of memory that it takes", "memory, MB", (250, 250)),
            ("ms from Enter to 12 tokens' heads", "12 tokens of MiniLM, ms", (150, 500)),
            ("ms from Enter to their translation", "of the translator", (150, 500)),
        )
        for machine, bound in zip(("this machine", "a quarter of a core"), bounds, strict=True)
    ),
    *(
        Promise(f"Lighthouse on every page: {what}", "lighthouse", column, bound, at_least=True)
        for what, column, bound in (
            ("performance on a slow phone", "performance, phone", 97),
            ("performance on a desktop", "desktop", 98),
            ("accessibility", "accessibility", 100),
            ("best practices", "best practices", 100),
            ("SEO", "SEO", 100),
        )
    ),
    Promise(
        "seconds to build the book from nothing",
        "build", "seconds", 480, rows=named("from nothing"),
    ),
    Promise("seconds to build it again", "build", "seconds", 60, rows=named("again", "changed")),
]  # fmt: skip


def held_against(parts: Mapping[str, str]) -> str:
    """Return for each promise on a measured topic whether it is kept."""
    rows = []
    for promise in PROMISES:
        if promise.topic in parts:
            found = list(map(number, column(promise, parts[promise.topic])))
            worst = min(found) if promise.at_least else max(found)
            kept = worst >= promise.bound if promise.at_least else worst <= promise.bound
            bound = f"at {'least' if promise.at_least else 'most'} {promise.bound:g}"
            rows.append([promise.what, bound, f"{worst:g}", "yes" if kept else "**no**"])
    return f"{table(['promised', 'bound', 'measured', 'kept'], rows)}\n\n{WHAT}" if rows else ""


def column(promise: Promise, part: str) -> list[str]:
    """Return the cells that a promise is about: those of a part's first table."""
    below = dropwhile(lambda line: line[:1] != "|", part.splitlines())
    lines = takewhile(lambda line: line[:1] == "|", below)
    header, _, *rows = [line.strip("| ").split(" | ") for line in lines]
    listed = [dict(zip(header, row, strict=True)) for row in rows]
    return [row[promise.column] for row in listed if promise.rows(row)]


def number(cell: str) -> float:
    """Read a cell's number: the median of "1.02 (0.98–1.05)"."""
    return float(re.match(r"[\d.]+", cell)[0])
