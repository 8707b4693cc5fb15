"""A complex tensor, over pairs of floats."""

from collections.abc import Callable
from typing import Any

from .. import indexing
from ..dtypes import COMPLEX64, COMPLEX128, FLOAT32, FLOAT64
from ..graph import Node
from ..kinds import Size
from ..missing import missing
from ..operation import COMPLEX, COMPLEX_TYPES
from ..tensor import Tensor, new, numbers, unknown, without_numbers

TYPES = {FLOAT32: COMPLEX64, FLOAT64: COMPLEX128}


class Complex(Tensor):
    """A tensor of complex numbers, over pairs of floats. It has no storage of its own."""

    __slots__ = ("pairs",)
    pairs: Tensor

    def __getattr__(self, name: str) -> Any:
        """Say that an operation wanted what only tensors of plain numbers have."""
        if name in Tensor.__slots__:
            raise missing("such operation on complex numbers")
        return Tensor.__getattr__(self, name)

    real = property(lambda self: indexing.get(self.pairs, (..., 0)))
    imag = property(lambda self: indexing.get(self.pairs, (..., 1)))
    is_meta = property(lambda self: self.pairs.is_meta)
    requires_grad = property(lambda self: self.pairs.requires_grad)
    is_leaf = property(lambda self: self.pairs.is_leaf)

    @property
    def grad_fn(self) -> Node | None:
        """Return the step of which the pairs are the result."""
        return self.pairs.grad_fn


COMPLEX_TYPES.add(Complex)


def over(pairs: Tensor) -> Complex:
    """Make the complex tensor that shows these pairs."""
    made = object.__new__(Complex)
    made.pairs, made.grad = pairs, None
    made.shape, made.dtype = Size(pairs.shape[:-1]), TYPES[pairs.dtype]
    return made


def joined(real: Tensor, imag: Tensor) -> Complex:
    """Make new pairs of real and imaginary parts, in memory as the real parts lie."""
    shape, kind = (*real.shape, 2), real.dtype
    if nowhere := unknown(real, imag):
        return over(without_numbers(nowhere, shape, kind, (real, imag)))
    both = zip(numbers(real), numbers(imag), strict=True)
    strides = (*(2 * step for step in real._strides), 1)
    return over(new([part for pair in both for part in pair], shape, kind, (real, imag), strides))


def of_complex(function: Callable) -> Callable:
    """Define what the operation of this name is for complex numbers."""
    COMPLEX[function.__name__] = function
    return function
