"""to_additive: turn a boolean mask into one that is added to scores."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.masking import to_additive

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
EXERCISE = Exercise(
    __name__,
    to_additive,
    results={"additive mask": "queries, keys"},
    section="Minus infinity, minus a billion, and nothing",
)


@EXERCISE.requires("0 where one may attend, minus infinity where one may not.", points=1)
def values(draw: Draw) -> list[Inputs]:
    """Give masks of all kinds in float32."""
    return [Inputs((mask, torch.float32)) for mask in _masks(draw)]


@EXERCISE.requires("The numbers have the dtype that is asked for.", points=1)
def dtype(draw: Draw) -> list[Inputs]:
    """Give masks, and other dtypes to put them in."""
    masks, dtypes = _masks(draw), (*DTYPES[1:], *DTYPES[1:3])
    return [Inputs(case) for case in zip(masks, dtypes, strict=True)]


EXERCISE.untouched()


def _masks(draw: Draw) -> list[Tensor]:
    """Draw masks of different shapes, with axes for batch and heads."""
    by_hand = torch.tensor([[True, False], [True, True]])
    return [by_hand, draw.mask(3, 4), draw.mask(2, 1, 3), draw.mask(2, 3, 2), draw.mask(2, 1, 3, 4)]


@EXERCISE.mistake(
    "the mask is turned round",
    why="Minus infinity stands where one may attend. It belongs where the mask is False: ~mask.",
    section="True means keep. Or block.",
)
def additive_inverted(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -torch.inf)


@EXERCISE.mistake(
    "it holds 1 and 0",
    why="That is the same mask as numbers, not one to be added: the past would get a bonus of 1, "
    "and nothing would be hidden. What may be seen gets 0, what may not minus infinity.",
    section="True means keep. Or block.",
)
def ones_and_zeros(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return mask.to(dtype)


@EXERCISE.mistake(
    "0 times minus infinity is nan",
    why="(~mask) * -inf looks right and gives nan wherever the mask is True: infinity has no "
    "product with 0. Choose instead of multiplying: masked_fill or torch.where.",
    section="A row that sees nothing",
)
def multiplied(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return (~mask).to(dtype) * -torch.inf


@EXERCISE.mistake(
    "the dtype is not the one asked for",
    why="A float32 mask turns half-precision scores into float32, or is refused. Make the zeros in "
    "the given dtype.",
)
def always_float32(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape).masked_fill(~mask, -torch.inf)


@EXERCISE.mistake(
    "it is a large number, not minus infinity",
    why="In most rows that makes no difference, but it is another mask: a row with nothing to read "
    "comes out even, and two such masks added can overflow. Asked for is -inf.",
)
def lowest_number(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.finfo(dtype).min)


@lowest_number.also
def ten_thousand(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, -1e4)


@EXERCISE.mistake(
    "it is plus infinity",
    why="Added to a score, it makes that key win everything, or nan. Hidden keys get *minus* "
    "infinity.",
)
def plus_infinity(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, torch.inf)
