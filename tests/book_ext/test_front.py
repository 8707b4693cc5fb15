"""The front page, and what leads from page to page."""

import pytest
from docutils.core import publish_doctree

from book._ext.front import question


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
