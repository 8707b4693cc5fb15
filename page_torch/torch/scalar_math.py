"""Arithmetic of two numbers as processors do it: without overflow errors or division by zero."""

import math
from typing import Any


def divided(a: float, b: float) -> float:
    """Divide as processors do, also by zero."""
    try:
        return a / b
    except ZeroDivisionError:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def floor_divided(a: Any, b: Any) -> Any:
    """Divide and round down. Raises RuntimeError if an integer is divided by zero."""
    if b == 0:
        if isinstance(a, float):
            return divided(a, b)
        raise RuntimeError("ZeroDivisionError")
    if isinstance(a, float):
        if not math.isfinite(a):
            return math.nan
        if not math.isfinite(b):
            return b if b != b else -1.0 if a and (a < 0) != (b < 0) else math.copysign(0.0, a * b)
    return a // b


def remaining(a: Any, b: Any) -> Any:
    """Return the remainder of `floor_divided`."""
    if isinstance(a, float):
        if b == 0 or not math.isfinite(a):
            return math.nan
        return a % b
    if b == 0:
        raise RuntimeError("ZeroDivisionError")
    return a % b


def power(a: Any, b: Any) -> Any:
    """Return a power of a number."""
    try:
        result = a**b
    except OverflowError:
        return -math.inf if a < 0 and b % 2 == 1 else math.inf
    except ZeroDivisionError:
        odd = b % 2 == 1
        return math.copysign(math.inf, a) if odd else math.inf
    return math.nan if isinstance(result, complex) else result


def root_power(a: float, b: float) -> float:
    """Return a number to the power of 0.5 or -0.5, by PyTorch's root: -inf has none."""
    root = math.sqrt(a) if a >= 0 else math.nan
    return root if b > 0 else divided(1.0, root)


def largest(a: Any, b: Any) -> Any:
    """Return the greater of two numbers; NaN wins."""
    return a if a != a or a >= b else b


def least(a: Any, b: Any) -> Any:
    """Return the smaller of two numbers; NaN wins."""
    return a if a != a or a <= b else b


def at_least(a: Any, b: Any) -> Any:
    """Return the first number, or the second if that is greater: `clamp`."""
    return largest(a, b)


def at_most(a: Any, b: Any) -> Any:
    """Return the first number, or the second if that is smaller: `clamp`."""
    return least(a, b)


def greatest(row: list) -> Any:
    """Return the greatest number of a row; NaN wins."""
    return math.nan if any(v != v for v in row) else max(row)


def smallest(row: list) -> Any:
    """Return the smallest number of a row; NaN wins."""
    return math.nan if any(v != v for v in row) else min(row)
