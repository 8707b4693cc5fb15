"""Views of a part of a tensor: slices, chunks, diagonals, windows."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from .operation import method, named, operation, torch_function
from .tensor import Tensor, axis, real_axis, show, whole


@operation
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    at, start = real_axis(input, dim), whole(start, "start")
    size = input.shape[at]
    if not -size <= start <= size:
        raise IndexError(f"narrow(): start {start} is out of range for size {size}")
    start += size * (start < 0)
    if length < 0 or start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return piece(input, at, start, length)


def piece(input: Tensor, at: int, start: int, length: int) -> Tensor:
    """Return a view of a slice along an axis."""
    shape = (*input.shape[:at], length, *input.shape[at + 1 :])
    return show(input, shape, input._strides, start * input._strides[at])


@operation
def select(input: Tensor, dim: int, index: Any) -> Tensor:
    at, index = real_axis(input, dim), whole(index, "index")
    size = input.shape[at]
    if not -size <= index < size:
        raise IndexError(f"select(): index {index} is out of range for size {size}")
    return row(input, at, index % size)


def row(input: Tensor, at: int, index: int) -> Tensor:
    """Return a view of one index of an axis, without the axis."""
    shape, strides = input.shape, input._strides
    return show(
        input, shape[:at] + shape[at + 1 :], strides[:at] + strides[at + 1 :], index * strides[at]
    )


@operation
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    at = real_axis(input, dim)
    return tuple(row(input, at, index) for index in range(input.shape[at]))


def pieces(input: Tensor, at: int, lengths: Sequence[int]) -> tuple[Tensor, ...]:
    """Return views of slices of these lengths."""
    ends = accumulate(lengths)
    return tuple(piece(input, at, end - n, n) for n, end in zip(lengths, ends, strict=True))


@method
def split(input: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    at = real_axis(input, dim)
    size = input.shape[at]
    if not isinstance(split_size, int):
        lengths = [whole(n, "split_size") for n in split_size]
        if sum(lengths) != size or any(n < 0 for n in lengths):
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's "
                f"size at dimension {at}), but got split_sizes={lengths}"
            )
        return pieces(input, at, lengths)
    if split_size < 0 or (split_size == 0 and size):
        raise RuntimeError(f"split expects split_size be non-negative, but got {split_size}")
    starts = range(0, size, split_size or 1)
    return pieces(input, at, [min(split_size, size - start) for start in starts] or [0])


@torch_function
@named("split")
def _split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    return split(tensor, split_size_or_sections, dim)


@operation
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    at = real_axis(input, dim)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    size = input.shape[at]
    if not size:
        return pieces(input, at, [0] * chunks)
    return split(input, -(-size // chunks), dim)


@operation
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    at = real_axis(input, dim)
    size = input.shape[at]
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {count}")
        return pieces(input, at, [size // count + (n < size % count) for n in range(count)])
    edges = [slice(0, edge).indices(size)[1] for edge in indices_or_sections]
    bounds = zip([0, *edges], [*edges, size], strict=True)
    return tuple(piece(input, at, start, max(end - start, 0)) for start, end in bounds)


@operation
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    a, b = axis(input, dim1), axis(input, dim2)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    shape, strides = input.shape, input._strides
    length = max(min(shape[a] + min(offset, 0), shape[b] - max(offset, 0)), 0)
    further = (strides[b] * offset if offset >= 0 else strides[a] * -offset) if length else 0
    kept = [d for d in range(len(shape)) if d not in (a, b)]
    return show(
        input,
        [*(shape[d] for d in kept), length],
        (*(strides[d] for d in kept), strides[a] + strides[b]),
        further,
    )


@method
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    at = real_axis(input, dimension)
    shape, strides = [*input.shape], input._strides
    if not 0 <= size <= shape[at] or step <= 0:
        raise RuntimeError(f"no windows of {size}, {step} apart, in an axis of length {shape[at]}")
    shape[at] = (shape[at] - size) // step + 1
    moved = (*strides[:at], strides[at] * step, *strides[at + 1 :], strides[at])
    return show(input, [*shape, size], moved)
