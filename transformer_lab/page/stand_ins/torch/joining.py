"""Tensors put together, repeated, turned round: always copies."""

import builtins
import math
from collections.abc import Sequence
from typing import Any

from .dtypes import INT64
from .elementwise import result_type, rounded_as
from .indexing import get
from .making import bare
from .operation import operation, torch_function
from .rounding import keep
from .tensor import Tensor, axis, new, numbers, sizes, whole
from .views import expanded, permuted, reshaped, unsqueeze


@torch_function
def cat(tensors: Any, dim: int = 0) -> Tensor:
    given = list(tensors)
    for n, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {n} in argument 0, but got {type(x).__name__}")
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    kind = result_type(*given)
    for n, x in enumerate(given):
        if not x.shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {n}) cannot be concatenated")
    parts = [x for x in given if x.shape != (0,)] or given[:1]
    at = axis(parts[0], dim)
    _check_alike(parts, at, given)
    shape = list(parts[0].shape)
    blocks = math.prod(shape[:at])
    shape[at] = sum(x.shape[at] for x in parts)
    pieces = [(numbers(x), math.prod(x.shape[at:])) for x in parts]
    values = [v for n in range(blocks) for flat, k in pieces for v in flat[n * k : n * k + k]]
    return new(keep(values, kind), shape, kind, given)


def _check_alike(parts: Sequence[Tensor], at: int, given: Sequence[Tensor]) -> None:
    """Refuse tensors that differ in more than one axis. Raises RuntimeError."""
    first = parts[0]
    for x in parts:
        if len(x.shape) != len(first.shape):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first.shape)} and "
                f"{len(x.shape)}"
            )
        for d, (a, b) in enumerate(zip(first.shape, x.shape, strict=True)):
            if d != at and a != b:
                place = next(n for n, y in enumerate(given) if y is x)
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {at}. Expected size {a} but "
                    f"got size {b} for tensor number {place} in the list."
                )


for _name in ("concat", "concatenate"):

    def _cat(tensors: Any, dim: int = 0) -> Tensor:
        return cat(tensors, dim)

    _cat.__name__ = _name
    torch_function(_cat)


@torch_function
def stack(tensors: Any, dim: int = 0) -> Tensor:
    given = list(tensors)
    for n, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {n} in argument 0, but got {type(x).__name__}")
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    at = axis(given[0], dim, 1)
    for n, x in enumerate(given):
        if x.shape != given[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(given[0].shape)} at "
                f"entry 0 and {list(x.shape)} at entry {n}"
            )
    shape = given[0].shape
    if shape == (0,):
        return new([], (*shape[:at], len(given), *shape[at:]), result_type(*given), given)
    return cat([unsqueeze(x, at) for x in given], at)


def at_least(x: Tensor, count: int) -> Tensor:
    """Give a view of one or two axes."""
    if len(x.shape) >= count:
        return x
    return reshaped(x, (1,)) if count == 1 else unsqueeze(at_least(x, 1), 0)


@torch_function
def atleast_1d(*tensors: Any) -> Any:
    return at_least(tensors[0], 1) if len(tensors) == 1 else tuple(at_least(x, 1) for x in tensors)


@torch_function
def atleast_2d(*tensors: Any) -> Any:
    return at_least(tensors[0], 2) if len(tensors) == 1 else tuple(at_least(x, 2) for x in tensors)


@torch_function
def hstack(tensors: Any) -> Tensor:
    given = [at_least(x, 1) for x in tensors]
    return cat(given, 0 if given and len(given[0].shape) == 1 else 1)


@torch_function
def vstack(tensors: Any) -> Tensor:
    return cat([at_least(x, 2) for x in tensors], 0)


@torch_function
def row_stack(tensors: Any) -> Tensor:
    return vstack(tensors)


@torch_function
def column_stack(tensors: Any) -> Tensor:
    return cat([reshaped(x, (x.shape.numel(), 1)) if len(x.shape) < 2 else x for x in tensors], 1)


@torch_function
def dstack(tensors: Any) -> Tensor:
    deep = [at_least(x, 2) for x in tensors]
    return cat([unsqueeze(x, 2) if len(x.shape) == 2 else x for x in deep], 2)


@operation
def repeat(input: Tensor, *repeats: Any) -> Tensor:
    times = sizes(repeats)
    if len(times) < len(input.shape):
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    if any(n < 0 for n in times):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(times)}: {list(times)}")
    shape = (1,) * (len(times) - len(input.shape)) + tuple(input.shape)
    spread = [n for pair in zip(times, shape, strict=True) for n in pair]
    ones = [n for length in shape for n in (1, length)]
    wide = expanded(reshaped(input, ones), spread)
    whole_shape = [a * b for a, b in zip(times, shape, strict=True)]
    return new(numbers(wide), whole_shape, input.dtype, (input,))


@operation
def tile(input: Tensor, *dims: Any) -> Tensor:
    times = sizes(dims)
    return repeat(input, *(1,) * (len(input.shape) - len(times)), *times)


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
            raise RuntimeError("repeats must have the same size as input along dim, but got "
                               f"repeats.size(0) = {len(counts)} and input.size({at}) = {size}")
    else:
        counts = [whole(repeats, "repeats")] * size
    if any(n < 0 for n in counts):
        raise RuntimeError("repeats can not be negative")
    places = [n for n, count in enumerate(counts) for _ in range(count)]
    if not x.shape:
        x = reshaped(x, (1,))
    return get(x, (slice(None),) * at + (new(places, (len(places),), INT64),))


@operation
def flip(input: Tensor, *dims: Any) -> Tensor:
    axes = [axis(input, d) for d in sizes(dims)]
    if len(set(axes)) != len(axes):
        raise RuntimeError("dim appears multiple times in the list of dims")
    turned = numbers(input)
    for d in axes if input.shape else []:
        n, inner = input.shape[d], math.prod(input.shape[d + 1 :])
        block = n * inner
        turned = [
            v
            for start in range(0, len(turned), block or 1)
            for k in reversed(range(n))
            for v in turned[start + k * inner : start + k * inner + inner]
        ]
    return new(turned, input.shape, input.dtype, (input,))


@operation
def fliplr(input: Tensor) -> Tensor:
    if len(input.shape) < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@operation
def flipud(input: Tensor) -> Tensor:
    if not input.shape:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


@operation
def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    steps = [shifts] if isinstance(shifts, int) else list(shifts)
    if dims is None or dims == ():
        if len(steps) != 1:
            raise RuntimeError("shifts and dimensions must align. shifts: "
                               f"{len(steps)}, dims:0")
        return reshaped(roll(reshaped(input, (-1,)), steps, 0), tuple(input.shape))
    axes = [dims] if isinstance(dims, int) else list(dims)
    if len(steps) != len(axes):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(axes)}"
        )
    values = input
    for step, dim in zip(steps, axes, strict=True):
        at = axis(input, dim)
        size = input.shape[at]
        order = new([(n - step) % size for n in range(size)], (size,), INT64)
        values = get(values, (slice(None),) * at + (order,))
    return new(numbers(values), input.shape, input.dtype, (input,))


@operation
def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    a, b = (axis(input, d) for d in dims)
    if k % 4 == 0:
        return new(numbers(input), input.shape, input.dtype, (input,))
    if k % 4 == 2:
        return flip(input, a, b)
    order = list(range(len(input.shape)))
    order[a], order[b] = order[b], order[a]
    turned = permuted(flip(input, b) if k % 4 == 1 else input, order)
    return turned if k % 4 == 1 else flip(turned, b)


@operation
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    if len(input.shape) == 2:
        line = input.diagonal(diagonal)
        return new(numbers(line), line.shape, input.dtype, (input,))
    if len(input.shape) != 1:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {len(input.shape)}D")
    return diag_embed(input, diagonal)


@operation
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    size = input.shape[-1] + abs(offset)
    result = bare((*input.shape[:-1], size, size), input.dtype)
    result.diagonal(offset, -2, -1).copy_(input)
    return result.movedim((-2, -1), (dim1, dim2)) if (dim1, dim2) != (-2, -1) else result


@torch_function
def block_diag(*tensors: Any) -> Tensor:
    blocks = [at_least(x, 2) for x in tensors]
    rows, columns = (sum(x.shape[d] for x in blocks) for d in (0, 1))
    result = bare((rows, columns), result_type(*blocks))
    i = j = 0
    for x in blocks:
        target = get(result, (slice(i, i + x.shape[0]), slice(j, j + x.shape[1])))
        target.copy_(rounded_as(x, result.dtype))
        i, j = i + x.shape[0], j + x.shape[1]
    return result


@operation
def bincount(input: Tensor, weights: Any = None, minlength: int = 0) -> Tensor:
    from .missing import missing

    if weights is not None:
        raise missing("torch.bincount with weights")
    flat = numbers(input)
    if input.dtype.kind != 1 or len(input.shape) != 1 or any(n < 0 for n in flat):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    counts = [0] * max(minlength, max(flat, default=-1) + 1)
    for n in flat:
        counts[n] += 1
    return new(counts, (len(counts),), INT64)


@operation
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: Any = None,
) -> Any:  # fmt: skip
    from .missing import missing

    if dim is not None:
        raise missing("torch.unique along an axis")
    flat = numbers(input)
    values = builtins.sorted(set(flat))
    found = [new(values, (len(values),), input.dtype)]
    if return_inverse:
        found.append(new([values.index(v) for v in flat], input.shape, INT64))
    if return_counts:
        found.append(new([flat.count(v) for v in values], (len(values),), INT64))
    return found[0] if len(found) == 1 else tuple(found)

