"""Who is in the class: the table that a platform exports, or one of the teacher's own.

Canvas exports its grade book with the columns Student, ID, SIS User ID, SIS Login ID and Section
(github.com/instructure/canvas-lms, lib/gradebook_importer.rb); Moodle gives out an assignment's
grading worksheet, whose Identifier is "Participant 501" (github.com/moodle/moodle,
mod/assign/feedback/offline/importgradeslib.php). Any other table has a column with names.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import category, normalize

from tensorgrader.classes.late import read_cells
from tensorgrader.classes.platform_exports import number
from tensorgrader.classes.tables import Row, read_table
from tensorgrader.sandbox.values import clean

NAMES = ("student", "full name", "name")  # columns with names
LOGINS = ("sis login id", "login", "username", "github_username", "email", "email address")
IDS = ("id", "identifier", "student id", "sis user id", "id number")
KNOWN_BY = (*NAMES, *IDS, *LOGINS)
NOBODY = ("Student, Test", "Points Possible")  # what else Canvas puts into the column of names


@dataclass(frozen=True)
class Person:
    """Someone in the class: their name, the platform's number of them, and their row."""

    name: str
    id: str
    row: Row = field(hash=False)

    @property
    def known_by(self) -> set[str]:
        """Return all names under which they may submit."""
        last, _, first = self.name.partition(",")
        return (self._called(KNOWN_BY) | {_plain(f"{first} {last}")}) - {""}

    @property
    def ids(self) -> set[str]:
        """Return the platform's numbers of them."""
        return ({_plain(self.id)} - {""}) | self._cells(IDS)

    @property
    def logins(self) -> set[str]:
        """Return what may end a repository's name; a bare number may not."""
        return {name for name in self._called(LOGINS) if name and not name.isdecimal()}

    def is_surely(self, student: str, told: Row) -> bool:
        """Return whether more than the name identifies them as the author."""
        number_or_address, _, login = self.is_told(told)
        return number_or_address or login or number(student) in self.ids

    def is_told(self, told: Row) -> tuple[bool, bool, bool]:
        """Return whether the platform's data match: number or address; name; login.

        For addresses with different domains, the same login proves nothing.
        """
        texts = {_plain(told.get(what, "")) for what in ("login", "email")} - {""}
        locals_ = {text.partition("@")[0] for text in texts} - {""}
        logins = {text for text in texts if "@" not in text}
        exact = ({_plain(told.get("id", ""))} - {""}) & (self.ids | self._cells(LOGINS))
        return (
            bool(exact | (texts & self._cells(LOGINS))),
            _letters(told.get("name", "")) in self.spelt,
            bool(locals_ & self._cells(LOGINS) | logins & (self._called(LOGINS) | self.ids)),
        )

    @property
    def spelt(self) -> set[str]:
        """Return the letters of their name, whichever part of it comes first."""
        words = [self._words(text) for text in (self.name, *self._cells(NAMES))]
        orders = ("".join(w[n:] + w[:n]) for w in words for n in range(len(w)))
        return {*orders} - {""}

    def may_be(self, letters: str) -> bool:
        """Return whether a name is theirs with more or fewer parts, or unknown."""
        words = sorted(self._words(self.name), key=len, reverse=True)
        if not self._cells(NAMES):
            return True
        rest, missing = letters, 0
        for word in words:
            missing += word not in rest
            rest = rest.replace(word, "", 1)
        return missing < len(words) and (not rest or (not missing and len(words) > 1))

    def _called(self, columns: tuple[str, ...]) -> set[str]:
        """Return the values of these columns; of an address, also the part before the @."""
        cells = self._cells(columns)
        return cells | {cell.partition("@")[0] for cell in cells}

    def _cells(self, columns: tuple[str, ...]) -> set[str]:
        """Return the values of these columns."""
        cells = {_plain(text) for column, text in self.row.items() if column.lower() in columns}
        return cells - {""}

    def _words(self, name: str) -> list[str]:
        """Return the words of a name, each by its letters."""
        return [*filter(None, map(_letters, re.split(r"[\s,]+", name)))]


@dataclass(frozen=True)
class Roster:
    """The people of a class, the columns of their table, and the platform that it comes from."""

    platform: str
    columns: tuple[str, ...]
    people: tuple[Person, ...]

    def find(self, student: str) -> Person | None:
        """Return who submitted under this name, if exactly one person matches."""
        found = self.fitting(student)
        return found[0] if len(found) == 1 else None

    def fitting(self, student: str, told: Row | None = None) -> list[Person]:
        """Return whom the name of a submission may mean: nobody, one, or several.

        What the platform says of them outweighs the name. Repositories of GitHub Classroom are
        named after the assignment and the login; of two matching logins, the longer one counts.
        """
        if told:
            return self._told(told)
        name, own = _plain(re.sub(r"(?i)\.(ipynb|zip)$", "", student)), number(student)
        ends = {k for p in self.people for k in p.logins if name.endswith(f"-{k}")}
        login = max(ends, key=len, default="")
        ways: tuple[Callable[[Person], object], ...] = (
            lambda person: self.platform and own and person.id == own,
            lambda person: name in person.known_by,
            lambda person: login and login in person.logins,
        )
        found = next(filter(None, ([p for p in self.people if way(p)] for way in ways)), [])
        return found or ([] if self.platform and own else self._named(name, own))

    def _told(self, told: Row) -> list[Person]:
        """Return who matches: of several the one whose name matches too, else all of them."""
        fits = [(person, *person.is_told(told)) for person in self.people]
        exact = [person for person, is_exact, _, _ in fits if is_exact]
        named = [person for person, _, is_named, _ in fits if is_named]
        if exact and named:
            both = [person for person in exact if person in named]
            return both or [p for p in self.people if p in exact or p in named]
        return exact or named or [person for person, *_, by_login in fits if by_login]

    def _named(self, name: str, own: str) -> list[Person]:
        """Return who has this name, and of several the one with this number.

        A platform's number is seldom the one in a list. So it counts by itself only if exactly one
        person has it, and the name may be theirs.
        """
        letters = _letters(name.removesuffix(f"_{own}") if own else name)
        named = [person for person in self.people if letters in person.spelt]
        numbered = [person for person in self.people if own and own in person.ids]
        both = [person for person in named if person in numbered]
        fits = [person for person in numbered if person.may_be(letters)]
        return both or named or (fits if len(numbered) == 1 else [])


def read_roster(path: Path) -> Roster:
    """Read a class list; people without a name are called by another column.

    Raises OSError as open does, ValueError if no column names a student, or a cell about lateness
    cannot be read.
    """
    columns, lines = read_table(path)
    rows = lines.values()
    lower = {column.lower(): column for column in columns}
    if {"Student", "ID", "Section"} <= set(columns):
        people = [_person(row, "Student", row["ID"]) for row in rows if row["Student"] or row["ID"]]
        return _roster(path, "canvas", columns, [p for p in people if p.name not in NOBODY])
    if "Identifier" in columns:
        people = [_person(row, "Full name", row["Identifier"].rpartition(" ")[2]) for row in rows]
        return _roster(path, "moodle", columns, people)
    named = next((lower[name] for name in NAMES if name in lower), "")
    if not named:
        raise ValueError(
            f"{path}: no column names a student. Expected: the grade book as Canvas exports it "
            "(Student, ID, Section …), the grading worksheet as Moodle exports it in English "
            "(Identifier, Full name …), or a table with a column `name`. The first line must "
            f"contain the names of the columns; here it is {columns}."
        )
    ids = next((lower[name] for name in KNOWN_BY[3:] if name in lower), "")
    return _roster(path, "", columns, [_person(row, named, row.get(ids, "")) for row in rows])


def _person(row: Row, column: str, number: str) -> Person:
    """Return a person by the column of names, or else by the first identifying cell."""
    others = (row[name] for name in row if name.lower() in KNOWN_BY)
    return Person(row.get(column) or next(filter(None, others), ""), number, row)


def _roster(path: Path, platform: str, columns: list[str], people: list[Person]) -> Roster:
    """Build a roster; identical rows of a table are one person."""
    told = dict.fromkeys(person for person in people if person.name)
    for person in told:
        try:
            read_cells(person.row)
        except ValueError as error:
            raise ValueError(f"{path}, {clean(person.name)}, {error}") from None
    return Roster(platform, tuple(columns), tuple(told))


def _plain(text: str) -> str:
    """Normalise a name for comparison."""
    return " ".join(normalize("NFC", text).casefold().split())


def _letters(text: str) -> str:
    """Return the letters and digits of a name, with their accents."""
    return "".join(sign for sign in _plain(text) if category(sign)[0] in "LMN")
