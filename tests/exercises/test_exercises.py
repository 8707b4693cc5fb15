"""The exercises as declared: they agree with their notebooks, and point to headings that exist."""

import re

import pytest
import torch

from lab_notebooks.notebooks import read_notebook
from lab_notebooks.sources import root
from tensorgrader.author.places import misplaced
from tensorgrader.exercise import Draw
from tensorgrader.outcome import Returned
from tensorgrader.sandbox.values import Made, decode, encode, numbers, plain
from tensorgrader.trial import apply_here, same
from tests.course import CHAPTERS, COURSE, PROPERTIES, judge
from tests.exercises.unseen import notebook
from tests.sweeps import few
from tests.tensorgrader.asking import tried

EXERCISES = [e for chapter in CHAPTERS.values() for e in chapter.exercises]


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_notebook_has_exactly_these_cells_and_points(chapter):
    cells = [
        c for c in read_notebook(f"exercises/{chapter.name}").cells if "nbgrader" in c.metadata
    ]
    graded = [(c.metadata.nbgrader.grade_id, c) for c in cells if c.metadata.nbgrader.grade]
    answers = [c.metadata.nbgrader.grade_id for c in cells if c.metadata.nbgrader.solution]
    expected = {f"{e.id}-check": sum(p.points for p in e.properties) for e in chapter.exercises}
    assert {name: c.metadata.nbgrader.points for name, c in graded} == expected
    assert answers == [exercise.id for exercise in chapter.exercises]
    for name, cell in graded:
        assert cell.source == f'check("{name.removesuffix("-check")}")'


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_notebook_gives_the_same_functions_as_the_grader(chapter):
    cells = read_notebook(f"exercises/{chapter.name}").cells
    assert not chapter.given or chapter.given_source in [cell.source for cell in cells]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_inputs_and_expected_results_are_plain_and_cross_the_pipe(exercise):
    trial = tried(exercise, lambda inputs: Returned(None, None))
    for case in trial.all_cases():
        for value in (numbers(case.inputs.args), case.expected):
            tensors = []
            assert same(decode(encode(plain(value), tensors), tensors), value)


def test_what_recipes_make_crosses_the_pipe_and_does_the_same():
    recipes = {}
    for exercise in EXERCISES:
        for case in tried(exercise, lambda inputs: Returned(None, None)).all_cases():
            recipes |= {v.recipe: v for v in case.inputs.args if isinstance(v, Made)}
    for made in recipes.values():
        tensors = []
        there = decode(encode(made, tensors), tensors, recipes=True)
        assert there.recipe.__code__.co_names == made.recipe.__code__.co_names
        assert same(there.given, made.given)
        assert there.recipe(*there.given)
    assert len(recipes) >= 3


def test_every_section_is_there_and_no_task_is_forgotten():
    assert [*misplaced(COURSE)] == []


@pytest.mark.parametrize("stem", ["attention", "masking", "multi_head"])
def test_what_a_laboratory_begins_with_runs(stem, capsys):
    text = (root() / f"exercises/{stem}.md").read_text("utf8")
    for code in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        exec(code, {**notebook(CHAPTERS[stem])})
        assert capsys.readouterr().out


@pytest.mark.parametrize("every", few([4, 1], 4, tier="score"))
def test_the_same_seed_draws_the_same_inputs(every):
    for exercise, prop in [*PROPERTIES.values()][::every]:
        one, again = (prop.inputs(Draw(7, exercise.id, prop.id)) for _ in range(2))
        assert str(one) == str(again)


def test_masks_leave_each_query_something_to_read_and_hide_something():
    for seed in range(50):
        mask = Draw(seed).mask(4, 3)
        assert mask.any(dim=-1).all()
        assert not mask.all(dim=-1).any()


@pytest.mark.parametrize("step", ["scores", "softmax", "attention"])
def test_half_precision_that_is_not_kept_loses_points(step):
    exercise, prop = PROPERTIES[f"attention-{step}-general"]

    def promoted(*args):
        result = exercise.reference(*args)
        parts = result if isinstance(result, tuple) else (result,)
        wider = tuple(part + torch.zeros(1) for part in parts)
        return wider if isinstance(result, tuple) else wider[0]

    trial = tried(exercise, lambda inputs: apply_here(promoted, inputs))
    assert re.search("is float32, expected b?float16", judge(trial, [prop])[0].finding.words)
