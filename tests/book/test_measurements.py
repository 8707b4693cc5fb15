"""The repository has a whole report of measurements, and the book its promises, of one day."""

import re

from benchmarks import appendix
from benchmarks.promises import PROMISES
from tests.book.chapters import BOOK

SHOWN = (BOOK / "measurements.md").read_text("utf8").partition(appendix.MARK)[2]
REPORT = appendix.REPORT.read_text("utf8")


def test_every_promise_is_judged():
    judged = SHOWN.partition("## Promises")[2].partition("\n## ")[0]
    for promise in PROMISES:
        assert re.search(
            rf"^\| {re.escape(promise.what)} \| .+ \| (yes|\*\*no\*\*) \|$", judged, re.M
        )


def test_the_page_shows_the_promises_of_the_report():
    page = (BOOK / "measurements.md").read_text("utf8")
    assert appendix.put_into(page, REPORT) == page
