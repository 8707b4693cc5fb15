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
    if not isinstance(ids, Tensor):
        raise TypeError(
            f"{name} must be a tensor, but is a {type(ids).__name__}. "
            f"torch.as_tensor({name}) makes one of it."
        )
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(
            f"{name} must be whole numbers, but is {ids.dtype}. Vectors have no place here: the "
            f"model looks them up itself; ids kept as floats become whole with .long()."
        )
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(
            f"{name} must be torch.int64 or torch.int32, by which torch looks vectors up, but is "
            f"{ids.dtype}. {name}.long() makes it so."
        )
    if ids.dim() != 2:
        raise ValueError(
            f"{name} must have two axes, (batch, length), but has shape {tuple(ids.shape)}. "
            f"A single sentence becomes a batch of one with {name}[None]."
        )
    unknown = (ids < 0) | (ids >= vocabulary)
    if unknown.any():
        raise ValueError(
            f"{name} must lie between 0 and {vocabulary - 1}, for a vocabulary of {vocabulary}, "
            f"but hold {ids[unknown][0].item()}. Was the text encoded with another tokenizer?"
        )


def check_real(real: Tensor, ids: Tensor, *, past: int = 0) -> None:
    """Refuse a note of which tokens are real that is not boolean, or not one per token."""
    if real.dtype != torch.bool:
        raise TypeError(
            f"real must be boolean, True = a token and False = padding, but is {real.dtype}. "
            f"`ids != PAD` is one; 0 and 1, as other libraries have it, become one with .bool()."
        )
    if real.shape != (ids.size(0), past + ids.size(1)):
        read = f" and the {past} tokens read before," if past else ","
        raise ValueError(
            f"real must say for each id whether it is a token, so its shape must be that of ids"
            f"{read} {(ids.size(0), past + ids.size(1))}, but it is {tuple(real.shape)}."
        )


def check_prompt(prompt: Tensor, real: Tensor | None) -> None:
    """Refuse texts that a decoder cannot go on from: empty ones, and those that end in padding."""
    if not prompt.size(-1):
        raise ValueError(
            "there is no token to go on from, or none that the cache has not read. A text that is "
            "still to begin is begun by the model's start_id: torch.full((batch, 1), start_id)."
        )
    if real is None:
        return
    check_real(real, prompt)
    if not real[:, -1].all():
        row = (~real[:, -1]).nonzero()[0].item()
        raise ValueError(
            f"row {row} ends in padding, so there is no last token to go on from. Pad texts of "
            f"unequal length on the left, as pad_left does."
        )


def check_positions(positions: Tensor, max_length: int) -> None:
    """Refuse a position later than the model has met in training."""
    if positions.numel() and positions.max() >= max_length:
        raise ValueError(
            f"this model learned {max_length} positions, but the sequence reaches number "
            f"{positions.max().item() + 1}. Shorten it to at most {max_length} tokens."
        )


def check_counts(part: str, last: int, dtype: torch.dtype) -> None:
    """Refuse a position that a dtype rounds to another one."""
    exact = round(2 / torch.finfo(dtype).eps)
    if last > exact:
        raise ValueError(
            f"{part} counts positions, here up to {last}, but {dtype} has whole numbers only up to "
            f"{exact}: later ones run together. Compute this in float32: model.float()."
        )


def check_room(longest: int, max_new_tokens: int, max_length: int | None) -> None:
    """Refuse to write nothing, or more than the model has positions for."""
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens must be at least 1, but is {max_new_tokens}.")
    needed = longest + max_new_tokens - 1  # the last token is written, but no longer read
    if max_length is not None and needed > max_length:
        raise ValueError(
            f"this model learned {max_length} positions, but {longest} tokens of prompt and "
            f"{max_new_tokens} new ones, all read but the last, need {needed}. Together they may "
            f"be {max_length + 1} tokens."
        )


def check_token(name: str, token: int, vocabulary: int) -> None:
    """Refuse a token that is not in the vocabulary."""
    if not 0 <= token < vocabulary:
        raise ValueError(
            f"{name} must be a token of the vocabulary, from 0 to {vocabulary - 1}, but is {token}."
        )


def check_logits(logits: Tensor) -> None:
    """Refuse scores that nothing can be chosen by."""
    if not logits.is_floating_point():
        raise TypeError(f"logits must be floats, one per token, but are {logits.dtype}.")
    if logits.isnan().any() or (logits == torch.inf).any():
        raise ValueError(
            "logits hold NaN or infinity, so no token is likelier than another. Look for the "
            "first NaN in the model's weights: has its training diverged?"
        )
    if (logits == -torch.inf).all(dim=-1).any():
        raise ValueError("all logits of a row are -inf, so there is no token left to choose.")
