"""Every concept that the book must teach has its section, and a cell that asserts its claim."""

import tomllib
from pathlib import Path

import pytest

from tests.book.chapters import Chapter

ROWS = tomllib.loads(Path(__file__).with_name("coverage.toml").read_text("utf8"))["row"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_concept_has_a_section_and_its_claim_is_asserted(row):
    chapter = Chapter(row["page"])
    assert f"({row['anchor']})=\n#" in chapter.prose
    assert any(row["asserted"] in cell.source for cell in chapter.code)


def test_no_row_stands_twice():
    assert len({row["id"] for row in ROWS}) == len(ROWS)
