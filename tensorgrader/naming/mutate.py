"""Mutants: a function that calls a step also makes the step's mistakes.

An exercise's reference calls the references of its steps, and pieces of its own; a wrong function
may call the reference that it spoils. If one of these is replaced by a wrong one, the whole makes
that mistake, or both.
"""

import inspect
from collections.abc import Collection, Iterable
from functools import cache
from types import FunctionType
from typing import NamedTuple

from tensorgrader.course import Course
from tensorgrader.edited import reached, used
from tensorgrader.exercise import Exercise, Function, Mistake


class Wrong(NamedTuple):
    """A function with a known mistake: the step it is made in, the way, and the whole."""

    mistake: Mistake
    step: Function
    way: Function
    function: Function


@cache
def own(exercise: Exercise) -> list[Wrong]:
    """Return an exercise's function with each of its own known mistakes, made in each known way."""
    return _wrong(exercise.reference, exercise.mistakes, exercise.reference)


def of_steps(course: Course, exercise: Exercise) -> list[Wrong]:
    """Return an exercise's function with each known mistake of other exercises that it can make."""
    return [wrong for known in by_step(course, exercise).values() for wrong in known]


@cache
def by_step(course: Course, exercise: Exercise) -> dict[str, list[Wrong]]:
    """Return the same by exercise, in the order in which they are taught."""
    among = reached(exercise.reference)
    others = [other for other in course.exercises.values() if other is not exercise]
    found = {
        other.id: _wrong(exercise.reference, other.mistakes, other.reference, among)
        for other in others
    }
    return {name: known for name, known in found.items() if known}


def _wrong(
    whole: Function,
    mistakes: Iterable[Mistake],
    reference: Function,
    among: Collection[Function] | None = None,
) -> list[Wrong]:
    """Return the function with each way of each mistake in place of the step that it spoils.

    The steps may have to be `among` some.
    """
    return [
        Wrong(mistake, step, way, replaced(whole, step, way))
        for mistake in mistakes
        for step, way in mistake.made(reference, among)
    ]


@cache
def replaced(function: Function, step: Function, way: Function) -> Function:
    """Return a function in which a step is replaced, also in the functions that it calls."""
    if function is step:
        return way
    if step not in reached(function):
        return function
    code, outside = used(function)
    within = {
        name: replaced(value, step, way) if isinstance(value, FunctionType) else value
        for name, value in outside.items()
    }
    right = inspect.unwrap(function)
    wrong = FunctionType(code, within, right.__name__, right.__defaults__, right.__closure__)
    wrong.__kwdefaults__ = right.__kwdefaults__
    return wrong
