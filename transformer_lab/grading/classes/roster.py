"""Who is in the class: the table that a platform exports, or one of the teacher's own.

Canvas exports its grade book with the columns Student, ID, SIS User ID, SIS Login ID and Section
(github.com/instructure/canvas-lms, lib/gradebook_importer.rb); Moodle gives out an assignment's
grading worksheet, whose Identifier is "Participant 501" (github.com/moodle/moodle,
mod/assign/feedback/offline/importgradeslib.php). Any other table has a column with names.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import normalize

from transformer_lab.grading.classes.exports import number
from transformer_lab.grading.classes.late import read_cells
from transformer_lab.grading.classes.tables import Row, read_table
from transformer_lab.grading.sandbox.values import clean

NAMES = ("student", "full name", "name")  # columns that name somebody
LOGINS = ("sis login id", "login", "username", "github_username", "email", "email address")
KNOWN_BY = (*NAMES, "id", "identifier", "student id", "sis user id", "id number", *LOGINS)
NOBODY = ("Student, Test", "Points Possible")  # what Canvas has in the column of names besides


@dataclass(frozen=True)
class Person:
    """Someone in the class: their name, the platform's number of them, and their row."""

    name: str
    id: str
    row: Row = field(hash=False)

    @property
    def known_by(self) -> set[str]:
        """Give all that they may be called by where they hand something in."""
        last, _, first = self.name.partition(",")
        return (self._called(KNOWN_BY) | {_plain(f"{first} {last}")}) - {""}

    @property
    def logins(self) -> set[str]:
        """Give what may stand at the end of a repository's name; a bare number may not."""
        return {name for name in self._called(LOGINS) if name and not name.isdecimal()}

    def _called(self, columns: tuple[str, ...]) -> set[str]:
        """Give what stands in these columns; of an address, also what is before the @."""
        cells = {_plain(text) for column, text in self.row.items() if column.lower() in columns}
        return cells | {cell.partition("@")[0] for cell in cells}


@dataclass(frozen=True)
class Roster:
    """The people of a class, the columns of their table, and the platform that it comes from."""

    platform: str
    columns: tuple[str, ...]
    people: tuple[Person, ...]

    def find(self, student: str) -> Person | None:
        """Find who handed in under this name: by the platform's number, else by anything unique.

        Repositories of GitHub Classroom are called by the assignment and then the login; of two
        logins that fit, the longer one is meant.
        """
        name, own = _plain(re.sub(r"(?i)\.(ipynb|zip)$", "", student)), number(student)
        ends = {k for p in self.people for k in p.logins if name.endswith(f"-{k}")}
        login = max(ends, key=len, default="")
        ways = (
            lambda person: self.platform and own and person.id == own,
            lambda person: name in person.known_by,
            lambda person: login and login in person.logins,
        )
        for way in ways:
            found = [person for person in self.people if way(person)]
            if found:
                return found[0] if len(found) == 1 else None
        return None


def read_roster(path: Path) -> Roster:
    """Read who is in the class; who has no name there is called by what else is known of them.

    Raises OSError as open does, ValueError where no column names a student, or a cell about
    lateness cannot be read.
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
            f"{path}: no column names a student. Expected are the grade book as Canvas exports it "
            "(Student, ID, Section …), the grading worksheet as Moodle gives it out in English "
            "(Identifier, Full name …), or a table with a column `name`. The first line has to "
            f"name the columns; here it is {columns}."
        )
    ids = next((lower[name] for name in KNOWN_BY[3:] if name in lower), "")
    return _roster(path, "", columns, [_person(row, named, row.get(ids, "")) for row in rows])


def _person(row: Row, column: str, number: str) -> Person:
    """Give someone by the column of names, or else by the first cell that tells who it is."""
    others = (row[name] for name in row if name.lower() in KNOWN_BY)
    return Person(row.get(column) or next(filter(None, others), ""), number, row)


def _roster(path: Path, platform: str, columns: list[str], people: list[Person]) -> Roster:
    """Put a class together: who is in the table twice, in the same words, is one person."""
    told = dict.fromkeys(person for person in people if person.name)
    for person in told:
        try:
            read_cells(person.row)
        except ValueError as error:
            raise ValueError(f"{path}, {clean(person.name)}, {error}") from None
    return Roster(platform, tuple(columns), tuple(told))


def _plain(text: str) -> str:
    """Write a name so that it can be compared."""
    return " ".join(normalize("NFC", text).casefold().split())
