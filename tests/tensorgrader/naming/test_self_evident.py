"""What a function owes its caller: to be right again, to change nothing, to cut no gradient."""

import random
import re
from copy import deepcopy
from functools import partial

import pytest
import torch
from torch import nn

from lab_notebooks.notebooks import read_notebook
from tensorgrader.exercise import IMPORTS
from tensorgrader.outcome import Returned
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.sandbox.values import Made
from tensorgrader.trial import Trial, apply_here, plain, same, tensors
from tests.course import CHAPTERS, judge
from tests.sweeps import one_in
from tests.tensorgrader.asking import each, questions, tried

EXERCISES = [e for chapter in CHAPTERS.values() for e in chapter.exercises]
UNTOUCHED = [e for e in EXERCISES if any(prop.unchanged for prop in e.properties)]
#: Lists of numbers and words are remembered by what they hold, and then rightly.
REMEMBERED = [e for e in UNTOUCHED if e.chapter != "whole_model"]
TRAINING = [e for e in EXERCISES if any(prop.trains for prop in e.properties)]


def lost(exercise, function):
    trial = tried(exercise, lambda inputs: apply_here(function, inputs))
    failing = [r for r in judge(trial, exercise.properties) if r.finding]
    names = {mistake.name for result in failing for mistake in result.mistakes}
    return [r.prop.id.removeprefix(f"{exercise.id}-") for r in failing], names


def silent(inputs):
    return Returned(None, None)


def mapped(change, value):
    if isinstance(value, dict):
        return {key: mapped(change, item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return type(value)(mapped(change, item) for item in value)
    if isinstance(value, nn.Module):
        other = deepcopy(value, {id(weight): weight for weight in value.parameters()})
        for module in other.modules():
            module._parameters.update(mapped(change, module._parameters))
        return other
    return change(value) if torch.is_tensor(value) else value


def moved(value):
    if torch.is_tensor(value) and value.numel():
        value.copy_(value.logical_not() if value.dtype is torch.bool else value + 1)
        return True
    if isinstance(value, list):
        value.append(1)
        return True
    if isinstance(value, nn.Module):
        return moved(next(value.parameters()))
    return any(moved(item) for item in value.values()) if isinstance(value, dict) else False


def changing(exercise, number):
    def function(*args, **mask):
        result = exercise.reference(*mapped(torch.clone, args), **mask)
        with torch.no_grad():
            moved(args[number])
        return result

    return function


def cached(exercise, key):
    known = {}

    def function(*args, **mask):
        place = str([key(value) for value in (*args, *mask.values())])
        if place not in known:
            known[place] = args, mapped(torch.clone, exercise.reference(*args, **mask))
        return known[place][1]

    return function


def by_shape(value):
    if isinstance(value, tuple | list | dict):
        return [by_shape(v) for v in (value.values() if isinstance(value, dict) else value)]
    if callable(value):
        return "a model"
    return value.shape if torch.is_tensor(value) else value


def by_identity(value):
    return id(value) if torch.is_tensor(value) else by_shape(value)


def has_few_answers(exercise):
    """Tell whether most right answers are another input's, too: then one again proves nothing."""
    right = [case.expected for case in tried(exercise, silent).all_cases()]
    again = [any(same(one, other) for other in right[:n]) for n, one in enumerate(right)]
    return 2 * sum(again) > len(right)


def at_random(exercise):
    coin = random.Random(exercise.id)

    def function(*args, **mask):
        return exercise.reference(*args, **mask) if coin.random() < 0.2 else coin.random()

    return function


def writable(exercise):
    (prop,) = (prop for prop in exercise.properties if prop.unchanged)
    cases = tried(exercise, silent).cases(prop)
    listed = [[moved(plain(value)) for value in case.inputs.args] for case in cases]
    return [number for number, able in enumerate(zip(*listed, strict=True)) if any(able)]


def test_whoever_is_given_more_than_numbers_is_asked_to_leave_it_alone():
    for exercise in EXERCISES:
        if exercise.driver:  # which makes what it gives
            continue
        cases = tried(exercise, silent).cases(exercise.properties[0])
        args = cases[0].inputs.args
        if any(map(can_be_written_into, args)):
            assert exercise in UNTOUCHED, exercise.id
        elif not any(isinstance(value, Made) for value in args):
            assert exercise not in UNTOUCHED, exercise.id


def can_be_written_into(value):
    """Tell whether there is more in a value than numbers and words."""
    inner = value.given if isinstance(value, Made) else ()
    return isinstance(value, torch.Tensor | list | dict) or any(map(can_be_written_into, inner))


@pytest.mark.parametrize("exercise", each(UNTOUCHED), ids=lambda e: e.id)
def test_writing_into_any_argument_costs_its_own_points_only(exercise):
    assert lost(exercise, exercise.reference) == ([], set())
    for number in writable(exercise):
        told = ["untouched"], {"it changes what it was given"}
        assert lost(exercise, changing(exercise, number)) == told


#: Who keeps the verdict on the first function, which is wrong, refuses all that follow.
TRUE_TOO = {"masking-promises": {"every function is rejected, even the right ones"}}


@pytest.mark.parametrize("exercise", one_in(3, REMEMBERED, tier="score"), ids=lambda e: e.id)
@pytest.mark.parametrize("key", [by_shape, by_identity])
def test_what_an_earlier_call_gave_is_no_answer(exercise, key):
    failing, names = lost(exercise, cached(exercise, key))
    assert "untouched" in failing
    told = {"it returns the result of an earlier call"}
    assert names == (TRUE_TOO.get(exercise.id, set()) if has_few_answers(exercise) else told)


@pytest.mark.parametrize("exercise", one_in(3, UNTOUCHED, tier="score"), ids=lambda e: e.id)
def test_the_same_call_twice_gives_the_same(exercise):
    failing, names = lost(exercise, at_random(exercise))
    assert "untouched" in failing
    told = {"two equal calls give different results"}
    assert names == (set() if exercise.effect else told)  # there it is of no use at all


def cut(exercise, results, number):
    def function(*args, **mask):
        given = [mapped(torch.detach, a) if n == number else a for n, a in enumerate(args)]
        value = exercise.reference(*given, **mask)
        if isinstance(value, tuple):
            pairs = zip(exercise.results, value, strict=True)
            return tuple(part.detach() if name in results else part for name, part in pairs)
        return value.detach() if results else value

    return function


def undone(exercise):
    """Be right, and let every gradient get back as 0: each result is added and taken off."""

    def undo(part):
        return part + (part.detach() - part).nan_to_num() if part.is_floating_point() else part

    return lambda *args, **mask: mapped(undo, exercise.reference(*args, **mask))


@pytest.mark.parametrize("exercise", TRAINING, ids=lambda e: e.id)
def test_a_cut_gradient_costs_its_own_points_only(exercise):
    (prop,) = (prop for prop in exercise.properties if prop.trains)
    told = ["trains"], {"the gradient is cut"}
    assert lost(exercise, cut(exercise, prop.trains, None)) == told
    assert lost(exercise, undone(exercise)) == told
    (case, *_) = tried(exercise, partial(apply_here, exercise.reference)).cases(prop)
    for number in case.inputs.trains:
        if any(tensor.is_floating_point() for tensor in tensors(case.inputs.args[number])):
            assert lost(exercise, cut(exercise, (), number)) == told, number
    others = set(exercise.results) - set(prop.trains)
    assert lost(exercise, cut(exercise, others, None)) == ([], set()), "it is only looked at"


def test_a_worker_sees_a_cut_gradient_and_a_second_call_too():
    source = (
        "seen = {}\n"
        "def cut(x): return (x - x.amax(-1, True)).exp().detach()\n"
        "def softmax(x):\n    e = cut(x)\n    return e / e.sum(-1, True)\n"
        "def half(x):\n    e = (x - x.amax(-1, True)).exp()\n    return e / cut(x).sum(-1, True)\n"
        "def remembered(x):\n"
        "    e = (x - x.amax(-1, True)).exp()\n"
        "    return seen.setdefault(x.shape, e / e.sum(-1, True))\n"
    )
    (exercise,) = (e for e in EXERCISES if e.id == "attention-softmax")
    with Sandbox() as sandbox:
        assert sandbox.run({"imports": IMPORTS, "answer": source}) == [None, None]
        told = {}
        for name in ("softmax", "half", "remembered"):
            trial = Trial(questions(exercise, 0), partial(sandbox.call, name))
            results = judge(trial, exercise.properties)
            told[name] = {r.prop.id: r.finding.words for r in results if r.finding}
    assert told["softmax"].keys() == {"attention-softmax-trains"}
    assert "back to `x`" in str(told["softmax"])
    assert told["half"].keys() == {"attention-softmax-trains"}
    assert "some of the numbers" in str(told["half"])
    assert "attention-softmax-untouched" in told["remembered"]


@pytest.mark.parametrize("chapter", CHAPTERS.values(), ids=lambda c: c.name)
def test_the_text_says_what_is_asked(chapter):
    text = "\n".join(c.source for c in read_notebook(f"exercises/{chapter.name}").cells)
    assert "(#exercise-rules)" in text or "The-rules-of-every-exercise" in text
    for exercise in chapter.exercises:
        before = re.split(rf"^def {exercise.function}\(", text, flags=re.MULTILINE)[0]
        section = before.rpartition("\n## ")[2]
        assert ("Gradients must flow" in section) == (exercise in TRAINING), exercise.id


def test_a_model_of_more_layers_has_no_more_axes():
    (exercise,) = (e for e in EXERCISES if e.id == "whole_model-from-smollm2")

    def of_one_digit(weights, config):
        if "blk.10.attn_q.weight" in weights:
            raise KeyError("blk.10")
        return exercise.reference(weights, config)

    failing, names = lost(exercise, of_one_digit)
    assert failing
    assert not names
