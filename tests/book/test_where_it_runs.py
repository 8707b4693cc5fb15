"""The page "Where it runs" names tests; they must be there."""

import re
from pathlib import Path

from tests.chromium import SITE

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book/where_it_runs.md").read_text("utf8")


def test_each_document_says_of_the_pages_python_what_the_pages_say():
    said = {
        re.search(r"first run downloads ([\d.]+ MB)", page.read_text("utf8"))[1]
        for page in SITE.glob("exercises/*.html")
    }
    (size,) = said
    for name in ("README.md", "CHANGELOG.md", "book/where_it_runs.md", "book/licences.md"):
        assert size in (ROOT / name).read_text("utf8"), name
