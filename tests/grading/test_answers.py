"""The grader's score: right answers are accepted, wrong ones lose points and are named rightly.

Every answer goes through both judges: `check` in this process, and a worker's process.
"""

import runpy
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from tests.grading.asking import tried
from tests.grading.standing_alone import standing_alone
from transformer_lab import check
from transformer_lab.grading.exercise import IMPORTS, Mistake
from transformer_lab.grading.exercises import CHAPTERS
from transformer_lab.grading.judge import judge
from transformer_lab.grading.naming import alike, name_mistake
from transformer_lab.grading.questions import Questions, Trial, apply_here
from transformer_lab.grading.sandbox.client import Sandbox

FOLDER = Path(__file__).parent / "answers"
EXERCISES = {exercise.id: exercise for c in CHAPTERS.values() for exercise in c.exercises}
BANK = [
    (exercise, mistake, way)
    for exercise in EXERCISES.values()
    for mistake in exercise.mistakes
    for way in mistake.ways
]


def written(kind, *chapters):
    """Give (exercise, function) for each answer in the chapters' files of a kind."""
    answers = []
    for chapter in chapters or CHAPTERS.values():
        names = runpy.run_path(str(FOLDER / kind / f"{chapter.name}.py"))
        by_function = {exercise.function: exercise for exercise in chapter.exercises}
        answers += [
            (by_function[name.partition("__")[0]], function)
            for name, function in names.items()
            if name[0] != "_" and "__" in name
        ]
    return answers


def label(value):
    """Name an answer in pytest's list."""
    if isinstance(value, Mistake):
        return value.name
    return getattr(value, "function", None) or value.__name__


def in_this_process(exercise, function, seed):
    return tried(exercise, lambda inputs: apply_here(function, inputs), seed)


def lost(trial):
    """Give the results of the properties that do not hold."""
    return [result for result in judge(trial, trial.exercise.properties) if result.finding]


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox() as sandbox:
        yield sandbox


def in_a_worker(sandbox, exercise, name, seed=0):
    return Trial(Questions(exercise, seed), partial(sandbox.call, name))


def load(sandbox, chapter, source):
    """Run what a chapter gives, then a source, in a fresh worker."""
    sandbox.begin()
    given = {"imports": IMPORTS, "given": chapter.given_source}
    assert sandbox.run({**given, "answers": source}) == [None] * 3


@pytest.mark.parametrize(("exercise", "function"), written("right"), ids=label)
def test_check_accepts_a_right_answer(exercise, function, capsys):
    for prop in exercise.properties:
        check(prop.id, function)
    assert len(capsys.readouterr().out.splitlines()) == len(exercise.properties)


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_a_worker_accepts_every_right_answer(sandbox, chapter):
    load(sandbox, chapter, (FOLDER / f"right/{chapter.name}.py").read_text("utf8"))
    for exercise, function in written("right", chapter):
        assert not lost(in_a_worker(sandbox, exercise, function.__name__)), function.__name__


@pytest.mark.parametrize(("exercise", "mistake", "way"), BANK, ids=label)
@pytest.mark.parametrize("seed", [0, 2])
def test_a_known_mistake_loses_points_and_is_named_as_itself(exercise, mistake, way, seed):
    wrong = lost(in_this_process(exercise, way, seed))
    assert wrong
    assert {result.mistake.name for result in wrong if result.mistake} == {mistake.name}


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_a_worker_sees_the_same_in_the_bank(sandbox, chapter):
    for exercise in chapter.exercises:
        for way in (way for mistake in exercise.mistakes for way in mistake.ways):
            load(sandbox, chapter, standing_alone(way))
            there = in_a_worker(sandbox, exercise, way.__name__).all_cases()
            here = in_this_process(exercise, way, 0).all_cases()
            assert len(there) == len(here)
            for one, other in zip(there, here, strict=True):
                assert alike(one.outcome, other.outcome), way.__name__


@pytest.mark.parametrize(("exercise", "function"), written("wrong"), ids=label)
def test_a_mistake_in_other_words_loses_points_and_gets_no_other_name(exercise, function):
    wrong = lost(in_this_process(exercise, function, seed=1))
    assert wrong
    assert {result.mistake.name for result in wrong if result.mistake} <= {function.__doc__}


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_a_worker_names_nearly_all_mistakes_in_other_words(sandbox, chapter):
    load(sandbox, chapter, (FOLDER / f"wrong/{chapter.name}.py").read_text("utf8"))
    named = [
        name_mistake(in_a_worker(sandbox, exercise, function.__name__))
        for exercise, function in written("wrong", chapter)
    ]
    assert sum(map(bool, named)) >= 0.95 * len(named)


@pytest.mark.parametrize(("exercise", "function"), written("mixed"), ids=label)
def test_two_mistakes_at_once_get_no_name(exercise, function):
    for seed in range(3):
        wrong = lost(in_this_process(exercise, function, seed))
        assert wrong
        assert not any(result.mistake for result in wrong)


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=lambda e: e.id)
def test_every_mistake_is_written_a_second_way_and_right_answers_in_many(exercise):
    known = {mistake.name for mistake in exercise.mistakes}
    assert len(known) >= 4
    assert {function.__doc__ for of, function in written("wrong") if of is exercise} == known
    assert sum(of is exercise for of, _ in written("right")) >= 4


def wrong_for(*widths):
    """Give a mistake that shows at some d_k only."""

    def function(scores, d_k):
        return scores * 0 if d_k in widths else scores / d_k**0.5

    return Mistake("wrong for some", "", "", [function])


def test_a_mistake_needs_three_wrong_results_to_be_named():
    for widths, name in (((16, 7), None), ((16, 7, 9), "wrong for some")):
        mistake = wrong_for(*widths)
        exercise = replace(EXERCISES["attention-scale"], mistakes=[mistake])
        once = replace(exercise, properties=exercise.properties[:1])
        named = name_mistake(in_this_process(once, mistake.ways[0], 0))
        assert (named and named.name) == name


def test_no_name_is_given_where_two_fit():
    mistake = wrong_for(16, 7, 9)
    both = [mistake, replace(mistake, name="another")]
    exercise = replace(EXERCISES["attention-scale"], mistakes=both)
    assert name_mistake(in_this_process(exercise, mistake.ways[0], 0)) is None
