"""cached_step goes on: what becomes of what is kept."""

import torch
from torch import Tensor

from transformer_lab.grading.exercises.full_model.cache import EXERCISE, longer


@EXERCISE.mistake(
    "the new one takes the place of an old one",
    why="The cache is as long as before, and one token is forgotten. It grows by one with each "
    "token: the new key and value come behind the old.",
    of=longer,
)
def over_the_oldest(kept: Tensor, new: Tensor) -> Tensor:
    return torch.cat([new, kept[..., 1:, :]], dim=-2)[..., : kept.size(-2), :]


@over_the_oldest.within(longer)
def oldest_dropped(kept: Tensor, new: Tensor) -> Tensor:
    return torch.cat([kept[..., 1:, :], new], dim=-2)
