"""Every topic that the book must teach has its section, and the section asserts something."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.book.chapters import Chapter

PAGES = tomllib.loads(Path(__file__).with_name("coverage.toml").read_text("utf8"))
SECTIONS = [(page, section) for page, sections in PAGES.items() for section in sections]
TOPICS = [topic for page, section in SECTIONS for topic in PAGES[page][section]]
#: Claims of other texts that are false or half true. (5, 7, 18 and 33 no cell can compute.)
WRONG = {2, 3, 6, 8, 9, 10, 11, 12, 15, 16, 20, 21, 22, 23, 26, 27, 30, 34, 35, 36, 37, 39, 40, 41,
         42, 43, 44, 45, 46, 48, 51, 54, 59, 60, 62, 64, 65, 66}  # fmt: skip


@pytest.mark.parametrize(("page", "section"), SECTIONS)
def test_the_section_is_there_and_asserts_something(page, section):
    text = "\n".join(cell.source for cell in Chapter(page).cells)
    _, label, rest = text.partition(f"({section})=\n#")
    assert label
    assert "assert " in re.split(r"^\([\w-]+\)=\n#", rest, flags=re.MULTILINE)[0]


def test_no_topic_stands_twice_and_none_that_is_wrong_elsewhere_is_left_out():
    assert len(set(TOPICS)) == len(TOPICS)
    assert {f"ledger-{number}" for number in WRONG} <= set(TOPICS)
