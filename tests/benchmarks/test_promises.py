"""benchmarks.promises reads the report's own tables: the worst counts, and no topic is skipped."""

import pytest

from benchmarks import promises
from benchmarks.report import table

PARTS = {
    "attention": table(
        ["attention (B, H, T, K)", "÷ plain PyTorch", "÷ PyTorch's"],
        [["(1, 2)", "1.02 (1.00–9.00)", "1.04 (1.00–1.07)"], ["(3, 4)", "1.16", "1.11"]],
    ),
    "pages": table(
        ["KB gzip", "before data", "widget data"],
        [["text.html", "299", "0"], ["more.html", "301", "0"], ["widget.html", "450", "12"]],
    )
    + "\n\nprose, and | a bar\n\n"
    + table(["another", "table"], [["of", "the topic"]]),
    "training": table(["layers", "÷ PyTorch"], [["ours", "0.98 (0.9–1)"], ["PyTorch", "1 (1–1)"]]),
    "grading": table(
        ["on the same submissions", "÷ ours"],
        [["`transformer-lab grade`", "1.0"], ["`pytest --nbval`", "31.5"], ["`nbgrader`", "44.0"]],
    ),
}  # fmt: skip


def test_each_promise_is_held_against_its_worst_row():
    rows = [line.strip("| ").split(" | ")[1:] for line in promises.held_against(PARTS).splitlines()]
    assert [row for row in rows if len(row) == 3][1:] == [
        ["at most 1.2", "1.16", "yes"],
        ["at most 1.1", "1.11", "**no**"],
        ["at most 1.15", "0.98", "yes"],  # of ours: theirs is 1 by its nature
        ["at least 30", "31.5", "yes"],
        ["at most 300", "301", "**no**"],
        ["at most 450", "450", "yes"],
    ]


def test_what_was_not_measured_is_not_judged():
    assert promises.held_against({}) == ""
    assert promises.held_against({"grading": PARTS["grading"]}).count("\n| ") == 1


@pytest.mark.parametrize("change", [("÷ plain PyTorch", "÷ plain"), ("(1, 2)", "(1 | 2)")])
def test_a_table_that_has_changed_is_not_passed_over(change):
    with pytest.raises((KeyError, ValueError)):
        promises.held_against({"attention": PARTS["attention"].replace(*change)})
