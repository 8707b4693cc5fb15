"""Gather numbers by indices and masks: gather, where, nonzero."""

from itertools import compress, product
from typing import Any

from .dtypes import BOOL, INT32, INT64, UINT8
from .elementwise import check_operand, mapped, result_type, spread, together
from .graph import spots
from .indexing import get, nonzero_places
from .layout import broadcast
from .missing import missing
from .operation import method, operation, torch_function
from .tensor import Tensor, axis, new, numbers, read_at, real_axis
from .views import expanded


@operation
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    at = axis(input, dim)
    if len(index.shape) > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype not in (INT64, INT32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = input.shape[at] if input.shape else 1
    if any(not 0 <= n < size for n in numbers(index)):
        raise IndexError("index out of range in self")
    if not input.shape:
        return input.clone()
    return get(input, (slice(None),) * at + (index.reshape(-1),))


@operation
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype is not BOOL:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast(tuple(input.shape), tuple(mask.shape))
    where = spots(shape, expanded(input, shape)._strides, input._offset)
    kept = list(compress(where, spread(mask, shape)))
    return read_at(input, kept, (len(kept),))


@operation
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    rows, width = nonzero_places(input), len(input.shape)
    if as_tuple:
        return tuple(new([row[d] for row in rows], (len(rows),), INT64) for d in range(width))
    columns = [row[d] for d in range(width) for row in rows]
    return new(columns, (width, len(rows)), INT64).t()


def check_index(name: str, x: Tensor, index: Tensor, at: int, within: Tensor) -> None:
    """Raise RuntimeError unless indices fit the tensor."""
    if index.dtype not in (INT64, INT32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if max(len(index.shape), 1) != max(len(x.shape), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, n in enumerate(index.shape):
        if d != at and n > within.shape[d]:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no "
                f"larger than self {list(within.shape)} apart from dimension {at}"
            )


def places_of(x: Tensor, at: int, index: Tensor) -> list[int]:
    """Return the places of numbers whose index along one axis is given."""
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
def gather(input: Tensor, dim: int, index: Tensor) -> Tensor:
    at = axis(input, dim)
    if 0 in index.shape:
        return new([], index.shape, input.dtype, (input,))
    check_index("gather", input, index, at, input)
    return read_at(input, places_of(input, at, index), index.shape)


@operation
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    if indices.dtype is not INT64:
        raise RuntimeError(f"take_along_dim: indices should be Long but got {indices.dtype.spoken}")
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    at = real_axis(input, dim)
    if len(input.shape) != len(indices.shape):
        raise RuntimeError("take_along_dim: input and indices differ in the number of dimensions")
    size, count = input.shape[at], indices.shape[at]
    one, two = ((*x.shape[:at], 1, *x.shape[at + 1 :]) for x in (input, indices))
    shape = broadcast(one, two)
    wide, many = ((*shape[:at], n, *shape[at + 1 :]) for n in (size, count))
    places = mapped(indices, lambda n: n % size if size else n)
    return gather(expanded(input, wide), at, expanded(places, many))


def _where(condition: Tensor, a: Any, b: Any) -> Tensor:
    if condition.dtype is UINT8:
        raise missing("masks of type uint8")
    if condition.dtype is not BOOL:
        raise RuntimeError(f"where expected a boolean condition, but got {condition.dtype.spoken}")
    check_operand("where", a)
    check_operand("where", b)
    kind = result_type(a, b)
    return together(_chosen, (condition, a, b), kind)


def _chosen(condition: Any, a: Any, b: Any) -> Any:
    return a if condition else b


@torch_function
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    return _where(condition, input, other)


def _method_where(self: Tensor, condition: Tensor, other: Any) -> Tensor:
    return _where(condition, self, other)


_method_where.__name__ = "where"
method(_method_where)


@torch_function
def isin(elements: Any, test_elements: Any) -> Tensor:
    given = elements, test_elements
    if any(x.dtype is BOOL if isinstance(x, Tensor) else type(x) is bool for x in given):
        raise RuntimeError("Unsupported input type encountered for isin(): Bool")
    if not any(isinstance(x, Tensor) for x in given):
        raise TypeError("isin() received an invalid combination of arguments: two numbers")
    asked, known = (numbers(x) if isinstance(x, Tensor) else [x] for x in given)
    wanted = {v for v in known if v == v}
    shape = elements.shape if isinstance(elements, Tensor) else ()
    return new([v in wanted for v in asked], shape, BOOL)
