"""Show exercises on the online page as the learner gets them: stubs, and solutions folded away."""

from typing import Any


def _fold_solutions(_app: Any, page: str, source: list[str]) -> None:
    room, _, stem = page.partition("/")
    if room == "exercises":
        from lab_notebooks.graded import graded_text
        from lab_notebooks.solutions import student_text

        source[0] = student_text(graded_text(stem, source[0]))


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("source-read", _fold_solutions)
