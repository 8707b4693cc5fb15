"""alibi_bias goes on: what grows with the distance, and what does not."""

import torch
from torch import Tensor

from .alibi import (
    EXERCISE,
    faded,
    slopes,
)


@EXERCISE.mistake(
    "the distance is squared",
    why="What is taken off grows along a line: slope times distance, and each step costs the same.",
    of=faded,
)
def squared(slopes: Tensor, back: Tensor) -> Tensor:
    return faded(slopes, back**2)


@EXERCISE.mistake(
    "the key's place counts, not how far back it lies",
    why="The same number is added to a whole row, which softmax does not notice. But asked for is "
    "the bias itself: 0 at the query's own place, and less the farther back the key lies.",
    of=faded,
)
def by_key(slopes: Tensor, back: Tensor) -> Tensor:
    return slopes[:, None, None] * torch.arange(back.size(-1)).expand(back.shape)


@EXERCISE.mistake(
    "the exponent is rounded to a whole number",
    why="// drops the fraction. With 16 heads the first slope is 2 to the power of -1/2, and every "
    "second exponent is no whole number: divide with /.",
    of=slopes,
)
def whole_exponents(heads: int) -> Tensor:
    return 2.0 ** (-8 * torch.arange(1, heads + 1) // heads)


@whole_exponents.within(slopes)
def whole_exponents_towards_zero(heads: int) -> Tensor:
    return 2.0 ** -(8 * torch.arange(1, heads + 1) // heads)


@EXERCISE.mistake(
    "each slope is half the one before, for any number of heads",
    why="That is so for eight heads. With H heads each slope is 2 to the power of -8/H times the "
    "one before, so that the last one is always 1/256.",
    of=slopes,
)
def halving(heads: int) -> Tensor:
    return slopes(heads)[0] * 2.0 ** -torch.arange(heads)
