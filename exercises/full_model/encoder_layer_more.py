"""encoder_layer goes on: mistakes in what is left out or stands elsewhere."""

import torch
from torch import Tensor

from .encoder_layer import EXERCISE, encoder_layer
from .parts import (
    Weights,
    norm,
    talk,
    think,
)


@EXERCISE.mistake(
    "the network is left out",
    why="A layer lets the tokens talk, and then lets each think: both, each with its norm.",
    section="book/norm#A whole layer",
)
def only_attention(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    return norm(x + talk(x, weights, heads, mask), weights, "attention")


@EXERCISE.mistake(
    "the network comes first",
    why="First the tokens talk, then each thinks about what it has heard.",
    section="book/norm#A whole layer",
)
def network_first(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(x + think(x, weights), weights, "feed_forward")
    return norm(x + talk(x, weights, heads, mask), weights, "attention")


@EXERCISE.mistake(
    "both sublayers have the same norm",
    why="Each sublayer has a norm of its own: attention_residual.norm and "
    "feed_forward_residual.norm.",
    section="book/norm#A whole layer",
)
def first_norm_twice(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return norm(x + think(x, weights), weights, "attention")


@first_norm_twice.also
def second_norm_twice(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "feed_forward")
    return norm(x + think(x, weights), weights, "feed_forward")


@EXERCISE.mistake(
    "the first norm is missing",
    why="Attention, add, normalise; network, add, normalise: there are two norms.",
    section="book/norm#A whole layer",
)
def no_first_norm(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = x + talk(x, weights, heads, mask)
    return norm(x + think(x, weights), weights, "feed_forward")


@EXERCISE.mistake(
    "the last norm is missing",
    why="Attention, add, normalise; network, add, normalise: there are two norms.",
    section="book/norm#A whole layer",
)
def no_last_norm(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return x + think(x, weights)


@EXERCISE.mistake(
    "the results are normalised, not the sums",
    why="First add, then normalise: Norm(x + f(x)), and not x + Norm(f(x)).",
    section="book/norm#Before or after?",
)
def norms_of_results(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = x + norm(talk(x, weights, heads, mask), weights, "attention")
    return x + norm(think(x, weights), weights, "feed_forward")


@EXERCISE.mistake(
    "there is only one head",
    why="`heads` says into how many the width is cut: hand it on to attention.",
    section="book/multi_head#Several heads, side by side",
    of=talk,
)
def one_head(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    return talk(x, weights, 1, mask)


@EXERCISE.mistake(
    "both sublayers read the same, side by side",
    why="Some large models are wired so, to be quicker. These weights are for one after the other: "
    "the network thinks about what attention has found, behind a norm of its own.",
    section="book/norm#A whole layer",
)
def side_by_side(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    both = talk(x, weights, heads, mask) + think(x, weights)
    return norm(x + both, weights, "feed_forward")


@EXERCISE.mistake(
    "without a mask, the future is hidden",
    why="None hides nothing: an encoder reads in both directions. Hand the mask on as it is.",
    section="book/masking#Which mask for which task?",
)
def causal_by_itself(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    if mask is None:
        mask = torch.ones(x.size(-2), x.size(-2), dtype=torch.bool).tril()
    return encoder_layer(x, weights, heads, mask)
