"""The grader's score, as tables: `python -m tests.exercises.table [PAGE ...]` updates them.

Caught are the bank's known mistakes, refused are right answers: false alarms. Beside it stands the
table of `unseen`.
"""

import sys
from pathlib import Path
from typing import NamedTuple

from tensorgrader.naming.mutate import own
from tests.course import CHAPTERS, EXERCISES
from tests.exercises import unseen
from tests.exercises.kept import kept
from tests.exercises.test_answers import told, written

BANK, BLIND, END = (
    f"<!-- {name} -->" for name in ("table of the bank", "table of the blind", "end of the table")
)


class Score(NamedTuple):
    """How many answers were treated so, each with how many there were."""

    caught: tuple
    refused: tuple


def scores():
    """Give, for each chapter, the scores of its functions: pairs of how many, and of how many."""
    return {
        name: {exercise.function: Score(*score(exercise.id)) for exercise in chapter.exercises}
        for name, chapter in CHAPTERS.items()
    }


@kept
def score(name):
    """Try every answer there is to an exercise."""
    exercise = EXERCISES[name]
    right = [function for e, function in written(CHAPTERS[exercise.chapter]) if e is exercise]
    return (
        counted(told(exercise, known.function)[0] for known in own(exercise)),
        counted(told(exercise, function)[0] for function in right),
    )


def counted(outcomes):
    """Count what holds, and all."""
    listed = list(map(bool, outcomes))
    return sum(listed), len(listed)


def together(parts):
    """Add scores up."""
    columns = zip(*parts, strict=True)
    return Score(*(tuple(map(sum, zip(*column, strict=True))) for column in columns))


def table():
    """Write the scores as a Markdown table."""
    lines = [row(["function", *Score._fields]), row(["---", "--:", "--:"])]
    chapters = {name: together(of.values()) for name, of in scores().items()}
    for name, of in scores().items():
        lines.append(row([f"**{name}**", *map(bold, chapters[name])]))
        lines += [row([f"`{function}`", *map(cell, made)]) for function, made in of.items()]
    return "\n".join([*lines, row(["**in all**", *map(bold, together(chapters.values()))])])


def cell(pair):
    return "{} of {}".format(*pair)


def bold(pair):
    return f"**{cell(pair)}**"


def row(cells):
    return f"| {' | '.join(map(str, cells))} |"


def put_into(page, begin, text):
    """Give a page with this table between its marks."""
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n{text}\n{END}{rest.partition(END)[2]}"


def updated(page):
    """Return a page with those of the tables that it has as they are today."""
    for begin, text in (BANK, table()), (BLIND, unseen.table()):
        page = put_into(page, begin, text) if begin in page else page
    return page


if __name__ == "__main__":
    print(unseen.table(), table(), sep="\n\n")
    for path in map(Path, sys.argv[1:]):
        path.write_text(updated(path.read_text("utf8")), "utf8")
