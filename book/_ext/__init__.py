"""What the book needs beyond Jupyter Book's: widgets, mathematics, exercises, and a light site."""

from typing import Any

from book._ext import (
    architecture,
    cells,
    execution,
    exercises,
    fonts,
    footer,
    front,
    jobs,
    laboratory,
    launch,
    lighten,
    mathml,
    notices,
    own_words,
    pictures,
    policy,
    site,
    theme,
    thumbnails,
    widgets,
)

CONTENT = (
    jobs,
    execution,
    cells,
    architecture,
    front,
    mathml,
    thumbnails,
    widgets,
    exercises,
    pictures,
    launch,
    laboratory,
    own_words,
)
SITE = (theme, fonts, site, footer, notices, lighten, policy)


def setup(app: Any) -> dict[str, bool]:
    """Register every part with Sphinx."""
    for part in (*CONTENT, *SITE):
        part.setup(app)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
