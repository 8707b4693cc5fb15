"""cached_step goes on: what becomes of what is kept."""

import torch
from torch import Tensor

from .cache import (
    EXERCISE,
    Triple,
    Weights,
    cached_step,
    longer,
    projected,
)


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


@EXERCISE.mistake(
    "softmax runs over the query, not the keys",
    why="There is one query, so its axis has length 1, and a softmax along it gives 1 to each key. "
    "The keys are the last axis: dim=-1.",
    section="book/attention#Weights are a softmax of scores",
)
def over_the_query(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    _, keys, values = cached_step(x, keys, values, weights)
    return projected(values.sum(dim=-2, keepdim=True), weights), keys, values


@EXERCISE.mistake(
    "only one of the two comes back longer",
    why="A cache holds a key and a value for each token. Put both of the new ones behind the old, "
    "and return both.",
)
def values_as_they_were(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    found, longer_keys, _ = cached_step(x, keys, values, weights)
    return found, longer_keys, values.clone()


@values_as_they_were.also
def keys_as_they_were(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    found, _, longer_values = cached_step(x, keys, values, weights)
    return found, keys.clone(), longer_values
