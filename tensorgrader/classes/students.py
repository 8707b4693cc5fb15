"""A class as its teacher sees it: from the grader's records and the teacher's own entries."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from typing import Any

from tensorgrader.classes.late import Late, lateness
from tensorgrader.classes.roster import Person, Roster
from tensorgrader.classes.similar import is_untouched
from tensorgrader.classes.student_names import Someone, everybody, meant
from tensorgrader.classes.teacher_table import Own, by_exercise
from tensorgrader.hunt.draw import is_theirs

Record = dict[str, Any]
#: A teacher's comments on what answers do.
Comments = Mapping[str, str]
NO_COMMENTS: Comments = {}


class Mark(Enum):
    """The result of an exercise, and its symbol."""

    RIGHT = "✓"
    PARTLY = "◐"
    WRONG = "✗"
    EMPTY = "–"

    @property
    def words(self) -> str:
        """Return it in words."""
        return {"EMPTY": "not written"}.get(self.name, self.name.lower())


@dataclass(frozen=True)
class Desk:
    """The teacher's settings: class list, deadline, late penalty, anonymous or not.

    `penalty` is the share of points lost for each day begun. `stubs` are the original answer cells
    by exercise. `chapters` are those that count: all if empty. With `key`, hunts were given out.
    """

    roster: Roster | None = None
    due: datetime | None = None
    penalty: float = 0.0
    anonymous: bool = False
    platform: str = ""
    stubs: Mapping[str, str] = field(default_factory=dict)
    chapters: tuple[str, ...] = ()
    key: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Work:
    """One exercise of a student: the grader's judgement, and the teacher's own.

    `behaviour` is the name of what a wrong answer does, `crash` the error if it does nothing else.
    """

    id: str
    function: str
    points: int
    earned: float
    mark: Mark
    mistakes: tuple[str, ...]
    stopped: str
    slow: str
    code: str
    card: str
    text: str
    own: Own | None
    behaviour: str = ""
    crash: str = ""


@dataclass(frozen=True)
class Sheet:
    """One notebook of a student."""

    notebook: str
    chapter: str
    works: tuple[Work, ...]
    tried: tuple[str, ...]
    difficulty: float = 0.0  # of a hunt

    @property
    def points(self) -> int:
        """The maximum of points."""
        return sum(work.points for work in self.works)

    @property
    def earned(self) -> float:
        """The points earned."""
        return sum(work.earned for work in self.works)


@dataclass(frozen=True)
class Student:
    """A student: what they handed in, and what is known of them.

    `key` is what the records call them (each of a group its own way), `name` what pages do. `kept`
    is the share of the points that lateness leaves. `besides` names notebooks of chapters that do
    not count, `also` what else the same person handed in as. `notes` tell what else there is to
    know of what they handed in, and of who they are.
    """

    key: str
    name: str
    person: Person | None
    sheets: tuple[Sheet, ...]
    besides: tuple[str, ...]
    problems: tuple[str, ...]
    late: Late | None
    kept: float
    comment: str
    record: Record = field(repr=False)
    also: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

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
        """The points earned, minus the late penalty."""
        return round(self.kept * sum(sheet.earned for sheet in self.chapters.values()), 2)


@dataclass(frozen=True)
class Absent:
    """Somebody on the roster who submitted nothing, and the teacher's comment."""

    name: str
    id: str
    comment: str


def gather(
    records: Iterable[Record],
    desk: Desk,
    owns: Iterable[Own] = (),
    comments: Comments = NO_COMMENTS,
) -> tuple[list[Student], list[Absent]]:
    """Collect what is known of each student, by name, and of those who submitted nothing.

    `comments` reach all whose answers do the same. Raises ValueError, naming the line, if the
    teacher's table names nobody, one of several, or something that wasn't submitted.
    """
    by_key = {record["student"]: record for record in records}
    handed = {key: by_key[key].get("people", ()) for key in sorted(by_key)}
    everyone = everybody(handed, desk.roster)
    said = _by_student(owns, everyone)
    there = [one for one in everyone if one.key]
    found = [_student(by_key[one.key], one, desk, said.get(one, []), comments) for one in there]
    told = [
        replace(
            student,
            also=tuple(
                o.name
                for o in found
                if student.person and o is not student and o.person == student.person
            ),
        )
        for student in found
    ]
    absent = [
        Absent(
            one.hidden if desk.anonymous else one.name,
            one.person.id if one.person and not desk.anonymous else "",
            "\n".join(own.comment for own in said.get(one, [])),
        )
        for one in everyone
        if not one.key
    ]
    return sorted(told, key=lambda student: student.name.casefold()), absent


def _by_student(owns: Iterable[Own], everyone: list[Someone]) -> dict[Someone, list[Own]]:
    """Group the teacher's entries by student."""
    found: dict[Someone, list[Own]] = {}
    for own in owns:
        about = meant(own.student, everyone)
        if len(about) > 1:
            names = ", ".join(sorted(repr(one.name) for one in about))
            raise ValueError(
                f"{own.where}: several are called {own.student!r}: write one of {names}."
            )
        if not about or (own.exercise and not about[0].key):
            raise ValueError(f"{own.where}: nobody called {own.student!r} has handed in anything.")
        found.setdefault(about[0], []).append(own)
    return found


def _student(
    record: Record, one: Someone, desk: Desk, owns: list[Own], comments: Comments
) -> Student:
    """Collect what is known of one student."""
    name, person = one.hidden if desk.anonymous else one.name, one.person
    said = by_exercise(owns)
    every = [_sheet(told, desk, said, comments) for told in record["notebooks"]]
    handed_in = {work.id for sheet in every for work in sheet.works}
    for own in said.values():
        if own.exercise and own.exercise not in handed_in:
            raise ValueError(f"{own.where}: {own.student} has not handed in {own.exercise}.")
    counts = desk.chapters or {sheet.chapter for sheet in every}
    sheets = tuple(sheet for sheet in every if sheet.chapter in counts)
    besides = tuple(sheet.notebook for sheet in every if sheet.chapter not in counts)
    others = {n["notebook"] for n in record["notebooks"] if n["chapter"] not in counts}
    files = {*record["files"], *(told["notebook"] for told in record["notebooks"])} - others
    late = lateness(files, person.row if person else {}, desk.due)
    kept = max(0.0, 1.0 - desk.penalty * late.days) if late else 1.0
    comment = said[""].comment if "" in said else ""
    problems = tuple(record["problems"])
    if desk.anonymous and problems:  # they name files, and files name students
        problems = (f"{len(problems)}: grade without --anonymous to see them.",)
    notes = [] if desk.anonymous else [*record.get("notes", ())]
    if one.may_be and not desk.anonymous:
        notes.append(
            f"On the class list this may be {' or '.join(one.may_be)}, but it is not certain: add "
            "the platform's id, login or email to the list."
        )
    notes += _not_theirs(record, person, desk)
    told = (sheets, besides, problems, late, kept, comment, record)
    return Student(one.own, name, person, *told, notes=tuple(notes))


def _not_theirs(record: Record, person: Person | None, desk: Desk) -> tuple[str, ...]:
    """Return a note on a hunt that was not made for this person, and whose it is."""
    everyone = desk.roster.people if desk.key and desk.roster else ()
    texts = [sheet["hunt"] for sheet in record["notebooks"] if "hunt" in sheet and everyone]
    return tuple(
        f"The hunt that was handed in was made for {_whose(text, everyone, desk)}."
        for text in texts
        if not (person and _is_theirs(text, person, desk))
    )


def _whose(text: str, everyone: Iterable[Person], desk: Desk) -> str:
    """Return whom a hunt was made for, as far as names are shown."""
    names = [person.name for person in everyone if _is_theirs(text, person, desk)]
    if not names:
        return "nobody on the class list, with this key"
    return "somebody else" if desk.anonymous else " or ".join(names)


def _is_theirs(text: str, person: Person, desk: Desk) -> bool:
    """Return whether a hunt was made for a person, however a list writes the name."""
    return is_theirs(desk.key, person.spelt | {person.name}, text)


def _sheet(told: Record, desk: Desk, owns: Mapping[str, Own], comments: Comments) -> Sheet:
    """Read one notebook of a record; if names are hidden, its own name is too."""
    stubs = {**desk.stubs, **told.get("stubs", {})}
    works = tuple(_work(work, stubs, owns.get(work["id"]), comments) for work in told["works"])
    notebook = told["chapter"] if desk.anonymous else told["notebook"]
    tried, difficulty = tuple(told["tried"]), told.get("difficulty", 0.0)
    return Sheet(notebook, told["chapter"], works, tried, difficulty)


def _work(told: Record, stubs: Mapping[str, str], own: Own | None, comments: Comments) -> Work:
    """Read one exercise of a record; the teacher's points override the grader's."""
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
    rest |= {name: told[name] for name in ("stopped", "slow", "crash")}
    rest["behaviour"] = told["behaviour"] if mark is not Mark.EMPTY else ""
    if comment := comments.get(rest["behaviour"]):
        before = own or Own("", told["id"], None, "", "")
        own = replace(before, comment="\n".join(filter(None, (before.comment, comment))))
    return Work(**rest, earned=earned, mark=mark, mistakes=tuple(told["mistakes"]), own=own)
