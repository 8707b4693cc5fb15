"""The book's additions to Jupyter Book: widgets, mathematics, exercises, and a light site."""

from typing import Any

from book._ext import (
    after_build,
    architecture,
    cells,
    each_page,
    execution,
    exercises,
    fonts,
    footer,
    front,
    jobs,
    launch,
    mathml,
    models,
    site,
    theme,
    training,
    widgets,
)

PARTS = (
    jobs,
    execution,
    cells,
    architecture,
    front,
    mathml,
    widgets,
    exercises,
    launch,
    models,
    training,
    theme,
    fonts,
    site,
    footer,
    each_page,
    after_build,
)


def setup(app: Any) -> dict[str, bool]:
    """Register every part with Sphinx."""
    for part in PARTS:
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
