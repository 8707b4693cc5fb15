"""The answers as an exercise's source has them: solved, or still to be written."""

from functools import cache

import jupytext

from lab_notebooks.graded import graded_text
from lab_notebooks.solutions import release_text, solved_text
from lab_notebooks.sources import sources


def solutions(stem):
    """Give each answer of a chapter as its source solves it, by the exercise's id."""
    return _answers(stem, solved_text)


def stubs(stem):
    """Give each answer of a chapter as a learner finds it, by the exercise's id."""
    return _answers(stem, release_text)


@cache
def _answers(stem, form):
    text = form(graded_text(stem, sources()[f"exercises/{stem}"].read_text("utf8")))
    cells = jupytext.reads(text, fmt="md:myst").cells
    told = [(cell.metadata.get("nbgrader", {}), cell.source) for cell in cells]
    return {each["grade_id"]: source for each, source in told if each.get("solution")}
