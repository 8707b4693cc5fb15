"""How often numbers come."""

import builtins
from typing import Any

from .dtypes import INT64
from .missing import missing
from .operation import operation
from .tensor import Tensor, new, numbers


@operation
def bincount(input: Tensor, weights: Any = None, minlength: int = 0) -> Tensor:
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
    if dim is not None:
        raise missing("torch.unique along an axis")
    flat = numbers(input)
    values = builtins.sorted(set(flat))
    found = [new(values, (len(values),), input.dtype, (input,))]
    if return_inverse:
        found.append(new([values.index(v) for v in flat], input.shape, INT64))
    if return_counts:
        found.append(new([flat.count(v) for v in values], (len(values),), INT64))
    return found[0] if len(found) == 1 else tuple(found)
