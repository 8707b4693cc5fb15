"""Masks: which positions may attend to which (Vaswani et al. 2017, section 3.2.3).

One convention in the whole package: a mask is boolean, its rows are queries, its columns are keys,
and True means "may attend". Masks combine with `&`. A mask has no axis for heads: all share it. A
query whose row is all False attends to nothing: its weights and its output are zero, where the
additive -inf of other libraries gives NaN, because a softmax over nothing is 0 / 0. Hidden values
must be numbers all the same, since 0 · NaN is NaN.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from transformer_lab._checks import check_float_dtype, check_integers, check_mask


def causal_mask(
    length: int, *, past: int = 0, device: torch.device | str | None = None
) -> Bool[Tensor, "T S"]:
    """Return the mask in which each token attends to itself and to what came before it.

    With `past` tokens already read, the rows are the `length` new ones and the columns are all.
    Raises what `sliding_window_mask` raises.
    """
    window = max(past + length, 1)
    return sliding_window_mask(length, window=window, past=past, device=device)


def sliding_window_mask(
    length: int,
    *,
    window: int,
    past: int = 0,
    device: torch.device | str | None = None,
) -> Bool[Tensor, "T S"]:
    """Return the mask in which each token attends to the last `window` tokens, itself included.

    Source: Beltagy et al. 2020 (Longformer), section 3.1, in its causal form.
    Raises ValueError for a length or past below 0 and for a window below 1, since each token sees
    itself; TypeError for sizes that are not integers.
    """
    check_integers(least=0, length=length, past=past)
    check_integers(window=window)
    keys = torch.arange(past + length, device=device)
    steps_back = keys[past:, None] - keys
    return (steps_back >= 0) & (steps_back < window)


def padding_mask(real: Bool[Tensor, "*B S"]) -> Bool[Tensor, "*B 1 S"]:
    """Return the mask that hides padding from every query: `padding_mask(ids != PAD)`.

    Its one row serves all queries. `real` itself is no mask: attention would take its rows, one for
    each text, for queries. Raises TypeError for a `real` that is not boolean.
    """
    check_mask("real", real, "`ids != PAD` is such a mask.")
    return real.unsqueeze(-2)


def cross_mask(
    real: Bool[Tensor, "*#B T"], memory_real: Bool[Tensor, "*#B S"]
) -> Bool[Tensor, "*_ T S"]:
    """Return the mask in which tokens of one sequence attend to tokens of another, without padding.

    The rows of padding are all False: padding has no queries. Raises TypeError if either mask is
    not boolean.
    """
    check_mask("real", real, "`ids != PAD` is such a mask.")
    check_mask("memory_real", memory_real, "`ids != PAD` is such a mask.")
    return real.unsqueeze(-1) & memory_real.unsqueeze(-2)


def to_blocked(mask: Bool[Tensor, "*M"]) -> Bool[Tensor, "*M"]:
    """Convert our mask to `torch.nn`'s, where True = blocked. Raises TypeError unless boolean."""
    check_mask("mask", mask, "`mask == 0` makes one of an additive mask.")
    return ~mask


def to_additive(
    mask: Bool[Tensor, "*M"], dtype: torch.dtype = torch.float32
) -> Float[Tensor, "*M"]:
    """Convert our mask to one that is added to the scores: 0 = may attend, -inf = blocked.

    Rows that are all False make a softmax return NaN. Raises TypeError for a mask that is not
    boolean, and for a dtype that has no infinity.
    """
    check_mask("mask", mask, "Is it additive already?")
    check_float_dtype(dtype)
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(~mask, -torch.inf)
