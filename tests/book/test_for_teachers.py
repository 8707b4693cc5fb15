"""The page "For teachers" counts attacks on the grader; so many must be there."""

import re

from tests.book.chapters import BOOK

PAGE = (BOOK / "for_teachers.md").read_text("utf8")


def test_the_hostile_cells_are_as_many_as_it_says():
    (told,) = re.findall(r"`tests/grading/sandbox/hostile` holds (\d+) hostile cells", PAGE)
    assert int(told) == len([*(BOOK.parent / "tests/grading/sandbox/hostile").rglob("*.cell")])
