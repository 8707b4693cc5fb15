"""Tensors joined, repeated, flipped: always copies."""

import math
from collections.abc import Sequence
from typing import Any

from .axes import unsqueeze
from .elementwise import result_type
from .operation import torch_function
from .rounding import keep
from .storage import too_many
from .tensor import Tensor, axis, new, numbers, unknown, without_numbers
from .views import reshaped


@torch_function
def cat(tensors: Any, dim: int = 0) -> Tensor:
    given = _tensors(tensors)
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    kind = result_type(*given)
    for n, x in enumerate(given):
        if not x.shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {n}) cannot be concatenated")
    parts = [x for x in given if x.shape != (0,)]
    if not parts:
        return new([], (0,), kind, given)
    at = axis(parts[0], dim)
    _check_alike(parts, at, given)
    shape = list(parts[0].shape)
    blocks = math.prod(shape[:at])
    shape[at] = sum(x.shape[at] for x in parts)
    if nowhere := unknown(*given) or too_many(shape):
        return without_numbers(nowhere, shape, kind, given, ("cat", parts, [at]))
    pieces = [(numbers(x), math.prod(x.shape[at:])) for x in given]
    values = [v for n in range(blocks) for flat, k in pieces for v in flat[n * k : n * k + k]]

    def back(gradient: list) -> list:
        found: list[list] = [[] for _ in pieces]
        start = 0
        for _ in range(blocks):
            for mine, (_, k) in zip(found, pieces, strict=True):
                mine += gradient[start : start + k]
                start += k
        return found

    return new(keep(values, kind), shape, kind, given, None, back, False)


def _tensors(given: Any) -> list[Tensor]:
    """Return a list of tensors. Raise TypeError for anything else in it."""
    for n, x in enumerate(given := list(given)):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {n}, but got {type(x).__name__}")
    return given


def _check_alike(parts: Sequence[Tensor], at: int, given: Sequence[Tensor]) -> None:
    """Raise RuntimeError if tensors differ in more than one axis."""
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


@torch_function
def concat(tensors: Any, dim: int = 0) -> Tensor:
    return cat(tensors, dim)


@torch_function
def stack(tensors: Any, dim: int = 0) -> Tensor:
    given = _tensors(tensors)
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
    """Return a view of one or two axes."""
    if len(x.shape) >= count:
        return x
    return reshaped(x, (1,)) if count == 1 else unsqueeze(at_least(x, 1), 0)


@torch_function
def hstack(tensors: Any) -> Tensor:
    given = [at_least(x, 1) for x in tensors]
    return cat(given, 0 if given and len(given[0].shape) == 1 else 1)


@torch_function
def vstack(tensors: Any) -> Tensor:
    return cat([at_least(x, 2) for x in tensors], 0)


@torch_function
def column_stack(tensors: Any) -> Tensor:
    return cat([reshaped(x, (x.shape.numel(), 1)) if len(x.shape) < 2 else x for x in tensors], 1)
