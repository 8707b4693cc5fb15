"""Outcomes compared: whether two are alike, what is wrong in one, and one laid over another."""

from typing import Any

import torch
from torch import Tensor

from tensorgrader.outcome import Outcome, Raised, Returned
from tensorgrader.sandbox.values import numbers
from tensorgrader.trial import Case, close, same


def alike(one: Outcome, other: Outcome) -> bool:
    """Return whether outcomes have equal results and arguments afterwards, or are both errors."""
    if isinstance(one, Returned) and isinstance(other, Returned):
        return same(one.value, other.value) and same(one.after, other.after)
    return isinstance(one, Raised) and isinstance(other, Raised)


def wrong_parts(outcome: Outcome, case: Case) -> set[int]:
    """Return the numbers of the results that are wrong, and -1 if the arguments were changed.

    An error is wrong in all of them and in -2.
    """
    theirs = _results(Returned(case.expected, ()))
    if not isinstance(outcome, Returned):
        return set(range(-2, len(theirs)))
    yours, different = _results(outcome), set(range(len(theirs)))
    if len(yours) == len(theirs):
        different = {n for n in different if not same(yours[n], theirs[n])}
    return different if same(outcome.after, arguments(case)) else different | {-1}


def _results(outcome: Returned) -> tuple | list:
    return outcome.value if isinstance(outcome.value, tuple) else (outcome.value,)


def distance(one: Outcome, case: Case) -> float:
    """Return the distance from an outcome to a case's: 0 if alike, 1/2 if as far as the right one.

    Floats count by their size, all else by the share that differs.
    """
    other = case.outcome
    if not isinstance(one, Returned) or not isinstance(other, Returned):
        return float(not alike(one, other))
    three = [_results(one), _results(other), _results(Returned(case.expected, ()))]
    if len({len(results) for results in three}) > 1:
        return 1.0
    return sum(map(_distance, *three)) / len(three[0])


def _distance(one: Any, other: Any, right: Any) -> float:
    """Return the distance from one part of a result to the learner's."""
    if not isinstance(one, Tensor) or _form(one) != _form(other) or not one.numel():
        return float(not same(one, other))
    differ = ~close(one, other)
    if not differ.any():
        return 0.0
    if not one.is_floating_point() or _form(one) != _form(right):
        return differ.double().mean().item()
    finite = one.isfinite() & other.isfinite() & right.isfinite()
    yours, theirs, rights = (torch.where(finite, x.double(), 0.0) for x in (one, other, right))
    far, error = ((x - theirs).abs().sum().item() for x in (yours, rights))
    by_size = far / (far + error) if far else 0.0
    return by_size + (differ & ~finite).double().mean().item()


def form(outcome: Outcome) -> tuple:
    """Return the shapes and types of each result, or that there is none."""
    if not isinstance(outcome, Returned):
        return ("error",)
    return tuple(map(_form, _results(outcome)))


def _form(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value.shape, value.dtype
    if isinstance(value, list):
        return list  # of any length
    if isinstance(value, tuple):
        return tuple(map(_form, value))
    return set(value) if isinstance(value, dict) else type(value)


def overlaid(one: Outcome, other: Outcome, case: Case) -> Outcome:
    """Return one outcome where it is wrong, and the other where the first is right."""
    if not isinstance(one, Returned) or not isinstance(other, Returned):
        return other if isinstance(one, Returned) else one
    value = _overlaid(one.value, other.value, case.expected)
    return Returned(value, _overlaid(one.after, other.after, arguments(case)))


def _overlaid(one: Any, other: Any, right: Any) -> Any:
    """Combine part by part while all three have the same form, and entry by entry except floats.

    Floats are computed together: if some of them are wrong, the others may be, too.
    """
    three = (one, other, right)
    if all(isinstance(x, tuple | list) and len(x) == len(one) for x in three):
        return tuple(map(_overlaid, *three))
    if all(isinstance(x, dict) and x.keys() == one.keys() for x in three):
        return {key: _overlaid(one[key], other[key], right[key]) for key in one}
    tensors = all(isinstance(x, Tensor) and _form(x) == _form(one) for x in three)
    if tensors and not right.is_floating_point():
        return torch.where(close(one, right), other, one)
    return other if same(one, right) else one


def arguments(case: Case) -> tuple:
    """Return the arguments as they should be afterwards: unchanged."""
    return (*numbers(case.inputs.args), case.inputs.mask)
