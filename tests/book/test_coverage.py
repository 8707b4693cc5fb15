"""Every concept that the book must teach has its section, and a cell that asserts its claim."""

import tomllib
from pathlib import Path

import pytest

from tests.book.chapters import Chapter

ROWS = tomllib.loads(Path(__file__).with_name("coverage.toml").read_text("utf8"))["row"]
#: Claims of the documents that we found false or half true. (5, 7, 18 and 33 no cell can compute.)
WRONG = {2, 3, 6, 8, 9, 10, 11, 12, 15, 16, 20, 21, 22, 23, 26, 27, 30, 34, 35, 36, 37, 39, 40, 41,
         42, 43, 44, 45, 46, 48, 51, 54, 59, 60, 62, 64, 65, 66}  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_the_concept_has_a_section_and_its_claim_is_asserted(row):
    chapter = Chapter(row["page"])
    assert f"({row['anchor']})=\n#" in chapter.prose
    assert any(row["asserted"] in cell.source for cell in chapter.code)


def test_no_row_stands_twice():
    assert len({row["id"] for row in ROWS}) == len(ROWS)


def test_every_claim_that_was_found_wrong_is_taught_with_the_right_value():
    assert {f"ledger-{number}" for number in WRONG} <= {row["id"] for row in ROWS}
