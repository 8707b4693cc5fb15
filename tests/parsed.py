"""Pages of the built book, each parsed once, which takes half a second: one worker has them all."""

from functools import cache

from bs4 import BeautifulSoup

from tests.chromium import SITE

PAGES = sorted(
    page.relative_to(SITE).with_suffix("").as_posix()
    for room in ("book", "exercises")
    for page in (SITE / room).glob("*.html")
)


def parsed(page):
    """Give a page of the site, by its path, as a tree."""
    return _parsed((SITE / page).resolve())


@cache
def _parsed(path):
    return BeautifulSoup(path.read_text("utf8"), "html.parser")
