"""The page with one whole model: as short as it says, and each way to break it is one line."""

import ast

from tests.book.chapters import Chapter

PAGE = Chapter("whole_model")


def defined(name):
    """Give the definition of a class or function of the page."""
    (found,) = [
        node
        for cell in PAGE.code
        for node in ast.parse(cell.source).body
        if getattr(node, "name", "") == name
    ]
    return found


def lines(name):
    node = defined(name)
    return node.end_lineno - node.lineno + 1


def test_the_model_is_about_eighty_lines_and_its_loop_about_twenty():
    (cell,) = [cell for cell in PAGE.code if "class GPT" in cell.source]
    assert 70 <= len(cell.source.splitlines()) <= 85
    assert "## Twenty lines that teach it" in PAGE.prose
    assert 18 <= lines("train") <= 24


def test_each_way_to_break_it_is_one_line():
    (cell,) = [cell for cell in PAGE.code if cell.source.startswith("ways = {")]
    whole, *broken = cell.source.splitlines()[1:-1]
    assert "train(GPT())" in whole
    assert len(broken) == 5
    assert "five ways to break it" in PAGE.prose
