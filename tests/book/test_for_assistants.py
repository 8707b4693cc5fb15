"""What the built site has for assistants."""

import json
import re

import pytest

from lab_notebooks.tasks import tasks
from tests.chromium import SITE
from tests.course import COURSE, EXERCISES
from tests.parsed import PAGES
from tests.sweeps import few

LINK = re.compile(r"\]\(([^():\s]+)\)")
CODE = re.compile(r"^(`{3,}).*?^\1|`[^`\n]+`", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_tells_of_its_markdown_whose_links_lead_somewhere(page):
    head = (SITE / f"{page}.html").read_text("utf8").partition("</head>")[0]
    stem = page.rpartition("/")[2]
    assert f'<link rel="alternate" type="text/markdown" href="{stem}.md">' in head
    path = SITE / f"{page}.md"
    text = CODE.sub("", path.read_text("utf8"))
    assert re.search("^# ", text, re.MULTILINE)
    for link in LINK.findall(text):
        target = link.partition("#")[0]
        assert not target or (path.parent / target).is_file(), link


def test_the_contents_name_every_page_and_every_task():
    text = (SITE / "llms.txt").read_text("utf8")
    assert text.startswith("# Transformer Lab\n\n> ")
    links = LINK.findall(text)
    assert {*links} == {f"{page}.md" for page in PAGES if page != "book/index"} | {
        f"exercises/{name}.json" for name in EXERCISES
    }
    assert len(links) == len({*links})


def test_a_chapter_comes_with_what_its_cells_show():
    text = (SITE / "book/attention.md").read_text("utf8")
    assert "def scaled_dot_product_attention(" in text
    assert "<table>" in text


@pytest.mark.parametrize("stem", few(COURSE.chapters, "attention"))
def test_a_task_is_told_without_its_solution(stem):
    solved = COURSE.solutions(stem)
    page = (SITE / f"exercises/{stem}.md").read_text("utf8")
    for exercise in COURSE.chapters[stem].exercises:
        path = SITE / f"exercises/{exercise.id}.json"
        told = json.loads(path.read_text("utf8"))
        assert told == tasks()[exercise.id].plain
        assert told["text"]
        assert told["hints"]
        assert told["must_not_be_told"]
        assert {m["name"] for m in told["mistakes"]} == {m.name for m in exercise.mistakes}
        assert "NotImplementedError" in told["stub"] or "mend" in exercise.id
        assert told["stub"] in page
        for text in (page, "\n".join([told["text"], told["stub"], *told["hints"]])):
            assert solved[exercise.id] not in text


def test_it_is_small():
    files = [*SITE.rglob("*.md"), *SITE.glob("exercises/*.json"), SITE / "llms.txt"]
    assert sum(path.stat().st_size for path in files) < 2e6
