"""A class in numbers: each chapter's mean, median and histogram, and the known mistakes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import mean, median

from tensorgrader.classes.roster import Roster
from tensorgrader.classes.students import Mark, Student, Work

BINS = 10
#: A title, what is said of all below it, and what of each student.
Part = tuple[str, str, list[tuple[Student, str]]]


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


def looked_at(students: Sequence[Student], roster: Roster | None) -> list[Part]:
    """Return what the teacher should look at."""

    sheets = [(one, sheet) for one in students for sheet in one.sheets]

    def of_works(what: str) -> list[tuple[Student, str]]:
        return [
            (one, f"{sheet.notebook}, {work.id}. {getattr(work, what)}")
            for one, sheet in sheets
            for work in sheet.works
            if getattr(work, what)
        ]

    tried = [
        (one, f"in {sheet.notebook} it tried to {what}{there}")
        for one, sheet in sheets
        for there in ["" if one.record["sandbox"] else " (there was no sandbox)"]
        for what in sheet.tried
    ]
    late = [
        (one, f"{one.late}{off}")
        for one in students
        for off in [f", {round(100 * (1 - one.kept))} % taken off" if one.kept < 1 else ""]
        if one.late
    ]
    twice = "Each is graded. In a platform's table, the one with most points counts."
    slow = "It costs no points where the function is there all the same."
    return [
        ("Stopped", "", tried + of_works("stopped")),
        ("Slow", slow, of_works("slow")),
        ("Could not be read", "", [(s, " ".join(s.problems)) for s in students if s.problems]),
        ("Late", "", late),
        ("Handed in under several names", twice, [
            (s, f"also {', '.join(s.also)}") for s in students if s.also
        ]),
        ("Not on the roster", "", [(s, "") for s in students if roster and not s.person]),
        ("Worth knowing", "", [(s, " ".join(s.notes)) for s in students if s.notes]),
    ]  # fmt: skip


def count(students: Iterable[Student], exercise: str) -> dict[Mark, int]:
    """Return how often each mark occurs for an exercise among those who submitted it."""
    marks = [w.mark for student in students for w in student.works if w.id == exercise]
    return {mark: marks.count(mark) for mark in Mark}
