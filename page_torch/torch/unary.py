"""Functions of one number, element by element."""

import builtins
import math
from collections.abc import Callable
from typing import Any

from .dtypes import BOOL, FLOAT32, INT64, finfo, no_bools
from .elementwise import mapped, paired, result_type, rounded_as
from .missing import missing
from .operation import operation
from .rounding import check_fits
from .scalar_math import at_least, at_most, divided, power
from .tensor import Tensor

INF, NAN = math.inf, math.nan


def guarded(function: Callable, over: float = INF) -> Callable:
    """Return infinity if a Python function overflows, and NaN where it is not defined."""

    def safe(v: float) -> float:
        try:
            return function(v)
        except OverflowError:
            return over
        except ValueError:
            return NAN

    return safe


def log_by(function: Callable) -> Callable:
    """Extend a Python logarithm to all numbers."""
    return lambda v: function(v) if v > 0 else -INF if v == 0 else NAN


def sigmoid_of(v: float) -> float:
    """Return 1 / (1 + e^-v) without overflow."""
    if v >= 0:
        return 1 / (1 + math.exp(-v))
    e = math.exp(v)
    return e / (1 + e)


#: Functions that return floats, also for integers.
FLOATS: dict[str, Callable] = {
    "exp": guarded(math.exp), "exp2": lambda v: power(2.0, v),
    "log": log_by(math.log), "log2": log_by(math.log2),
    "sqrt": guarded(math.sqrt), "rsqrt": lambda v: divided(1.0, math.sqrt(v)) if v >= 0 else NAN,
    "sin": guarded(math.sin), "cos": guarded(math.cos), "tanh": math.tanh,
    "sigmoid": guarded(sigmoid_of),
    "reciprocal": lambda v: divided(1.0, v),
}  # fmt: skip


def floats(name: str, function: Callable) -> Callable:
    """Define a function that returns floats."""

    def apply(input: Tensor) -> Tensor:
        kind = input.dtype if input.dtype.is_floating_point else FLOAT32
        return mapped(input, function, kind)

    if function.__name__ != name:  # Python's own have theirs
        function.__name__ = name
    apply.__name__ = name
    return operation(apply)


exp, sqrt, sigmoid, tanh = (floats(n, FLOATS.pop(n)) for n in ("exp", "sqrt", "sigmoid", "tanh"))
for _name, _function in FLOATS.items():
    floats(_name, _function)


def finite(function: Callable) -> Callable:
    """Round finite numbers, and keep the sign of a zero."""

    def _rounded(v: float) -> float:
        return math.copysign(float(function(v)), v) if math.isfinite(v) else v

    return _rounded


@operation
def ceil(input: Tensor) -> Tensor:
    no_bools("ceil", input.dtype)
    return mapped(input, finite(math.ceil) if input.dtype.is_floating_point else int)


@operation
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    no_bools("round_cpu", input.dtype)
    if decimals == 0:
        return mapped(input, finite(builtins.round) if input.dtype.is_floating_point else int)
    if decimals < 0 or not input.dtype.is_floating_point or input.dtype.itemsize == 2:
        raise missing("torch.round to such places")
    up = mapped(input, lambda v: v * 10.0**decimals)  # rounded as PyTorch's kernel does
    return mapped(round(up), lambda v: v / 10.0**decimals)


@operation
def relu(input: Tensor) -> Tensor:
    if input.dtype is BOOL:
        raise RuntimeError("Boolean inputs not supported for relu")
    zero = 0.0 if input.dtype.is_floating_point else 0

    def relu_of(v: float) -> float:
        return v if v > 0 or v != v else zero

    return mapped(input, relu_of)


@operation
def abs(input: Tensor) -> Tensor:
    no_bools("abs_cpu", input.dtype)
    return mapped(input, builtins.abs)


@operation
def square(input: Tensor) -> Tensor:
    kind = INT64 if input.dtype is BOOL else input.dtype

    def squared(v: float) -> float:
        return v * v

    return mapped(input, squared, kind)


@operation
def positive(input: Tensor) -> Tensor:
    if input.dtype is BOOL:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@operation
def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    bounds = [x for x in (min, max) if x is not None]
    tensors = [x for x in bounds if isinstance(x, Tensor)]
    if 0 < len(tensors) < len(bounds):
        raise missing("clamp between a number and a tensor")
    kind = result_type(input, *bounds)
    if kind is BOOL and len(tensors) != 1:
        raise NotImplementedError("\"clamp_cpu\" not implemented for 'Bool'")
    for bound in bounds:
        if not isinstance(bound, Tensor):
            check_fits(bound, kind)
    result = rounded_as(input, kind)
    if min is not None:
        result = paired(at_least, result, min, kind)
    return result if max is None else paired(at_most, result, max, kind)


@operation
def clamp_min(input: Tensor, min: Any) -> Tensor:
    return clamp(input, min)


@operation
def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:  # fmt: skip
    if not input.dtype.is_floating_point:
        return input.clone()
    top = finfo(input.dtype).max
    high, low = top if posinf is None else posinf, -top if neginf is None else neginf

    def _finite(v: float) -> float:
        return (nan or 0.0) if v != v else high if v == INF else low if v == -INF else v

    return mapped(input, _finite)
