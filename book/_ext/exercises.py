"""The exercises of this book: stubs, with solutions folded away, which the lab makes editors."""

from pathlib import Path
from typing import Any

from book._ext import lab, widgets
from book._ext.jobs import EVENT, Job, elsewhere
from transformer_lab._course import COURSE as BOOK

COURSE = lab.Lab(BOOK, after=widgets.of_answer)


def _fold_solutions(_app: Any, page: str, source: list[str]) -> None:
    room, _, stem = page.partition("/")
    if room == COURSE.room:
        from tensorgrader.source.forms import student_text
        from tensorgrader.source.graded import graded_text

        source[0] = student_text(graded_text(BOOK.chapters[stem], source[0]))


def _jobs(app: Any, _names: list[str]) -> list[Job]:
    """Return the job that packs Python for the pages, unless that is done."""
    if not COURSE.is_to_pack(app):
        return []
    folder = Path(app.config.transformer_lab_page)
    return [Job("the pages' Python", 30, elsewhere(lab.packing.pack, folder, COURSE.checks))]


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("source-read", _fold_solutions)
    app.connect(EVENT, _jobs)
    lab.setup(app, COURSE)
