"""Nothing undeserved: an answer that does not do what is asked earns nothing, in no exercise."""

from dataclasses import replace
from functools import partial
from itertools import chain, repeat

import pytest
import torch

from tensorgrader.difference import change, finding
from tensorgrader.trial import Case, Questions, apply_here, plain
from tests.course import CHAPTERS
from tests.tensorgrader.asking import each

EXERCISES = {e.id: e for chapter in CHAPTERS.values() for e in chapter.exercises}


def filled(number, value):
    """Give something of the same kind and shape, full of one number."""
    if torch.is_tensor(value):
        return torch.full_like(value, number)
    if isinstance(value, tuple | list):
        return type(value)(filled(number, item) for item in value)
    if isinstance(value, dict):
        return {key: filled(number, item) for key, item in value.items()}
    return type(value)(number)


def floats(args):
    return [value for value in args if torch.is_tensor(value) and value.is_floating_point()]


def one(operation):
    """Do something to the first argument."""
    return lambda *args, mask=None: operation(args[0])


def two(operation):
    """Do something with the first two tensors of floats."""
    return lambda *args, mask=None: operation(*floats(args)[:2])


STEPS = {
    "reversed": one(lambda x: x.flip(-1) if torch.is_tensor(x) else x[::-1]),
    "transposed": one(lambda x: x.mT),
    "a copy": one(plain),
    "the mean": one(lambda x: x.mean(dim=-1, keepdim=True)),
    "the mean, everywhere": one(lambda x: x.mean(dim=-1, keepdim=True).expand_as(x)),
    "the mean as a number": one(lambda x: x.mean().item()),
    "the sum": one(lambda x: x.sum(dim=-1, keepdim=True)),
    "the largest": one(lambda x: x.amax(dim=-1, keepdim=True)),
    "sorted": one(lambda x: x.sort(dim=-1).values),
    "shares": one(lambda x: x / x.sum(dim=-1, keepdim=True)),
    "equal shares": one(lambda x: torch.ones_like(x) / x.size(-1)),
    "softmax": one(lambda x: x.softmax(dim=-1)),
    "log_softmax": one(lambda x: x.log_softmax(dim=-1)),
    "centred": one(lambda x: x - x.mean(dim=-1, keepdim=True)),
    "of length 1": one(lambda x: torch.nn.functional.normalize(x, dim=-1)),
    "normalised": one(lambda x: (x - x.mean(-1, True)) / x.std(-1, keepdim=True)),
    "without what is negative": one(torch.relu),
    "opposite": one(lambda x: -x),
    "its shape": one(lambda x: tuple(x.shape)),
    "sum of two": two(lambda x, y: x + y),
    "product of two": two(lambda x, y: x * y),
    "matrix product": two(lambda x, y: x @ y),
    "dot products": two(lambda x, y: x @ y.mT),
    "shares of dot products": two(lambda x, y: (x @ y.mT).softmax(dim=-1)),
    "None": lambda *args, mask=None: None,
    "nothing": lambda *args, mask=None: torch.empty(0),
    "no list": lambda *args, mask=None: [],
    "0": lambda *args, mask=None: 0,
    "all arguments": lambda *args, mask=None: args,
    "all arguments but the first": lambda *args, mask=None: args[1:],
    "the first tensors of floats": lambda *args, mask=None: tuple(floats(args)[:2]),
}
OF_ITS_KIND = {
    "zeros": partial(filled, 0),
    "ones": partial(filled, 1),
    "halves": partial(filled, 0.5),
    "-100": partial(filled, -100),
    "nan": partial(filled, float("nan")),
    "-inf": partial(filled, -torch.inf),
}


#: Where one step is the whole answer.
WHOLE = {
    "attention-scores": "dot products",
    "attention-softmax": "softmax",
}


def arguments(exercise):
    """Give what returns an argument, alone, or as often as there are results."""
    count = len(exercise.results)
    for number in range(len(exercise.arguments)):
        yield f"argument {number}", lambda *args, n=number, mask=None: args[n]
        yield (
            f"argument {number}, {count} times",
            lambda *args, n=number, mask=None: (args[n],) * count,
        )


def of_its_kind(exercise):
    """Give what has the right shape and no right numbers."""
    for name, altered in OF_ITS_KIND.items():
        yield name, lambda *args, f=altered, mask=None: f(exercise.reference(*args))


def constants(exercise):
    """Give what always answers as it should have done another time."""
    for prop in exercise.properties:
        for question in Questions(exercise, 99).drawn(prop.id, prop.inputs):
            yield "a constant", lambda *args, value=question.expected, mask=None: value


def neighbours(exercise):
    """Give the answers to the chapter's other exercises, from the first or a later argument on."""
    for other in CHAPTERS[exercise.chapter].exercises:
        if other is not exercise:
            for start in range(len(exercise.arguments)):
                part = slice(start, start + len(other.arguments))
                yield (
                    f"{other.function} from {start}",
                    lambda *args, f=other.reference, p=part: f(*args[p]),
                )


def tapes(exercise):
    """Give, for each property, what plays the right answers of another time in their order."""
    for prop in exercise.properties:
        questions = Questions(exercise, 99).drawn(prop.id, prop.inputs)
        recorded = chain((question.expected for question in questions), repeat(None))
        yield prop, lambda *args, mask=None, r=recorded: next(r)


def earned(exercise, function, questions):
    """Give the properties that hold, each tried up to the first case that does not."""

    def holds(prop):
        cases = (
            Case(question, apply_here(function, question.inputs))
            for question in questions.drawn(prop.id, prop.inputs)
        )
        return not any(
            finding(exercise, case) or (prop.unchanged and change(exercise, case)) for case in cases
        )

    return [prop.id for prop in exercise.properties if holds(prop)]


@pytest.mark.parametrize("exercise", each(EXERCISES.values()), ids=EXERCISES)
def test_the_answers_of_another_time_played_again_earn_nothing(exercise):
    questions = Questions(exercise, 0)
    one = {p: replace(exercise, properties=[p]) for p in exercise.properties}
    assert [earned(one[prop], tape, questions) for prop, tape in tapes(exercise)] == [[]] * len(one)


@pytest.mark.parametrize("exercise", each(EXERCISES.values()), ids=EXERCISES)
def test_a_lazy_answer_earns_nothing(exercise):
    questions = Questions(exercise, 0)
    lazy = [
        *STEPS.items(),
        *arguments(exercise),
        *of_its_kind(exercise),
        *constants(exercise),
        *neighbours(exercise),
    ]
    lazy = [pair for pair in lazy if pair[0] != WHOLE.get(exercise.id)]
    undeserved = {name: earned(exercise, function, questions) for name, function in lazy}
    assert {name: ids for name, ids in undeserved.items() if ids} == {}
