"""The tables of the grader's score, as the pages show them."""

import pytest

from lab_notebooks.sources import root
from tests.exercises import unseen
from tests.exercises.table import BANK, END, put_into, scores, together, updated
from tests.sweeps import few


@pytest.mark.score  # judges all answers of all sets anew
@pytest.mark.parametrize("page", ["book/grader_scores.md", "corpus/scores.md"])
def test_pages_show_the_tables_as_they_are_today(page):
    text = (root() / page).read_text("utf8")
    assert END in text
    assert updated(text) == text, f"python -m tests.exercises.table {page}"


@pytest.mark.score  # the same answers as in test_answers.py, one by one
def test_the_grader_lets_no_known_mistake_pass_and_refuses_no_right_answer():
    for name, functions in scores().items():
        total = together(functions.values())
        assert total.caught[0] == total.caught[1] > 0, name
        assert total.refused[0] == 0 < total.refused[1], name


@pytest.mark.parametrize("name", few(unseen.SETS, tier="score"))
def test_of_answers_written_blind_none_is_misnamed_and_no_right_one_refused(name):
    today, first = unseen.score(name), unseen.meant(name)["measured"]
    asked, written = (unseen.counts(name, read)[0] for read in (unseen.answers, unseen.written))
    assert today.misnamed == today.refused == 0
    assert asked - today.caught <= written - first["caught"]
    assert asked - today.named <= written - first["named"]


def test_a_table_is_put_between_its_marks_and_nowhere_else():
    page = "a\n<!-- table of the bank -->\nold\n<!-- end of the table -->\nb"
    assert put_into(page, BANK, "new") == page.replace("old", "new")
