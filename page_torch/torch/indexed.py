"""Whole slices along an axis that indices name: filled, copied into, added to."""

from typing import Any

from .dtypes import BOOL, INT32, INT64
from .layout import places
from .operation import method
from .parts import row
from .placing import add_into, copying
from .rounding import check_fits, keep
from .tensor import Tensor, axis, item, numbers
from .writing import check_none_shared, check_separate, put


def _check_index(name: str, index: Tensor, kinds: tuple) -> None:
    """Refuse an index that is no vector of such types. Raises IndexError."""
    if index.dtype not in kinds:
        raise IndexError(f"{name}(): Expected dtype int64 for index, but got {index.dtype.spoken}")
    if len(index.shape) > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")


def _slices(x: Tensor, at: int, index: Tensor, least: int = 0) -> list[int]:
    """List the places of the slices that are named, one after the other."""
    size, found = x.shape[at] if x.shape else 1, []
    for n in numbers(index):
        if not least * size <= n < size:
            raise IndexError(f"index {n} is out of bounds for dimension {at} with size {size}")
        part = row(x, at, n % size) if x.shape else x
        found += [part._offset + place for place in places(tuple(part.shape), part._strides)]
    return found


def _slice_by_slice(x: Tensor, at: int) -> list:
    """List the numbers of a tensor's slices along an axis, one slice after the other."""
    return numbers(x.movedim(at, 0) if x.shape else x)


def _check_source(name: str, x: Tensor, at: int, count: int, source: Tensor) -> None:
    """Refuse what does not have so many slices of the same shape and type. Raises RuntimeError."""
    if x.dtype is not source.dtype:
        raise RuntimeError(
            f"{name}(): self ({x.dtype.spoken}) and source ({source.dtype.spoken}) must have the "
            "same scalar type"
        )
    wanted = (*x.shape[:at], count, *x.shape[at + 1 :]) if x.shape else ()
    if source.shape != wanted or (not x.shape and count != 1):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(x.shape)} source.shape = {list(source.shape)}"
        )


@copying
@method
def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    at, factor = axis(self, dim), keep([alpha], self.dtype)[0]
    _check_index("index_add_", index, (INT64, INT32))
    _check_source("index_add_", self, at, index.shape.numel(), source)
    check_separate(self, index, source)
    values = [v * factor for v in _slice_by_slice(source, at)]
    return add_into(self, _slices(self, at, index), values, (source,))


@copying
@method
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    at, count = axis(self, dim), index.shape.numel()
    _check_index("index_copy_", index, (INT64,))
    given = source
    if not source.shape and len(self.shape) == 1:
        given = source.reshape(1)
    elif not self.shape and len(source.shape) == 1 and count == source.shape[0] == 1:
        given = source.reshape(())
    _check_source("index_copy_", self, at, count, given)
    check_separate(self, index, source)
    put(self, _slices(self, at, index), _slice_by_slice(given, at), (source,))
    return self


@copying
@method
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    at, of = axis(self, dim), (value,) if isinstance(value, Tensor) else ()
    _check_index("index_fill_", index, (INT64,))
    if of and value.shape:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{len(value.shape)} dimension(s)."
        )
    number = item(value) if of else value
    if not of and self.dtype is not BOOL:
        check_fits(number, self.dtype)
    check_none_shared(self, index)
    where = _slices(self, at, index, -1)
    put(self, where, keep([number], self.dtype) * len(where), of)
    return self
