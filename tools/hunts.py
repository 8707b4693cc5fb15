"""Write exercises/hunts.json: the faults of which `transformer-lab release --hunt` makes hunts.

    python tools/hunts.py

Which solutions take part: those that a function answers within the usual time, and whose task is to
write it, not to correct one. What a solution needs of others stands in its hunt.
"""

import time
import tomllib
from pathlib import Path

import torch

from lab_notebooks.hunts import is_asked
from tensorgrader.exercise import IMPORTS
from tensorgrader.hunt.bank import write_bank
from tensorgrader.hunt.draw import needed
from tensorgrader.hunt.measure import faults
from transformer_lab._course import COURSE

BLIND = Path(__file__).parents[1] / "corpus/blind"


def unnamed(exercise):
    """Return the share of blind wrong answers to an exercise whose mistake has no name."""
    sets = [tomllib.loads(path.read_text("utf8")) for path in sorted(BLIND.glob("*.toml"))]
    told = [
        names
        for each in sets
        for answer, meant in each.get(exercise.chapter, {}).items()
        if answer.partition("__")[0] == exercise.function
        for names in [all(meant)]
    ]
    return 1 - sum(told) / len(told) if told else 0.5


def main():
    """Find the faults of each exercise, and write them down."""
    torch.set_num_threads(1)
    found = []
    for exercise in filter(is_asked, COURSE.exercises.values()):
        began, names = time.monotonic(), {}
        exec("\n\n".join([IMPORTS, *needed(COURSE, exercise.id).values()]), names)
        code = COURSE.solutions(exercise.chapter)[exercise.id]
        torch.manual_seed(0)
        own = sorted(faults(COURSE, exercise, code, names, unnamed(exercise)), key=lambda f: f[1:3])
        print(f"{exercise.id}: {len(own)}, {time.monotonic() - began:.0f} s", flush=True)
        found += own
    write_bank(COURSE, found)


if __name__ == "__main__":
    main()
