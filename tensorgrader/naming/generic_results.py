"""Mistakes that can be made in the result of any function: the right one is altered."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, permutations
from typing import Any

import torch
from torch import Tensor

from tensorgrader.exercise import Exercise, Mistake

Change = Callable[[Any], Any]


@cache
def of_results(exercise: Exercise) -> list[tuple[Mistake, Change]]:
    """Return each mistake in a result as a change to the right one."""
    return [
        (Mistake(name, why, exercise.place(exercise.section)), change)
        for name, why, *changes in _of_results(exercise)
        for change in changes
    ]


def _of_results(exercise: Exercise) -> Iterator[tuple]:
    """Yield mistakes in a result: a name, an explanation, and changes to it."""
    if exercise.effect:  # then the result itself is not compared
        return
    names = list(exercise.results)
    if len(names) > 1:
        yield (
            "the results are in another order",
            f"Return, in this order: {', '.join(names)}.",
            *(
                lambda value, order=order: tuple(value[n] for n in order)
                for order in permutations(range(len(names)))
                if list(order) != sorted(order) and len(order) < 4
            ),
        )
        yield (
            "one result is missing",
            f"Return {len(names)} results: {', '.join(names)}.",
            *(
                lambda value, which=which: (
                    value[which[0]] if len(which) == 1 else tuple(value[n] for n in which)
                )
                for size in {1, len(names) - 1}
                for which in combinations(range(len(names)), size)
            ),
        )
    parts = [None, *range(len(names))] if len(names) > 1 else [None]
    for said, why, *ways in ALTERED:
        yield said, why, *(_on_result(part, way) for way in ways for part in parts)


def _on_result(part: int | None, way: Change) -> Change:
    """Return a change to one of several results, to the only one, or to all tensors."""
    if part is None:
        return lambda value: tuple(map(way, value)) if isinstance(value, tuple) else way(value)
    return lambda value: (*value[:part], way(value[part]), *value[part + 1 :])


def _swap(one: int, other: int) -> Change:
    def change(value: Any) -> Any:
        fits = isinstance(value, Tensor) and -value.dim() <= min(one, other)
        return value.transpose(one, other) if fits else value

    return change


def _tensor(way: Change) -> Change:
    return lambda value: way(value) if isinstance(value, Tensor) else value


def _method(name: str, *args: int) -> Change:
    return _tensor(lambda value: getattr(value, name)(*args))


def _numbers(way: Change) -> Change:
    """Return a change to numbers, in a tensor or by themselves, but not to booleans."""

    def change(value: Any) -> Any:
        is_mask = value.dtype == torch.bool if isinstance(value, Tensor) else type(value) is bool
        return value if is_mask or not isinstance(value, Tensor | int | float) else way(value)

    return change


ALTERED: list[tuple] = [
    (
        "two axes of the result are swapped",
        "The numbers are right, but arranged differently. Write down the meaning of each axis, "
        "and the order that the task asks for.",
        *(_swap(*pair) for pair in ((-1, -2), (-2, -3), (-1, -3), (-3, -4))),
    ),
    (
        "the numbers are reshaped where axes should be swapped",
        "reshape and view keep the order of the numbers and only change where rows end. Use "
        "transpose or permute to swap axes.",
        _tensor(lambda value: _swap(-1, -2)(value).reshape(value.shape)),
        _tensor(lambda value: _swap(-2, -3)(value).reshape(value.shape)),
    ),
    (
        "the sign is flipped",
        "Plus and minus are swapped. Look at each subtraction: which is subtracted from which?",
        _numbers(lambda value: -value),
    ),
    (
        "True and False are swapped",
        "Every entry is the opposite of the right one. Check what True means in this task.",
        lambda value: ~value if isinstance(value, Tensor) and value.dtype == torch.bool else value,
        lambda value: not value if type(value) is bool else value,
    ),
    (
        "it is one too large or too small",
        "Compute the smallest case by hand, and count.",
        _numbers(lambda value: value + 1),
        _numbers(lambda value: value - 1),
    ),
    (
        "it is twice as large as it should be, or half as large",
        "Something is counted twice, or a factor of two is missing.",
        _numbers(lambda value: value * 2),
        _numbers(lambda value: value / 2),
    ),
    (
        "an axis of length 1 is missing, or there is one too many",
        "The numbers are right. keepdim, unsqueeze and None add such an axis; squeeze, sum and "
        "an index remove one.",
        *(_method("unsqueeze", n) for n in (0, 1, -1, -2)),
        *(_method("squeeze", n) for n in (0, -1, -2, -3)),
        _tensor(lambda value: value.squeeze()),
    ),
    (
        "the order is reversed",
        "The first comes last, and the last first.",
        *(_method("flip", n) for n in (0, -1, -2)),
        lambda value: value[::-1] if isinstance(value, list) else value,
    ),
    (
        "everything is shifted by one",
        "Each number is where its neighbour should be. Count the positions from 0, by hand.",
        *(_method("roll", 1, n) for n in (0, -1, -2)),
        *(_method("roll", -1, n) for n in (0, -1, -2)),
    ),
    (
        "only the first of the batch is computed",
        "A return inside a loop, or [0], leaves out the rest.",
        _tensor(lambda value: value[0]),
        _tensor(lambda value: value[:1]),
    ),
    (
        "it is a list, not a tensor",
        "Other code computes with the result, so return a tensor.",
        _tensor(lambda value: value.tolist()),
        _tensor(list),
    ),
    (
        "it is a tensor, not a plain number or list",
        "Return Python's own type: .item() and .tolist() convert.",
        lambda value: value if isinstance(value, Tensor | dict | tuple) else torch.tensor(value),
    ),
    (
        "nothing is returned",
        "Without `return`, a function returns None, whatever it has computed.",
        lambda value: None,
    ),
]  # fmt: skip
