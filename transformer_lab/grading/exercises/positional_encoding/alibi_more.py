"""alibi_bias goes on: what grows with the distance, and what does not."""

import torch
from torch import Tensor

from transformer_lab.grading.exercises.positional_encoding.alibi import EXERCISE, faded


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
