"""Refusals of what position encodings cannot mean: angles, places, lengths."""

import torch
from torch import Tensor

from transformer_lab._checks import (
    can_look,
    check_axes,
    check_floats,
    check_tensors,
    check_width,
    fits,
)
from transformer_lab._text_checks import WHOLE


def check_numbers(positions: Tensor) -> None:
    """Refuse a note of what is real in the place of positions, and what is no tensor."""
    check_tensors(positions=positions)
    if positions.dtype == torch.bool:
        raise TypeError(
            "positions must be numbers, but are boolean. token_positions(real) makes them of it."
        )


def check_places(x: Tensor, positions: Tensor, width: int) -> None:
    """Refuse vectors of another width, and positions that are no numbers, or not one for each."""
    check_width("this encoding", width, x=x)
    check_numbers(positions)
    if positions.shape[-1:] != x.shape[-2:-1] or not fits(positions.shape, x.shape[:-1]):
        raise ValueError(
            f"there must be a position for each vector, but positions have shape "
            f"{tuple(positions.shape)} and x {tuple(x.shape)}."
        )


def check_learned(positions: Tensor, max_length: int) -> None:
    """Refuse a position that is not whole, below 0, or later than the model met in training."""
    if positions.dtype not in WHOLE:
        raise TypeError(
            f"positions must be torch.int64 or torch.int32, by which torch looks vectors up, but "
            f"are {positions.dtype}. positions.long() makes them so."
        )
    if not can_look(positions) or not positions.numel():
        return
    first, last = positions.min().item(), positions.max().item()
    if first < 0:
        raise ValueError(
            f"positions count from 0, but hold {first}. token_positions(real) "
            f"makes those of padded texts."
        )
    if last >= max_length:
        raise ValueError(
            f"this model learned {max_length} positions, but the sequence reaches number "
            f"{last + 1}. Shorten it to at most {max_length} tokens."
        )


def check_halves(K: int) -> None:
    """Refuse a head whose features do not make pairs."""
    if K % 2:
        raise ValueError(
            f"rotary positions turn features in pairs, so the head width must be even, but it "
            f"is {K}. Choose an even d_model / heads."
        )


def check_pair(q: Tensor, k: Tensor) -> None:
    """Refuse queries and keys that are not those of the same tokens."""
    check_floats(q=q, k=k)
    check_axes(3, "heads, length, width", q=q, k=k)
    if q.shape[-2:] != k.shape[-2:]:
        raise ValueError(
            f"q and k must be those of the same tokens, but have the shapes {tuple(q.shape)} and "
            f"{tuple(k.shape)}. Earlier keys, kept, have their positions already."
        )


def check_radians(x: Tensor, radians: Tensor) -> None:
    """Refuse angles of which there is not one for each pair of features."""
    check_floats(x=x, radians=radians)
    pairs = (*x.shape[:-1], x.size(-1) // 2) if x.dim() else ()
    odd = x.dim() and x.size(-1) % 2
    if odd or radians.shape[-2:] != pairs[-2:] or not fits(radians.shape, pairs):
        raise ValueError(
            f"there must be an angle for each pair of features, but x has shape "
            f"{tuple(x.shape)} and radians {tuple(radians.shape)}: the last axes must be K and K/2."
        )


def check_counts(last: int, k: Tensor) -> None:
    """Refuse a position that the dtype of the keys rounds to another one."""
    exact = round(2 / torch.finfo(k.dtype).eps)
    if last > exact:
        way, kind = "model.float()", k.device.type
        if torch.is_autocast_enabled(kind):
            way = f'with torch.autocast("{kind}", enabled=False): model(...)'
        raise ValueError(
            f"ALiBi counts positions, here up to {last}, but {k.dtype} has whole numbers only up "
            f"to {exact}: later ones run together. Compute this in float32: {way}."
        )
