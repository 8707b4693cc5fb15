"""The exercises as declared: they agree with their notebooks, and point to headings that exist."""

import re

import pytest
import torch

from tests.grading.asking import tried
from transformer_lab.grading.checks import CHAPTERS, PROPERTIES
from transformer_lab.grading.exercise import Draw
from transformer_lab.grading.trial import same
from transformer_lab.grading.values import decode, encode, plain
from transformer_lab.grading.worker import Returned
from transformer_lab.notebooks import read_notebook, root

EXERCISES = [e for chapter in CHAPTERS.values() for e in chapter.exercises]


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_notebook_has_exactly_these_cells_and_points(chapter):
    cells = [
        c for c in read_notebook(f"exercises/{chapter.name}").cells if "nbgrader" in c.metadata
    ]
    graded = [(c.metadata.nbgrader.grade_id, c) for c in cells if c.metadata.nbgrader.grade]
    answers = [c.metadata.nbgrader.grade_id for c in cells if c.metadata.nbgrader.solution]
    expected = {p.id: p.points for e in chapter.exercises for p in e.properties}
    assert {name: c.metadata.nbgrader.points for name, c in graded} == expected
    assert answers == [exercise.id for exercise in chapter.exercises]
    for name, cell in graded:
        assert cell.source == f'check("{name}", {PROPERTIES[name][0].function})'


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_stated_points_add_up(chapter):
    text = (root() / f"exercises/{chapter.name}.md").read_text("utf8")
    stated = [int(n) for n in re.findall(r"Difficulty: .*?\. (\d+) points?\.", text)]
    mine = [sum(p.points for p in e.properties) for e in chapter.exercises]
    assert stated == mine
    assert f"**Points**: {sum(mine)}." in text


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_notebook_gives_the_same_functions_as_the_grader(chapter):
    cells = read_notebook(f"exercises/{chapter.name}").cells
    assert not chapter.given or chapter.given_source in [cell.source for cell in cells]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_inputs_and_expected_results_are_plain_and_cross_the_pipe(exercise):
    trial = tried(exercise, lambda inputs: Returned(None, None))
    for case in trial.all_cases():
        for value in (case.inputs.args, case.expected):
            tensors = []
            assert same(decode(encode(plain(value), tensors), tensors), value)


def test_every_mistake_points_to_a_heading_that_exists():
    for exercise in EXERCISES:
        for mistake in exercise.mistakes:
            page, _, heading = mistake.section.partition("#")
            text = (root() / f"{page}.md").read_text("utf8").replace(r"$\sqrt{d_k}$", "√d_k")
            assert re.search(rf"^#+ {re.escape(heading)}$", text, re.MULTILINE), mistake.section


def test_names_begin_with_their_exercise():
    for name, (exercise, prop) in PROPERTIES.items():
        assert name == prop.id
        assert name.startswith(exercise.id + "-")


def test_the_same_seed_draws_the_same_inputs_and_another_does_not():
    for exercise, prop in PROPERTIES.values():
        one, again = (prop.inputs(Draw(7, exercise.id, prop.id)) for _ in range(2))
        assert str(one) == str(again)
    assert not torch.equal(Draw(7, "a").normal(3, 3), Draw(8, "a").normal(3, 3))
    assert not torch.equal(Draw(7, "a").normal(3, 3), Draw(7, "b").normal(3, 3))


def test_masks_leave_each_query_something_to_read_and_hide_something():
    for seed in range(50):
        mask = Draw(seed).mask(4, 3)
        assert mask.any(dim=-1).all()
        assert not mask.all(dim=-1).any()
