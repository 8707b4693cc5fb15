"""The grader's own score, as a table: `python -m tests.grading.table [PAGE]` prints or updates it.

Wrong ways known are the bank's. Written again are wrong answers in other words, never matched
against: they tell how well mistakes are named. Right answers tell of false alarms, and mixes of two
mistakes of names that are given too easily.
"""

import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.grading.test_answers import in_this_process, lost, written
from transformer_lab.grading.check import quiet
from transformer_lab.grading.exercises import CHAPTERS

BEGIN, END = "<!-- table of the bank -->", "<!-- end of the table -->"
SEED = 1


class Score(NamedTuple):
    """How many answers were treated so, each with how many there were."""

    caught: tuple
    named: tuple
    misnamed: tuple
    refused: tuple
    given_one_name: tuple


@cache
def scores():
    """Give, for each chapter, the scores of its functions: pairs of how many, and of how many."""
    return {
        chapter.name: {
            exercise.function: score(chapter, exercise) for exercise in chapter.exercises
        }
        for chapter in CHAPTERS.values()
    }


def score(chapter, exercise):
    """Try every answer there is to an exercise."""
    wrong, right, mixed = (
        [function for e, function in written(kind, chapter) if e is exercise]
        for kind in ("wrong", "right", "mixed")
    )
    again = [(told(exercise, function)[1], function.__doc__) for function in wrong]
    return Score(
        counted(told(exercise, way)[0] for mistake in exercise.mistakes for way in mistake.ways),
        counted(names == {name} for names, name in again),
        counted(names - {name} for names, name in again),
        counted(told(exercise, function)[0] for function in right),
        counted(told(exercise, function)[1] for function in mixed),
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
    head = [name.replace("_", " ") for name in Score._fields]
    lines = [row(["function", *head]), row(["---", *["--:"] * len(head)])]
    chapters = {name: together(of.values()) for name, of in scores().items()}
    for name, of in scores().items():
        lines.append(row([f"**{name}**", *map(bold, chapters[name])]))
        lines += [row([f"`{function}`", *map(cell, made)]) for function, made in of.items()]
    return "\n".join([*lines, row(["**in all**", *map(bold, together(chapters.values()))])])


def cell(pair):
    return "{} of {}".format(*pair)


def bold(pair):
    return f"**{cell(pair)}**"


def told(exercise, function):
    """Tell whether an answer loses points, and give the mistakes that are named."""
    with quiet():
        results = lost(in_this_process(exercise, function, SEED))
    return bool(results), {result.mistake.name for result in results if result.mistake}


def row(cells):
    return f"| {' | '.join(map(str, cells))} |"


def put_into(page, text):
    """Give a page with this table between its marks."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    made = table()
    print(made)
    for path in map(Path, sys.argv[1:]):
        path.write_text(put_into(path.read_text("utf8"), made), "utf8")
