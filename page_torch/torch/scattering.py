"""Scatter numbers by indices and masks: scatter, masked_fill, index_add."""

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .dtypes import BOOL, INT32, INT64
from .elementwise import check_operand, rounded_as, spread, together
from .gathering import check_index, places_of
from .in_place import check_may_write, check_none_shared, check_separate, put, write
from .indexing import get, put_at
from .layout import broadcast
from .missing import missing
from .operation import method, operation
from .rounding import check_fits, keep
from .slicing import select
from .tensor import Tensor, axis, item, new, numbers


def copying(write_into: Callable) -> Callable:
    """Define also the operation that writes into a copy; its name has no `_` at the end."""

    def apply(input: Tensor, *args: Any, **options: Any) -> Tensor:
        result = write_into(input.clone(), *args, **options)
        result._storage.version = 0
        return result

    known = inspect.signature(write_into)
    first, *others = known.parameters.values()
    apply.__signature__ = known.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="input"), *others]
    )
    apply.__name__ = write_into.__name__.removesuffix("_")
    operation(apply)
    return write_into


@copying
@method
def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    at, source = axis(self, dim), value if src is None else src
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    check_index("scatter", self, index, at, self)
    if isinstance(source, Tensor):
        _check_same(self, source)
        written = _within(source, index)
        values, of = numbers(written), [source]
    else:
        check_fits(source, self.dtype)
        written, values, of = None, [source] * index.shape.numel(), []
    where = places_of(self, at, index)
    check_separate(self, index, *of)
    if reduce is not None:
        return add_into(self, where, values, reduce)
    put(self, where, keep(values, self.dtype), written)
    return self


def _check_same(x: Tensor, source: Tensor) -> None:
    if source.dtype is not x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")


def add_into(x: Tensor, where: Sequence[int], values: Sequence, how: str) -> Tensor:
    """Add numbers to those in these places, or multiply by them, one after the other."""
    check_may_write(x)
    if x.requires_grad:
        raise missing(f"gradient of scatter with reduce={how!r}")
    function, storage = operator.add if how == "add" else operator.mul, x._storage
    for place, value in zip(where, values, strict=True):
        storage[place] = keep([function(storage[place], value)], x.dtype)[0]
    put(x, (), ())
    return x


def _within(source: Tensor, index: Tensor) -> Tensor:
    """Return a view of a source where an index has places."""
    if len(source.shape) != len(index.shape) or any(
        a > b for a, b in zip(index.shape, source.shape, strict=True)
    ):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    return get(source, tuple(slice(0, n) for n in index.shape))


@copying
@method
def index_put_(self: Tensor, indices: Any, values: Tensor) -> Tensor:
    put_at(self, tuple(indices), values)
    return self


def _fill_value(x: Tensor, mask: Tensor, value: Any) -> Any:
    """Return the fill value. Raises RuntimeError unless mask and value fit."""
    if mask.dtype is not BOOL:
        raise RuntimeError(f"masked_fill only supports boolean masks, but got {mask.dtype.spoken}")
    if isinstance(value, Tensor):
        if value.shape:
            raise RuntimeError(
                f"masked_fill: the value has to be one number, not {list(value.shape)}"
            )
        if value.dtype.kind > x.dtype.kind:
            raise RuntimeError(f"value cannot be converted to type {x.dtype.in_c} without overflow")
        return item(value)
    check_operand("masked_fill", value)
    check_fits(value, x.dtype, "" if x.dtype.kind == 2 else f"{x.dtype.name}_t")
    return value


@operation
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    filling = keep([_fill_value(input, mask, value)], input.dtype)[0]
    if isinstance(value, Tensor) and value.requires_grad:
        filling = rounded_as(value, input.dtype)
    return together(_filled, (input, mask, filling), input.dtype, kept=True)


def _filled(value: Any, hidden: Any, filling: Any) -> Any:
    return filling if hidden else value


@method
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    check_may_write(self)
    filled = masked_fill(self, mask.expand(self.shape), value)
    return write(self, numbers(filled), filled)


@operation
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    if mask.dtype is not BOOL or source.dtype is not input.dtype:
        raise RuntimeError(
            f"masked_scatter: expected a boolean mask and a source of type {input.dtype.spoken}, "
            f"but got {mask.dtype.spoken} and {source.dtype.spoken}"
        )
    shape = broadcast(tuple(input.shape), tuple(mask.shape))
    taken, values = spread(mask, shape), iter(numbers(source))
    if sum(taken) > source.shape.numel():
        raise RuntimeError("masked_scatter: the source has fewer numbers than the mask is true")
    pairs = zip(spread(input, shape), taken, strict=True)
    return new([next(values) if t else v for v, t in pairs], shape, input.dtype, (input, source))


def _rows(name: str, x: Tensor, at: int, index: Tensor) -> list[Tensor]:
    """Return views of the slices that an index names along an axis."""
    if index.dtype not in (INT64, INT32) or len(index.shape) > 1 or not x.shape:
        raise IndexError(f"{name}(): expected a vector of int64 as index, but got {index!r}")
    check_none_shared(x, index)
    return [select(x, at, n) for n in numbers(index)]


@copying
@method
def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    at = axis(self, dim)
    if any(n < 0 for n in numbers(index)):
        raise IndexError("index out of range in self")
    rows = _rows("index_add_", self, at, index)
    wanted = (*self.shape[:at], len(rows), *self.shape[at + 1 :])
    if source.dtype is not self.dtype or source.shape != wanted:
        raise RuntimeError(
            f"index_add_(): expected a source of type {self.dtype.spoken} and shape "
            f"{list(wanted)}, but got {source.dtype.spoken} and {list(source.shape)}"
        )
    check_separate(self, source)
    for row, more in zip(rows, source.movedim(at, 0), strict=True):
        row.add_(more, alpha=alpha)
    return self


@copying
@method
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    for row in _rows("index_fill_", self, axis(self, dim), index):
        row.fill_(value)
    return self
