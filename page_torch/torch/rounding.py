"""Convert numbers to a dtype: round, wrap around or truncate them."""

import math
import struct
from array import array
from collections.abc import Iterable
from typing import Any

from .dtypes import (
    BFLOAT16,
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    dtype,
    limits,
)
from .missing import missing

CODES = {INT64: "q", INT32: "i", INT16: "h", INT8: "b", UINT8: "B"}


def keep(numbers: Iterable[Any], kind: dtype) -> list:
    """Return the numbers converted to a dtype."""
    if kind is FLOAT32:
        return array("f", numbers).tolist()
    if kind is FLOAT64:
        return list(map(float, numbers))
    if kind is BOOL:
        return list(map(bool, numbers))
    if kind is FLOAT16:
        return _halves(array("f", numbers))
    if kind is BFLOAT16:
        return _brain_floats(array("f", numbers))
    if kind.is_complex:
        raise missing("such operation on complex numbers")
    return _whole(list(numbers), kind)


def _halves(singles: array) -> list[float]:
    """Round to 11 bits, half to even; too large numbers become infinite."""
    layout = f"{len(singles)}e"
    try:
        return list(struct.unpack(layout, struct.pack(layout, *singles)))
    except OverflowError:
        return [_half(x) for x in singles]


def _half(x: float) -> float:
    try:
        return struct.unpack("e", struct.pack("e", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def _brain_floats(singles: array) -> list[float]:
    """Round to 8 bits, half to even."""
    bits = array("I", singles.tobytes())
    rounded = array("I", [b + 0x7FFF + (b >> 16 & 1) & 0xFFFF0000 for b in bits])
    if any(x != x for x in singles):
        pairs = zip(singles, array("f", rounded.tobytes()), strict=True)
        return [x if x != x else y for x, y in pairs]
    return array("f", rounded.tobytes()).tolist()


def _whole(numbers: list, kind: dtype) -> list[int]:
    """Truncate to integers, and wrap around what is too large."""
    try:
        return array(CODES[kind], numbers).tolist()
    except (OverflowError, TypeError):
        return [_wrapped(n, kind) for n in numbers]


def _wrapped(number: Any, kind: dtype) -> int:
    if isinstance(number, float):
        number = _cut_off(number, kind)
    low, high = limits(kind)
    return (int(number) - low) % (high - low + 1) + low


def _cut_off(number: float, kind: dtype) -> int:
    """Truncate as a processor does: out of 32 or 64 bits, the result is the minimum."""
    bits = 31 if kind in (INT32, INT16, INT8, UINT8) else 63
    if not math.isfinite(number) or not -(2.0**bits) <= number < 2.0**bits:
        return -(1 << bits)
    return int(number)


def check_fits(value: Any, kind: dtype, name: str = "") -> None:
    """Raise RuntimeError for a Python number that a dtype cannot hold."""
    if kind.is_floating_point:
        fits = not math.isfinite(value) or math.isfinite(keep([value], kind)[0])
    elif kind is BOOL:
        fits = True
    else:
        low, high = limits(kind)
        finite = not isinstance(value, float) or math.isfinite(value)
        least = low if kind.is_signed or isinstance(value, float) else -high
        fits = finite and least <= value <= high
    if not fits:
        called = name or (f"{kind.name}_t" if kind.kind == 1 else kind.in_c)
        raise RuntimeError(f"value cannot be converted to type {called} without overflow")


def check_fills(value: Any, kind: dtype, count: int) -> None:
    """Raise RuntimeError for an invalid fill value; a single number may overflow."""
    if count != 1 or not kind.is_floating_point or kind.itemsize > 2:
        check_fits(value, kind)
