"""Tensors made of diagonals and of blocks."""

import math
from typing import Any

from .dtypes import FLOAT32
from .elementwise import result_type, rounded_as
from .indexing import get
from .joining import at_least
from .making import bare
from .operation import operation, torch_function
from .rounding import keep
from .tensor import Tensor, new, numbers


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
    length, size = input.shape[-1], input.shape[-1] + abs(offset)
    zero, flat = keep([0], input.dtype), numbers(input)
    values: list = []
    for start in range(0, len(flat), length or 1):
        values += zero * size * max(-offset, 0)
        for n, value in enumerate(flat[start : start + length]):
            before = n + max(offset, 0)
            values += zero * before + [value] + zero * (size - before - 1)
        values += zero * size * max(offset, 0)
    if not length:
        values = zero * math.prod(input.shape[:-1]) * size * size
    result = new(values, (*input.shape[:-1], size, size), input.dtype, (input,))
    moved = result.movedim((-2, -1), (dim1, dim2))
    return new(numbers(moved), moved.shape, input.dtype, (input,))


@torch_function
def block_diag(*tensors: Any) -> Tensor:
    if not tensors:
        return bare((1, 0), FLOAT32)
    blocks = [at_least(x, 2) for x in tensors]
    rows, columns = (sum(x.shape[d] for x in blocks) for d in (0, 1))
    result = bare((rows, columns), result_type(*blocks))
    i = j = 0
    for x in blocks:
        target = get(result, (slice(i, i + x.shape[0]), slice(j, j + x.shape[1])))
        target.copy_(rounded_as(x, result.dtype))
        i, j = i + x.shape[0], j + x.shape[1]
    result._storage.version = 0
    return result
