"""x[...]: views for integers and slices, copies for tensors and lists of indices."""

import math
import operator
from itertools import compress, dropwhile, product
from typing import Any, NamedTuple

from .creation import tensor
from .dtypes import BFLOAT16, BOOL, FLOAT16, INT32, INT64, UINT8
from .elementwise import spread
from .in_place import check_apart, meet, put, write
from .layout import Sizes, broadcast, places
from .missing import missing
from .rounding import check_fits, keep
from .tensor import Tensor, is_bool, item, new, numbers, read_at, show, unknown, without_numbers
from .views import expanded, reshaped

NO_INDICES = "tensors used as indices must be long, int, byte or bool tensors"


def _listed(key: Any) -> list:
    """Return the parts of a key; lists become tensors, and a mask one tensor for each axis."""
    parts = list(key) if isinstance(key, tuple) or _stands_for_tuple(key) else [key]
    return [_part(part) for part in parts]


def _stands_for_tuple(key: Any) -> bool:
    """Return whether a list is read as a tuple, as in PyTorch if it holds more than numbers."""
    return isinstance(key, list) and any(not isinstance(part, bool | int) for part in key)


def _part(part: Any) -> Any:
    if isinstance(part, list | tuple | range):
        made = tensor(list(part))
        return made if made.shape != (0,) else made.to(INT64)
    if isinstance(part, Tensor) and not part.shape and part.dtype.kind == 1:
        return item(part)
    return part


def _axes_of(part: Any) -> int:
    """Return the number of axes that a part of a key indexes."""
    if part is None or part is Ellipsis or isinstance(part, bool):
        return 0
    return len(part.shape) if is_bool(part) else 1


def _whole_key(x: Tensor, key: Any) -> list:
    """Replace an ellipsis by as many slices as needed."""
    parts = _listed(key)
    used = sum(map(_axes_of, parts))
    if used > len(x.shape):
        raise IndexError(f"too many indices for tensor of dimension {len(x.shape)}")
    dots = [n for n, part in enumerate(parts) if part is Ellipsis]
    if len(dots) > 1:
        raise missing("two ellipses in one index")
    for n in dots:
        parts[n : n + 1] = [slice(None)] * (len(x.shape) - used)
    return parts


class Picked(NamedTuple):
    """The result of advanced indexing: its shape, and its places in the storage."""

    shape: Sizes
    places: list[int]


def pick(view: Tensor, picks: dict[int, Tensor]) -> Picked:
    """Return the places that indices along some axes pick, together."""
    axes = sorted(picks)
    try:
        common = broadcast(*(tuple(picks[d].shape) for d in axes))
    except RuntimeError:
        shapes = ", ".join(str(list(picks[d].shape)) for d in axes)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
        ) from None
    base = [0] * math.prod(common)
    if base and any(view.shape[d] == 0 for d in axes):
        raise IndexError("index is out of bounds for dimension with size 0")
    asked = axes if all(n for d, n in enumerate(view.shape) if d not in picks) else []
    for d in asked:
        size, step = view.shape[d], view._strides[d]
        for n, index in enumerate(spread(picks[d], common)):
            if not -size <= index < size:
                raise IndexError(
                    f"index {index} is out of bounds for dimension {d} with size {size}"
                )
            base[n] += index % size * step
    side_by_side = axes == list(range(axes[0], axes[-1] + 1))
    start = axes[0] if side_by_side else 0
    rest = [d for d in range(len(view.shape)) if d not in picks]
    before, after = rest[:start], rest[start:]
    outer, inner = _places(view, before), _places(view, after)
    shape = (*(view.shape[d] for d in before), *common, *(view.shape[d] for d in after))
    offset = view._offset
    found = [offset + a + b + c for a in outer for b in base for c in inner]
    return Picked(shape, found)


def _places(view: Tensor, dims: list[int]) -> tuple[int, ...]:
    return places(tuple(view.shape[d] for d in dims), tuple(view._strides[d] for d in dims))


def looked_up(x: Tensor, key: Any) -> Tensor | Picked:
    """Return what a key means: a view, or the places of a copy."""
    shape: list[int] = []
    strides: list[int] = []
    picks: dict[int, Tensor] = {}
    further, at = 0, 0
    for part in _whole_key(x, key):
        size, step = (x.shape[at], x._strides[at]) if at < len(x.shape) else (1, 0)
        if part is None:
            shape.append(1)
            strides.append(size * step if at < len(x.shape) else 1)
        elif isinstance(part, slice):
            start, stop, skip = _bounds(part, size)
            shape.append(len(range(start, stop, skip)))
            strides.append(step * skip)
            further += start * step
            at += 1
        elif isinstance(part, bool) or (isinstance(part, Tensor) and not part.shape):
            if isinstance(part, Tensor) and part.dtype.is_floating_point:
                raise IndexError(NO_INDICES)
            picks[len(shape)] = _as_places(part)
            shape.append(1)
            strides.append(0)
        elif isinstance(part, Tensor):
            for column in _columns(x, part, at):
                picks[len(shape)] = column
                shape.append(x.shape[at])
                strides.append(x._strides[at])
                at += 1
        else:
            further += _position(part, at, size) * step
            at += 1
    view = show(x, (*shape, *x.shape[at:]), (*strides, *x._strides[at:]), further)
    return pick(view, picks) if picks else view


def _bounds(part: slice, size: int) -> tuple[int, int, int]:
    limits = [None if v is None else operator.index(v) for v in (part.start, part.stop, part.step)]
    if limits[2] is not None and limits[2] <= 0:
        raise ValueError("step must be greater than zero")
    start, stop, skip = slice(*limits).indices(size)
    return start, max(stop, start), skip


def _position(part: Any, at: int, size: int) -> int:
    try:
        index = operator.index(part)
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            f"valid indices (got {type(part).__name__})"
        ) from None
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {at} with size {size}")
    return index % size


def _as_places(part: Any) -> Tensor:
    """Convert True to the one place there is, and False to none."""
    holds = bool(part)
    return new([0] * holds, (int(holds),), INT64)


def _columns(x: Tensor, part: Tensor, at: int) -> list[Tensor]:
    """Return the indices along each axis that a tensor indexes."""
    if part.dtype is UINT8:
        raise missing("masks of type uint8")
    if part.dtype in (INT64, INT32):
        return [part]
    if part.dtype is not BOOL:
        raise IndexError(NO_INDICES)
    for n, size in enumerate(part.shape):
        if x.shape[at + n] != size:
            raise IndexError(
                f"The shape of the mask {list(part.shape)} at index {n} does not match the shape "
                f"of the indexed tensor {list(x.shape)} at index {at + n}"
            )
    rows = nonzero_places(part)
    return [new([row[d] for row in rows], (len(rows),), INT64) for d in range(len(part.shape))]


def nonzero_places(x: Tensor) -> list[tuple[int, ...]]:
    """Return the indices of all non-zero numbers, in row-major order."""
    return list(compress(product(*map(range, x.shape)), numbers(x)))


def get(x: Tensor, key: Any) -> Tensor:
    """Return x[key]."""
    if type(key) is int and x.shape:
        return show(x, x.shape[1:], x._strides[1:], _position(key, 0, x.shape[0]) * x._strides[0])
    found = looked_up(x, key)
    if isinstance(found, Tensor):
        return found
    if nowhere := unknown(x):
        step = ("picked", [x], found.places)
        return without_numbers(nowhere, found.shape, x.dtype, (x,), step)
    return read_at(x, found.places, found.shape)


def _without_first_ones(shape: Sizes) -> Sizes:
    """Return a shape without leading axes of length 1."""
    return tuple(dropwhile(lambda length: length == 1, shape))


def put_at(x: Tensor, key: Any, value: Any) -> None:
    """Assign x[key] = value."""
    found = looked_up(x, key)
    if not isinstance(value, Tensor):
        if not isinstance(value, bool | int | float):
            raise TypeError(
                f"can't assign a {type(value).__name__} to a torch.{x.dtype.spoken}Tensor"
            )
        if x.dtype not in (FLOAT16, BFLOAT16):  # where too large numbers become infinite
            check_fits(value, x.dtype)
        value = new(keep([value], x.dtype), (), x.dtype)
    shape = tuple(found.shape)
    mine = tuple(value.shape)
    source = value if mine == shape else reshaped(value, _without_first_ones(mine))
    pairs = zip(reversed(source.shape), reversed(shape), strict=False)
    if len(source.shape) > len(shape) or any(a not in (1, b) for a, b in pairs):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        )
    values = spread(source, shape)
    if isinstance(found, Tensor):
        if value.shape:
            check_apart(found, expanded(source, shape))
        write(found, values, expanded(source, shape))
    else:
        read = [p for p in _listed(key) if isinstance(p, Tensor)]
        if value.shape.numel() != 1 or any(p.dtype is not BOOL for p in read):
            _check_put(x, value, read)
        put(x, found.places, keep(values, x.dtype), expanded(source, shape))


def _check_put(x: Tensor, value: Tensor, read: list[Tensor]) -> None:
    """Raise RuntimeError if several numbers are read while written, or have another dtype."""
    indices = [p for p in read if p.dtype is not BOOL]
    if value.shape[:1] == (1,):
        value = reshaped(value, _without_first_ones(tuple(value.shape)))
    if any(p is x or meet(x, p) for p in (value, *indices)):
        raise RuntimeError(
            "unsupported operation: some elements of the input tensor and the written-to "
            "tensor refer to a single memory location. Please clone() the tensor before "
            "performing the operation."
        )
    if value.dtype is not x.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{x.dtype.spoken} for the destination and {value.dtype.spoken} for the source."
        )
