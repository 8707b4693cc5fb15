"""sentence_embedding goes on: what is embedded, and what has length 1."""

import math

import torch
from torch import Tensor

from .encoder import encoder
from .given import part
from .rename import rename_weights
from .sentence import (
    EXERCISE,
    Weights,
    for_queries,
    mean,
    norm_too_early,
    normed,
    places,
    segment,
    tokens,
    unit,
)


@EXERCISE.mistake(
    "the tokens' vectors are multiplied by the root of the width",
    why="The model of 2017 does so. BERT does not, and its other vectors are made to fit: add them "
    "as they are.",
    section="book/real_models#What goes wrong",
    of=tokens,
)
def times_root(weights: Weights, ids: Tensor) -> Tensor:
    found = weights["embeddings.tokens.weight"][ids]
    return found * math.sqrt(found.size(-1))


@EXERCISE.mistake(
    "the segment is the second",
    why="A sentence alone is all of the first text: row 0.",
    section="book/real_models#What goes wrong",
    of=segment,
)
def second_segment(weights: Weights) -> Tensor:
    return weights["embeddings.segments.weight"][1]


@EXERCISE.mistake(
    "all segments are added",
    why="A token is of one text. A sentence alone is all of the first: row 0.",
    section="book/real_models#What goes wrong",
    of=segment,
)
def all_segments(weights: Weights) -> Tensor:
    return weights["embeddings.segments.weight"].sum(dim=0)


@EXERCISE.mistake(
    "each token is brought to length 1, not their mean",
    why="A mean of vectors of length 1 is shorter, the more they differ, and a long vector counts "
    "no more in it than a short one. Take the mean first, then divide it by its length.",
    section="book/real_models#An encoder of sentences",
)
def each_token_has_length_one(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    return mean(unit(encoded(weights, ids, real, heads, layers)), real)


def encoded(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    """Embed and encode."""
    ours = rename_weights(weights)
    x = normed(tokens(ours, ids) + places(ours, ids) + segment(ours), ours)
    return encoder(x, part(ours, "encoder"), heads, layers, for_queries(real))


@EXERCISE.mistake(
    "the encoder hides the future",
    why="A decoder reads what came before, since it must guess what comes. An encoder of sentences "
    "reads in both directions: hide padding, and nothing else.",
    section="book/masking#Which mask for which task?",
    of=for_queries,
)
def causal(real: Tensor) -> Tensor:
    length = real.size(-1)
    return real.unsqueeze(-2) & torch.ones(length, length, dtype=torch.bool).tril()


@norm_too_early.also
def places_behind_the_norm(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    ours = rename_weights(weights)
    x = normed(tokens(ours, ids) + segment(ours), ours) + places(ours, ids)
    x = encoder(x, part(ours, "encoder"), heads, layers, for_queries(real))
    return unit(mean(x, real))


@EXERCISE.mistake(
    "each token is brought to length 1 before the mean",
    why="The result has length 1, but it is that of other vectors: in the mean a long vector "
    "counts for more than a short one. Only the mean is divided by its length.",
    section="book/real_models#An encoder of sentences",
)
def each_token_and_the_mean(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    return unit(mean(unit(encoded(weights, ids, real, heads, layers)), real))
