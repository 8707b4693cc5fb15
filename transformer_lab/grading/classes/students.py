"""A class as its teacher looks at it: from records of judgement, what the teacher said besides."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from hashlib import sha256
from typing import Any

from transformer_lab.grading.classes.late import Late, lateness
from transformer_lab.grading.classes.own import Own
from transformer_lab.grading.classes.roster import Person, Roster
from transformer_lab.grading.classes.similar import is_untouched
from transformer_lab.grading.classes.tables import inert

Record = dict[str, Any]


class Mark(Enum):
    """How it stands with an exercise, and the sign of it."""

    RIGHT = "✓"
    PARTLY = "◐"
    WRONG = "✗"
    EMPTY = "–"

    @property
    def words(self) -> str:
        """Say it."""
        return {"EMPTY": "not written"}.get(self.name, self.name.lower())


@dataclass(frozen=True)
class Desk:
    """What a teacher wants: who is in the class, what is late, and what that takes, names or none.

    `penalty` is the share of the points that each day begun takes off. `stubs` are the answers'
    cells as they were handed out, by exercise.
    """

    roster: Roster | None = None
    due: datetime | None = None
    penalty: float = 0.0
    anonymous: bool = False
    platform: str = ""
    stubs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """One exercise of a student: the judgement, and the teacher's own."""

    id: str
    function: str
    points: int
    earned: float
    mark: Mark
    mistakes: tuple[str, ...]
    stopped: str
    code: str
    card: str
    text: str
    own: Own | None


@dataclass(frozen=True)
class Sheet:
    """One notebook of a student."""

    notebook: str
    chapter: str
    works: tuple[Work, ...]
    tried: tuple[str, ...]

    @property
    def points(self) -> int:
        """The points there are."""
        return sum(work.points for work in self.works)

    @property
    def earned(self) -> float:
        """The points gained."""
        return sum(work.earned for work in self.works)


@dataclass(frozen=True)
class Student:
    """A student: what they handed in, and what is known of them.

    `key` is what the records call them, `name` what pages do. `kept` is the share of the points
    that lateness leaves. `also` names what else the same person handed in as.
    """

    key: str
    name: str
    person: Person | None
    sheets: tuple[Sheet, ...]
    problems: tuple[str, ...]
    late: Late | None
    kept: float
    comment: str
    record: Record = field(repr=False)
    also: tuple[str, ...] = ()

    @property
    def chapters(self) -> dict[str, Sheet]:
        """The sheet that counts of each chapter: the one with most points, of equals the last."""
        return {sheet.chapter: sheet for sheet in sorted(self.sheets, key=lambda s: s.earned)}

    @property
    def works(self) -> list[Work]:
        """The exercises that count."""
        return [work for sheet in self.chapters.values() for work in sheet.works]

    @property
    def earned(self) -> float:
        """The points gained, less what lateness takes."""
        return round(self.kept * sum(sheet.earned for sheet in self.chapters.values()), 2)


def gather(records: Iterable[Record], desk: Desk, owns: Iterable[Own] = ()) -> list[Student]:
    """Put together what is known of each student, by name.

    A comment on somebody of the roster who handed nothing in is for `missing`. Raises ValueError,
    naming the line, for somebody else or something that was not handed in.
    """
    records = sorted(records, key=lambda record: record["student"])
    find = desk.roster.find if desk.roster else lambda student: None
    people = {record["student"]: find(record["student"]) for record in records}
    names = _names(people, desk.anonymous)
    absent = {name for person in missing(people.values(), desk) for name in person.called}
    noted = (own for own in owns if own.exercise or own.student not in absent)
    said = _by_student(noted, _called(people))
    found = [
        _student(record, names[key], people[key], desk, said.get(key, []))
        for record in records
        for key in (record["student"],)
    ]
    told = [replace(student, also=_also(student, found)) for student in found]
    return sorted(told, key=lambda student: student.name.casefold())


@dataclass(frozen=True)
class Missing:
    """Somebody of the roster who handed nothing in: what they are called in tables, and may be."""

    name: str
    id: str
    called: frozenset[str]


def missing(handed_in: Iterable[Person | None], desk: Desk) -> list[Missing]:
    """List who is on the roster and handed nothing in."""
    there = set(handed_in)
    people = [p for p in desk.roster.people if p not in there] if desk.roster else []
    often = Counter(person.name for person in people)
    found = []
    for person in people:
        name = person.name if often[person.name] == 1 else f"{person.name} ({person.id})"
        hidden = pseudonym(f"{person.name}\0{person.id}")
        called = frozenset({name, inert(name), hidden})
        shown = (hidden, "") if desk.anonymous else (name, person.id)
        found.append(Missing(*shown, called))
    return found


def pseudonym(key: str) -> str:
    """Give a name that tells nothing, and stays the same."""
    return f"Student {sha256(key.encode()).hexdigest()[:6]}"


def _names(people: Mapping[str, Person | None], anonymous: bool) -> dict[str, str]:
    """Name everybody; who shares a name is told apart by what they handed in as."""
    if anonymous:
        return {key: pseudonym(key) for key in people}
    names = {key: person.name if person else key for key, person in people.items()}
    often = Counter(names.values())
    return {key: name if often[name] == 1 else f"{name} ({key})" for key, name in names.items()}


def _also(student: Student, students: Iterable[Student]) -> tuple[str, ...]:
    """Name what else is of the same person, as the roster knows people."""
    if not student.person:
        return ()
    others = (other for other in students if other.person == student.person)
    return tuple(other.name for other in others if other is not student)


def _called(people: Mapping[str, Person | None]) -> dict[str, str]:
    """Map all that a student may be called in the teacher's table to who it is."""
    keys = list(people)
    called = dict(zip(_names(people, anonymous=False).values(), keys, strict=True))
    called |= {pseudonym(key): key for key in keys} | {key: key for key in keys}
    return called | {inert(name): key for name, key in called.items()}


def _by_student(owns: Iterable[Own], called: Mapping[str, str]) -> dict[str, list[Own]]:
    """Sort what the teacher says by whom it is about."""
    found: dict[str, list[Own]] = {}
    for own in owns:
        if own.student not in called:
            raise ValueError(f"{own.where}: nobody called {own.student!r} has handed in anything.")
        found.setdefault(called[own.student], []).append(own)
    return found


def _student(
    record: Record, name: str, person: Person | None, desk: Desk, owns: list[Own]
) -> Student:
    """Put together what is known of one student."""
    by_exercise = {own.exercise: own for own in owns if own.exercise}
    sheets = tuple(_sheet(told, desk, by_exercise) for told in record["notebooks"])
    handed_in = {work.id for sheet in sheets for work in sheet.works}
    for own in by_exercise.values():
        if own.exercise not in handed_in:
            raise ValueError(f"{own.where}: {own.student} has not handed in {own.exercise}.")
    files = [*record["files"], *(sheet.notebook for sheet in sheets)]
    late = lateness(files, person.row if person else {}, desk.due)
    kept = max(0.0, 1.0 - desk.penalty * late.days) if late else 1.0
    comment = "\n".join(own.comment for own in owns if not own.exercise)
    problems = tuple(record["problems"])
    if desk.anonymous and problems:  # they name files, and files name students
        problems = (f"{len(problems)}: grade without --anonymous to see what.",)
    return Student(record["student"], name, person, sheets, problems, late, kept, comment, record)


def _sheet(told: Record, desk: Desk, owns: Mapping[str, Own]) -> Sheet:
    """Read one notebook of a record; where names are hidden, its own tells nothing."""
    works = tuple(_work(work, desk.stubs, owns.get(work["id"])) for work in told["works"])
    notebook = told["chapter"] if desk.anonymous else told["notebook"]
    return Sheet(notebook, told["chapter"], works, tuple(told["tried"]))


def _work(told: Record, stubs: Mapping[str, str], own: Own | None) -> Work:
    """Read one exercise of a record; the teacher's points go before the grader's."""
    given = own.points if own else None
    earned = told["earned"] if given is None else given
    written = told["written"] and not is_untouched(told["code"], stubs.get(told["id"], ""))
    mark = (
        Mark.RIGHT if earned >= told["points"]
        else Mark.EMPTY if not written and given is None
        else Mark.PARTLY if earned
        else Mark.WRONG
    )  # fmt: skip
    rest = {name: told[name] for name in ("id", "function", "points", "code", "card", "text")}
    mistakes, stopped = tuple(told["mistakes"]), told["stopped"]
    return Work(**rest, earned=earned, mark=mark, mistakes=mistakes, stopped=stopped, own=own)
