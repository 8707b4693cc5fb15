"""Points, ids and checks stand once, with the exercise: its notebook's are made of them."""

import re

import pytest

from lab_notebooks.notebooks import read_notebook
from lab_notebooks.sources import root
from tensorgrader.source.graded import graded_text
from tests.course import CHAPTERS

STEMS = list(CHAPTERS)


def source(stem):
    return (root() / f"exercises/{stem}.md").read_text("utf8")


@pytest.mark.parametrize("stem", STEMS)
def test_the_points_that_are_told_are_those_of_the_answers_below(stem):
    cells = read_notebook(f"exercises/{stem}").cells
    words = "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    told = [int(n) for n in re.findall(r"Difficulty: .*?\. (\d+) points?\.", words)]
    worth = [sum(p.points for p in e.properties) for e in CHAPTERS[stem].exercises]
    assert told == worth
    assert f" {sum(worth)} points, " in words
    assert set(re.findall(r"transformer-lab grade (\S+?)`", words)) == {f"{stem}.ipynb"}
    assert "{{" not in words


@pytest.mark.parametrize("stem", STEMS)
def test_nbgrader_lets_answers_be_written_and_locks_checks(stem):
    told = [c.metadata.get("nbgrader") for c in read_notebook(f"exercises/{stem}").cells]
    seen = [(t["solution"], t["grade"], t["locked"], t["task"]) for t in told if t]
    assert seen == [(True, False, False, False), (False, True, True, False)] * (len(seen) // 2)
    assert len(seen) == 2 * len(CHAPTERS[stem].exercises)


@pytest.mark.parametrize("left_out", ['check("masking-causal")', "def causal_mask("])
def test_an_exercise_without_its_answer_or_its_checks_is_told(left_out):
    text = source("masking").replace(left_out, "something_else(")
    with pytest.raises(ValueError, match=r"masking\.md lacks .*masking-causal"):
        graded_text(CHAPTERS["masking"], text)
