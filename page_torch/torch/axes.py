"""Views with axes reordered, added or removed."""

from collections.abc import Sequence
from typing import Any

from .operation import operation
from .tensor import Tensor, axis, show, sizes


def permuted(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Return a view with the axes in this order."""
    return show(input, [input.shape[d] for d in dims], tuple(input._strides[d] for d in dims))


@operation
def permute(input: Tensor, *dims: Any) -> Tensor:
    wanted = sizes(dims)
    if len(wanted) != len(input.shape):
        raise RuntimeError(
            f"permute: {len(wanted)} dims for a tensor of {len(input.shape)} dimensions"
        )
    axes = [axis(input, dim) for dim in wanted]
    if len(set(axes)) != len(axes):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return permuted(input, axes)


@operation
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    a, b = axis(input, dim0), axis(input, dim1)
    order = list(range(len(input.shape)))
    if order:
        order[a], order[b] = order[b], order[a]
    return permuted(input, order)


@operation
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    return transpose(input, axis0, axis1)


@operation
def t(input: Tensor) -> Tensor:
    if len(input.shape) > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, not {len(input.shape)}D")
    return permuted(input, range(len(input.shape))[::-1])


@operation
def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    start, end = ([d] if isinstance(d, int) else list(d) for d in (source, destination))
    if len(start) != len(end):
        raise RuntimeError(f"movedim: as many sources as destinations, but got {start} and {end}")
    start, end = ([axis(input, d) for d in dims] for dims in (start, end))
    if len(set(start)) != len(start) or len(set(end)) != len(end):
        raise RuntimeError(f"movedim: repeated dim in `source` or `destination` ({start}, {end})")
    moved = dict(zip(end, start, strict=True))
    others = iter(d for d in range(len(input.shape)) if d not in start)
    return permuted(
        input, [moved[d] if d in moved else next(others) for d in range(len(input.shape))]
    )


@operation
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    at = axis(input, dim, 1)
    shape, strides = input.shape, input._strides
    step = shape[at] * strides[at] if at < len(shape) else 1
    return show(input, (*shape[:at], 1, *shape[at:]), (*strides[:at], step, *strides[at:]))


@operation
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    if dim is None:
        dims = set(range(len(input.shape)))
    else:
        dims = {axis(input, d) for d in (dim if isinstance(dim, tuple | list) else (dim,))}
    kept = [d for d, n in enumerate(input.shape) if n != 1 or d not in dims]
    return permuted(input, kept)
