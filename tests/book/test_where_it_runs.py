"""The page "Where it runs" names tests; they must be there."""

import re
from pathlib import Path

from tests.chromium import SITE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book/where_it_runs.md").read_text("utf8")


def test_the_tests_it_names_exist():
    named = re.findall(r"`(tests/[\w/.]+)`", PAGE)
    assert len(set(named)) >= 4
    for name in named:
        assert (ROOT / name).exists(), name


def test_every_place_says_how_we_know():
    tables = re.findall(r"^\| place .*\n\|[-:|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    places = [row.strip("|").split("|") for table in tables for row in table.splitlines()]
    assert len(places) >= 10
    for place, *_, known in places:
        assert re.search(r"tested|tried|documented", known), place


def test_each_document_says_of_the_pages_python_what_the_pages_say():
    said = {
        re.search(r"first run downloads ([\d.]+ MB)", page.read_text("utf8"))[1]
        for page in SITE.glob("exercises/*.html")
    }
    (size,) = said
    for name in ("README.md", "CHANGELOG.md", "book/where_it_runs.md", "book/licences.md"):
        assert size in (ROOT / name).read_text("utf8"), name
