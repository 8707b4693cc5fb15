"""This book's course: its exercises, in a clone, in an installed package and on a page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tensorgrader import check as engine
from tensorgrader.course import Course

HERE = Path(__file__).parent
INSTALLED = HERE / "_sources"
COURSE = Course.load((INSTALLED if INSTALLED.is_dir() else HERE.parent) / "exercises")


def check(
    name: str, function: Callable[..., Any] | None = None, *, seed: int | None = None
) -> int | None:
    """Check a function of yours, found by its exercise, and show a card of all that is asked of it.

    Raises CheckFailed unless all of it holds. Where nbgrader executes, it gives the points that
    were gained. Inputs are drawn anew at each call; the card tells the seed that draws them again.
    Raises ValueError for a name that no exercise has, TypeError for what is no name.
    """
    return engine.check(name, function, seed=seed, course=COURSE)
