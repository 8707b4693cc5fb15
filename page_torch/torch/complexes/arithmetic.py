"""Adding and multiplying complex numbers, by their parts."""

import math
from collections.abc import Callable
from typing import Any

from .. import arithmetic as floats
from .. import unary
from ..arithmetic import mul
from ..dtypes import FLOAT32, dtype
from ..elementwise import NUMBERS, result_type, rounded_as
from ..making import like
from ..missing import missing
from ..operation import COMPLEX, TENSOR
from ..tensor import Tensor, numbers, show, unknown
from .pairs import TYPES, Complex, joined, of_complex

cos, sin = (TENSOR[name].__wrapped__ for name in ("cos", "sin"))
_NUMBERS = (*NUMBERS, complex)


def _type(*operands: Any) -> dtype:
    """Return the type of the parts of a result."""
    kind = result_type(*(float(x.real) if isinstance(x, _NUMBERS) else x.real for x in operands))
    kind = kind if kind.is_floating_point else FLOAT32
    if kind not in TYPES:
        raise missing("complex numbers in half precision")
    return kind


def _parts(x: Any, kind: dtype) -> tuple[Any, Any]:
    """Return the real and the imaginary part of an operand; floats' imaginary part is 0."""
    if isinstance(x, _NUMBERS):
        return float(x.real), float(x.imag)
    if isinstance(x, Complex):
        return rounded_as(x.real, kind), rounded_as(x.imag, kind)
    real = rounded_as(x, kind)
    return real, like(real, 0.0, kind)


def _entrywise(name: str, function: Callable) -> None:
    """Define an operation of two operands, and the operators that come to the same."""

    def apply(input: Any, other: Any, *, alpha: Any = 1) -> Any:
        if not isinstance(other, (Tensor, *_NUMBERS)):
            raise TypeError(f"{name}(): argument 'other' must be Tensor, not {type(other)}")
        if name == "sub" and (floats.is_truth(input) or floats.is_truth(other)):
            raise RuntimeError(floats.BOOLS.format("a bool tensor"))
        if alpha != 1:
            raise missing(f"{name} of complex numbers with alpha=")
        kind = _type(input, other)
        a, b = _parts(input, kind)
        return joined(*function(a, b, *_parts(other, kind)))

    COMPLEX[name] = COMPLEX[f"__{name}__"] = apply
    turned = name == "sub"  # the others take a number first as if it came second
    COMPLEX[f"__r{name}__"] = (lambda self, other: apply(other, self)) if turned else apply


def _product(a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any]:
    """Multiply a + bi by c + di, as kernels do: of what is infinite, parts are no numbers."""
    return a * c - b * d, a * d + b * c


def _sum(a: Any, b: Any, c: Any, d: Any, times: float = 1.0) -> tuple[Any, Any]:
    """Add what was multiplied by a complex 1, as PyTorch does, or -1."""
    c, d = _product(c, d, times, 0.0)
    return a + c, b + d


_entrywise("add", _sum)
_entrywise("sub", lambda a, b, c, d: _sum(a, b, c, d, times=-1.0))
_entrywise("mul", _product)


@of_complex
def neg(input: Complex) -> Complex:
    return joined(floats.neg(input.real), floats.neg(input.imag))


@of_complex
def exp(input: Complex) -> Complex:
    size, turn = unary.exp(input.real), input.imag
    if not unknown(size) and not all(map(math.isfinite, (*numbers(size), *numbers(turn)))):
        raise missing("exp of complex numbers so large")  # PyTorch's differs from place to place
    return joined(mul(size, cos(turn)), mul(size, sin(turn)))


@of_complex
def abs(input: Complex) -> Tensor:
    return floats.hypot(input.real, input.imag)


@of_complex
def angle(input: Complex) -> Tensor:
    return floats.atan2(input.imag, input.real)


COMPLEX |= {
    "view_as_real": lambda input: show(input.pairs, input.pairs.shape, input.pairs._strides),
    "real": lambda input: input.real,
    "imag": lambda input: input.imag,
    "is_complex": lambda input: True,
    "is_floating_point": lambda input: False,
}
