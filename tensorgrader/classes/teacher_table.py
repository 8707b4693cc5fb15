"""The teacher's own points and comments: a table in the report's folder.

It is created once, with a line for each student, and never written to again.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import isfinite
from pathlib import Path

from tensorgrader.classes.tables import read_columns, write_table

FILE = "teacher.csv"
COLUMNS = ("student", "exercise", "points", "comment")
ANOTHER = re.compile(r"^[^,;\t\n]+([,;\t])([^,;\t\n]*)\1[\d.,]*\1", re.MULTILINE)  # such a line


@dataclass(frozen=True)
class Own:
    """A teacher's comment on a student, or comment and points for one exercise."""

    student: str
    exercise: str
    points: float | None
    comment: str
    where: str  # the file and the line, for error messages


def is_own(path: Path) -> bool:
    """Return whether an existing table has the columns of this kind."""
    head = path.read_bytes().partition(b"\n")[0] if path.is_file() else b""
    return all(name.encode() in head for name in COLUMNS)


def begin_own(path: Path, students: Iterable[str]) -> None:
    """Create the table, unless it exists."""
    if not path.exists():
        write_table(path, [COLUMNS, *([name, "", "", ""] for name in students)])


def read_own(path: Path, exercises: Collection[str]) -> list[Own]:
    """Read the teacher's entries, skipping empty lines.

    Raises ValueError, naming the line, for an unknown exercise, invalid points, or a comment that
    has swallowed other lines because a quotation mark is missing.
    """
    if not path.exists():
        return []
    rows = read_columns(path, COLUMNS, COLUMNS)
    lines = [_line(row, exercises, f"{path}, line {number}") for number, row in rows.items()]
    return [own for own in lines if own.comment or own.points is not None]


def by_exercise(owns: Iterable[Own]) -> dict[str, Own]:
    """Return one student's entries by exercise; "" stands for the student as a whole.

    Raises ValueError, naming both lines, if points are given twice.
    """
    found: dict[str, Own] = {}
    for own in owns:
        if not (before := found.get(own.exercise)):
            found[own.exercise] = own
            continue
        if before.points is not None and own.points is not None:
            raise ValueError(
                f"{own.where}: {before.where} already has points for {own.exercise} of "
                f"{own.student}. Remove one of them."
            )
        scored = own if before.points is None else before
        comment = "\n".join(filter(None, (before.comment, own.comment)))
        found[own.exercise] = replace(scored, comment=comment)
    return found


def _line(row: dict[str, str], exercises: Collection[str], where: str) -> Own:
    """Read one line."""
    exercise, text = row["exercise"], row["points"].replace(",", ".")
    if exercise and exercise not in exercises:
        near = get_close_matches(exercise, exercises, n=3, cutoff=0.3)
        raise ValueError(f"{where}: there is no exercise {exercise!r}. Nearest: {', '.join(near)}.")
    try:
        points = float(text) if text else None
    except ValueError:
        points = -1.0
    if points is not None and not (points >= 0 and isfinite(points) and exercise):
        raise ValueError(
            f"{where}: {text!r} are not points of an exercise. Expected: a number from 0 on, and "
            f"the exercise in the column `exercise`, such as {next(iter(exercises))}."
        )
    for line in ANOTHER.finditer(row["comment"]):
        if line[2] in ("", *exercises):
            raise ValueError(
                f"{where}: the comment contains another line of the table, {line[0]!r}. A "
                "quotation mark is missing, or one is too many."
            )
    return Own(row["student"], exercise, points, row["comment"], where)
