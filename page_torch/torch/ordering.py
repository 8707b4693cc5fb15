"""Maximum, minimum, sorting, and selection by order."""

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

from .along_axis import along
from .arithmetic import maximum, minimum
from .derivatives import alike
from .descriptions import Pair, pair
from .dtypes import BOOL, INT64, no_bools
from .graph import spots, view_of
from .operation import operation
from .reducing import in_rows, left, reduced, reduced_axes, rows
from .scalar_math import greatest, smallest
from .tensor import Tensor, axis, new, numbers, read_at, rounded, unknown, whole, without_numbers
from .views import reshaped_copy

Pick = Callable[[list], Any]


def place(row: list, value: Any) -> int:
    """Return the first index of a value in a row."""
    return next(n for n, v in enumerate(row) if v == value or (v != v and value != value))


def _check_some(name: str, input: Tensor, dims: list[int]) -> None:
    """Raise IndexError if an axis to reduce is empty."""
    for d in dims if input.shape else []:
        if input.shape[d] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def _extreme(name: str, pick: Pick, pairwise: Callable) -> None:
    """Define `max` or `min`, `amax` or `amin`, `argmax` or `argmin`."""

    def extreme(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        if isinstance(dim, Tensor) or other is not None:
            return pairwise(input, dim if other is None else other)
        if dim is None:
            return extremes(input)
        at = axis(input, dim)
        _check_some(name, input, [at])
        if nowhere := unknown(input):
            found = extremes(input, at, keepdim)
            return pair(name, found, without_numbers(nowhere, found.shape, INT64))
        return _nth(name, input, lambda line: place(line, pick(line)), at, keepdim)

    def extremes(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
        _check_some(f"a{name}", input, reduced_axes(input, dim))
        return reduced(pick, input, dim, keepdim, input.dtype)

    def argument(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        if input.dtype is BOOL:
            raise RuntimeError(f"arg{name}(): does not support bool input")
        if dim is not None:
            return extreme(input, axis(input, dim), keepdim)[1]
        _check_some(f"arg{name}", input, reduced_axes(input, None))
        line = numbers(input)
        shape = [1] * len(input.shape) if keepdim else []
        return new([place(line, pick(line))], shape, INT64)

    extreme.__name__, extremes.__name__, argument.__name__ = name, f"a{name}", f"arg{name}"
    for function in (extreme, extremes, argument):
        operation(function)
    globals().update({name: extreme, f"a{name}": extremes, f"arg{name}": argument})


amax: Callable
amin: Callable
_extreme("max", greatest, maximum)
_extreme("min", smallest, minimum)


def sorted_places(line: Sequence, descending: bool) -> list[int]:
    """Return the places of a line's numbers in sorted order; NaN is the greatest."""
    if descending:
        return builtins.sorted(range(len(line)), key=lambda n: (line[n] == line[n], -line[n]))
    return builtins.sorted(range(len(line)), key=lambda n: (line[n] != line[n], line[n]))


@operation
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    return along(input, dim, lambda line: sorted_places(line, descending), INT64, True)


@operation
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Pair:
    def values(line: list) -> list:
        return [line[n] for n in sorted_places(line, descending)]

    def back(line: list, _: list, gradient: list) -> list:
        order = sorted_places(line, descending)
        return [d for _, d in builtins.sorted(zip(order, gradient, strict=True))]

    ordered = along(input, dim, values, input.dtype, grows=back)
    return pair("sort", ordered, argsort(input, dim, descending))


@operation
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Pair:
    at, count = axis(input, dim), whole(k, "k")
    if input.dtype is BOOL:
        raise RuntimeError("topk does not support bool dtypes on CPU")
    if not 0 <= count <= (input.shape[at] if input.shape else 1):
        raise RuntimeError("selected index k out of range")
    values, places = sort(input, at, largest)
    if input.shape:
        parts = (x.narrow(at, 0, count) for x in (values, places))
        values, places = (reshaped_copy(x, tuple(x.shape)) for x in parts)
    return pair("topk", values, places)


@operation
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Pair:
    at = axis(input, dim)
    if not 1 <= k <= (input.shape[at] if input.shape else 1):
        raise RuntimeError("kthvalue(): selected number k out of range for dimension " + str(at))
    if input.shape:
        no_bools("kthvalue_cpu", input.dtype)
    return _nth("kthvalue", input, lambda line: sorted_places(line, False)[k - 1], at, keepdim)


def _nth(name: str, input: Tensor, nth: Callable[[list], int], at: int, keepdim: bool) -> Pair:
    """Select a number of each line along an axis, by its place in the line."""
    dims = [at] if input.shape else []
    shape, moved = left(input, [at], keepdim), in_rows(input, dims)
    size = input.shape[at] if dims else 1
    found = [nth(line) for line in rows(input, dims)]
    where = spots(*view_of(moved))
    chosen = [where[start * size + n] for start, n in enumerate(found)]
    return pair(name, read_at(input, chosen, shape), new(found, shape, INT64))


def _middle(line: list) -> int:
    """Return the place of the lower median of a line; NaN wins."""
    known = builtins.sum(v == v for v in line)
    return sorted_places(line, False)[(known - 1) // 2 if known == len(line) else known]


@operation
def median(input: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
    if input.shape.numel() or dim is not None:
        no_bools("median_cpu", input.dtype)
    if dim is None:
        line = numbers(input)
        value = line[_middle(line)] if line else math.nan
        kind, of = input.dtype, (input,)
        return rounded([value], (), kind, of, back=lambda d: [alike(line, value, *d)])
    at = axis(input, dim)
    _check_some("median", input, [at])
    return _nth("median", input, _middle, at, keepdim)
