"""Complex numbers, as far as rotary positions need them.

A complex tensor is a view of pairs of floats, the last axis of another tensor, which `view_as_real`
returns. `operation.called` finds what is defined here by the types of the arguments. Everything
else raises NotOnThisPage for a complex tensor.
"""

import math
from typing import Any

from .arithmetic import mul as times
from .creation import like
from .descriptions import Size
from .dtypes import COMPLEX64, COMPLEX128, FLOAT32, FLOAT64, dtype
from .elementwise import NUMBERS, result_type, rounded_as, together
from .graph import Node
from .indexing import get
from .missing import missing
from .operation import COMPLEX, COMPLEX_TYPES, TENSOR, named, torch_function
from .tensor import Tensor, new, numbers, show, unknown, without_numbers
from .unary import exp as exponential

TYPES = {FLOAT32: COMPLEX64, FLOAT64: COMPLEX128}
cos, sin = (TENSOR[name].__wrapped__ for name in ("cos", "sin"))


class Complex(Tensor):
    """A tensor of complex numbers over `pairs` of floats. It has no storage of its own."""

    __slots__ = ("pairs",)
    pairs: Tensor
    _node = None  # that of the pairs leads on

    def __getattr__(self, name: str) -> Any:
        """Raise NotOnThisPage for whatever a plain tensor has and this one doesn't."""
        if name in Tensor.__slots__:
            raise missing("such operation on complex numbers")
        return Tensor.__getattr__(self, name)

    real = property(lambda self: get(self.pairs, (..., 0)))
    imag = property(lambda self: get(self.pairs, (..., 1)))
    is_meta = property(lambda self: self.pairs.is_meta)
    requires_grad = property(lambda self: self.pairs.requires_grad)
    is_leaf = property(lambda self: self.pairs.is_leaf)

    @property
    def grad_fn(self) -> Node | None:
        """The node of the pairs."""
        return self.pairs.grad_fn


COMPLEX_TYPES.add(Complex)


def over(pairs: Tensor) -> Complex:
    """Return the complex tensor over these pairs."""
    made = object.__new__(Complex)
    made.pairs, made.grad = pairs, None
    made.shape, made.dtype = Size(pairs.shape[:-1]), TYPES[pairs.dtype]
    return made


def joined(real: Tensor, imag: Tensor) -> Complex:
    """Return the complex tensor of these real and imaginary parts."""
    shape, kind = (*real.shape, 2), real.dtype
    if nowhere := unknown(real, imag):
        return over(without_numbers(nowhere, shape, kind, (real, imag)))
    both = zip(numbers(real), numbers(imag), strict=True)
    values = [part for pair in both for part in pair]
    return over(new(values, shape, kind, (real, imag), None, lambda d: [d[::2], d[1::2]], False))


def check_wide(*parts: Tensor) -> None:
    """Raise RuntimeError unless all are floats of one type, NotOnThisPage for half precision."""
    kind = parts[0].dtype
    if any(not x.dtype.is_floating_point or x.dtype is not kind for x in parts):
        spoken = " and ".join(x.dtype.spoken for x in parts)
        raise RuntimeError(f"Expected Half, Float or Double tensors of one type but got {spoken}")
    if kind not in TYPES:
        raise missing("complex numbers in half precision")


@torch_function
def view_as_complex(input: Tensor) -> Complex:
    check_wide(input)
    if not input.shape or input.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    *steps, last = input._strides
    if last != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % 2 for step in (*steps, input._offset)):
        raise RuntimeError("Tensor must have strides and an offset that are divisible by 2")
    return over(show(input, input.shape, input._strides))


@torch_function
def view_as_real(input: Tensor) -> Tensor:
    raise RuntimeError("view_as_real is only supported for complex tensors")


@torch_function
@named("complex")
def of_parts(real: Tensor, imag: Tensor) -> Complex:
    check_wide(real, imag)
    return joined(*(together(part, (real, imag), real.dtype) for part in (_real, _imaginary)))


def _real(a: float, _: float) -> float:
    return a


def _imaginary(_: float, b: float) -> float:
    return b


@torch_function
def polar(abs: Tensor, angle: Tensor) -> Complex:
    check_wide(abs, angle)
    return joined(times(abs, cos(angle)), times(abs, sin(angle)))


def _parts(x: Any, kind: dtype) -> tuple[Any, Any]:
    """Return the real and the imaginary part of an operand; that of floats is 0."""
    if isinstance(x, (*NUMBERS, complex)):
        return float(x.real), float(x.imag)
    if isinstance(x, Complex):
        return rounded_as(x.real, kind), rounded_as(x.imag, kind)
    real = rounded_as(x, kind)
    return real, like(real, 0.0, kind)


def _mul(input: Any, other: Any) -> Complex:
    """Multiply as kernels do: where a part is infinite, parts of the product may be NaN."""
    if not isinstance(other, (Tensor, *NUMBERS, complex)):
        raise TypeError(f"mul(): argument 'other' must be Tensor, not {type(other).__name__}")
    real = (float(x.real) if isinstance(x, (*NUMBERS, complex)) else x.real for x in (input, other))
    kind = result_type(*real)
    kind = kind if kind.is_floating_point else FLOAT32
    if kind not in TYPES:
        raise missing("complex numbers in half precision")
    (a, b), (c, d) = _parts(input, kind), _parts(other, kind)
    return joined(a * c - b * d, a * d + b * c)


def _exp(input: Complex) -> Complex:
    size, turn = exponential(input.real), input.imag
    if not unknown(size) and not all(map(math.isfinite, (*numbers(size), *numbers(turn)))):
        raise missing("exp of complex numbers so large")  # PyTorch's differs between processors
    return joined(times(size, cos(turn)), times(size, sin(turn)))


COMPLEX |= {
    "mul": _mul, "__mul__": _mul, "__rmul__": _mul, "exp": _exp,
    "view_as_real": lambda input: show(input.pairs, input.pairs.shape, input.pairs._strides),
    "size": lambda input, dim=None: input.shape if dim is None else input.shape[dim],
    "dim": lambda input: len(input.shape),
    "is_complex": lambda input: True,
    "is_floating_point": lambda input: False,
}  # fmt: skip
