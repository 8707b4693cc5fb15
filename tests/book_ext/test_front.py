"""The front page, and what leads from page to page."""

import re

import pytest
import yaml
from docutils.core import publish_doctree

from book._ext.front import question
from lab_notebooks.sources import sources
from tests.conftest import ROOT
from tests.parsed import parsed

FRONT = "book/index.html"
PARTS = yaml.safe_load((ROOT / "_toc.yml").read_text("utf8"))["parts"]
CHAPTERS = [one["file"].removeprefix("book/") for one in PARTS[0]["chapters"]]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("   Why *so*\n   late?\n\nBecause.", "Why so late?"),
        ("   Why so late?\n\n   And why here?\n\nBecause.", "Why so late? And why here?"),
        ("Because.\n\n   Why?", ""),
        ("- a list\n", ""),
    ],
)
def test_a_question_is_the_quotation_before_the_text(text, asked):
    assert question(publish_doctree(f"Title\n=====\n\n{text}\n")) == asked


def asked_in(stem):
    source = sources()[f"book/{stem}"].read_text("utf8")
    return re.search(r"^# .*\n\n> (.+)$", source, re.MULTILINE)[1]


def test_the_first_page_asks_what_the_chapters_ask_and_leads_there():
    listed = parsed(FRONT).select(".tl-chapters li")
    assert [item.a["href"] for item in listed] == [f"{stem}.html" for stem in CHAPTERS]
    assert [item.p.text for item in listed] == [asked_in(stem) for stem in CHAPTERS]
    page, exercised = parsed(FRONT), [s for s in CHAPTERS if f"exercises/{s}" in sources()]
    links = [one["href"] for one in page.select(".tl-chapters .tl-exercise")]
    assert links == [f"../exercises/{stem}.html" for stem in exercised]
    progress = page.select(".tl-chapters .tl-progress")
    assert [one["data-chapter"] for one in progress] == exercised
