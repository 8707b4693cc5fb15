"""Python's operators, slices and properties of tensors, in terms of the operations."""

from collections.abc import Callable
from typing import Any

from . import arithmetic, axes, comparing, indexing, products, unary
from .elementwise import NUMBERS
from .in_place import in_place
from .missing import missing
from .operation import TENSOR, called, named
from .protocols import CONVERSIONS, oldest
from .tensor import Tensor

#: Binary operators; the reversed ones, and the in-place ones.
BINARY: dict[str, Callable] = {
    "add": arithmetic.add, "sub": arithmetic.sub, "mul": arithmetic.mul,
    "truediv": arithmetic.div, "floordiv": arithmetic.floor_divide, "mod": arithmetic.remainder,
    "pow": arithmetic.pow, "and": comparing.bitwise_and, "or": comparing.bitwise_or,
    "xor": comparing.bitwise_xor,
}  # fmt: skip
COMPARISONS: dict[str, Callable] = {
    "eq": comparing.eq, "ne": comparing.ne, "lt": comparing.lt, "le": comparing.le,
    "gt": comparing.gt, "ge": comparing.ge,
}  # fmt: skip


OPERANDS = (Tensor, *NUMBERS)


def _binary(name: str, function: Callable) -> None:
    def forward(self: Tensor, other: Any) -> Any:
        return function(self, other) if isinstance(other, OPERANDS) else NotImplemented

    def backward(self: Tensor, other: Any) -> Any:
        return function(other, self) if isinstance(other, OPERANDS) else NotImplemented

    writing = in_place(function)

    def write(self: Tensor, other: Any) -> Any:
        return writing(self, other) if isinstance(other, OPERANDS) else NotImplemented

    for prefix, made in (("", forward), ("r", backward), ("i", write)):
        made.__name__ = f"__{prefix}{name}__"
        setattr(Tensor, made.__name__, called(made, 0))


def _comparison(name: str, function: Callable) -> None:
    def compare(self: Tensor, other: Any) -> Any:
        return function(self, other) if isinstance(other, OPERANDS) else NotImplemented

    compare.__name__ = f"__{name}__"
    setattr(Tensor, compare.__name__, called(compare, 0))


@named("__matmul__")
def _matmul(self: Tensor, other: Any) -> Any:
    return products.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


@named("__rmatmul__")
def _rmatmul(self: Tensor, other: Any) -> Any:
    return NotImplemented


@named("__contains__")
def _contains(self: Tensor, element: Any) -> bool:
    if not isinstance(element, OPERANDS):
        raise RuntimeError(f"`in` supports tensors and numbers only, not {type(element)}")
    return bool(comparing.eq(self, element).any())


@named("__getitem__")
def _get(self: Tensor, key: Any) -> Tensor:
    return indexing.get(self, key)


@named("__setitem__")
def _set(self: Tensor, key: Any, value: Any) -> None:
    indexing.put_at(self, key, value)


@named("__reversed__")
def _reversed(self: Tensor) -> Tensor:
    return TENSOR["flip"](self, 0) if self.shape else self


def _shifted(self: Tensor, other: Any) -> Tensor:
    """Raise NotOnThisPage: bit shifts, `x << 1`."""
    raise missing("operators << and >>")


SHIFTS = ("lshift", "rlshift", "ilshift", "rshift", "rrshift", "irshift")
OTHERS: dict[str, Callable] = {
    "__matmul__": _matmul, "__rmatmul__": _rmatmul, "__getitem__": _get, "__setitem__": _set,
    "__contains__": _contains, "__neg__": arithmetic.neg, "__pos__": unary.positive,
    "__abs__": unary.abs, "__invert__": comparing.bitwise_not, "__reversed__": _reversed,
    **dict.fromkeys((f"__{name}__" for name in SHIFTS), _shifted),
}  # fmt: skip


def _turned(self: Tensor) -> Tensor:
    """Reverse all axes: `x.T`."""
    return axes.permuted(self, range(len(self.shape))[::-1])


def _last_turned(self: Tensor) -> Tensor:
    """Transpose the last two axes: `x.mT`."""
    if len(self.shape) == 1:
        raise RuntimeError(f"tensor.mT is only supported on matrices, not in {len(self.shape)}D")
    return axes.transpose(self, -2, -1) if self.shape else self


def _bare(self: Tensor) -> Tensor:
    """Return the same numbers without their history: `x.data`."""
    return TENSOR["detach"](self)


def _replace(self: Tensor, other: Tensor) -> None:
    """Show another tensor's numbers from now on: `x.data = y`."""
    self._storage, self._offset, self._strides = other._storage, other._offset, other._strides
    self.shape, self.dtype, self._leaf = other.shape, other.dtype, None


def define() -> None:
    """Set operators, methods and properties of the class."""
    for name, function in BINARY.items():
        _binary(name, function)
    for name, function in COMPARISONS.items():
        _comparison(name, function)
    for name, function in OTHERS.items():
        setattr(Tensor, name, called(function, 0))
    Tensor.__new__ = staticmethod(oldest)  # type: ignore[assignment]
    for name, function in (TENSOR | CONVERSIONS).items():
        setattr(Tensor, name, function)
    Tensor.T = property(_turned)  # type: ignore[attr-defined]
    Tensor.mT = Tensor.mH = property(_last_turned)  # type: ignore[attr-defined]
    Tensor.H = property(lambda self: axes.t(self) if self.shape else self)  # type: ignore[attr-defined]
    Tensor.data = property(_bare, _replace)  # type: ignore[attr-defined]
    Tensor.real = property(lambda self: self)  # type: ignore[attr-defined]
