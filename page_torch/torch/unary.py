"""Functions of one number, entry by entry."""

import builtins
import math
from collections.abc import Callable
from typing import Any

from .arithmetic import mul
from .dtypes import BOOL, FLOAT32, INT64, finfo
from .elementwise import mapped, paired, preserved, result_type, rounded_as
from .operation import operation
from .rounding import check_fits
from .scalars import divided, largest, least, power
from .tensor import Tensor, item, numbers

INF, NAN = math.inf, math.nan


def guarded(function: Callable, over: float = INF) -> Callable:
    """Return infinity where a function of Python's overflows, and NaN where it is not defined."""

    def safe(v: float) -> float:
        try:
            return function(v)
        except OverflowError:
            return over
        except ValueError:
            return NAN

    return safe


def log_by(function: Callable) -> Callable:
    """Extend a logarithm of Python's to all numbers."""
    return lambda v: function(v) if v > 0 else -INF if v == 0 else NAN


def sigmoid_of(v: float) -> float:
    """Return 1 / (1 + e^-v) without overflow."""
    if v >= 0:
        return 1 / (1 + math.exp(-v))
    e = math.exp(v)
    return e / (1 + e)


#: Functions that give floats, of whole numbers too.
FLOATS: dict[str, Callable] = {
    "exp": guarded(math.exp), "exp2": lambda v: power(2.0, v), "expm1": guarded(math.expm1),
    "log": log_by(math.log), "log2": log_by(math.log2), "log10": log_by(math.log10),
    "log1p": lambda v: math.log1p(v) if v > -1 else -INF if v == -1 else NAN,
    "sqrt": guarded(math.sqrt), "rsqrt": lambda v: divided(1.0, math.sqrt(v)) if v >= 0 else NAN,
    "sin": guarded(math.sin), "cos": guarded(math.cos), "tan": guarded(math.tan),
    "asin": guarded(math.asin), "acos": guarded(math.acos), "atan": math.atan,
    "sinh": guarded(math.sinh), "cosh": guarded(math.cosh), "tanh": math.tanh,
    "sigmoid": guarded(sigmoid_of), "erf": math.erf, "erfc": math.erfc,
    "reciprocal": lambda v: divided(1.0, v),
    "lgamma": guarded(lambda v: math.lgamma(v) if v > 0 or v % 1 else INF),
    "deg2rad": math.radians, "rad2deg": math.degrees,
}  # fmt: skip


def floats(name: str, function: Callable) -> Callable:
    """Define a function that gives floats."""

    def apply(input: Tensor) -> Tensor:
        kind = input.dtype if input.dtype.is_floating_point else FLOAT32
        return mapped(input, function, kind)

    apply.__name__ = name
    return operation(apply)


exp, sqrt, sigmoid, tanh = (floats(n, FLOATS.pop(n)) for n in ("exp", "sqrt", "sigmoid", "tanh"))
for _name, _function in FLOATS.items():
    floats(_name, _function)


def finite(function: Callable) -> Callable:
    """Round what is finite, and keep the sign of a zero."""
    return lambda v: math.copysign(float(function(v)), v) if math.isfinite(v) else v


#: Functions that leave whole numbers as they are.
ROUNDED: dict[str, Any] = {"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}


def to_whole(name: str, function: Callable) -> Callable:
    """Define a way to round."""

    def apply(input: Tensor) -> Tensor:
        if input.dtype is BOOL:
            raise NotImplementedError(f"\"{name}\" not implemented for 'Bool'")
        kind = float if input.dtype.is_floating_point else int
        return mapped(input, finite(function) if kind is float else int)

    apply.__name__ = name
    return operation(apply)


floor, ceil, trunc = (to_whole(name, function) for name, function in ROUNDED.items())


@operation
def frac(input: Tensor) -> Tensor:
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"frac_cpu\" not implemented for '{input.dtype.spoken}'")
    return mapped(input, lambda v: math.copysign(v - math.trunc(v), v) if math.isfinite(v) else NAN)


@operation
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    if not input.dtype.is_floating_point:
        if decimals or input.dtype is BOOL:
            raise NotImplementedError(f"\"round_cpu\" not implemented for '{input.dtype.spoken}'")
        return mapped(input, int)
    if decimals == 0:
        return mapped(input, finite(builtins.round))
    single = input.dtype if input.dtype.itemsize > 2 else FLOAT32
    ten = 10.0 ** builtins.abs(decimals)
    up, down = (mul, _over) if decimals > 0 else (_over, mul)
    return rounded_as(down(round(up(rounded_as(input, single), ten)), ten), input.dtype)


def _over(x: Tensor, number: float) -> Tensor:
    return paired(divided, x, number)


@operation
def relu(input: Tensor) -> Tensor:
    if input.dtype is BOOL:
        raise RuntimeError("Boolean inputs not supported for relu")
    zero = 0.0 if input.dtype.is_floating_point else 0
    return mapped(input, lambda v: v if v > 0 or v != v else zero)


@operation
def abs(input: Tensor) -> Tensor:
    if input.dtype is BOOL:
        raise NotImplementedError("\"abs_cpu\" not implemented for 'Bool'")
    return mapped(input, builtins.abs)


@operation
def absolute(input: Tensor) -> Tensor:
    return abs(input)


@operation
def sign(input: Tensor) -> Tensor:
    return mapped(input, lambda v: (v > 0) - (v < 0))


@operation
def square(input: Tensor) -> Tensor:
    kind = INT64 if input.dtype is BOOL else input.dtype
    return mapped(input, lambda v: v * v, kind)


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
    if tensors and len(tensors) < len(bounds):  # a number beside a tensor: both are numbers
        if tensors[0].shape or tensors[0].requires_grad:
            raise TypeError(
                "clamp() received an invalid combination of arguments: a tensor and a number"
            )
        bounds = [item(x) if isinstance(x, Tensor) else x for x in bounds]
        min, max = bounds
        tensors = []
    kind = result_type(input, *bounds)
    if kind is BOOL and len(tensors) != 1:
        raise NotImplementedError("\"clamp_cpu\" not implemented for 'Bool'")
    for bound in bounds:
        if not isinstance(bound, Tensor):
            check_fits(bound, kind)
    result = rounded_as(input, kind)
    if min is not None:
        result = paired(largest, result, min, kind, lone=True)
    return result if max is None else paired(least, result, max, kind, lone=True)


@operation
def clip(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    return clamp(input, min, max)


@operation
def clamp_min(input: Tensor, min: Any) -> Tensor:
    return clamp(input, min)


@operation
def clamp_max(input: Tensor, max: Any) -> Tensor:
    return clamp(input, None, max)


@operation
def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:  # fmt: skip
    if not input.dtype.is_floating_point:
        return preserved(input, numbers(input), input.dtype)
    top = finfo(input.dtype).max
    high, low = top if posinf is None else posinf, -top if neginf is None else neginf
    return preserved(
        input,
        [
            (nan or 0.0) if v != v else high if v == INF else low if v == -INF else v
            for v in numbers(input)
        ],
        input.dtype,
        (input,),
    )
