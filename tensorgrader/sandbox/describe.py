"""How a card describes variables: tensors by shape and dtype, numbers and short texts as they are.

Loaded by path into a worker, so it imports torch and the standard library only.
"""

from typing import Any

import torch
from torch import Tensor

TOLD_LIMIT = 20
USUAL = (torch.float32, torch.int64, torch.bool)  # dtypes that a reader takes for granted


def told(names: dict[str, Any]) -> tuple[str, ...]:
    """Return descriptions of a few variables."""
    texts = [
        f"{name} {sized(value)}" if isinstance(value, Tensor) else f"{name} = {value!r}"
        for name, value in names.items()
        if isinstance(value, Tensor)
        or type(value) in (bool, float)
        or (type(value) is int and value.bit_length() < 64)
        or (type(value) is str and len(value) <= TOLD_LIMIT)
    ]
    return tuple(text for text in texts if len(text) <= 3 * TOLD_LIMIT)[:TOLD_LIMIT]


def sized(tensor: Tensor) -> str:
    """Return a tensor's shape, with its dtype unless that is a common one."""
    dtype = unusual(tensor)
    return f"{tuple(tensor.shape)}{dtype and f' of {dtype}'}"


def unusual(tensor: Tensor) -> str:
    """Return a tensor's dtype, or "" if it is a common one."""
    return "" if tensor.dtype in USUAL else str(tensor.dtype).removeprefix("torch.")
