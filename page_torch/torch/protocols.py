"""Python's protocols: bool, len, iteration, format, copy."""

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from .creation import tensor
from .dtypes import FLOAT32
from .layout import contiguous_strides
from .missing import missing
from .operation import called
from .printing import text
from .storage import Storage
from .tensor import Tensor, item, numbers, over, show


def oldest(cls: type[Tensor], *args: Any) -> Tensor:
    """Return float32 of a list, a view of a tensor, or zeros of a size: `torch.Tensor(...)`."""
    if len(args) == 1 and not isinstance(args[0], int):
        given = args[0] if isinstance(args[0], Tensor) else tensor(args[0], dtype=FLOAT32)
        return over(given._storage, given.shape, given._strides, given._offset, given.dtype, cls)
    shape = tuple(map(operator.index, args)) or (0,)
    zeros = Storage([0.0] * math.prod(shape))
    return over(zeros, shape, contiguous_strides(shape), 0, FLOAT32, cls)


def _bool(self: Tensor) -> bool:
    if math.prod(self.shape) != 1:
        many = "more than one value" if math.prod(self.shape) else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(item(self))


def _int(self: Tensor) -> int:
    return int(item(self))


def _float(self: Tensor) -> float:
    return float(item(self))


def _complex(self: Tensor) -> complex:
    return complex(item(self))


def _index(self: Tensor) -> int:
    if math.prod(self.shape) != 1 or self.dtype.is_floating_point:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(self))


def _len(self: Tensor) -> int:
    if not self.shape:
        raise TypeError("len() of a 0-d tensor")
    return self.shape[0]


def _iter(self: Tensor) -> Iterator[Tensor]:
    if not self.shape:
        raise TypeError("iteration over a 0-d tensor")
    rest, strides, step = self.shape[1:], self._strides[1:], self._strides[0]
    return iter([show(self, rest, strides, n * step) for n in range(self.shape[0])])


def _format(self: Tensor, spec: str) -> str:
    if not self.shape and type(self) is Tensor:
        return format(item(self), spec)
    return object.__format__(self, spec)


def _deepcopy(self: Tensor, memo: dict) -> Tensor:
    if not self.is_leaf:
        raise RuntimeError("Only leaves of the graph support the deepcopy protocol; use clone()")
    shape = tuple(self.shape)
    values = Storage(numbers(self))
    copied = over(values, shape, contiguous_strides(shape), 0, self.dtype, type(self))
    copied._wants = self.requires_grad
    memo[id(self)] = copied
    return copied


def _reduce(self: Tensor, _: Any) -> None:
    raise missing("pickled tensors")


CONVERSIONS: dict[str, Callable] = {
    "__bool__": _bool, "__int__": _int, "__float__": called(_float, 0), "__complex__": _complex,
    "__index__": _index, "__len__": _len, "__iter__": _iter, "__format__": _format,
    "__deepcopy__": _deepcopy, "__reduce_ex__": _reduce, "__repr__": text,
}  # fmt: skip
