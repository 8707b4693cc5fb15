"""Adding, multiplying, dividing, and whatever else takes two numbers and gives one."""

import math
import operator
from collections.abc import Callable
from typing import Any

from .dtypes import BOOL, FLOAT16, FLOAT32, FLOAT64, dtype
from .elementwise import NUMBERS, check_operand, mapped, paired, result_type
from .operation import method, operation, torch_function
from .rounding import check_fits
from .scalars import (
    divided,
    floor_divided,
    largest,
    least,
    power,
    remaining,
    remaining_with_sign,
    root_power,
    truncated,
)
from .tensor import Tensor, is_bool
from .views import contiguous
from .writing import in_place

BOOLS = (
    "Subtraction, the `-` operator, with {} is not supported. If you are trying to invert a mask, "
    "use the `~` or `logical_not()` operator instead."
)


def is_truth(x: Any) -> bool:
    """Return whether an operand is of truth values."""
    return isinstance(x, bool) or is_bool(x)


def scaled(other: Any, alpha: Any, common: dtype) -> Any:
    """Multiply what is added by `alpha`."""
    if type(alpha) is int and alpha == 1:
        return other
    if isinstance(alpha, bool) and common is not BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not common.is_floating_point:
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number."
        )
    check_fits(alpha, common)
    factor = bool(alpha) if common is BOOL else alpha
    return mul(other, factor) if isinstance(other, Tensor) else other * factor


@operation
def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    check_operand("add", other)
    other = scaled(other, alpha, result_type(input, other))
    if is_truth(input) and is_truth(other):
        return paired(operator.or_, input, other)
    return paired(operator.add, input, other)


@operation
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    check_operand("sub", other)
    if is_truth(input) and is_truth(other):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead."
        )
    if is_truth(input) or is_truth(other):
        raise RuntimeError(BOOLS.format("a bool tensor"))
    return paired(operator.sub, input, scaled(other, alpha, result_type(input, other)))


@torch_function
def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    return sub(other, input, alpha=alpha)


@operation
def mul(input: Any, other: Any) -> Tensor:
    check_operand("mul", other)
    return paired(operator.mul, input, other)


def floats(*operands: Any) -> dtype:
    """Return the type of a quotient."""
    common = result_type(*operands)
    return common if common.is_floating_point else FLOAT32


def quotient(function: Callable, a: Any, b: Any) -> Tensor:
    """Apply a function of floats to what may be whole numbers."""
    kind = floats(a, b)
    if result_type(a, b) is kind:
        return paired(function, a, b)
    a, b = (float(x) if isinstance(x, NUMBERS) else x.to(kind) for x in (a, b))
    return paired(function, a, b, kind)


@operation
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    check_operand("div", other)
    if rounding_mode is None:
        return quotient(divided, input, other)
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
            f"'{rounding_mode}'"
        )
    return (
        floor_divide(input, other) if rounding_mode == "floor" else _whole(truncated, input, other)
    )


def _whole(function: Callable, a: Any, b: Any) -> Tensor:
    if result_type(a, b) is BOOL:
        raise NotImplementedError("\"div_floor_cpu\" not implemented for 'Bool'")
    return paired(function, a, b)


@operation
def floor_divide(input: Any, other: Any) -> Tensor:
    check_operand("floor_divide", other)
    return _whole(floor_divided, input, other)


@operation
def remainder(input: Any, other: Any) -> Tensor:
    check_operand("remainder", other)
    return _remainder("remainder_cpu", remaining, input, other)


@operation
def fmod(input: Any, other: Any) -> Tensor:
    check_operand("fmod", other)
    return _remainder("fmod_cpu", remaining_with_sign, input, other)


def _remainder(kernel: str, function: Callable, a: Any, b: Any) -> Tensor:
    if result_type(a, b) is BOOL:
        raise NotImplementedError(f"\"{kernel}\" not implemented for 'Bool'")
    return paired(function, a, b)


@operation
def pow(input: Any, exponent: Any) -> Tensor:
    check_operand("pow", exponent)
    if not isinstance(input, Tensor):
        exponent = contiguous(exponent)  # PyTorch lays powers of a number in order
    common, alone = result_type(input, exponent), not isinstance(exponent, Tensor)
    if not common.is_floating_point and alone and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if common is BOOL:
        if alone:
            return paired(lambda a, b: a or not b, input, exponent, lone=True)
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")
    if not common.is_floating_point:
        return paired(
            lambda a, b: power(a, b) if b >= 0 else int(float(a) ** b) if a in (1, -1) else 0,
            input,
            exponent,
            lone=alone,
        )
    if alone and common.itemsize == 2:
        check_fits(exponent, common)  # PyTorch has the number in the half type too
    by_root = alone and exponent in (0.5, -0.5) and common is not FLOAT16
    return paired(root_power if by_root else power, input, exponent, lone=alone)


@operation
def float_power(input: Any, exponent: Any) -> Tensor:
    return pow(*(x.to(FLOAT64) if isinstance(x, Tensor) else float(x) for x in (input, exponent)))


@method
def float_power_(self: Tensor, exponent: Any) -> Tensor:
    if self.dtype is not FLOAT64:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.spoken} but the operation's "
            "result requires dtype Double"
        )
    return in_place(float_power)(self, exponent)


@operation
def maximum(input: Tensor, other: Tensor) -> Tensor:
    return paired(largest, input, other)


@operation
def minimum(input: Tensor, other: Tensor) -> Tensor:
    return paired(least, input, other)


@operation
def fmax(input: Tensor, other: Tensor) -> Tensor:
    return paired(lambda a, b: b if a != a else a if b != b else max(a, b), input, other)


@operation
def fmin(input: Tensor, other: Tensor) -> Tensor:
    return paired(lambda a, b: b if a != a else a if b != b else min(a, b), input, other)


@operation
def atan2(input: Tensor, other: Tensor) -> Tensor:
    return quotient(math.atan2, input, other)


@operation
def hypot(input: Tensor, other: Tensor) -> Tensor:
    kind = result_type(input, other)
    if not kind.is_floating_point:
        raise NotImplementedError(f"\"hypot_cpu\" not implemented for '{kind.spoken}'")
    return paired(math.hypot, input, other)


@operation
def neg(input: Tensor) -> Tensor:
    if input.dtype is BOOL:
        raise RuntimeError(
            BOOLS.format("a bool tensor").replace("Subtraction", "Negation").replace("with", "on")
        )
    return mapped(input, operator.neg)
