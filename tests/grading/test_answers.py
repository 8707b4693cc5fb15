"""The grader's score: right answers are accepted, wrong ones lose points and are named rightly.

Every answer goes through both judges: `check` in this process, and a worker's process.
"""

import ast
import inspect
import runpy
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from transformer_lab.grading import live
from transformer_lab.grading.checks import CHAPTERS
from transformer_lab.grading.exercise import Mistake
from transformer_lab.grading.judge import verdict
from transformer_lab.grading.misconceptions import attention, attention_masks
from transformer_lab.grading.naming import alike, apply_here, name_mistake
from transformer_lab.grading.sandbox import Sandbox
from transformer_lab.grading.trial import Trial

EXERCISES = {e.function: e for chapter in CHAPTERS.values() for e in chapter.exercises}
BANK = [(e, mistake) for e in EXERCISES.values() for mistake in e.mistakes]
FOLDER = Path(__file__).parent / "answers"


def written(file):
    """Give (exercise, function) for each answer in a file of answers."""
    names = runpy.run_path(str(FOLDER / file))
    return [(EXERCISES[n.split("__")[0]], f) for n, f in names.items() if n[0] != "_" and "__" in n]


def label(value):
    """Name an answer in pytest's list."""
    named = getattr(value, "function", value)
    return getattr(named, "__name__", None)


def in_this_process(exercise, function, seed):
    return Trial(exercise, lambda inputs: apply_here(function, inputs), seed)


def lost(trial):
    """Give the results of the properties that do not hold."""
    results = [verdict(trial, prop) for prop in trial.exercise.properties]
    return [result for result in results if result.finding]


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as sandbox:
        yield sandbox


def in_a_worker(sandbox, exercise, name, seed=0):
    return Trial(exercise, lambda inputs: sandbox.call(name, *inputs), seed)


@pytest.mark.parametrize(("exercise", "function"), written("right.py"), ids=label)
def test_check_accepts_a_right_answer(exercise, function, capsys):
    for prop in exercise.properties:
        live.check(prop.id, function)
    assert len(capsys.readouterr().out.splitlines()) == len(exercise.properties)


def test_a_worker_accepts_every_right_answer(sandbox):
    sandbox.begin()
    assert sandbox.run("right", (FOLDER / "right.py").read_text("utf8")) is None
    for exercise, function in written("right.py"):
        assert not lost(in_a_worker(sandbox, exercise, function.__name__)), function.__name__


@pytest.mark.parametrize(("exercise", "mistake"), BANK, ids=label)
@pytest.mark.parametrize("seed", [0, 2])
def test_a_known_mistake_loses_points_and_is_named_as_itself(exercise, mistake, seed):
    wrong = lost(in_this_process(exercise, mistake.function, seed))
    assert wrong
    assert {result.mistake.name for result in wrong if result.mistake} == {mistake.name}


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda e: e.id)
def test_a_worker_sees_the_same_in_the_bank(exercise, sandbox):
    for mistake in exercise.mistakes:
        sandbox.begin()
        assert sandbox.run("wrong", stand_alone(mistake.function)) is None
        there = in_a_worker(sandbox, exercise, mistake.function.__name__).all_cases()
        here = in_this_process(exercise, mistake.function, 0).all_cases()
        assert len(there) == len(here)
        assert all(alike(a.outcome, b.outcome) for a, b in zip(there, here, strict=True))


STAND_IN = """
from __future__ import annotations
import math
import torch

def scaled_dot_product_attention(q, k, v, mask=None):
    return attend(_scores(q, k), v, mask)
"""


def stand_alone(function):
    """Give a bank entry's source with everything that it leans on, and nothing of the bank."""
    helpers = (attention.attend, attention_masks._scores, attention_masks._fill)
    definitions = [textwrap.dedent(inspect.getsource(f)) for f in (*helpers, function)]
    tree = ast.parse(STAND_IN + "\n".join(definitions))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = []
    return ast.unparse(tree)


@pytest.mark.parametrize(("exercise", "function"), written("wrong.py"), ids=label)
def test_a_mistake_in_other_words_is_named(exercise, function):
    wrong = lost(in_this_process(exercise, function, seed=1))
    assert {result.mistake.name for result in wrong if result.mistake} == {function.__doc__}


def test_a_worker_names_mistakes_in_other_words(sandbox):
    sandbox.begin()
    assert sandbox.run("wrong", (FOLDER / "wrong.py").read_text("utf8")) is None
    for exercise, function in written("wrong.py"):
        trial = in_a_worker(sandbox, exercise, function.__name__)
        assert name_mistake(trial).name == function.__doc__


@pytest.mark.parametrize(("exercise", "function"), written("mixed.py"), ids=label)
def test_two_mistakes_at_once_get_no_name(exercise, function):
    for seed in range(3):
        wrong = lost(in_this_process(exercise, function, seed))
        assert wrong
        assert not any(result.mistake for result in wrong)


def test_the_bank_and_the_lists_are_large_enough():
    assert all(len({m.name for m in e.mistakes}) >= 4 for e in EXERCISES.values())
    assert len({(e.id, mistake.name) for e, mistake in BANK}) >= 40
    assert len(written("right.py")) >= 20
    assert len({f.__doc__ for _, f in written("wrong.py")}) >= 12


def wrong_for(*widths):
    """Give a mistake that shows at some d_k only."""

    def function(scores, d_k):
        return scores * 0 if d_k in widths else scores / d_k**0.5

    return Mistake("wrong for some", "", "", function)


def test_a_mistake_needs_three_wrong_results_to_be_named():
    for widths, name in (((16, 7), None), ((16, 7, 9), "wrong for some")):
        mistake = wrong_for(*widths)
        exercise = replace(EXERCISES["scale"], mistakes=(mistake,))
        once = replace(exercise, properties=exercise.properties[:1])
        named = name_mistake(in_this_process(once, mistake.function, 0))
        assert (named and named.name) == name


def test_no_name_is_given_where_two_fit():
    mistake = wrong_for(16, 7, 9)
    both = (mistake, replace(mistake, name="another"))
    exercise = replace(EXERCISES["scale"], mistakes=both)
    assert name_mistake(in_this_process(exercise, mistake.function, 0)) is None
