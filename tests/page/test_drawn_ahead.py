"""Questions that were drawn when the page was packed ask what those of a seed ask."""

import json
from types import SimpleNamespace

import pytest

from page import drawn_ahead
from tensorgrader.naming.match import outcome_of
from tensorgrader.naming.mutate import own
from tensorgrader.trial import SILENCE, Case, Questions, Trial, apply_here, same
from tests.course import COURSE, EXERCISES, judge

PROBE = EXERCISES["norm-rate"]


@pytest.fixture(scope="module")
def ahead():
    """Draw the questions of an exercise that trains, which takes a while."""
    with pytest.MonkeyPatch.context() as patched:
        with patched.context() as briefly:
            briefly.setattr(drawn_ahead, "is_drawn_ahead", lambda exercise: exercise is PROBE)
            told = drawn_ahead.written(SimpleNamespace(exercises={PROBE.id: PROBE}))
        patched.setattr(drawn_ahead, "_packed", lambda: json.loads(told))
        yield drawn_ahead.questions(PROBE, 7)


def judged(questions, function):
    trial = Trial(questions, lambda batch: (apply_here(function, inputs) for inputs in batch))
    return judge(trial, PROBE.properties)


@pytest.mark.slow
def test_they_are_asked_as_they_were_drawn(ahead):
    for prop in PROBE.properties:
        drawn = Questions(PROBE, drawn_ahead.SEED).drawn(prop.id, prop.inputs)
        told = ahead.drawn(prop.id, prop.inputs)
        assert len(drawn) == len(told) > 0
        for one, other in zip(drawn, told, strict=True):
            assert same(other.expected, one.expected)
            right = apply_here(PROBE.reference, other.inputs)
            assert same(right.value, one.expected)
            assert [getattr(arg, "says", "") for arg in one.inputs.args] == [
                getattr(arg, "says", "") for arg in other.inputs.args
            ]


@pytest.mark.slow
def test_what_known_mistakes_make_of_them_comes_with_them(ahead):
    prop = PROBE.properties[0]
    for question in ahead.drawn(prop.id, prop.inputs):
        assert question.mistaken.keys() == {wrong.function for wrong in own(PROBE)}
        for way, outcome in question.mistaken.items():
            assert outcome_of(way, Case(question, SILENCE)) is outcome


@pytest.mark.slow
def test_by_them_a_right_answer_holds_and_a_mistake_is_named(ahead):
    assert not any(result.finding for result in judged(ahead, PROBE.reference))
    wrong = own(PROBE)[0]
    results = judged(ahead, wrong.function)
    assert {m.name for r in results for m in r.mistakes} == {wrong.mistake.name}


def test_what_is_not_drawn_ahead_is_drawn_from_its_seed():
    questions = drawn_ahead.questions(EXERCISES["attention-softmax"], 7)
    assert (type(questions), questions.seed) == (Questions, 7)


def test_exercises_whose_inputs_are_trained_are_drawn_ahead():
    assert [e.id for e in COURSE.exercises.values() if drawn_ahead.is_drawn_ahead(e)] == [
        "norm-rate"
    ]
