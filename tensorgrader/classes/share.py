"""Answers of a class for a corpus, without names: of the students who agreed, and nobody else."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from tensorgrader.classes.anonymous import as_one, own_words, words
from tensorgrader.classes.records import original
from tensorgrader.classes.roster import Roster
from tensorgrader.classes.similar import is_untouched
from tensorgrader.classes.student_names import Someone, everybody, meant
from tensorgrader.classes.students import Record
from tensorgrader.classes.tables import read_table
from tensorgrader.course import Course

AGREED, NAMED = "agreed", ("student", "name")
YES = {"yes", "y", "x", "1", "true", "agreed", "✓"}
SHORT = 3  # letters: shorter parts of names are in many words
HEAD = """\
# Answers of a class, without names, of the students who agreed. Which are wrong, and what is meant
# by them, is the grader's own judgement: read them, and put it right.

[measured]  # the first run
date = "{day}"
grader = "{grader}"
caught = {caught}
named = {named}
one_of_two = 0
misnamed = 0
refused = 0
{meanings}
"""


@dataclass(frozen=True)
class Shared:
    """Files by name, how many answers of how many students are in them, and what was left out.

    `left_out` answers have one of the `words` in them, which are in students' names.
    """

    files: dict[str, str]
    students: int
    answers: int
    left_out: int
    words: frozenset[str]


def read_agreed(path: Path, everyone: Iterable[Someone]) -> set[str]:
    """Return the keys of those who agreed, by a table with the columns `student` and `agreed`.

    Raises ValueError, naming the line, for a name that is nobody's, or several students'.
    """
    everyone = list(everyone)
    columns, rows = read_table(path)
    name = next((column for column in NAMED if column in columns), "")
    if not name or AGREED not in columns:
        raise ValueError(
            f"{path}: expected the columns {NAMED[0]!r} and {AGREED!r}, with {'yes'!r} for each "
            f"student who agreed; found: {', '.join(columns)}."
        )
    found = set()
    for number, row in rows.items():
        if row[AGREED].lower() in YES:
            about = meant(row[name], everyone)
            if len(about) != 1:
                raise ValueError(
                    f"{path}, line {number}: {len(about)} students of this report are called "
                    f"{row[name]!r}. Write a name as the report has it."
                )
            found.add(about[0].key)
    return found


def share(
    course: Course,
    records: Iterable[Record],
    agreed: Path,
    roster: Roster | None,
    name: str,
) -> Shared:
    """Return what a corpus takes: right and wrong answers by chapter, each once, by their texts.

    Left out are answers of those who did not agree, unwritten ones, those that fail because of an
    earlier function, notebooks whose code tried to do more than compute, and answers with a part of
    a student's name in them.
    """
    records = list(records)
    stubs = original(course, records)
    by_key = {record["student"]: record for record in records}
    everyone = everybody({key: r.get("people", ()) for key, r in by_key.items()}, roster)
    keys = read_agreed(agreed, everyone) & by_key.keys()
    forbidden = _parts_of_names(everyone)
    works = [
        (sheet["chapter"], work)
        for key in keys
        for sheet in by_key[key]["notebooks"]
        if not sheet["tried"]
        for work in sheet["works"]
        if work["written"] and not is_untouched(work["code"], stubs.get(work["id"], ""))
        if work["behaviour"] or work["earned"] == work["points"]
    ]
    found: dict[tuple[str, str], dict[str, Record]] = {}
    told: list[set[str]] = []
    for chapter, work in works:
        code = as_one(work["code"], work["function"], work["function"])
        if said := own_words(code) & forbidden - words(work["function"]):
            told.append(said)
        elif code:
            kind = "right" if work["earned"] == work["points"] else "wrong"
            found.setdefault((kind, chapter), {})[code] = work
    files = {
        f"{name}/{kind}/{chapter}.py": "\n\n\n".join(
            as_one(code, work["function"], own) for own, code, work in _numbered(codes)
        )
        + "\n"
        for (kind, chapter), codes in found.items()
    }
    wrong = {chapter: one for (kind, chapter), one in sorted(found.items()) if kind == "wrong"}
    files[f"{name}.toml"] = _meanings(wrong, next(iter(by_key.values()))["grader"][:12])
    answers = sum(map(len, found.values()))
    return Shared(files, len(keys), answers, len(told), frozenset[str]().union(*told))


def _numbered(codes: Mapping[str, Record]) -> Iterator[tuple[str, str, Record]]:
    """Yield each answer with a name of its own."""
    for number, (code, work) in enumerate(sorted(codes.items()), 1):
        yield f"{work['function']}__{number}", code, work


def _meanings(wrong: Mapping[str, Mapping[str, Record]], grader: str) -> str:
    """Return what is said of the wrong answers: the names that the grader gave."""
    every = [work for codes in wrong.values() for work in codes.values()]
    lines = []
    for chapter, codes in wrong.items():
        lines.append(f"\n[{chapter}]")
        for own, _, work in _numbered(codes):
            lines.append(f"{own} = {json.dumps([[name] for name in work['mistakes']] or [[]])}")
    return HEAD.format(
        day=date.today().isoformat(),
        grader=grader,
        caught=len(every),
        named=sum(bool(work["mistakes"]) for work in every),
        meanings="\n".join(lines),
    )


def _parts_of_names(everyone: Iterable[Someone]) -> set[str]:
    """Return the parts of all names by which students are known."""
    texts = {text for one in everyone for text in (one.key, one.name, *one.others)}
    texts |= {text for one in everyone if one.person for text in one.person.logins}
    return {word for text in texts for word in words(text) if len(word) >= SHORT}
