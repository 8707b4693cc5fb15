"""Numbers picked, placed and replaced by indices and masks."""

from collections.abc import Sequence
from itertools import product
from typing import Any

from .dtypes import BOOL, INT32, INT64
from .elementwise import check_operand, result_type, spread, together
from .indexing import get, nonzero_places, put_at
from .layout import broadcast
from .operation import method, operation, torch_function
from .rounding import check_fits, keep
from .tensor import Tensor, axis, item, new, numbers
from .views import expanded
from .writing import put, write


@operation
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    at = axis(input, dim)
    if len(index.shape) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype not in (INT64, INT32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not input.shape:
        return input.clone()
    size = input.shape[at]
    if any(not 0 <= n < size for n in numbers(index)):
        raise IndexError("index out of range in self")
    return get(input, (slice(None),) * at + (index.reshape(-1),))


@operation
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype is not BOOL:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast(tuple(input.shape), tuple(mask.shape))
    pairs = zip(spread(input, shape), spread(mask, shape), strict=True)
    values = [v for v, kept in pairs if kept]
    return new(values, (len(values),), input.dtype, (input,))


@operation
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    rows, width = nonzero_places(input), len(input.shape)
    if as_tuple:
        return tuple(new([row[d] for row in rows], (len(rows),), INT64) for d in range(width))
    columns = [row[d] for d in range(width) for row in rows]
    return new(columns, (width, len(rows)), INT64).t()


@operation
def argwhere(input: Tensor) -> Tensor:
    return nonzero(input)


def _check_index(name: str, x: Tensor, index: Tensor, at: int, within: Tensor) -> None:
    """Refuse indices that do not fit. Raises RuntimeError."""
    if index.dtype not in (INT64, INT32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if max(len(index.shape), 1) != max(len(x.shape), 1):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as input tensor"
            if name == "gather" else "Index tensor must have the same number of dimensions as self tensor"
        )
    for d, n in enumerate(index.shape):
        if d != at and n > within.shape[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no "
                f"larger than self {list(within.shape)} apart from dimension {at}"
            )


def _places(x: Tensor, at: int, index: Tensor) -> list[int]:
    """Give the places of numbers whose index along one axis is given."""
    strides, size, found = x._strides, x.shape[at] if x.shape else 1, []
    for place, picked in zip(product(*map(range, index.shape)), numbers(index), strict=True):
        if not 0 <= picked < size:
            raise RuntimeError(
                f"index {picked} is out of bounds for dimension {at} with size {size}"
            )
        where = x._offset
        for d, n in enumerate(place):
            where += (picked if d == at else n) * (strides[d] if strides else 0)
        found.append(where)
    return found


@operation
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    at = axis(input, dim)
    _check_index("gather", input, index, at, input)
    values = [input._storage[place] for place in _places(input, at, index)]
    return new(values, index.shape, input.dtype, (input,))


@operation
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    at = axis(input, dim)
    if len(input.shape) != len(indices.shape):
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {len(input.shape)} dimensions for input, and {len(indices.shape)} dimensions "
            "for indices"
        )
    one, two = list(input.shape), list(indices.shape)
    one[at] = two[at] = 1
    shape = list(broadcast(tuple(one), tuple(two)))
    shape[at] = input.shape[at]
    wide = expanded(input, tuple(shape))
    shape[at] = indices.shape[at]
    return gather(wide, at, expanded(indices, tuple(shape)))


@operation
def take(input: Tensor, index: Tensor) -> Tensor:
    flat = numbers(input)
    if any(not -len(flat) <= n < len(flat) for n in numbers(index)):
        raise IndexError("out of range: tried to access an index of a tensor that has it not")
    return new([flat[n] for n in numbers(index)], index.shape, input.dtype, (input,))


@method
def scatter_(
    self: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None,
    reduce: str | None = None,
) -> Tensor:  # fmt: skip
    at, source = axis(self, dim), value if src is None else src
    _check_index("scatter", self, index, at, self)
    if isinstance(source, Tensor):
        if source.dtype is not self.dtype:
            raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
        values, of = _within(source, index), (source,)
    else:
        check_fits(source, self.dtype)
        values, of = [source] * index.shape.numel(), ()
    where = _places(self, at, index)
    if reduce is not None:
        return _added(self, where, values, of, reduce)
    put(self, where, keep(values, self.dtype), of)
    return self


@method
def scatter_add_(self: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    at = axis(self, dim)
    _check_index("scatter_add", self, index, at, self)
    return _added(self, _places(self, at, index), _within(src, index), (src,), "add")


def _added(x: Tensor, where: Sequence[int], values: Sequence, of: tuple, how: str) -> Tensor:
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
def scatter(input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None) -> Tensor:
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
        from .missing import missing

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
            raise RuntimeError(
                f"value cannot be converted to type {x.dtype.in_c} without overflow"
            )
        return item(value)
    check_operand("masked_fill", value)
    check_fits(value, x.dtype, "" if x.dtype.kind == 2 else f"{x.dtype.name}_t")
    return value


@operation
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    filling = keep([_fill_value(input, mask, value)], input.dtype)[0]
    of = (input, value) if isinstance(value, Tensor) else (input,)
    result = together(lambda v, hidden: filling if hidden else v, (input, mask), input.dtype)
    if len(of) > 1:
        from .graph import connect

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


def _where(condition: Tensor, a: Any, b: Any) -> Tensor:
    if condition.dtype is not BOOL:
        raise RuntimeError(
            "where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype.spoken}"
        )
    check_operand("where", a)
    check_operand("where", b)
    kind = result_type(a, b)
    return together(lambda c, x, y: x if c else y, (condition, a, b), kind)


@torch_function
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    return _where(condition, input, other)


def _method_where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    return _where(condition, self, other)


_method_where.__name__ = "where"
method(_method_where)


@operation
def isin(elements: Tensor, test_elements: Any, *, invert: bool = False) -> Tensor:
    wanted = set(numbers(test_elements) if isinstance(test_elements, Tensor) else [test_elements])
    return new([(v in wanted) != invert for v in numbers(elements)], elements.shape, BOOL)

