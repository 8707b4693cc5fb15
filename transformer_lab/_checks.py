"""Refusals that several parts share: what was given, what was expected, how to mend it."""

import torch
from torch import Tensor


def check_width(part: str, width: int, **tensors: Tensor) -> None:
    """Refuse tensors whose last axis is not the width that the part was made for."""
    for name, tensor in tensors.items():
        if tensor.dim() == 0 or tensor.size(-1) != width:
            raise ValueError(
                f"{part} was made for vectors of width d_model = {width}, but {name} has shape "
                f"{tuple(tensor.shape)}: its last axis must be the width."
            )


def check_ids(ids: Tensor, vocabulary: int, *, name: str = "ids") -> None:
    """Refuse token ids that are not whole numbers from 0 to vocabulary - 1 in rows."""
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(
            f"{name} must be whole numbers, but is {ids.dtype}. Vectors have no place here: the "
            f"model looks them up itself; ids kept as floats become whole with .long()."
        )
    if ids.dim() != 2:
        raise ValueError(
            f"{name} must have two axes, (batch, length), but has shape {tuple(ids.shape)}. "
            f"A single sentence becomes a batch of one with {name}[None]."
        )
    strange = ids[(ids < 0) | (ids >= vocabulary)]
    if strange.numel():
        raise ValueError(
            f"{name} must lie between 0 and {vocabulary - 1}, for a vocabulary of {vocabulary}, "
            f"but hold {strange[0].item()}. Was the text encoded with another tokenizer?"
        )


def check_real(real: Tensor, ids: Tensor) -> None:
    """Refuse a note of which tokens are real that is not boolean, or not one per token."""
    if real.dtype != torch.bool:
        raise TypeError(
            f"real must be boolean, True = a token and False = padding, but is {real.dtype}. "
            f"`ids != PAD` is one; 0 and 1, as other libraries have it, become one with .bool()."
        )
    if real.shape != ids.shape:
        raise ValueError(
            f"real must say for each id whether it is a token, so its shape must be that of ids, "
            f"{tuple(ids.shape)}, but it is {tuple(real.shape)}."
        )
