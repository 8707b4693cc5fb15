"""Tensors repeated and flipped: always copies."""

from typing import Any

from .dtypes import INT64
from .indexing import get
from .layout import places
from .operation import method, operation
from .tensor import Tensor, axis, copied, new, numbers, read_at, sizes, whole
from .views import expanded, reshaped


@method
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    times = sizes(repeats)
    if len(times) < len(input.shape):
        raise RuntimeError("repeat: fewer numbers of repetitions than dimensions")
    shape = (1,) * (len(times) - len(input.shape)) + tuple(input.shape)
    if any(n * size < 0 for n, size in zip(times, shape, strict=True)):
        raise RuntimeError(f"repeat: negative numbers of repetitions: {list(times)}")
    times = tuple(max(n, 0) for n in times)
    spread = [n for pair in zip(times, shape, strict=True) for n in pair]
    ones = [n for length in shape for n in (1, length)]
    wide = expanded(reshaped(input, ones), spread)
    whole_shape = [a * b for a, b in zip(times, shape, strict=True)]
    return copied(wide, whole_shape)


@operation
def repeat_interleave(
    input: Tensor, repeats: Any, dim: Any = None, *, output_size: int | None = None
) -> Tensor:
    x = reshaped(input, (-1,)) if dim is None else input
    at = axis(x, 0 if dim is None else dim)
    size = x.shape[at] if x.shape else 1
    if isinstance(repeats, Tensor):
        counts = numbers(repeats)
        counts = counts * size if len(counts) == 1 else counts
        if len(counts) != size:
            raise RuntimeError(f"repeats: got {len(counts)} for a dimension of size {size}")
    else:
        counts = [whole(repeats, "repeats")] * size
    if any(n < 0 for n in counts):
        raise RuntimeError("repeats can not be negative")
    places = [n for n, count in enumerate(counts) for _ in range(count)]
    if not x.shape:
        if dim is not None:
            raise IndexError(f"Dimension out of range of a tensor without axes: {dim}")
        x = reshaped(x, (1,))
    return get(x, (slice(None),) * at + (new(places, (len(places),), INT64),))


@operation
def flip(input: Tensor, *dims: Any) -> Tensor:
    axes = [axis(input, d) for d in sizes(dims)]
    if len(set(axes)) != len(axes):
        raise RuntimeError("dim appears multiple times in the list of dims")
    turned = list(input._strides)
    further = 0
    for d in axes if input.shape else []:
        further += turned[d] * max(input.shape[d] - 1, 0)
        turned[d] *= -1
    where = places(tuple(input.shape), tuple(turned))
    return read_at(input, [input._offset + further + place for place in where], input.shape)


@operation
def fliplr(input: Tensor) -> Tensor:
    if len(input.shape) < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@operation
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    steps = [shifts] if isinstance(shifts, int) else list(shifts)
    if dims is None or dims == ():
        if len(steps) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:0")
        return reshaped(roll(reshaped(input, (-1,)), steps, 0), tuple(input.shape))
    axes = [dims] if isinstance(dims, int) else list(dims)
    if len(steps) != len(axes):
        raise RuntimeError(f"roll: {len(steps)} shifts for {len(axes)} dimensions")
    values = input
    if 0 in input.shape:
        axes = []
    for step, dim in zip(steps, axes, strict=False):
        at = axis(input, dim)
        size = input.shape[at]
        order = new([(n - step) % size for n in range(size)], (size,), INT64)
        values = get(values, (slice(None),) * at + (order,))
    return values if values is not input else copied(values, input.shape)
