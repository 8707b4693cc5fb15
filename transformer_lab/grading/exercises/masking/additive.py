"""to_additive: turn a boolean mask into one that is added to scores."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs

DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


def to_additive(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """Turn a boolean mask into one that is added to scores."""
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(~mask, hidden(dtype))


def hidden(dtype: torch.dtype) -> float:
    """Give the number that hides what it is added to."""
    return -torch.inf


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
    why="Minus infinity stands where one may attend. It belongs where the mask is False.",
    section="True means keep. Or block.",
)
def additive_inverted(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return to_additive(~mask, dtype)


@EXERCISE.mistake(
    "it holds 1 and 0",
    why="That is the same mask as numbers, not one to be added: the past would get a bonus of 1, "
    "and nothing would be hidden. What may be seen gets 0, what may not minus infinity.",
    section="True means keep. Or block.",
)
def ones_and_zeros(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return mask.to(dtype)


@ones_and_zeros.also
def ones_where_hidden(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return (~mask).to(dtype)


@EXERCISE.mistake(
    "0 times minus infinity is nan",
    why="(~mask) * -inf looks right and gives nan wherever the mask is True: infinity has no "
    "product with 0. Choose instead of multiplying: masked_fill or torch.where.",
    section="A row that sees nothing",
)
def multiplied(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return (~mask).to(dtype) * -torch.inf


@EXERCISE.mistake(
    "it is a large number, not minus infinity",
    why="In most rows that makes no difference, but it is another mask: a row with nothing to read "
    "comes out even, and two such masks added can overflow. Asked for is -inf.",
    of=hidden,
)
def lowest_number(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).min


@lowest_number.within(hidden)
def ten_thousand(dtype: torch.dtype) -> float:
    return -1e4


@lowest_number.within(hidden)
def a_billion(dtype: torch.dtype) -> float:
    return -1e9 if dtype != torch.float16 else -torch.inf


@EXERCISE.mistake(
    "hidden places get -1",
    why="Taking 1 off a score only nudges it. What may not be seen gets minus infinity.",
    section="True means keep. Or block.",
    of=hidden,
)
def minus_one(dtype: torch.dtype) -> float:
    return -1.0


@EXERCISE.mistake(
    "what may be seen gets 1, not 0",
    why="An additive mask leaves what may be seen as it is, and that is done by adding 0.",
    section="True means keep. Or block.",
)
def ones_where_seen(mask: Tensor, dtype: torch.dtype) -> Tensor:
    return to_additive(mask, dtype) + 1


@EXERCISE.mistake(
    "it is plus infinity",
    why="Added to a score, it makes that key win everything, or nan. Hidden keys get *minus* "
    "infinity.",
    of=hidden,
)
def plus_infinity(dtype: torch.dtype) -> float:
    return torch.inf
