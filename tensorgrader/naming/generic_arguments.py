"""Mistakes that can be made anywhere: with the arguments of any function.

Mistakes of the exercise itself and of its steps are tried first, since they say more.
"""

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from itertools import permutations
from typing import Any

import torch
from torch import Tensor

from tensorgrader.exercise import Exercise, Function, Mistake
from tensorgrader.naming.mutate import Wrong

MANY = 6  # the arguments of a function about shapes
Change = Callable[..., Any]


@cache
def of_arguments(exercise: Exercise) -> list[Wrong]:
    """Return an exercise's function with each mistake that can be made in its arguments."""
    found = []
    for name, why, *changes in _of_arguments(exercise):
        mistake = Mistake(name, why, exercise.place(exercise.section))
        for change in changes:
            way = _given(exercise.reference, change)
            found.append(Wrong(mistake, exercise.reference, way, way))
    return found


def _given(whole: Function, change: Change) -> Function:
    return lambda *args: whole(*change(args))


def _of_arguments(exercise: Exercise) -> Iterator[tuple]:
    """Yield mistakes in arguments: a name, an explanation, and changes to all of them."""
    parameters = inspect.signature(exercise.reference).parameters
    if len(parameters) >= MANY or not exercise.is_direct:
        return
    kinds = [(number, name, p.annotation) for number, (name, p) in enumerate(parameters.items())]
    for (i, one, kind), (j, other, kind_too) in permutations(kinds, 2):
        if kind != kind_too:
            continue
        if i < j:
            yield (
                f"`{one}` and `{other}` are swapped",
                f"`{one}` is used where `{other}` belongs, and vice versa. Read again what each "
                f"of them is.",
                lambda args, i=i, j=j: _put(_put(args, i, _at(args, j)), j, _at(args, i)),
            )
        yield (
            f"`{other}` is used instead of `{one}`",
            f"The result does not depend on `{one}` at all. Where should your code read it?",
            lambda args, i=i, j=j: _put(args, i, _at(args, j)),
        )
    for number, name, kind in kinds:
        for said, why, *ways in _of_one(name, str(kind)):
            yield said, why, *(_on_argument(number, way) for way in ways)


def _of_one(name: str, kind: str) -> Iterator[tuple]:
    if "Tensor" in kind:
        yield (
            f"the last two axes of `{name}` are the wrong way round",
            "Write the shapes beside the formula: is a transpose missing, or one too many?",
            _turned,
        )
        yield (
            f"`{name}` is not used",
            f"The result does not depend on `{name}`. Where should your code read it?",
            torch.zeros_like,
            torch.ones_like,
        )
        yield (
            f"the first `{name}` is used for all",
            f"Each index of the first axes has its own `{name}`: only the first one is read.",
            lambda value: value[:1].expand_as(value) if value.dim() else value,
            lambda value: value.flatten(0, -3)[:1].expand_as(value) if value.dim() > 2 else value,
        )
        yield (
            f"`{name}` is inverted",
            "True and False are swapped in it, or plus and minus.",
            lambda value: ~value if value.dtype == torch.bool else -value,
        )
    elif kind in ("<class 'int'>", "<class 'float'>"):
        yield (
            f"`{name}` is off by one",
            "Compute the smallest case by hand, and count: the limit is off by one.",
            lambda value: value + 1,
            lambda value: value - 1,
        )
        yield (
            f"`{name}` is not used",
            f"The result does not depend on `{name}`. Where should your code read it?",
            lambda value: value * 0,
            lambda value: value * 0 + 1,
        )


def _on_argument(number: int, way: Change) -> Change:
    def change(args: tuple) -> tuple:
        given = [way(value) for value in args[number : number + 1] if value is not None]
        return (*args[:number], *given, *args[number + 1 :]) if given else args

    return change


def _at(args: tuple, number: int) -> Any:
    return args[number] if number < len(args) else None


def _put(args: tuple, number: int, value: Any) -> tuple:
    return tuple(value if n == number else old for n, old in enumerate(args))


def _turned(value: Tensor) -> Tensor:
    return value.mT if value.dim() > 1 else value
