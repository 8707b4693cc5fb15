"""Operations on several tensors at once, entry by entry."""

import builtins
from typing import Any

from .dtypes import BOOL
from .elementwise import result_type, together
from .missing import missing
from .operation import operation
from .scalars import divided
from .tensor import Tensor


def _between(a: float, b: float, weight: float) -> float:
    """Go a part of the way, counted from the nearer end."""
    return a + weight * (b - a) if builtins.abs(weight) < 0.5 else b - (b - a) * (1 - weight)


@operation
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    for x in (end, weight):
        if isinstance(x, Tensor) and x.dtype is not input.dtype:
            if not x.shape or not input.shape:
                raise missing("lerp of several dtypes")
            raise RuntimeError(
                f"expected dtype {input.dtype.in_c} for `end` but got dtype {x.dtype.in_c}"
            )
    if not input.dtype.is_floating_point:
        raise NotImplementedError(f"\"lerp_kernel\" not implemented for '{input.dtype.spoken}'")
    return together(_between, (input, end, weight), input.dtype)


@operation
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    kind = result_type(input, tensor1, tensor2)
    if kind is BOOL:
        raise NotImplementedError("\"addcmul_cpu_out\" not implemented for 'Bool'")
    value = value if kind.is_floating_point else int(value)
    return together(lambda x, a, b: x + value * a * b, (input, tensor1, tensor2), kind)


@operation
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Any = 1) -> Tensor:
    kind = result_type(input, tensor1, tensor2)
    if not result_type(tensor1, tensor2).is_floating_point:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future release addcdiv "
            "will perform a true division of tensor1 and tensor2."
        )
    return together(lambda x, a, b: x + value * divided(a, b), (input, tensor1, tensor2), kind)
