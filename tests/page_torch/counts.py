"""How many answers the page cannot judge, as a table: `python -m tests.page_torch.counts PAGE`."""

import sys
from collections import Counter
from pathlib import Path

from tests.course import CHAPTERS, EXERCISES
from tests.exercises.table import put_into
from tests.page_torch.judging import judged_on_the_page

BEGIN = "<!-- table of what is not on the page -->"
EVERY = ("bank", "right", "blind")
KINDS = ("right", "wrong")


def counted(found):
    every, missing = Counter(), Counter()
    for outcomes in found.values():
        for name, outcome in outcomes.items():
            exercise, kind, _ = name.split("/", 2)
            every[exercise, kind] += 1
            missing[exercise, kind] += isinstance(outcome, str)
    return missing, every


def counts(found):
    missing, every = counted(found)
    return {
        kind: tuple(sum(n for (_, of), n in c.items() if of == kind) for c in (missing, every))
        for kind in KINDS
    }


def table(found):
    """Write the counts as a Markdown table: the exercises of which some are missing, and all."""
    missing, every = counted(found)
    lines = ["| exercise | right answers | wrong answers |", "|---|--:|--:|"]
    for exercise in EXERCISES:
        if not any(missing[exercise, kind] for kind in KINDS):
            continue
        cells = [f"{missing[exercise, kind]} of {every[exercise, kind]}" for kind in KINDS]
        lines.append(f"| `{exercise}` | {' | '.join(cells)} |")
    totals = ["**{} of {}**".format(*counts(found)[kind]) for kind in KINDS]
    return "\n".join([*lines, f"| **in all** | {' | '.join(totals)} |"])


def updated(page, found):
    return put_into(page, BEGIN, table(found))


if __name__ == "__main__":
    today = {name: judged_on_the_page(chapter, *EVERY) for name, chapter in CHAPTERS.items()}
    print(table(today))
    for path in map(Path, sys.argv[1:]):
        path.write_text(updated(path.read_text("utf8"), today), "utf8")
