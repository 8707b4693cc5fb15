"""The share of wrong answers that loses points: `python -m tests.exercises.mutants PAGE ...`.

Exercises with a time limit of their own are left out.
"""

import sys
from pathlib import Path

from tensorgrader.author.mutants import survivors
from tests.course import CHAPTERS, COURSE
from tests.exercises.table import put_into, row

MUTANTS = "<!-- table of the mutants -->"


def table(scores):
    """Return as a Markdown table how many mutants of each function lose points, and of how many."""
    lines = [row(["function", "mutants", "caught"]), row(["---", "--:", "--:"])]
    lines += [row([f"`{name}`", of, f"{caught / of:.1%}"]) for name, (caught, of) in scores.items()]
    caught, of = map(sum, zip(*scores.values(), strict=True))
    return "\n".join([*lines, row(["**in all**", f"**{of:,}**", f"**{caught / of:.1%}**"])])


def scores():
    """Return for each function how many mutants lose points, and how many there are."""
    found = {}
    for chapter in CHAPTERS.values():
        for exercise in chapter.exercises:
            if not exercise.seconds:
                passing, of = survivors(COURSE, exercise)
                found[exercise.function] = of - len(passing), of
    return found


if __name__ == "__main__":
    text = table(scores())
    print(text)
    for path in map(Path, sys.argv[1:]):
        path.write_text(put_into(path.read_text("utf8"), MUTANTS, text), "utf8")
