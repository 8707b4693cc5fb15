"""Reductions: sums, means, variances, norms."""

import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

from .axes import permuted
from .derivatives import ROWS, norm_back
from .dtypes import BOOL, FLOAT32, INT64, UINT8, dtype
from .elementwise import mapped, rounded_as
from .missing import missing
from .operation import operation, torch_function
from .rounding import keep
from .scalar_math import greatest
from .tensor import Tensor, axis, new, numbers, unknown, without_numbers
from .unary import sqrt

Dims = list[int]
ALL_AXES = object()


def reduced_axes(x: Tensor, dim: Any) -> Dims:
    """Return the axes to reduce: all by default."""
    if dim is None or dim == () or dim == []:
        return list(range(len(x.shape)))
    found = [axis(x, d) for d in (dim if isinstance(dim, tuple | list) else (dim,))]
    if len(set(found)) != len(found):
        again = next(d for d in found if found.count(d) > 1)
        raise RuntimeError(f"dim {again} appears multiple times in the list of dims")
    return found


def in_rows(x: Tensor, dims: Dims) -> Tensor:
    """Return a view with the axes that are reduced at the end."""
    kept = [d for d in range(len(x.shape)) if d not in dims]
    return permuted(x, kept + dims) if x.shape and dims != _last(x, dims) else x


def rows(x: Tensor, dims: Dims) -> list[list]:
    """Return the groups of numbers that are reduced to one."""
    kept = [d for d in range(len(x.shape)) if d not in dims]
    flat = numbers(in_rows(x, dims))
    count = math.prod(x.shape[d] for d in dims) if x.shape else 1
    if not count:
        return [[] for _ in range(math.prod(x.shape[d] for d in kept))]
    return [flat[n : n + count] for n in range(0, len(flat), count)]


def _last(x: Tensor, dims: Dims) -> Dims:
    return list(range(len(x.shape) - len(dims), len(x.shape)))


def left(x: Tensor, dims: Dims, keepdim: bool) -> list[int]:
    """Return the shape after the reduction."""
    if not x.shape:
        return []
    return [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]


def reduced(
    function: Callable, x: Tensor, dim: Any, keepdim: bool, kind: dtype, cut: bool = False,
    grows: Callable | None = None,
) -> Tensor:  # fmt: skip
    """Apply a function to the numbers along some axes."""
    dims = reduced_axes(x, dim)
    if nowhere := unknown(x):
        step = (function.__name__, [x], dims)
        return without_numbers(nowhere, left(x, dims, keepdim), kind, () if cut else (x,), step)
    given = rows(x, dims)
    values, back = keep(map(function, given), kind), None
    if not cut and (grows := grows or ROWS.get(function.__name__)):

        def back(gradient: list) -> list:
            parts = map(grows, given, values, gradient)
            return [[v for part in parts for v in part]]

    of = () if cut or not x.requires_grad else (in_rows(x, dims),)
    return new(
        values, left(x, dims, keepdim), kind, of, None, back, function not in (total, _mean_of)
    )


def total(row: Sequence) -> Any:
    """Return the sum, rounded once at the end if possible."""
    try:
        return math.fsum(row) if row and type(row[0]) is float else builtins.sum(row)
    except (OverflowError, ValueError):
        return builtins.sum(row)


def summed(kind: dtype) -> dtype:
    """Return the dtype of a sum."""
    return kind if kind.is_floating_point else INT64


def _check_kept(x: Tensor, kind: dtype | None) -> None:
    """Raise RuntimeError for a dtype in which gradients would be lost."""
    if kind is not None and x.requires_grad and not kind.is_floating_point:
        raise RuntimeError(f"Autograd not support dtype: {kind.spoken}")


@operation
def sum(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    _check_kept(input, dtype)
    x = input if dtype is None else rounded_as(input, dtype)
    return reduced(total, x, dim, keepdim, dtype or summed(input.dtype))


@operation
def prod(
    input: Tensor, dim: Any = ALL_AXES, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    dim = None if dim is ALL_AXES else axis(input, dim)
    return reduced(math.prod, input, dim, keepdim, dtype or summed(input.dtype))


def _mean_of(row: list) -> float:
    return total(row) / len(row) if row else math.nan


def _mean_kind(name: str, kind: dtype, given: str = "Input") -> dtype:
    if not kind.is_floating_point:
        raise RuntimeError(
            f"{name}(): could not infer output dtype. {given} dtype must be either a floating "
            f"point or complex dtype. Got: {kind.spoken}"
        )
    return kind


@operation
def mean(
    input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    kind = _mean_kind("mean", dtype, "Optional") if dtype else _mean_kind("mean", input.dtype)
    return reduced(_mean_of, rounded_as(input, kind), dim, keepdim, kind)


@operation
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    kind = _mean_kind("nanmean", input.dtype)
    return reduced(lambda row: _mean_of([v for v in row if v == v]), input, dim, keepdim, kind)


def _spread(correction: float) -> Callable[[list], float]:
    def variance(row: list) -> float:
        if not row:
            return math.nan
        middle = total(row) / len(row)
        squares = total([(v - middle) * (v - middle) for v in row])
        degrees = max(len(row) - correction, 0)
        if degrees:
            return squares / degrees
        return math.nan if squares == 0 or squares != squares else math.inf

    variance.__name__ = f"variance_{correction}"
    return variance


@operation
def var(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: Any = None,
) -> Tensor:  # fmt: skip
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if not input.dtype.is_floating_point:
        raise RuntimeError("std and var only support floating point and complex dtypes")
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    return reduced(_spread(correction), input, dim, keepdim, input.dtype)


@operation
def std(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: Any = None,
) -> Tensor:  # fmt: skip
    return sqrt(var(input, dim, unbiased, keepdim, correction=correction))


@torch_function
def var_mean(
    input: Tensor, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *,
    correction: Any = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    spread = var(input, dim, unbiased, keepdim, correction=correction)
    return spread, mean(input, None if isinstance(dim, bool) else dim, keepdim)


def _truth(name: str, function: Callable) -> Callable:
    def apply(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        kind = UINT8 if input.dtype is UINT8 else BOOL
        if dim == ():  # here an empty tuple means no axis
            return mapped(input.contiguous(), bool, kind, cut=True)
        return reduced(function, input, dim, keepdim, kind, cut=True)

    apply.__name__ = name
    return operation(apply)


all, any = _truth("all", builtins.all), _truth("any", builtins.any)


@operation
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    return reduced(lambda row: builtins.sum(v != 0 for v in row), input, dim, False, INT64, True)


@operation
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    if dim in (None, ()):
        raise TypeError("logsumexp(): argument 'dim' (position 1) must be tuple of ints, not None")

    def log_of_sum(row: list) -> float:
        top = builtins.max(row, default=-math.inf)
        if builtins.any(v != v for v in row):
            return math.nan
        if not math.isfinite(top):
            return top
        return top + math.log(math.fsum(math.exp(v - top) for v in row))

    x = input if input.dtype.is_floating_point else input.to(FLOAT32)
    return reduced(log_of_sum, x, dim, keepdim, x.dtype)


def norm_of(order: float) -> Callable[[list], float]:
    """Return the function that computes the norm of a row."""
    if order == math.inf:
        return lambda row: greatest([builtins.abs(v) for v in row]) if row else 0.0
    if order == -math.inf:
        return lambda row: builtins.min(map(builtins.abs, row))
    if order == 0:
        return lambda row: builtins.sum(v != 0 for v in row)
    if order == 1:
        return lambda row: total([builtins.abs(v) for v in row])
    if order == 2:
        return lambda row: math.sqrt(total([v * v for v in row]))
    return lambda row: total([builtins.abs(v) ** order for v in row]) ** (1 / order)


@operation
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False,
    dtype: dtype | None = None,
) -> Tensor:  # fmt: skip
    order = 2 if p in ("fro", None) else p
    return vector_norm(input, order, dim, keepdim, dtype=dtype)


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return `torch.linalg.vector_norm`."""
    kind = dtype or x.dtype
    if not x.dtype.is_floating_point or not kind.is_floating_point:
        raise RuntimeError(f"linalg.vector_norm: expected floats, but got {x.dtype.spoken}")
    if ord in (math.inf, -math.inf) and 0 in [x.shape[d] for d in reduced_axes(x, dim) if x.shape]:
        raise RuntimeError("linalg.vector_norm: an empty dimension has no inf norm")
    return reduced(norm_of(ord), x, dim, keepdim, kind, grows=norm_back(ord))


@torch_function
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    for name, x in (("X1", x1), ("X2", x2)):
        if len(x.shape) < 2 or not x.dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports at least 2D tensors of floats, {name} is none")
    if x1.dtype.itemsize < 4 or x2.dtype.itemsize < 4:
        raise NotImplementedError(f"\"cdist\" not implemented for '{x1.dtype.spoken}'")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError("X1 and X2 must have the same number of columns.")
    if p == math.inf and (x1.requires_grad or x2.requires_grad):
        raise missing("gradient of cdist by the greatest difference")
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)
