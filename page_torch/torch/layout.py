"""The memory layout of a tensor: shapes, strides and places, without any number.

Views follow the rules of ATen (`TensorUtils.cpp`). The result of an operation has the layout of its
first operand of the same shape.
"""

import math
from functools import lru_cache

Sizes = tuple[int, ...]
FEW = 256  # the maximum of numbers with cached places


@lru_cache(4096)
def contiguous_strides(shape: Sizes) -> Sizes:
    """Return the strides of a contiguous tensor."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


@lru_cache(4096)
def is_contiguous(shape: Sizes, strides: Sizes) -> bool:
    """Return whether the numbers are contiguous; strides of axes of length 1 do not count."""
    if 0 in shape:
        return True
    wanted = contiguous_strides(shape)
    return all(n == 1 or a == b for n, a, b in zip(shape, strides, wanted, strict=True))


def places(shape: Sizes, strides: Sizes) -> tuple[int, ...]:
    """Return the place of each number, in row-major order, from the first."""
    return _few_places(shape, strides) if math.prod(shape) <= FEW else _places(shape, strides)


def _places(shape: Sizes, strides: Sizes) -> tuple[int, ...]:
    found = [0]
    for size, step in zip(shape, strides, strict=True):
        found = [place + i * step for place in found for i in range(size)]
    return tuple(found)


_few_places = lru_cache(4096)(_places)


def gathered(storage: list, offset: int, shape: Sizes, strides: Sizes) -> list:
    """Return the numbers at these places, in row-major order."""
    if math.prod(shape) > FEW:
        return _gathered_in_rows(storage, offset, shape, strides)
    found = places(shape, strides)
    if offset:
        return [storage[offset + place] for place in found]
    return list(map(storage.__getitem__, found))


def _gathered_in_rows(storage: list, offset: int, shape: Sizes, strides: Sizes) -> list:
    (size, *rest), (step, *inner) = shape, strides
    if not rest:
        return (
            storage[offset : offset + (size - 1) * step + 1 : step]
            if step
            else [storage[offset]] * size
        )
    if not step:
        return _gathered_in_rows(storage, offset, tuple(rest), tuple(inner)) * size
    found: list = []
    for n in range(size):
        found += _gathered_in_rows(storage, offset + n * step, tuple(rest), tuple(inner))
    return found


@lru_cache(4096)
def overlaps(shape: Sizes, strides: Sizes) -> bool:
    """Return whether two of the numbers share a place."""
    if not any(n > 1 and step == 0 for n, step in zip(shape, strides, strict=True)):
        return False
    return 0 not in shape


@lru_cache(4096)
def broadcast(*shapes: Sizes) -> Sizes:
    """Return the shape that all of these broadcast to. Raises RuntimeError if there is none."""
    width = max(map(len, shapes), default=0)
    result = [1] * width
    for shape in shapes:
        for axis, size in enumerate(shape, width - len(shape)):
            if result[axis] == 1:
                result[axis] = size
            elif size not in (1, result[axis]):
                raise RuntimeError(
                    f"The size of tensor a ({result[axis]}) must match the size of tensor b "
                    f"({size}) at non-singleton dimension {axis}"
                )
    return tuple(result)


@lru_cache(4096)
def expanded_strides(shape: Sizes, strides: Sizes, wider: Sizes) -> Sizes:
    """Return the strides that repeat numbers along the axes of a wider shape."""
    front = len(wider) - len(shape)
    steps = [
        step if size == wide else 0
        for size, step, wide in zip(shape, strides, wider[front:], strict=True)
    ]
    return (0,) * front + tuple(steps)


@lru_cache(4096)
def view_strides(shape: Sizes, strides: Sizes, wanted: Sizes) -> Sizes | None:
    """Return strides that show the same numbers in another shape, or None if there are none."""
    if 0 in shape:
        return strides if shape == wanted else contiguous_strides(wanted)
    if not shape:
        return (1,) * len(wanted)
    view = [0] * len(wanted)
    place, last, seen = len(wanted) - 1, strides[-1], 1
    run = 1  # how many numbers the current run of axes holds that count as one
    for axis in range(len(shape) - 1, -1, -1):
        run *= shape[axis]
        if axis == 0 or (shape[axis - 1] != 1 and strides[axis - 1] != run * last):
            while place >= 0 and (seen < run or wanted[place] == 1):
                view[place] = seen * last
                seen *= wanted[place]
                place -= 1
            if seen != run:
                return None
            if axis > 0:
                last, run, seen = strides[axis - 1], 1, 1
    return tuple(view) if place < 0 else None


@lru_cache(4096)
def is_dense(shape: Sizes, strides: Sizes) -> bool:
    """Return whether the numbers are adjacent, in whatever order of axes."""
    if 0 in shape or len(shape) == 0:
        return True
    axes = sorted((step, n) for n, step in zip(shape, strides, strict=True) if n != 1)
    wanted = 1
    for step, n in axes:
        if step != wanted:
            return False
        wanted *= n
    return True


@lru_cache(4096)
def result_strides(shape: Sizes, strides: Sizes) -> Sizes:
    """Return the strides of a result whose axes have the order of an operand's."""
    if 0 in strides:
        return contiguous_strides(shape)
    found, step = [0] * len(shape), 1
    for axis in sorted(reversed(range(len(shape))), key=strides.__getitem__):
        found[axis] = step
        step *= shape[axis]
    return tuple(found)
