"""Lazy answers: what costs nothing to write, and must earn nothing, in no exercise."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from typing import Any

import torch

from tensorgrader.course import Course
from tensorgrader.difference import change, finding
from tensorgrader.exercise import Exercise, Function
from tensorgrader.sandbox.values import plain
from tensorgrader.trial import Case, Questions, apply_here

Lazy = Iterator[tuple[str, Function]]


def _filled(number: float, value: Any) -> Any:
    """Return something of the same kind and shape, full of one number."""
    if torch.is_tensor(value):
        return torch.full_like(value, number)
    if isinstance(value, tuple | list):
        return type(value)(_filled(number, item) for item in value)
    if isinstance(value, dict):
        return {key: _filled(number, item) for key, item in value.items()}
    return type(value)(number)


def _floats(args: tuple) -> list[torch.Tensor]:
    return [value for value in args if torch.is_tensor(value) and value.is_floating_point()]


def _one(operation: Function) -> Function:
    """Return a function of the first argument alone."""
    return lambda *args, mask=None: operation(args[0])


def _two(operation: Function) -> Function:
    """Return a function of the first two tensors of floats."""
    return lambda *args, mask=None: operation(*_floats(args)[:2])


#: One step each: of these, one may be the answer.
STEPS = {
    "reversed": _one(lambda x: x.flip(-1) if torch.is_tensor(x) else x[::-1]),
    "transposed": _one(lambda x: x.mT),
    "a copy": _one(plain),
    "the mean": _one(lambda x: x.mean(dim=-1, keepdim=True)),
    "the mean, everywhere": _one(lambda x: x.mean(dim=-1, keepdim=True).expand_as(x)),
    "the mean as a number": _one(lambda x: x.mean().item()),
    "the sum": _one(lambda x: x.sum(dim=-1, keepdim=True)),
    "the largest": _one(lambda x: x.amax(dim=-1, keepdim=True)),
    "sorted": _one(lambda x: x.sort(dim=-1).values),
    "shares": _one(lambda x: x / x.sum(dim=-1, keepdim=True)),
    "equal shares": _one(lambda x: torch.ones_like(x) / x.size(-1)),
    "softmax": _one(lambda x: x.softmax(dim=-1)),
    "log_softmax": _one(lambda x: x.log_softmax(dim=-1)),
    "centred": _one(lambda x: x - x.mean(dim=-1, keepdim=True)),
    "of length 1": _one(lambda x: torch.nn.functional.normalize(x, dim=-1)),
    "normalised": _one(lambda x: (x - x.mean(-1, True)) / x.std(-1, keepdim=True)),
    "without what is negative": _one(torch.relu),
    "opposite": _one(lambda x: -x),
    "its shape": _one(lambda x: tuple(x.shape)),
    "sum of two": _two(lambda x, y: x + y),
    "product of two": _two(lambda x, y: x * y),
    "matrix product": _two(lambda x, y: x @ y),
    "dot products": _two(lambda x, y: x @ y.mT),
    "shares of dot products": _two(lambda x, y: (x @ y.mT).softmax(dim=-1)),
}
NOTHING = {
    "None": lambda *args, mask=None: None,
    "nothing": lambda *args, mask=None: torch.empty(0),
    "no list": lambda *args, mask=None: [],
    "0": lambda *args, mask=None: 0,
    "all arguments": lambda *args, mask=None: args,
    "all arguments but the first": lambda *args, mask=None: args[1:],
    "the first tensors of floats": lambda *args, mask=None: tuple(_floats(args)[:2]),
}
OF_ITS_KIND = {
    "zeros": 0,
    "ones": 1,
    "halves": 0.5,
    "-100": -100,
    "nan": float("nan"),
    "-inf": -torch.inf,
}


def lazy_answers(course: Course, exercise: Exercise) -> Lazy:
    """Yield lazy answers by what they return, steps apart."""
    yield from NOTHING.items()
    yield from _arguments(exercise)
    for name, number in OF_ITS_KIND.items():
        fill = partial(_filled, number)
        yield name, lambda *args, f=fill, mask=None: f(exercise.reference(*args))
    for prop in exercise.properties:
        for question in Questions(exercise, 99).drawn(prop.id, prop.inputs):
            yield "a constant", lambda *args, value=question.expected, mask=None: value
    yield from _neighbours(course, exercise)


def _arguments(exercise: Exercise) -> Lazy:
    """Yield what returns an argument, alone, or as often as there are results."""
    count = len(exercise.results)
    for number, name in enumerate(exercise.arguments):
        yield f"`{name}` itself", lambda *args, n=number, mask=None: args[n]
        several = f"`{name}`, {count} times"
        yield several, lambda *args, n=number, mask=None: (args[n],) * count


def _neighbours(course: Course, exercise: Exercise) -> Lazy:
    """Yield the answers to the chapter's other exercises, from the first or a later argument on."""
    for other in course.chapters[exercise.chapter].exercises:
        if other is not exercise:
            for start in range(len(exercise.arguments)):
                part = slice(start, start + len(other.arguments))
                yield (
                    f"`{other.function}` from argument {start}",
                    lambda *args, f=other.reference, p=part: f(*args[p]),
                )


def tapes(exercise: Exercise) -> Iterator[tuple[Exercise, Function]]:
    """Yield, for the exercise with each property alone, the right answers of another time."""
    for prop in exercise.properties:
        questions = Questions(exercise, 99).drawn(prop.id, prop.inputs)
        recorded = chain((question.expected for question in questions), repeat(None))
        yield (
            replace(exercise, properties=[prop]),
            lambda *args, mask=None, r=recorded: next(r),
        )


def earned(exercise: Exercise, function: Function, questions: Questions) -> list[str]:
    """Return the properties that hold, each tried up to the first case that does not."""
    return [
        prop.id
        for prop in exercise.properties
        if not any(
            finding(exercise, case) or (prop.unchanged and change(exercise, case))
            for case in (
                Case(question, apply_here(function, question.inputs))
                for question in questions.drawn(prop.id, prop.inputs)
            )
        )
    ]


def undeserved(course: Course, exercise: Exercise, seed: int = 0) -> dict[str, list[str]]:
    """Return the lazy answers that earn something, and which properties hold.

    A step that earns everything is the answer, not a lazy one.
    """
    questions = Questions(exercise, seed)
    found = {name: earned(exercise, f, questions) for name, f in lazy_answers(course, exercise)}
    for alone, tape in tapes(exercise):
        name = f"what was right another time, for {alone.properties[0].id}"
        found[name] = earned(alone, tape, questions)
    steps = {name: earned(exercise, function, questions) for name, function in STEPS.items()}
    found |= {k: ids for k, ids in steps.items() if len(ids) < len(exercise.properties)}
    return {name: ids for name, ids in found.items() if ids}
