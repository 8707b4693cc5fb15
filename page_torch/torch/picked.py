"""What indices pick out of a tensor, together."""

import math
from typing import NamedTuple

from .elementwise import spread
from .layout import Sizes, broadcast, expanded_strides, places, result_strides
from .tensor import Tensor


class Picked(NamedTuple):
    """What is picked: its shape, its places in the storage, and the strides that a copy gets."""

    shape: Sizes
    places: list[int]
    strides: Sizes


def pick(view: Tensor, picks: dict[int, Tensor]) -> Picked:
    """Find the places that indices along some axes pick, together."""
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
    front, back = (tuple(view._strides[d] for d in dims) for dims in (before, after))
    operands = [(shape, front + (0,) * len(common) + back)]
    for d in axes:
        steps = expanded_strides(tuple(picks[d].shape), picks[d]._strides, common)
        operands.append((shape, (0,) * len(before) + steps + (0,) * len(after)))
    return Picked(shape, found, result_strides(shape, operands))


def _places(view: Tensor, dims: list[int]) -> tuple[int, ...]:
    return places(tuple(view.shape[d] for d in dims), tuple(view._strides[d] for d in dims))
