"""Numbers picked, placed and replaced by indices and masks."""

from itertools import product
from typing import Any

from .dtypes import BOOL, INT32, INT64, UINT8
from .elementwise import check_operand, mapped, result_type, spread, together
from .indexing import get, nonzero_places
from .layout import broadcast
from .operation import method, operation, torch_function
from .tensor import Tensor, axis, new, numbers
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
    picked = get(input, (slice(None),) * at + (index.reshape(-1),))
    return new(numbers(picked), picked.shape, input.dtype, (input,))


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


def check_index(name: str, x: Tensor, index: Tensor, at: int, within: Tensor) -> None:
    """Refuse indices that do not fit. Raises RuntimeError."""
    if index.dtype not in (INT64, INT32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if max(len(index.shape), 1) != max(len(x.shape), 1):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as input tensor"
            if name == "gather"
            else "Index tensor must have the same number of dimensions as self tensor"
        )
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
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    at = axis(input, dim)
    if 0 in index.shape:
        return new([], index.shape, input.dtype, (input,))
    check_index("gather", input, index, at, input)
    values = [input._storage[place] for place in places_of(input, at, index)]
    return new(values, index.shape, input.dtype, (input,))


@operation
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    if indices.dtype is not INT64:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long but got "
            f"{indices.dtype.spoken}"
        )
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
    size = input.shape[at] if input.shape else 1  # PyTorch counts on from the front, or the back
    wrapped = mapped(indices, lambda n: n % size if size else n)
    return gather(wide, at, expanded(wrapped, tuple(shape)))


@operation
def take(input: Tensor, index: Tensor) -> Tensor:
    if index.dtype is not INT64:
        raise RuntimeError(
            f"take(): Expected a long tensor for index, but got {index.dtype.spoken}"
        )
    flat = numbers(input)
    if any(not -len(flat) <= n < len(flat) for n in numbers(index)):
        raise IndexError("out of range: tried to access an index of a tensor that has it not")
    return new([flat[n] for n in numbers(index)], index.shape, input.dtype, (input,))


def _where(condition: Tensor, a: Any, b: Any) -> Tensor:
    if condition.dtype not in (BOOL, UINT8):
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


@torch_function
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    given = elements, test_elements
    if any(x.dtype is BOOL if isinstance(x, Tensor) else type(x) is bool for x in given):
        raise RuntimeError("Unsupported input type encountered for isin(): Bool")
    if not any(isinstance(x, Tensor) for x in given):
        raise TypeError("isin() received an invalid combination of arguments: two numbers")
    asked, known = (numbers(x) if isinstance(x, Tensor) else [x] for x in given)
    wanted = {v for v in known if v == v}
    shape = elements.shape if isinstance(elements, Tensor) else ()
    return new([(v in wanted) != invert for v in asked], shape, BOOL)
