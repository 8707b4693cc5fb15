"""Show exercises on the online page as the learner gets them: stubs in place of solutions."""

from typing import Any


def _hide_solutions(_app: Any, page: str, source: list[str]) -> None:
    if page.startswith("exercises/"):
        from transformer_lab.notebooks import student_text

        source[0] = student_text(source[0])


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("source-read", _hide_solutions)
