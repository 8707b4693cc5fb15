"""The exercises of this book: stubs, with solutions folded away, which the lab makes editors."""

from pathlib import Path
from typing import Any

from book._ext import widgets
from book._ext.jobs import EVENT, Job, cache, elsewhere
from tensorgrader.sphinx import lab, node, packing
from transformer_lab._course import COURSE as BOOK

BUNDLE = packing.Bundle(
    BOOK,
    start=node.PAGE / "book.py",
    folder="exercises",
    scripts=("every_page.js", "exercises.js", "again.js", "hunt.js", "examples.js"),
    kept_as="transformer-lab",
    pages={chapter: f"exercises/{chapter}" for chapter in BOOK.chapters},
)
COURSE = lab.Lab(
    BUNDLE,
    static="transformer_lab/page",
    below="</nav>",  # of the bar of links to the notebook
    others={'class="tl-again"': "again.js", "tl-example": "examples.js", "": "every_page.js"},
    after=widgets.of_answer,
)


def _configure(app: Any, config: Any) -> None:
    """Set the folder of Python for the pages; without Node, the book has none."""
    folder = packing.place(cache(app), BUNDLE)
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        if not packing.is_packed(folder):
            node.installed(cache(app))
        config.tensorgrader_page = str(folder)
    except node.NoNodeError as why:
        print(f"The pages of the exercises go without Python: {why}.", flush=True)


def _fold_solutions(_app: Any, page: str, source: list[str]) -> None:
    stem = COURSE.chapter(page)
    if stem:
        from tensorgrader.source.forms import student_text
        from tensorgrader.source.graded import graded_text

        source[0] = student_text(graded_text(BOOK.chapters[stem], source[0]))


def _jobs(app: Any, _names: list[str]) -> list[Job]:
    """Return the job that packs Python for the pages, unless that is done."""
    folder = Path(app.config.tensorgrader_page)
    if not app.config.tensorgrader_page or packing.is_packed(folder):
        return []
    do = elsewhere(packing.pack, folder, BUNDLE, node.installed(cache(app)))
    return [Job("the pages' Python", 30, do)]


def setup(app: Any) -> None:
    """Register with Sphinx."""
    app.connect("source-read", _fold_solutions)
    app.add_config_value("tensorgrader_page", "", "env")  # if new, read every page again
    app.connect("config-inited", _configure, priority=200)
    app.connect(EVENT, _jobs)
    app.connect("doctree-read", COURSE.mark_cells)
