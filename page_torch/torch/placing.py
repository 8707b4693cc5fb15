"""Numbers put into a tensor by indices and masks."""

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

from .dtypes import BOOL
from .elementwise import check_operand, spread, together
from .graph import connect
from .indexing import get, put_at
from .layout import broadcast
from .missing import missing
from .operation import TENSOR, method, operation
from .picking import check_index, places_of
from .rounding import check_fits, keep
from .tensor import Tensor, axis, item, new, numbers
from .writing import check_may_write, check_separate, put, write

#: Whose results lie in order, however what they are made of may lie.
IN_ORDER = ("scatter_", "scatter_add_", "index_add_", "index_copy_")


def copying(write_into: Callable) -> Callable:
    """Define the operation that writes into a copy, too; its name has no `_` at the end."""

    def apply(input: Tensor, *args: Any, **options: Any) -> Tensor:
        result = write_into(copied(input), *args, **options)
        result._storage.version = 0
        return result

    copied = _in_order if write_into.__name__ in IN_ORDER else TENSOR["clone"].__wrapped__
    known = inspect.signature(write_into)
    first, *others = known.parameters.values()
    apply.__signature__ = known.replace(  # type: ignore[attr-defined]
        parameters=[first.replace(name="input"), *others]
    )
    apply.__name__ = write_into.__name__.removesuffix("_")
    operation(apply)
    return write_into


def _in_order(x: Tensor) -> Tensor:
    return new(numbers(x), x.shape, x.dtype, (x,))


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
        values, of = _within(source, index), [source]
    else:
        check_fits(source, self.dtype)
        values, of = [source] * index.shape.numel(), []
    where = places_of(self, at, index)
    check_separate(self, index, *of)
    if reduce is not None:
        return add_into(self, where, values, of, reduce)
    put(self, where, keep(values, self.dtype), of)
    return self


@copying
@method
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    at = axis(self, dim)
    check_index("scatter_add", self, index, at, self)
    _check_same(self, src)
    values, where = _within(src, index), places_of(self, at, index)
    check_separate(self, index, src)
    return add_into(self, where, values, (src,))


def _check_same(x: Tensor, source: Tensor) -> None:
    if source.dtype is not x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")


def add_into(
    x: Tensor, where: Sequence[int], values: Sequence, of: Sequence[Tensor], how: str = "add"
) -> Tensor:
    """Add numbers, or multiply by them, one after the other, to what stands in these places."""
    check_may_write(x)
    function, storage = operator.add if how == "add" else operator.mul, x._storage
    for place, value in zip(where, values, strict=True):
        storage[place] = keep([function(storage[place], value)], x.dtype)[0]
    put(x, (), (), of)
    return x


def _within(source: Tensor, index: Tensor) -> list:
    """Return the numbers of a source that stand where an index has some."""
    if len(source.shape) != len(index.shape) or any(
        a > b for a, b in zip(index.shape, source.shape, strict=True)
    ):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    return numbers(get(source, tuple(slice(0, n) for n in index.shape)))


@copying
@method
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    if accumulate:
        raise missing("index_put with accumulate=True")
    put_at(self, tuple(indices), values)
    return self


def _fill_value(x: Tensor, mask: Tensor, value: Any) -> Any:
    """Refuse a mask that is none, and a value that does not fit."""
    if mask.dtype is not BOOL:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.in_c}"
        )
    if isinstance(value, Tensor):
        if value.shape:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{len(value.shape)} dimension(s)."
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
    of = (input, value) if isinstance(value, Tensor) else (input,)
    result = together(
        lambda v, hidden: filling if hidden else v, (input, mask), input.dtype, kept=True
    )
    if not result.is_contiguous():  # in order, however what it is made of may lie
        return new(numbers(result), result.shape, result.dtype, of)
    if len(of) > 1:
        connect(result, of)
    return result


@method
def masked_fill_(self: Tensor, mask: Tensor, value: Any) -> Tensor:
    filling = _fill_value(self, mask, value)
    hidden = spread(mask.expand(self.shape), tuple(self.shape))
    pairs = zip(numbers(self), hidden, strict=True)
    of = (value,) if isinstance(value, Tensor) else ()
    return write(self, [filling if hides else v for v, hides in pairs], of)


@operation
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    if mask.dtype is not BOOL:
        raise RuntimeError(
            "masked_scatter_ only supports boolean masks, but got mask with dtype "
            f"{mask.dtype.spoken}"
        )
    if source.dtype is not input.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got "
            f"{input.dtype.spoken} and {source.dtype.spoken}"
        )
    shape = broadcast(tuple(input.shape), tuple(mask.shape))
    values = iter(numbers(source))
    try:
        pairs = zip(spread(input, shape), spread(mask, shape), strict=True)
        mixed = [next(values) if taken else v for v, taken in pairs]
    except (StopIteration, RuntimeError):
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got fewer values"
        ) from None
    return new(mixed, shape, input.dtype, (input, source))
