"""The grader's score: right answers are accepted, wrong ones lose points and are named rightly.

Every answer goes through both judges: `check` in this process, and a worker's process.
"""

import io
import runpy
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from tensorgrader.exercise import IMPORTS, Mistake
from tensorgrader.in_process import capturing
from tensorgrader.naming.compare import alike
from tensorgrader.naming.mutate import Wrong, own
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.trial import Trial, apply_here
from tests.course import CHAPTERS, judge, name_mistakes
from tests.exercises.standing_alone import standing_alone
from tests.sweeps import few, once
from tests.tensorgrader.asking import questions, tried
from tests.written import solutions, stubs
from transformer_lab import check

FOLDER = Path(__file__).parents[2] / "corpus/right"
EXERCISES = {exercise.id: exercise for c in CHAPTERS.values() for exercise in c.exercises}
chapter_by_chapter = pytest.mark.parametrize("name", few(CHAPTERS, "attention", tier="score"))
BANK = [(exercise, wrong) for exercise in EXERCISES.values() for wrong in own(exercise)]
NUMBERS = count()
#: What trains is dear.
one_of_trained = partial(once, key=lambda exercise, _: exercise.seconds, tier="score")


def written(*chapters):
    """Give (exercise, function) for each right answer to the chapters' exercises."""
    answers = []
    for chapter in chapters or CHAPTERS.values():
        names = runpy.run_path(str(FOLDER / f"{chapter.name}.py"))
        by_function = {exercise.function: exercise for exercise in chapter.exercises}
        answers += [
            (by_function[name.partition("__")[0]], function)
            for name, function in names.items()
            if name[0] != "_" and "__" in name
        ]
    return answers


def label(value):
    """Name an answer in pytest's list."""
    if isinstance(value, Wrong):
        return value.way.__name__
    return getattr(value, "function", None) or value.__name__


def names(results):
    """Give the names of all the mistakes that are told."""
    return {mistake.name for result in results for mistake in result.mistakes}


def in_this_process(exercise, function, seed):
    return tried(exercise, lambda inputs: apply_here(function, inputs), seed)


def told(exercise, function, seed=1):
    """Tell whether an answer loses points, and give the names of its mistakes."""
    with capturing(io.StringIO()):
        results = lost(in_this_process(exercise, function, seed))
    return bool(results), names(results)


def lost(trial):
    """Give the results of the properties that do not hold."""
    return [result for result in judge(trial, trial.exercise.properties) if result.finding]


@pytest.fixture(scope="session")
def sandbox():
    with Sandbox() as sandbox:
        yield sandbox


def in_a_worker(sandbox, exercise, name, seed=0):
    return Trial(questions(exercise, seed), partial(sandbox.call, name))


def load(sandbox, chapter, source):
    """Run what a chapter gives, then a source, in a fresh worker."""
    sandbox.begin()
    given = {"imports": IMPORTS, "given": chapter.given_source}
    assert sandbox.run({**given, "answers": source}) == [None] * 3


@pytest.mark.parametrize(
    ("exercise", "function"),
    once([answer for answer in written() if not answer[0].seconds], lambda exercise, _: exercise.id)
    + one_of_trained([answer for answer in written() if answer[0].seconds]),
    ids=label,
)
def test_check_accepts_a_right_answer(exercise, function, capsys):
    check(exercise.id, function, seed=1)
    assert capsys.readouterr().out.startswith(f"✓ {exercise.function}: ")


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_solutions_of_a_notebook_hold_and_its_stubs_do_not(chapter):
    solved, names = solutions(chapter.name), {}
    exec("\n\n".join([IMPORTS, chapter.given_source, *solved.values()]), names)
    for exercise in chapter.exercises:
        if not exercise.seconds:
            assert not told(exercise, names[exercise.function])[0], exercise.id
            exec(stubs(chapter.name)[exercise.id], names)
            assert told(exercise, names[exercise.function])[0], exercise.id
            exec(solved[exercise.id], names)


@pytest.mark.score  # the same answers, with many seeds
@pytest.mark.parametrize("seed", range(2, 42))
def test_right_answers_hold_whatever_the_seed(seed):
    answers = [(e, function) for e, function in written() if not e.seconds]
    refused = [function.__name__ for e, function in answers if told(e, function, seed)[0]]
    assert not refused


@chapter_by_chapter
def test_a_worker_accepts_every_right_answer(sandbox, name):
    chapter = CHAPTERS[name]
    load(sandbox, chapter, (FOLDER / f"{chapter.name}.py").read_text("utf8"))
    for exercise, function in written(chapter):
        assert not lost(in_a_worker(sandbox, exercise, function.__name__)), function.__name__


@pytest.mark.parametrize(
    ("exercise", "known"),
    once(BANK, lambda exercise, _: exercise.seconds or next(NUMBERS) // 6, tier="score"),
    ids=label,
)
@pytest.mark.parametrize("seed", few([0, 2], 0, tier="score"))
def test_a_known_mistake_loses_points_and_is_named_as_itself(exercise, known, seed):
    wrong = lost(in_this_process(exercise, known.function, seed))
    assert wrong
    assert names(wrong) == {known.mistake.name}


@chapter_by_chapter
def test_a_worker_sees_the_same_in_the_bank(sandbox, name):
    chapter = CHAPTERS[name]
    for exercise in chapter.exercises:
        for way in (w.way for w in own(exercise) if w.step is exercise.reference):
            load(sandbox, chapter, standing_alone(way))
            there = in_a_worker(sandbox, exercise, way.__name__).all_cases()
            here = in_this_process(exercise, way, 0).all_cases()
            assert len(there) == len(here)
            for one, other in zip(there, here, strict=True):
                assert alike(one.outcome, other.outcome), way.__name__


def wrong_for(*widths):
    """Give a mistake that shows at some widths only."""

    def function(q, k):
        return q @ k.mT * (k.size(-1) not in widths)

    return Mistake("wrong for some", "", "", [function])


def test_a_mistake_needs_three_wrong_results_to_be_named():
    for widths, name in (((4, 5), []), ((4, 5, 3), ["wrong for some"])):
        mistake = wrong_for(*widths)
        exercise = replace(EXERCISES["attention-scores"], mistakes=[mistake])
        once = replace(exercise, properties=exercise.properties[:1])
        named = name_mistakes(once, in_this_process(once, mistake.ways[0], 0).all_cases())
        assert [mistake.name for mistake in named] == name


def test_no_name_is_given_where_two_fit():
    mistake = wrong_for(4, 5, 3)
    both = [mistake, replace(mistake, name="another")]
    exercise = replace(EXERCISES["attention-scores"], mistakes=both)
    assert not name_mistakes(exercise, in_this_process(exercise, mistake.ways[0], 0).all_cases())
