"""A class's results for people: a table (CSV), an overview and each student's feedback (HTML)."""

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

Record = dict[str, Any]

SCORES, OVERVIEW, FEEDBACK = "scores.csv", "index.html", "feedback"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run

_pages = Environment(
    loader=PackageLoader("transformer_lab.grading.classes", "pages"),
    autoescape=select_autoescape(["html"]),
    trim_blocks=True,
    lstrip_blocks=True,
)


def write_reports(folder: Path, records: Iterable[Record]) -> None:
    """Write the table, the overview and the feedback of these records into a folder."""
    records = sorted(records, key=lambda record: record["student"])
    most = {
        name: grade["points"] for record in records for name, grade in record["chapters"].items()
    }
    chapters = sorted(most)
    (folder / FEEDBACK).mkdir(exist_ok=True)
    for record in records:
        text = _pages.get_template("feedback.html").render(record=record)
        (folder / feedback_path(record["student"])).write_text(text, encoding="utf-8")
    _write_scores(folder / SCORES, records, chapters, sum(most.values()))
    overview = _pages.get_template("class.html").render(
        records=records,
        chapters=chapters,
        points=sum(most.values()),
        mistakes=common(records, lambda row: row["mistakes"]),
        properties=common(records, lambda row: [row["id"]]),
        paths={record["student"]: feedback_path(record["student"]) for record in records},
    )
    (folder / OVERVIEW).write_text(overview, encoding="utf-8")


def common(
    records: Iterable[Record], what: Callable[[Record], list[str]]
) -> list[tuple[str, str, int]]:
    """Count the students who lost points by each mistake, or at each property: most common first.

    `what` takes these from a result. Gives (exercise, mistake or property, students).
    """
    lost: Counter[tuple[str, str]] = Counter()
    for record in records:
        rows = [row for notebook in record["notebooks"] for row in notebook["results"]]
        failed = [row for row in rows if row["earned"] < row["points"]]
        lost.update({(row["exercise"], name) for row in failed for name in what(row)})
    ranked = sorted(lost.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(*key, count) for key, count in ranked]


def feedback_path(student: str) -> str:
    """Give the address of a student's feedback, below the report."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", student).strip("-")[:40]
    return f"{FEEDBACK}/{slug}-{hashlib.sha256(student.encode()).hexdigest()[:8]}.html"


def _write_scores(path: Path, records: list[Record], chapters: list[str], points: int) -> None:
    """Write a line for each student: points in each chapter and in all, seconds, problems.

    `points` is what the chapters that anybody handed in give together: the same for all.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["student", *chapters, "earned", "points", "seconds", "problems"])
        for record in records:
            earned = [record["chapters"].get(name, {}).get("earned", "") for name in chapters]
            score = [record["earned"], points, record["seconds"]]
            problems = " ".join(record["problems"])
            table.writerow([_inert(record["student"]), *earned, *score, _inert(problems)])


def _inert(text: str) -> str:
    """Keep a spreadsheet from taking a text for a formula."""
    return f"'{text}" if text.startswith(FORMULA) else text
