"""Arithmetic of two operands, element by element."""

import math
import operator
from typing import Any

from .dtypes import BOOL, FLOAT16, FLOAT32, dtype, no_bools, only_floats
from .elementwise import NUMBERS, check_operand, mapped, paired, result_type, together
from .operation import operation
from .rounding import check_fits
from .scalar_math import (
    divided,
    floor_divided,
    largest,
    least,
    power,
    remaining,
    root_power,
)
from .tensor import Tensor, is_bool

BOOLS = (
    "Subtraction, the `-` operator, with {} is not supported. If you are trying to invert a mask, "
    "use the `~` or `logical_not()` operator instead."
)


def is_truth(x: Any) -> bool:
    """Return whether an operand is boolean."""
    return isinstance(x, bool) or is_bool(x)


def scaled(other: Any, alpha: Any, common: dtype) -> Any:
    """Multiply the second operand by `alpha`."""
    if type(alpha) is int and alpha == 1:
        return other
    if isinstance(alpha, bool) and common is not BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and not common.is_floating_point:
        raise RuntimeError("For integral input tensors, alpha must not be a floating point number.")
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


@operation
def mul(input: Any, other: Any) -> Tensor:
    check_operand("mul", other)
    return paired(operator.mul, input, other)


@operation
def div(input: Any, other: Any) -> Tensor:
    """Divide; integers become floats."""
    check_operand("div", other)
    kind = result_type(input, other)
    if kind.is_floating_point:
        return paired(divided, input, other)
    a, b = (float(x) if isinstance(x, NUMBERS) else x.to(FLOAT32) for x in (input, other))
    return paired(divided, a, b, FLOAT32)


@operation
def floor_divide(input: Any, other: Any) -> Tensor:
    check_operand("floor_divide", other)
    no_bools("div_floor_cpu", result_type(input, other))
    return paired(floor_divided, input, other)


@operation
def remainder(input: Any, other: Any) -> Tensor:
    check_operand("remainder", other)
    no_bools("remainder_cpu", result_type(input, other))
    return paired(remaining, input, other)


@operation
def pow(input: Any, exponent: Any) -> Tensor:
    check_operand("pow", exponent)
    common, alone = result_type(input, exponent), not isinstance(exponent, Tensor)
    if not common.is_floating_point and alone and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    if common is BOOL:
        if alone:
            return paired(lambda a, b: a or not b, input, exponent)
        raise NotImplementedError("\"pow\" not implemented for 'Bool'")
    if not common.is_floating_point:
        return paired(
            lambda a, b: power(a, b) if b >= 0 else int(float(a) ** b) if a in (1, -1) else 0,
            input,
            exponent,
        )
    if alone and common.itemsize == 2:
        check_fits(exponent, common)  # PyTorch has the number in the half type too
    by_root = alone and exponent in (0.5, -0.5) and common is not FLOAT16
    return paired(root_power if by_root else power, input, exponent)


@operation
def maximum(input: Tensor, other: Tensor) -> Tensor:
    return paired(largest, input, other)


@operation
def minimum(input: Tensor, other: Tensor) -> Tensor:
    return paired(least, input, other)


@operation
def hypot(input: Tensor, other: Tensor) -> Tensor:
    kind = result_type(input, other)
    only_floats("hypot_cpu", kind)
    return paired(math.hypot, input, other)


@operation
def neg(input: Tensor) -> Tensor:
    if input.dtype is BOOL:
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported; use `~`."
        )
    return mapped(input, operator.neg)


@operation
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    kind = result_type(input, tensor1, tensor2)
    no_bools("addcmul_cpu_out", kind)
    value = value if kind.is_floating_point else int(value)
    return together(lambda x, a, b: x + value * a * b, (input, tensor1, tensor2), kind)
