"""This book's course: its exercises, in a clone, in an installed package and on a page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tensorgrader import check as engine
from tensorgrader.course import Course

HERE = Path(__file__).parent
INSTALLED = HERE / "_sources"
COURSE = Course.load((INSTALLED if INSTALLED.is_dir() else HERE.parent) / "exercises")
engine.provide_earlier_answers(COURSE)


def check(
    name: str, function: Callable[..., Any] | None = None, *, seed: int | None = None
) -> int | None:
    """Check a function of yours, named by its exercise, and show a card of all requirements.

    Raises CheckFailed unless all of them hold. When nbgrader executes the cell, it returns the
    points earned. Inputs are drawn anew at each call; the card shows the seed that draws them
    again. Raises ValueError for an unknown name, TypeError if it isn't a string.
    """
    return engine.check(name, function, seed=seed, course=COURSE)
