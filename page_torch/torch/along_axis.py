"""Operations along an axis that keep the shape: cumulative sums, softmax."""

import math
import operator
from collections.abc import Callable
from itertools import accumulate
from typing import Any

from .arithmetic import sub
from .axes import permuted
from .comparing import ne
from .derivatives import LINES
from .dtypes import BFLOAT16, BOOL, FLOAT16, FLOAT64, dtype
from .elementwise import rounded_as
from .operation import operation
from .reducing import summed
from .rounding import keep
from .scalar_math import greatest
from .tensor import Tensor, axis, copied, new, numbers, unknown, without_numbers


def along(
    x: Tensor,
    dim: Any,
    function: Callable,
    kind: dtype,
    cut: bool = False,
    grows: Callable | None = None,
) -> Tensor:
    """Return a tensor in which a function has transformed each line along an axis."""
    if nowhere := unknown(x):
        step = (function.__name__, [x], [axis(x, dim)])
        return without_numbers(nowhere, x.shape, kind, () if cut else (x,), step)
    at = axis(x, dim)
    order = [d for d in range(len(x.shape)) if d != at] + [at] * bool(x.shape)
    moved = permuted(x, order)
    length = x.shape[at] if x.shape else 1

    def in_lines(flat: list) -> list[list]:
        return [flat[n : n + length] for n in range(0, len(flat), length or 1)]

    lines = in_lines(numbers(moved))
    values, back = keep([v for line in lines for v in function(line)], kind), None
    if not cut and (grows := grows or LINES.get(function.__name__)):

        def back(gradient: list) -> list:
            parts = map(grows, lines, in_lines(values), in_lines(gradient))
            return [[v for part in parts for v in part]]

    of = () if cut or not x.requires_grad else (moved,)
    result = new(values, moved.shape, kind, of, None, back)
    if order == sorted(order):
        return result
    turned = permuted(result, [order.index(d) for d in range(len(order))])
    return copied(turned, x.shape)


def _running(name: str, step: Callable) -> Callable:
    def apply(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
        kind = dtype or summed(input.dtype)
        if input.requires_grad and not kind.is_floating_point:
            raise RuntimeError(f"Autograd not support dtype: {kind.spoken}")
        if kind is BOOL and input.shape and 0 not in input.shape:
            raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")

        def run(line: list) -> list:
            return list(accumulate(line, step))

        run.__name__ = name
        return along(rounded_as(input, kind), dim, run, kind)

    apply.__name__ = name
    return operation(apply)


cumsum, cumprod = _running("cumsum", operator.add), _running("cumprod", operator.mul)


@operation
def diff(input: Tensor, n: int = 1, dim: int = -1) -> Tensor:
    at = axis(input, dim)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if not input.shape:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n == 0:
        return input.clone()
    minus = ne if input.dtype is BOOL else sub
    for _ in range(min(n, input.shape[at])):
        size = input.shape[at]
        input = minus(input.narrow(at, 1, size - 1), input.narrow(at, 0, size - 1))
    return input


def softmax_of(line: list) -> list:
    """Return the weights of a line of scores."""
    if not line:
        return []
    top = greatest(line)
    if not math.isfinite(top):
        return [math.nan] * len(line)
    exponentials = [math.exp(v - top) for v in line]
    sum_of_them = math.fsum(exponentials)
    return [e / sum_of_them for e in exponentials]


def safe_softmax_of(line: list) -> list:
    """Return the weights of a line of scores; where all of it is hidden, zeros."""
    return [0.0] * len(line) if set(line) == {-math.inf} else softmax_of(line)


def log_softmax_of(line: list, kept: dtype) -> list:
    """Return the logarithms of the weights of a line of scores; their sum is kept in a type."""
    top = greatest(line)
    if not math.isfinite(top):
        return [math.nan] * len(line)
    (whole,) = keep([math.fsum(math.exp(v - top) for v in line)], kept)
    (log,) = keep([math.log(whole)], kept)
    return [v - top - log for v in line]


def _scores(name: str, input: Tensor, dtype: dtype | None) -> Tensor:
    """Return scores in the requested dtype. Raises an error unless they are floats."""
    x = input if dtype is None else rounded_as(input, dtype)
    if not x.dtype.is_floating_point and 0 not in x.shape:
        raise NotImplementedError(
            f"\"{name}_lastdim_kernel_impl\" not implemented for '{x.dtype.spoken}'"
        )
    return x


@operation
def softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    x = _scores("softmax", input, dtype)
    return along(x, dim, softmax_of, x.dtype)


@operation
def log_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    x = _scores("log_softmax", input, dtype)
    last = bool(x.shape) and axis(x, dim) == len(x.shape) - 1
    kept = x.dtype if last and x.dtype in (FLOAT16, BFLOAT16) else FLOAT64  # as PyTorch's kernel

    def weights(line: list) -> list:
        return log_softmax_of(line, kept) if line else []

    return along(x, dim, weights, x.dtype, grows=LINES["log_softmax_of"])
