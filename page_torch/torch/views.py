"""Views: the same numbers in another shape, without a copy wherever PyTorch makes none."""

import math
from collections.abc import Sequence
from typing import Any

from . import dtypes
from .descriptions import Size
from .layout import Sizes, broadcast, expanded_strides, view_strides
from .layout import is_contiguous as lies_in_order
from .missing import missing
from .operation import method, operation, torch_function
from .storage import too_many
from .tensor import (
    Tensor,
    axis,
    copied,
    real_axis,
    show,
    sizes,
    unknown,
    whole,
    without_numbers,
)


def filled_in(wanted: Sequence[int], count: int) -> Sizes:
    """Compute the length given as -1. Raises RuntimeError if the shape does not fit."""
    if any(n < -1 for n in wanted):
        raise RuntimeError(f"invalid shape dimension {next(n for n in wanted if n < -1)}")
    if wanted.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    rest = math.prod(n for n in wanted if n != -1)
    if -1 in wanted and rest == 0 and count == 0:
        raise RuntimeError(f"cannot reshape 0 elements into shape {list(wanted)}: -1 is ambiguous")
    if -1 in wanted and rest and count % rest == 0:
        return tuple(count // rest if n == -1 else n for n in wanted)
    if -1 in wanted or rest != count:
        raise RuntimeError(f"shape '{list(wanted)}' is invalid for input of size {count}")
    return tuple(wanted)


@method
def view(input: Tensor, *shape: Any, dtype: Any = None) -> Tensor:
    if dtype is not None or isinstance(shape[0] if shape else None, dtypes.dtype):
        raise missing("Tensor.view to another dtype")
    wanted = filled_in(sizes(shape), math.prod(input.shape))
    strides = view_strides(tuple(input.shape), input._strides, wanted)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return show(input, wanted, strides)


def reshaped(input: Tensor, wanted: Sequence[int]) -> Tensor:
    """Return a view in another shape, or a copy if no view is possible."""
    shape = filled_in(wanted, math.prod(input.shape))
    strides = view_strides(tuple(input.shape), input._strides, shape)
    return reshaped_copy(input, shape) if strides is None else show(input, shape, strides)


def reshaped_copy(input: Tensor, shape: Sizes) -> Tensor:
    """Return a copy in another shape."""
    if nowhere := unknown(input) or too_many(shape):
        return without_numbers(nowhere, shape, input.dtype, (input,), ("copy", [input], ()))
    return copied(input, shape)


@operation
def reshape(input: Tensor, *shape: Any) -> Tensor:
    return reshaped(input, sizes(shape))


@method
def view_as(input: Tensor, other: Tensor) -> Tensor:
    return view(input, other.shape)


def expanded(input: Tensor, shape: Sequence[int]) -> Tensor:
    """Return a view that repeats the numbers along axes of length 1."""
    if input.shape == shape:
        return show(input, input.shape, input._strides)
    strides = list(expanded_strides(tuple(input.shape), input._strides, tuple(shape)))
    for d in reversed(range(len(shape) - len(input.shape) if input.shape else 0)):
        if shape[d] == 1:  # nothing is repeated along a new axis of length 1
            strides[d] = shape[d + 1] * strides[d + 1]
    return show(input, shape, tuple(strides))


@method
def expand(input: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    wanted = sizes(size)
    front = len(wanted) - len(input.shape)
    if front < 0:
        raise RuntimeError(f"expand: {len(wanted)} sizes for {len(input.shape)} dimensions")
    shape = list(wanted)
    for d, n in enumerate(wanted):
        if n == -1 and d < front:
            raise RuntimeError(f"expand: -1 isn't allowed in the new dimension {d}")
        mine = input.shape[d - front] if d >= front else 1
        shape[d] = mine if n == -1 else n
        if mine not in (1, shape[d]):
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({mine}) at "
                f"non-singleton dimension {d}.  Target sizes: {list(wanted)}.  Tensor sizes: "
                f"{list(input.shape)}"
            )
    if any(n < 0 for n in shape):
        raise RuntimeError(f"negative dimension are not allowed: {list(wanted)}")
    return expanded(input, shape)


@method
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    return expand(input, other.shape)


@operation
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    return expand(input, tuple(size))


@operation
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    first, last = axis(input, start_dim), axis(input, end_dim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not input.shape:
        return reshaped(input, (1,))
    if first == last:
        return input
    middle = math.prod(input.shape[first : last + 1])
    return reshaped(input, (*input.shape[:first], middle, *input.shape[last + 1 :]))


@operation
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    at = real_axis(input, dim)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    wanted = filled_in([whole(n, "sizes") for n in sizes], input.shape[at])
    return view(input, *input.shape[:at], *wanted, *input.shape[at + 1 :])


@torch_function
def broadcast_shapes(*shapes: Any) -> Size:
    return Size(broadcast(*((n,) if isinstance(n, int) else tuple(n) for n in shapes)))


@method
def is_contiguous(input: Tensor, memory_format: Any = None) -> bool:
    return lies_in_order(tuple(input.shape), input._strides)


@method
def contiguous(input: Tensor, memory_format: Any = None) -> Tensor:
    return input if is_contiguous(input) else reshaped_copy(input, tuple(input.shape))
