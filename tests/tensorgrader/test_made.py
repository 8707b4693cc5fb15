"""What is no plain value: models among the arguments, and results that are judged by what they do.

Each toy exercise below is graded as the real ones are, in this process and in a worker's.
"""

from dataclasses import replace
from functools import partial

import pytest
import torch
from torch import nn

from tensorgrader.card.text import trouble_text
from tensorgrader.exercise import Exercise, Inputs
from tensorgrader.make_card import trouble
from tensorgrader.outcome import TimedOut
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.sandbox.values import Made, Other, decode, encode
from tensorgrader.trial import Questions, Trial
from tests.course import judge
from tests.tensorgrader.asking import here as answer

SECRET = "a model that adds up"
IMPORTS = "import torch\nfrom torch import nn\n"


def layer(weight):
    """Make a model of a matrix: what it is made of is what it holds."""
    model = nn.Linear(*weight.shape, bias=False)
    model.weight = nn.Parameter(weight)
    return model


def at_one(model):
    return model(torch.ones(2))


def at_one_or_none(model):
    try:
        return model(torch.ones(2))
    except ValueError:
        return torch.zeros(2)


def asking(reference, *, effect=None, seconds=None, trained=False):
    exercise = Exercise(
        "x.masking.toy", reference, {"answer": ""}, "Padding", effect=effect, seconds=seconds
    )

    @exercise.requires("It asks the model.", points=1)
    def values(draw):
        weights = [draw.normal(2, 2) for _ in range(3)]
        return [Inputs((Made(SECRET, layer, (one,), trained=trained),)) for one in weights]

    exercise.untouched()
    return exercise


def in_a_worker(exercise, source):
    """Judge the source of an answer."""
    with Sandbox() as sandbox:
        assert sandbox.run({"given": IMPORTS, "answer": source}) == [None, None]
        call = partial(sandbox.call, exercise.function, seconds=exercise.seconds)
        return judge(Trial(Questions(exercise, 0), call), exercise.properties)


def here(exercise, source):
    names = {}
    exec(IMPORTS + source, names)
    return judge(answer(exercise, names[exercise.function]).trial, exercise.properties)


both = pytest.mark.parametrize("graded", [here, in_a_worker])
RIGHT = "def at_one(model):\n    return model(torch.ones(2))\n"


def told(result):
    return trouble_text(trouble(result))


@both
def test_a_model_is_asked_and_is_called_by_what_it_is_like(graded):
    exercise = asking(at_one)
    assert not any(result.finding for result in graded(exercise, RIGHT))
    result, _ = graded(exercise, RIGHT.replace("ones", "zeros"))
    assert f"model is {SECRET}" in told(result)


@both
def test_a_model_to_train_is_made_anew_for_each_call_and_whoever_changes_it_is_told(graded):
    change = RIGHT.replace("return", "result =") + (
        "    model.weight.data.zero_()\n    return result\n"
    )
    first, untouched = graded(asking(at_one, trained=True), change)
    assert not first.finding  # though each model was asked after another was spoilt
    assert "argument `model`" in told(untouched)


def failing(message):
    def model(x):
        raise ValueError(message)

    return model


@both
def test_of_an_error_that_came_out_of_what_was_given_that_is_said(graded):
    exercise = replace(asking(at_one_or_none), properties=[])

    @exercise.requires("It asks a model that fails.", points=1)
    def values(draw):
        return [Inputs((Made(SECRET, failing, ("never",)),))]

    (result,) = graded(exercise, "def at_one_or_none(model):\n    return model(torch.ones(2))\n")
    assert "came from `model`" in told(result)
    (result,) = graded(exercise, "def at_one_or_none(model):\n    return model.weight\n")
    assert "came from" not in told(result)


@both
def test_what_an_earlier_model_gave_is_not_what_this_one_gives(graded):
    kept = (
        "known = []\ndef at_one(model):\n    known.append(model(torch.ones(2)))\n"
        "    return known[0]\n"
    )
    assert all(result.finding for result in graded(asking(at_one), kept))


def test_no_model_comes_back():
    tensors = []
    sent = encode((Made("", layer, (torch.ones(2, 2),)),), tensors)
    with pytest.raises(ValueError, match="malformed"):
        decode(sent, tensors)
    result, _ = in_a_worker(asking(at_one), "def at_one(model):\n    return model\n")
    assert isinstance(result.case.outcome.value, Other)


def signs(result):
    if not isinstance(result, torch.Tensor) or result.shape != (2,):
        raise ValueError("two numbers")
    return result.sign()


@both
def test_of_an_answer_that_is_judged_by_what_it_does_many_are_right(graded):
    exercise = asking(at_one, effect=lambda result, model: signs(result))
    assert not any(r.finding for r in graded(exercise, RIGHT.replace("ones(2))", "ones(2)) * 3")))
    wrong, _ = graded(exercise, RIGHT.replace("return ", "return -"))
    assert "at [0]" in told(wrong)


@both
@pytest.mark.parametrize("useless", ["None", "torch.ones(3)", "[[[]]]"])
def test_what_can_do_nothing_is_told_in_the_exercises_own_words(graded, useless):
    exercise = asking(at_one, effect=lambda result, model: signs(result))
    result, _ = graded(exercise, f"def at_one(model):\n    return {useless}\n")
    assert "two numbers" in told(result)


@both
def test_what_an_effect_does_not_expect_stops_nobody(graded):
    exercise = asking(at_one, effect=lambda result, model: result.sign())
    result, _ = graded(exercise, "def at_one(model):\n    return 'a text'\n")
    assert "cannot be used" in told(result)


@both
def test_an_exercise_that_trains_has_a_time_of_its_own(graded):
    exercise = asking(at_one, seconds=0.25)
    result, _ = graded(exercise, "def at_one(model):\n    while True:\n        pass\n")
    assert result.case.outcome == TimedOut(0.25)
