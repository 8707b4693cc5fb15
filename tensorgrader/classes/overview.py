"""A class in numbers: each chapter's mean, median and histogram, and the known mistakes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from tensorgrader.classes.students import Mark, Student, Work

BINS = 10


@dataclass(frozen=True)
class ChapterView:
    """A chapter: its exercises, who submitted it, and their shares of the points."""

    name: str
    points: int
    exercises: tuple[tuple[str, str], ...]  # id and function
    shares: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean share of the points."""
        return mean(self.shares)

    @property
    def median(self) -> float:
        """The median share of the points."""
        return median(self.shares)

    @property
    def bins(self) -> list[int]:
        """The number of students in each tenth of the points; full marks belong to the last."""
        places = [min(int(BINS * share), BINS - 1) for share in self.shares]
        return [places.count(place) for place in range(BINS)]


@dataclass(frozen=True)
class MistakeView:
    """A mistake by name, and who made it in which exercise."""

    exercise: str
    name: str
    students: tuple[Student, ...]

    @property
    def alone(self) -> bool:
        """Return whether only one student made it."""
        return len(self.students) == 1


def chapters(students: Iterable[Student]) -> list[ChapterView]:
    """Return each submitted chapter, over those who submitted it."""
    sheets: dict[str, list] = {}
    for student in students:
        for name, sheet in student.chapters.items():
            sheets.setdefault(name, []).append((sheet, student.kept))
    return [
        ChapterView(
            name,
            own[0][0].points,
            tuple(map(_exercise, zip(*(sheet.works for sheet, _ in own), strict=False))),
            tuple(kept * sheet.earned / sheet.points for sheet, kept in own),
        )
        for name, own in sorted(sheets.items())
    ]


def _exercise(works: Sequence[Work]) -> tuple[str, str]:
    """Return the id and the function of an exercise; in a hunt everybody has another function."""
    same = len({work.function for work in works}) == 1
    return works[0].id, works[0].function if same else works[0].id


def mistakes(students: Iterable[Student]) -> list[MistakeView]:
    """Return the mistakes by name, most common first; unwritten answers have none."""
    made: dict[tuple[str, str], list[Student]] = {}
    for student in students:
        for work in student.works:
            for name in work.mistakes if work.mark in (Mark.PARTLY, Mark.WRONG) else ():
                made.setdefault((work.id, name), []).append(student)
    views = [MistakeView(*key, tuple(who)) for key, who in made.items()]
    return sorted(views, key=lambda view: (-len(view.students), view.exercise, view.name))


def count(students: Iterable[Student], exercise: str) -> dict[Mark, int]:
    """Return how often each mark occurs for an exercise among those who submitted it."""
    marks = [w.mark for student in students for w in student.works if w.id == exercise]
    return {mark: marks.count(mark) for mark in Mark}
