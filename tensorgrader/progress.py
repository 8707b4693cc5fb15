"""A learner's own record of the checks that hold, in one small file that moves with them.

A course's command creates the file in a working folder. Without it, nothing is recorded. It is no
grade: the grader never reads it.
"""

import contextlib
import json
import os
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorgrader.course import Course

FILE = "progress.json"
SIZE_LIMIT = 2**16
_session: dict[str, bool] = {}


def begin(folder: Path) -> None:
    """Create an empty record in a folder, unless there is one."""
    with contextlib.suppress(FileExistsError), (folder / FILE).open("x", encoding="utf-8") as file:
        file.write("{}\n")


def find(*folders: Path) -> Path | None:
    """Return the record in the first of these folders that has one."""
    return next((path for folder in folders if os.path.isfile(path := folder / FILE)), None)


def note(held: dict[str, bool], here: Path) -> dict[str, bool]:
    """Record which properties hold, in the file of this folder or of its parent, if there is one.

    Returns all that is recorded, or this session's part without a file. A check never fails because
    of it. A file that is no valid record, such as a truncated one, is kept beside it.
    """
    _session.update(held)
    path = find(here, here.parent)
    if path is None:
        return dict(_session)
    noted: dict = dict(held)
    with contextlib.suppress(OSError):
        try:
            noted = _read(path) | held
        except ValueError as error:
            print(f"{error} It is kept as {_set_aside(path).name}, and a new one is created.")
        new = path.with_name(f".{FILE}.{os.getpid()}")
        new.write_text(json.dumps(noted, indent=0, sort_keys=True) + "\n", "utf-8")
        os.replace(new, path)
    return {name: holds is True for name, holds in noted.items()}


def read(path: Path) -> dict[str, bool]:
    """Read which checks hold. Raises OSError as open does, ValueError for no valid record."""
    return {name: holds is True for name, holds in _read(path).items()}


def _read(path: Path) -> dict:
    """Read a whole record, with the answers to questions that a page adds, which are kept."""
    with path.open("rb") as file:
        raw = file.read(SIZE_LIMIT)
    try:
        noted = json.loads(raw or b"{}")
    except (ValueError, RecursionError):
        noted = None
    if not isinstance(noted, dict):
        raise ValueError(f"{path} is not a valid record of progress.")
    return noted


def _set_aside(path: Path) -> Path:
    """Rename a file, so that a new one can take its place; return where it is now."""
    names = (path.with_name(f"{path.stem}.broken-{n}{path.suffix}") for n in count(1))
    return path.rename(next(name for name in names if not os.path.lexists(name)))


def summary(course: "Course", noted: dict[str, bool]) -> str:
    """Return the points of the checks that hold, by chapter and function."""
    lines = []
    for name, chapter in course.chapters.items():
        held, there = 0, 0
        steps = []
        for exercise in chapter.exercises:
            mine = sum(p.points for p in exercise.properties if noted.get(p.id))
            points = sum(p.points for p in exercise.properties)
            mark = "✓" if mine == points else "…" if mine else "·"
            steps.append(f"  {mark} {exercise.function}: {mine} of {points}")
            held, there = held + mine, there + points
        lines += [f"{name}: {held} of {there} points", *steps]
    return "\n".join(lines)
