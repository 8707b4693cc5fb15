"""Comparisons, and the logic of booleans and bits."""

import math
import operator
from collections.abc import Callable
from typing import Any

from .dtypes import BOOL
from .elementwise import as_type, check_operand, mapped, paired, result_type, together
from .operation import operation
from .rounding import keep
from .tensor import Tensor, numbers


def compared(name: str, function: Callable) -> Callable:
    """Define a comparison."""

    def compare(input: Any, other: Any) -> Tensor:
        check_operand(name, other)
        common = result_type(input, other)
        a, b = (x if isinstance(x, Tensor) else keep([x], common)[0] for x in (input, other))
        return together(function, (as_type(a, common), as_type(b, common)), BOOL, kept=True)

    compare.__name__ = name
    return operation(compare)


eq, ne = compared("eq", operator.eq), compared("ne", operator.ne)
lt, le = compared("lt", operator.lt), compared("le", operator.le)
gt, ge = compared("gt", operator.gt), compared("ge", operator.ge)


def logical(name: str, function: Callable) -> Callable:
    """Define an operation on booleans."""

    def apply(input: Tensor, other: Tensor) -> Tensor:
        return together(function, (input, other), BOOL, kept=True)

    apply.__name__ = name
    return operation(apply)


logical_and = logical("logical_and", lambda a, b: a != 0 and b != 0)
logical_or = logical("logical_or", lambda a, b: a != 0 or b != 0)


@operation
def logical_not(input: Tensor) -> Tensor:
    return mapped(input, operator.not_, BOOL)


def bitwise(name: str, function: Callable) -> Callable:
    """Define an operation on bits."""

    def apply(input: Any, other: Any) -> Tensor:
        check_operand(name, other)
        common = result_type(input, other)
        if common.is_floating_point:
            raise NotImplementedError(f"\"{name}_cpu\" not implemented for '{common.spoken}'")
        return paired(function, input, other)

    apply.__name__ = name
    return operation(apply)


bitwise_and = bitwise("bitwise_and", operator.and_)
bitwise_or = bitwise("bitwise_or", operator.or_)
bitwise_xor = bitwise("bitwise_xor", operator.xor)


@operation
def bitwise_not(input: Tensor) -> Tensor:
    if input.dtype.is_floating_point:
        raise TypeError("~ is only implemented on integer and Boolean-type tensors")
    return mapped(input, operator.not_ if input.dtype is BOOL else operator.invert)


@operation
def isnan(input: Tensor) -> Tensor:
    return mapped(input, lambda v: v != v, BOOL)


@operation
def isinf(input: Tensor) -> Tensor:
    return mapped(input, lambda v: v in (math.inf, -math.inf), BOOL)


@operation
def isfinite(input: Tensor) -> Tensor:
    return mapped(input, math.isfinite, BOOL)


@operation
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.spoken} did not match {other.dtype.spoken}")
    if rtol < 0 or atol < 0:
        raise RuntimeError(f"rtol and atol must be at least zero, but got {rtol} and {atol}")

    def near(a: Any, b: Any) -> bool:
        if a == b:
            return True
        if a != a or b != b:
            return equal_nan and a != a and b != b
        return math.isfinite(a) and math.isfinite(b) and abs(a - b) <= atol + rtol * abs(b)

    exact = not input.dtype.is_floating_point and rtol == atol == 0
    return together(operator.eq if exact else near, (input, other), BOOL, kept=True)


@operation
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    return all(numbers(isclose(input, other, rtol, atol, equal_nan)))


@operation
def equal(input: Tensor, other: Tensor) -> bool:
    if input.shape != other.shape:
        return False
    return all(map(operator.eq, numbers(input), numbers(other)))
