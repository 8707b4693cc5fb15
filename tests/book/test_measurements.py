"""The appendix of measurements shows a whole report, and says when and on what it was made."""

import re

from benchmarks import appendix
from benchmarks.__main__ import TITLES, TOPICS
from benchmarks.promises import PROMISES
from tests.book.chapters import BOOK

SHOWN = (BOOK / "measurements.md").read_text("utf8").partition(appendix.MARK)[2]


def test_every_topic_is_shown_with_its_table():
    titles = ["Promises", *(TITLES.get(topic, topic.capitalize()) for topic in TOPICS)]
    assert re.findall(r"^## (.+)$", SHOWN, re.MULTILINE) == titles
    assert all("\n|---|" in part for part in SHOWN.split("\n## ")[1:])


def test_every_promise_is_judged():
    judged = SHOWN.partition("## Promises")[2].partition("\n## ")[0]
    for promise in PROMISES:
        assert re.search(
            rf"^\| {re.escape(promise.what)} \| .+ \| (yes|\*\*no\*\*) \|$", judged, re.M
        )
