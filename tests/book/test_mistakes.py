"""Mistakes in the wild: each is shown, asked about, told, and measured in a cell of its own."""

import re

from tests.book.chapters import Chapter

CHAPTER = Chapter("mistakes")


def test_each_mistake_is_code_then_a_box_then_a_measurement():
    cells = CHAPTER.cells
    titles = []
    for n, cell in enumerate(cells):
        if found := re.search(r"^### (\d+)\. ", cell.source, re.MULTILINE):
            titles.append(int(found[1]))
            snippet, box, measured = cells[n + 1 : n + 4]
            assert "tags" not in snippet.metadata, "the code is to be read"
            assert "assert" not in snippet.source or "def test_" in snippet.source
            assert box.source.startswith('<details class="predict"><summary>Predict: ')
            assert "*How you would notice*" in box.source
            assert measured.metadata["tags"] == ["hide-cell"], "it gives the answer away"
            assert "assert " in measured.source or "test_attention(" in measured.source
    assert titles == list(range(1, len(titles) + 1))
    assert titles
