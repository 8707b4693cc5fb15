"""Lengths of vectors."""

import builtins
import math
from collections.abc import Callable
from typing import Any

from .dtypes import dtype
from .lines import greatest
from .operation import operation, torch_function
from .reducing import reduced, reduced_axes, total
from .tensor import Tensor


def norm_of(order: float) -> Callable[[list], float]:
    """Return the function that measures the length of a row."""
    if order == math.inf:
        return lambda row: greatest([builtins.abs(v) for v in row]) if row else 0.0
    if order == -math.inf:
        return lambda row: builtins.min(map(builtins.abs, row))
    if order == 0:
        return lambda row: builtins.sum(v != 0 for v in row)
    if order == 1:
        return lambda row: total([builtins.abs(v) for v in row])
    if order == 2:
        return lambda row: math.sqrt(total([v * v for v in row]))
    return lambda row: total([builtins.abs(v) ** order for v in row]) ** (1 / order)


@operation
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False,
    dtype: dtype | None = None,
) -> Tensor:  # fmt: skip
    order = 2 if p in ("fro", None) else p
    return vector_norm(input, order, dim, keepdim, dtype=dtype)


def vector_norm(
    x: Tensor, ord: Any = 2, dim: Any = None, keepdim: bool = False, *, dtype: dtype | None = None
) -> Tensor:
    """Return `torch.linalg.vector_norm`."""
    kind = dtype or x.dtype
    if not x.dtype.is_floating_point or not kind.is_floating_point:
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{x.dtype.spoken}"
        )
    if ord in (math.inf, -math.inf) and 0 in [x.shape[d] for d in reduced_axes(x, dim) if x.shape]:
        raise RuntimeError(
            "linalg.vector_norm cannot compute the inf norm on a dimension that is empty: the "
            "operation does not have an identity"
        )
    return reduced(norm_of(ord), x, dim, keepdim, kind)


@torch_function
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: Any = None) -> Tensor:
    for name, x in (("X1", x1), ("X2", x2)):
        if len(x.shape) < 2 or not x.dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports at least 2D tensors of floats, {name} is none")
    if x1.dtype.itemsize < 4 or x2.dtype.itemsize < 4:
        raise NotImplementedError(f"\"cdist\" not implemented for '{x1.dtype.spoken}'")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError("X1 and X2 must have the same number of columns.")
    return vector_norm(x1.unsqueeze(-2) - x2.unsqueeze(-3), p, -1)
