"""The faults that a course's hunts are made of: a file `hunts.json` in its folder."""

import json
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from pkgutil import get_data
from typing import NamedTuple

from tensorgrader.course import Course

FILE = "hunts.json"


class Fault(NamedTuple):
    """A line of a solution with a known mistake in it, and how hard that is to find."""

    exercise: str
    line: int
    code: str
    name: str
    difficulty: float

    def put_into(self, solution: str) -> str:
        """Return the solution with this fault."""
        lines = solution.split("\n")
        lines[self.line - 1] = self.code
        return "\n".join(lines)


class Bank(NamedTuple):
    """All faults of a course, and a mark of this edition of them, which notebooks carry."""

    faults: tuple[Fault, ...]
    mark: str


def write_bank(course: Course, faults: Iterable[Fault]) -> None:
    """Write the faults of a course, a line for each."""
    lines = ",\n".join(json.dumps(fault, ensure_ascii=False) for fault in faults)
    (course.folder / FILE).write_text(f"[\n{lines}\n]\n", encoding="utf-8")


@lru_cache(maxsize=4)
def read_bank(course: Course) -> Bank:
    """Return the faults of a course. Raises ValueError for a course that has none."""
    package = next(iter(course.exercises.values())).module.split(".")[0]
    try:
        raw = get_data(f"{package}.course", FILE) or b""  # on a page it lies in an archive
    except OSError:
        raise ValueError(f"{course.title} has no faults for a hunt: no {FILE}.") from None
    return Bank(tuple(Fault(*told) for told in json.loads(raw)), sha256(raw).hexdigest()[:6])
