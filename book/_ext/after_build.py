"""After the pages are written: the steps that need all of them, in this order.

Each page is read once, here, and written once, with its policy.
"""

from pathlib import Path
from typing import Any

from book._ext import (
    exercises,
    fonts,
    for_assistants,
    gpt_files,
    jobs,
    lighten,
    models,
    notices,
    own_mistakes,
    policy,
    questions,
    site,
    theme,
    training,
    widgets,
)
from tensorgrader.sphinx import node


def _finish(app: Any, error: Exception | None) -> None:
    if error or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    pages = {path: path.read_text("utf8") for path in folder.rglob("*.html")}
    texts = pages.values()
    widgets.write(app, texts)
    exercises.COURSE.write(app)
    questions.write(folder, pages)
    own_mistakes.write(exercises.BUNDLE.course.chapters, folder)
    theme.write(folder)
    gpt_files.write(folder)
    fonts.write(folder, texts)  # needs the characters of pages and scripts
    site.write(app)
    for_assistants.write(app)
    notices.write(folder)
    if sheet := lighten.lighten(folder, texts):  # needs all style sheets
        node.shorten(sheet, jobs.cache(app))
    training.write(app.config.transformer_lab_train, folder)
    models.write(app.config.transformer_lab_words, folder)  # too large for the steps above
    for path, page in pages.items():
        if (safe := policy.with_policy(page)) != page:
            path.write_text(safe, "utf8")


def setup(app: Any) -> None:
    """Register with Sphinx: after the theme, which also writes a style sheet now."""
    app.connect("build-finished", _finish, priority=900)
