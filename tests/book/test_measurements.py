"""The appendix of measurements shows a whole report, and says when and on what it was made."""

import re
from importlib.metadata import version

import pytest
from packaging.version import Version

from benchmarks import appendix
from benchmarks.__main__ import TITLES, TOPICS
from benchmarks.promises import PROMISES
from benchmarks.report import PACKAGES
from tests.book.chapters import BOOK

PROSE, _, SHOWN = (BOOK / "measurements.md").read_text("utf8").partition(appendix.MARK)


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


def test_date_machine_and_versions_are_told():
    head = re.match(r"\s*Measured on (\d{4}-\d\d-\d\d) on \d+ cores \(.+\), .*load [\d.]+, ", SHOWN)
    assert head
    for name in PACKAGES:
        assert re.search(rf"\b{name} \d+\.\d", SHOWN)
    (measured,) = re.findall(r"transformer-lab-book (\d+\.\d+\.\d+)", SHOWN)
    assert Version(measured) <= Version(version("transformer-lab-book"))


def test_a_report_takes_the_place_of_the_last_one():
    page = f"# Page\n\nprose\n\n{appendix.MARK}\n\nold\n\n## Old\n"
    made = appendix.put_into(page, "# Measurements\n\nnew\n\n## New\n")
    assert made == f"# Page\n\nprose\n\n{appendix.MARK}\n\nnew\n\n## New\n"
    with pytest.raises(ValueError, match="no line"):
        appendix.put_into("# Page", "report")
