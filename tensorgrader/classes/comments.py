"""Answers that do the same, and the teacher's comment on them, which is written once.

The comments are a table in the report's folder. What is in it is never changed: a line is added for
each new group. Who hands in later gets the comment on what their answer does.
"""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tensorgrader.classes.students import Mark, Student, Work
from tensorgrader.classes.tables import read_columns, read_table, write_table

FILE = "comments.csv"
COLUMNS = ("group", "exercise", "mistakes", "comment")
ANOTHER = re.compile(r"^\"?[\w-]+-[0-9a-f]{8}\"?[,;\t]", re.MULTILINE)  # such a line


@dataclass(frozen=True)
class Group:
    """Wrong answers to an exercise that do the same, by whom, and the shortest of them."""

    name: str
    work: Work
    students: tuple[Student, ...]

    @property
    def alone(self) -> bool:
        """Return whether only one student wrote such an answer."""
        return len(self.students) == 1


@dataclass(frozen=True)
class GroupsView:
    """Groups, and the comments on what answers do, by its name."""

    groups: tuple[Group, ...]
    comments: Mapping[str, str]

    @property
    def unused(self) -> dict[str, str]:
        """Return the comments on what no answer does now."""
        there = {group.name for group in self.groups}
        return {name: comment for name, comment in self.comments.items() if name not in there}


def groups(students: Iterable[Student]) -> tuple[Group, ...]:
    """Return the groups of wrong answers, the largest first."""
    found: dict[str, list[tuple[Student, Work]]] = {}
    for student in students:
        for work in student.works:
            if work.behaviour and work.mark is not Mark.EMPTY:
                found.setdefault(work.behaviour, []).append((student, work))
    every = [
        Group(
            name,
            min((w for _, w in those), key=lambda w: (len(w.code), w.code)),
            tuple(s for s, _ in those),
        )
        for name, those in found.items()
    ]
    return tuple(sorted(every, key=lambda group: (-len(group.students), group.name)))


def read_comments(path: Path) -> dict[str, str]:
    """Read the comments by group; of two on the same, both are kept.

    Raises ValueError, naming the line, for a comment without a group, or one that has swallowed
    other lines because a quotation mark is missing.
    """
    if not path.exists():
        return {}
    rows = read_columns(path, COLUMNS, ("group", "comment"))
    found: dict[str, str] = {}
    for number, row in rows.items():
        group, comment = row["group"], row["comment"]
        if comment and not group:
            raise ValueError(
                f"{path}, line {number}: this comment is on no group. Write one into the column "
                "`group`, as the report names it."
            )
        if ANOTHER.search(comment):
            raise ValueError(
                f"{path}, line {number}: the comment contains another line of the table. A "
                "quotation mark is missing, or one is too many."
            )
        if comment:
            found[group] = "\n".join(filter(None, (found.get(group), comment)))
    return found


def add_groups(path: Path, groups: Iterable[Group]) -> None:
    """Add a line for each group that has none, and change no other; create the table if needed."""
    if not path.exists():
        rows = [[g.name, g.work.id, "; ".join(g.work.mistakes), ""] for g in groups]
        if rows:
            write_table(path, [COLUMNS, *rows])
        return
    columns, lines = read_table(path)
    there = {row["group"] for row in lines.values()}
    new = [group for group in groups if group.name not in there]
    if not new:
        return
    text = path.read_text(encoding="utf-8-sig")
    mark = max(",;\t", key=text.lstrip().partition("\n")[0].count)
    with path.open("a", encoding="utf-8", newline="") as file:
        file.write("" if text.endswith("\n") else "\r\n")
        table = csv.DictWriter(file, columns, delimiter=mark, extrasaction="ignore")
        for group in new:
            told = {"group": group.name, "exercise": group.work.id}
            table.writerow(told | {"mistakes": "; ".join(group.work.mistakes)})
