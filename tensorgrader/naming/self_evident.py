"""Mistakes that can be made in any function, and that an answer proves by itself.

Each is removed from the outcomes in which it shows, so that other mistakes can be found.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from typing import Any, NamedTuple

import torch
from torch import Tensor

from tensorgrader.explain_error import INTO_WHAT_IS_KEPT
from tensorgrader.naming.compare import alike, arguments, wrong_parts
from tensorgrader.outcome import Outcome, Raised, Returned
from tensorgrader.trial import Case, same, tensors

Without = Callable[[list[Case]], list[Outcome]]


class Habit(NamedTuple):
    """A mistake that any function can make, and the outcomes without it."""

    name: str
    why: str
    without: Without
    evidence: int = 3  # the minimum of cases in which it shows


def without_habits(cases: list[Case]) -> tuple[list[Habit], list[Case]]:
    """Return the habits that show in enough cases, and the cases without any."""
    found = []
    for habit in HABITS:
        outcomes = habit.without(cases)
        shown = [not _is_untold(case.outcome, o) for o, case in zip(outcomes, cases, strict=True)]
        if sum(shown) >= habit.evidence:
            found.append(habit)
        cases = [replace(c, outcome=o) for c, o in zip(cases, outcomes, strict=True)]
    return found, cases


def _is_untold(one: Outcome, other: Outcome) -> bool:
    return _reach(one) == _reach(other) and alike(one, other)


def _reach(outcome: Outcome) -> tuple:
    return (outcome.origins, outcome.severed) if isinstance(outcome, Returned) else ()


def _returned(change: Callable[[Returned, Case], Returned]) -> Without:
    """Return a change to returned values that keeps errors."""
    return lambda cases: [
        change(case.outcome, case) if isinstance(case.outcome, Returned) else case.outcome
        for case in cases
    ]


@_returned
def _kept(outcome: Returned, case: Case) -> Returned:
    return outcome._replace(after=arguments(case))


@_returned
def _uncut(outcome: Returned, case: Case) -> Returned:
    pairs = zip_longest(outcome.origins, case.question.origins, fillvalue=())
    cut = any(
        set(right) - set(mine) or (right and part in outcome.severed)
        for part, (mine, right) in enumerate(pairs)
    )
    uncut = outcome._replace(origins=case.question.origins, severed=())
    return uncut if cut and _is_right(case) else outcome


def _anew(cases: list[Case]) -> list[Outcome]:
    """Return the right results where an earlier call's, or another input's, was returned.

    If there are few different right results, each is another input's too: that proves nothing.
    """
    right = [case.expected for case in cases]
    repeated = sum(any(same(one, other) for other in right[:n]) for n, one in enumerate(right))
    if 2 * repeated > len(right):
        return [case.outcome for case in cases]
    again = [case for case in cases if case.inputs.before is not None]
    known = [c.expected for c in cases] + [c.question.earlier for c in again]

    def is_known(case: Case) -> bool:
        value = case.outcome.value if isinstance(case.outcome, Returned) else None
        return any(same(value, one) for one in known)

    if not any(map(_is_other, again)) or not all(map(is_known, again)):
        return [case.outcome for case in cases]
    return [_righted(case) if is_known(case) else case.outcome for case in cases]


def _steady(cases: list[Case]) -> list[Outcome]:
    """Return the right results in place of wrong ones if one question got two answers."""
    differ = any(case.again and not alike(case.outcome, case.again) for case in cases)
    return [_righted(case) if differ and not _is_right(case) else case.outcome for case in cases]


def _is_other(case: Case) -> bool:
    return isinstance(case.outcome, Returned) and not same(case.outcome.value, case.expected)


def _converted(is_other: Callable[[Any, Any], bool]) -> Without:
    """Convert each part of a result to the type that is expected."""

    def part(value: Any, asked: Any) -> Any:
        if isinstance(asked, tuple | list) and type(value) in (tuple, list):
            return type(value)(map(part, value, asked)) if len(value) == len(asked) else value
        if not is_other(value, asked):
            return value
        if not isinstance(asked, Tensor):
            return type(asked)(value)
        as_near = same(value, asked.to(value.dtype))  # within its own precision
        return asked if as_near else value.to(asked.dtype)

    @_returned
    def without(outcome: Returned, case: Case) -> Returned:
        return outcome._replace(value=part(outcome.value, case.expected))

    return without


@_converted
def _booleans(value: Any, asked: Any) -> bool:
    if not isinstance(value, Tensor) or not isinstance(asked, Tensor):
        return False
    numbers = asked.dtype == torch.bool != value.dtype
    return numbers and bool(((value == 0) | (value == 1)).all())


@_converted
def _whole_numbers(value: Any, asked: Any) -> bool:
    if isinstance(value, Tensor) and isinstance(asked, Tensor):
        floats = asked.dtype == torch.int64 and value.is_floating_point()
        return floats and torch.equal(value, value.round())
    return type(asked) is int and type(value) is float and value.is_integer()


@_converted
def _of_that_precision(value: Any, asked: Any) -> bool:
    if not isinstance(value, Tensor) or not isinstance(asked, Tensor):
        return False
    both_floats = value.is_floating_point() and asked.is_floating_point()
    return both_floats and value.dtype != asked.dtype


def _succeeding(kind: Callable[[list[Tensor]], Any]) -> Without:
    """Return the right results if all arguments of one kind fail, and no others do.

    Some raise an error, or give another shape. If others happen to fit, their results are wrong.
    """

    def without(cases: list[Case]) -> list[Outcome]:
        kinds = [kind(list(tensors((*case.inputs.args, case.inputs.mask)))) for case in cases]
        unfit = any(_is_unfit(case) for case in cases)
        failed = [unfit and not _is_right(case) for case in cases]
        fine = {k for k, fails in zip(kinds, failed, strict=True) if not fails}
        counts = {len(k) for k in kinds if isinstance(k, tuple)}  # such as a model's of more layers
        unlike = len(counts) > 1
        alike = any(k in fine for k, fails in zip(kinds, failed, strict=True) if fails)
        if not fine or alike or unlike:
            return [case.outcome for case in cases]
        return [
            _righted(case) if fails else case.outcome
            for case, fails in zip(cases, failed, strict=True)
        ]

    return without


def _is_unfit(case: Case) -> bool:
    if not isinstance(case.outcome, Returned):
        return True
    shapes = [getattr(value, "shape", None) for value in (case.outcome.value, case.expected)]
    return None not in shapes and shapes[0] != shapes[1]


def _is_right(case: Case) -> bool:
    """Return whether the returned value is right."""
    return isinstance(case.outcome, Returned) and not wrong_parts(case.outcome, case)


def _raising(words: str) -> Without:
    """Return the right results in place of errors with this message."""

    def without(cases: list[Case]) -> list[Outcome]:
        return [
            _righted(case) if isinstance(o, Raised) and words in o.message else o
            for case in cases
            for o in [case.outcome]
        ]

    return without


def _righted(case: Case) -> Returned:
    """Return the outcome that was expected."""
    return Returned(case.expected, arguments(case), case.question.origins)


def _axes(given: list[Tensor]) -> tuple[int, ...]:
    """Return the number of axes of each argument; of masks if there is nothing else."""
    asked = [tensor for tensor in given if tensor.dtype != torch.bool] or given
    return tuple(tensor.dim() for tensor in asked)


def _are_of_one_shape(given: list[Tensor]) -> bool:
    """Return whether masks, if any, fit without broadcasting."""
    masked = any(tensor.dtype == torch.bool for tensor in given)
    return not masked or len({tensor.shape for tensor in given}) == 1


HABITS = (
    Habit(
        "two equal calls give different results",
        "The same arguments must give the same result each time.\nCompute the result exactly "
        "instead of drawing at random, or draw so often that the result is always the same. "
        "Dropout is for training only: F.dropout is active unless you pass training=False.",
        _steady,
        evidence=2,
    ),
    Habit(
        "it returns the result of an earlier call",
        "A stored result is right only for the arguments of that call. Other numbers may have the "
        "same shape, or even be in the same tensor.\nCompute from the arguments at each call.",
        _anew,
        evidence=2,
    ),
    Habit(
        "the gradient is cut",
        "Only tensors made by tensor operations know where they came from. .detach(), "
        "torch.no_grad(), .item(), .tolist(), .numpy() and torch.tensor(...) forget it, so that "
        "the layers before can't learn.",
        _uncut,
        evidence=2,
    ),
    Habit(
        "it changes what it was given",
        "-=, methods that end in _ and x[...] = ... modify your arguments, which the caller "
        "still uses.\nCreate a new tensor, or a new dict.",
        _kept,
        evidence=2,
    ),
    Habit(
        "it writes into what its gradient needs",
        "exp, sqrt, softmax and others save their result, since their gradient is computed from "
        "it. -=, methods that end in _ and x[...] = ... modify it.\nCreate a new tensor.",
        _raising(INTO_WHAT_IS_KEPT),
        evidence=2,
    ),
    Habit(
        "it holds numbers, not True and False",
        "A boolean mask is unambiguous; numbers are added to the scores by some functions and "
        "rejected by others.\nA comparison gives True and False directly, .bool() converts "
        "numbers.",
        _booleans,
    ),
    Habit(
        "it holds floats, not integers",
        "/ gives a float, even if the division leaves no remainder, and so do torch.zeros and "
        "torch.ones.\nDivide with //, or pass a dtype.",
        _whole_numbers,
    ),
    Habit(
        "the dtype is not the one asked for",
        "The numbers are right, but of another precision. torch.zeros, torch.arange and the like "
        "give float32 or int64 unless you pass a dtype.",
        _of_that_precision,
        evidence=1,  # a dtype doesn't agree by chance
    ),
    Habit(
        "it works for one number of axes only",
        "With further axes in front (batch, heads), or without them, it raises an error, or its "
        "result has another shape.\nCounted from the end, -1 and -2, axes are always found.",
        _succeeding(_axes),
        evidence=2,
    ),
    Habit(
        "it does not broadcast the mask",
        "A mask may have fewer axes than the scores, or axes of length 1.\nmasked_fill, "
        "torch.where and products broadcast it automatically; an index such as x[mask] does not.",
        _succeeding(_are_of_one_shape),
        evidence=2,
    ),
    Habit(
        "view() needs numbers that are contiguous in memory",
        "After a transpose, or in a slice, they are not.\nreshape and flatten copy them if needed.",
        _raising("view size is not compatible"),
    ),
    Habit(
        "a number does not fit into half precision",
        "float16 ends at -65504, and -1e9 is far below.\ntorch.finfo(x.dtype).min is the lowest "
        "number of any precision, and -math.inf exists in each.",
        _raising("without overflow"),
        evidence=2,
    ),
)
