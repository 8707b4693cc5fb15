"""Numbers put into a tensor by indices and masks."""

from collections.abc import Sequence
from typing import Any

from .dtypes import BOOL
from .elementwise import check_operand, spread, together
from .graph import connect
from .indexing import get, put_at
from .layout import broadcast
from .missing import missing
from .operation import method, operation
from .picking import check_index, places_of
from .rounding import check_fits, keep
from .tensor import Tensor, axis, item, new, numbers
from .writing import put, write


@method
def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    at, source = axis(self, dim), value if src is None else src
    check_index("scatter", self, index, at, self)
    if isinstance(source, Tensor):
        if source.dtype is not self.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        values, of = _within(source, index), [source]
    else:
        check_fits(source, self.dtype)
        values, of = [source] * index.shape.numel(), []
    where = places_of(self, at, index)
    if reduce is not None:
        return _added(self, where, values, of, reduce)
    put(self, where, keep(values, self.dtype), of)
    return self


@method
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    at = axis(self, dim)
    check_index("scatter_add", self, index, at, self)
    return _added(self, places_of(self, at, index), _within(src, index), (src,), "add")


def _added(x: Tensor, where: Sequence[int], values: Sequence, of: Sequence, how: str) -> Tensor:
    for place, value in zip(where, values, strict=True):
        old = x._storage[place]
        put(x, [place], keep([old + value if how == "add" else old * value], x.dtype), of)
    return x


def _within(source: Tensor, index: Tensor) -> list:
    """Give the numbers of a source that stand where an index has some."""
    if len(source.shape) != len(index.shape) or any(
        a > b for a, b in zip(index.shape, source.shape, strict=True)
    ):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    return numbers(get(source, tuple(slice(0, n) for n in index.shape)))


@operation
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
) -> Tensor:
    return scatter_(input.clone(), dim, index, src, value=value, reduce=reduce)


@operation
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    return scatter_add_(input.clone(), dim, index, src)


@method
def index_fill_(self: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    put_at(self, (slice(None),) * axis(self, dim) + (index,), value)
    return self


@method
def index_copy_(self: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    put_at(self, (slice(None),) * axis(self, dim) + (index,), source)
    return self


@method
def index_add_(self: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    at = axis(self, dim)
    for n, where in enumerate(numbers(index)):
        target = self.select(at, where) if self.shape else self
        target.add_(source.select(at, n) if source.shape else source, alpha=alpha)
    return self


@method
def index_put_(self: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    if accumulate:
        raise missing("index_put with accumulate=True")
    put_at(self, tuple(indices), values)
    return self


def _copying(name: str, write_into: Any) -> None:
    """Define the operation that writes into a copy."""

    def apply(input: Tensor, *args: Any, **options: Any) -> Tensor:
        return write_into(input.clone(), *args, **options)

    apply.__name__ = name
    operation(apply)


for _name, _function in {
    "index_fill": index_fill_, "index_copy": index_copy_, "index_add": index_add_,
    "index_put": index_put_,
}.items():  # fmt: skip
    _copying(_name, _function)


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
