# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write a mask as numbers that are added."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

NUMBERS = "book/masking#Minus infinity, minus a billion, and nothing"
NOTHING = "book/masking#A row that sees nothing"
KEEP = "book/masking#True means keep. Or block."


@mistake(
    "the mask is turned round",
    why="Minus infinity stands where one may attend. It belongs where the mask is False: ~mask.",
    section=KEEP,
)
def additive_inverted(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -torch.inf)


@mistake(
    "it holds 1 and 0",
    why="That is the same mask as numbers, not one to be added: the past would get a bonus of 1, "
    "and nothing would be hidden. What may be seen gets 0, what may not minus infinity.",
    section=KEEP,
)
def ones_and_zeros(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return mask.to(dtype)


@mistake(
    "0 times minus infinity is nan",
    why="(~mask) * -inf looks right and gives nan wherever the mask is True: infinity has no "
    "product with 0. Choose instead of multiplying: masked_fill or torch.where.",
    section=NOTHING,
)
def multiplied(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return (~mask).to(dtype) * -torch.inf


@mistake(
    "the dtype is not the one asked for",
    why="A float32 mask turns half-precision scores into float32, or is refused. Make the zeros in "
    "the given dtype.",
    section=NUMBERS,
)
def always_float32(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)


@mistake(
    "it is a large number, not minus infinity",
    why="In most rows that makes no difference, but it is another mask: a row with nothing to read "
    "comes out even, and two such masks added can overflow. Asked for is -inf.",
    section=NUMBERS,
)
def lowest_number(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(dtype).min)


@lowest_number.also
def ten_thousand(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -1e4)


@mistake(
    "it is plus infinity",
    why="Added to a score, it makes that key win everything, or nan. Hidden keys get *minus* "
    "infinity.",
    section=NUMBERS,
)
def plus_infinity(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.inf)


ADDITIVE_MISTAKES = (
    additive_inverted,
    ones_and_zeros,
    multiplied,
    always_float32,
    lowest_number,
    ten_thousand,
    plus_infinity,
)
