"""Lazy answers: what costs nothing to write, and must earn nothing, in no exercise."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from typing import Any

import torch
import torch.nn.functional as F

from tensorgrader.author.mutants import holds
from tensorgrader.course import Course
from tensorgrader.exercise import Exercise, Function
from tensorgrader.sandbox.values import plain
from tensorgrader.trial import Questions, apply_here

Lazy = Iterator[tuple[str, Function]]
NOTHING = "None", "torch.empty(0)", "[]", "0", "args", "args[1:]", "tuple(floats(args)[:2])"
OF_ITS_KIND = {name: float(name) for name in ("0", "1", "0.5", "-100", "nan", "-inf")}
#: One step each, of the first argument x, or of the first tensors x and y of floats.
ONE = (
    "x[::-1]", "x.flip(-1)", "x.mT", "plain(x)", "tuple(x.shape)", "x.mean().item()",
    "x.mean(-1, True)", "x.mean(-1, True).expand_as(x)", "x.sum(-1, True)", "x.amax(-1, True)",
    "x.sort(-1).values", "x / x.sum(-1, True)", "torch.ones_like(x) / x.size(-1)", "x.softmax(-1)",
    "x.log_softmax(-1)", "x - x.mean(-1, True)", "F.normalize(x, dim=-1)", "x.relu()", "-x",
    "(x - x.mean(-1, True)) / x.std(-1, keepdim=True)",
)  # fmt: skip
TWO = "x + y", "x * y", "x @ y", "x @ y.mT", "(x @ y.mT).softmax(-1)"


def floats(args: tuple) -> tuple[torch.Tensor, ...]:
    """Return the tensors of floats among arguments."""
    return tuple(value for value in args if torch.is_tensor(value) and value.is_floating_point())


def _written(code: str, names: str, given: Callable[[tuple], tuple]) -> Function:
    """Return a function whose result is some code, of names for what is `given` to it."""
    known = {"torch": torch, "F": F, "plain": plain, "floats": floats}
    function: Function = eval(f"lambda {names}: {code}", known)
    return lambda *args, mask=None: function(*given(args))


#: Of these, one may be the answer.
STEPS = {code: _written(code, "x", lambda args: args[:1]) for code in ONE} | {
    code: _written(code, "x, y", lambda args: floats(args)[:2]) for code in TWO
}


def _filled(number: float, value: Any) -> Any:
    """Return something of the same kind and shape, full of one number."""
    if torch.is_tensor(value):
        return torch.full_like(value, number)
    if isinstance(value, tuple | list):
        return type(value)(_filled(number, item) for item in value)
    if isinstance(value, dict):
        return {key: _filled(number, item) for key, item in value.items()}
    return type(value)(number)


def lazy_answers(course: Course, exercise: Exercise) -> Lazy:
    """Yield lazy answers by what they return, steps apart."""
    for code in NOTHING:
        yield code, _written(code, "*args", lambda args: args)
    count = len(exercise.results)
    for number, name in enumerate(exercise.arguments):
        yield f"`{name}` itself", lambda *args, n=number, mask=None: args[n]
        several = f"`{name}`, {count} times"
        yield several, lambda *args, n=number, mask=None: (args[n],) * count
    for name, value in OF_ITS_KIND.items():
        fill = partial(_filled, value)
        yield f"{name} everywhere", lambda *args, f=fill, mask=None: f(exercise.reference(*args))
    for prop in exercise.properties:
        for question in Questions(exercise, 99).drawn(prop.id, prop.inputs):
            yield "a constant", lambda *args, value=question.expected, mask=None: value
    yield from _neighbours(course, exercise)


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
        if all(
            holds(exercise, prop, question, apply_here(function, question.inputs))
            for question in questions.drawn(prop.id, prop.inputs)
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
