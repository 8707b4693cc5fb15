"""encoder_layer: self-attention, then feed-forward, in post-norm."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .given import (
    feed_forward,
    linear,
    part,
)
from .parts import (
    Weights,
    encoder_layer_weights,
    norm,
    real_tokens,
    talk,
    think,
)


def encoder_layer(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    """Apply self-attention and the feed-forward network, in post-norm."""
    x = norm(first_sum(x, weights, heads, mask), weights, "attention")
    return norm(second_sum(x, weights), weights, "feed_forward")


def first_sum(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    """Add the output of attention to x."""
    return x + talk(x, weights, heads, mask)


def second_sum(x: Tensor, weights: Weights) -> Tensor:
    """Add the output of the feed-forward network to x."""
    return x + think(x, weights)


EXERCISE = Exercise(
    __name__, encoder_layer, results={"stream": "tokens, features"}, section="What goes wrong"
)


@EXERCISE.requires("Attention, add, normalise; feed-forward network, add, normalise.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return an unmasked layer."""
    return [
        _layer_case(draw, *size) for size in ((1, 2, 4, 1, 3), (1, 3, 4, 2, 6), (2, 4, 4, 2, 5))
    ]


@EXERCISE.requires("What the mask hides is not read.", points=1)
def masked(draw: Draw) -> list[Inputs]:
    """Return causal masks, padding masks, one mask per sentence, and float64."""
    causal = torch.ones(3, 3, dtype=torch.bool).tril()
    cases = [
        _layer_case(draw, 1, 3, 4, 2, 6, mask=causal),
        _layer_case(draw, 2, 4, 4, 2, 5, mask=real_tokens([4, 2]).unsqueeze(-2)),
        _layer_case(draw, 2, 3, 6, 3, 4, mask=draw.mask(2, 3, 3)),
    ]
    return [*cases, _layer_case(draw, 1, 4, 4, 2, 5, mask=draw.mask(4, 4), dtype=torch.float64)]


EXERCISE.untouched()
EXERCISE.trains()


def _layer_case(
    draw: Draw,
    b: int,
    t: int,
    d: int,
    heads: int,
    f: int,
    *,
    mask: Tensor | None = None,
    dtype: torch.dtype = torch.float32,
) -> Inputs:
    """Draw vectors and a layer."""
    x, weights = draw.normal(b, t, d, dtype=dtype), encoder_layer_weights(draw, d, f, dtype)
    return Inputs((x, weights, heads, mask))


@EXERCISE.mistake(
    "nothing is added to what attention has found",
    why="Each sublayer's result is added to what the sublayer has read. Without the first "
    "addition a token forgets which word it is.",
    section="book/norm#The residual stream: add, don't replace",
    of=first_sum,
)
def no_first_sum(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    return talk(x, weights, heads, mask)


@EXERCISE.mistake(
    "nothing is added to what the network has made",
    why="Each sublayer's result is added to what the sublayer has read. Without the second "
    "addition all that attention has found must pass through the network.",
    section="book/norm#The residual stream: add, don't replace",
    of=second_sum,
)
def no_second_sum(x: Tensor, weights: Weights) -> Tensor:
    return think(x, weights)


@EXERCISE.mistake(
    "the two norms have changed places",
    why="Each sublayer has a norm of its own, and they have learned different scales: "
    "around_attention.norm stands behind attention.",
    section="book/norm#A whole layer",
)
def norms_swapped(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "feed_forward")
    return norm(x + think(x, weights), weights, "attention")


@EXERCISE.mistake(
    "that is pre-norm",
    why="The norms stand before the sublayers, on the branches. These weights were made for "
    "post-norm: first add, then normalise the sum.",
    section="book/norm#Before or after?",
)
def pre_norm(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = x + talk(norm(x, weights, "attention"), weights, heads, mask)
    return x + think(norm(x, weights, "feed_forward"), weights)


@EXERCISE.mistake(
    "the mask is not used",
    why="Hand it on to attention. Without it a decoder sees the future, and everybody reads the "
    "padding.",
    of=talk,
)
def no_mask(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    return talk(x, weights, heads, None)


@EXERCISE.mistake(
    "the network reads the layer's input",
    why="It should think about what attention has found. Feed it the vectors behind the first "
    "norm.",
    section="book/norm#A whole layer",
)
def network_reads_x(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    heard = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return norm(heard + think(x, weights), weights, "feed_forward")


@EXERCISE.mistake(
    "the second addition is to the layer's input",
    why="What the network makes is added to what the network has read. Added to the layer's input, "
    "half of what attention has found gets lost.",
    section="book/norm#A whole layer",
)
def adds_to_input(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    heard = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return norm(x + think(heard, weights), weights, "feed_forward")


@EXERCISE.mistake(
    "the mask is turned round",
    why="True means may attend, for `attention` too: hand the mask on as it is.",
    section="book/masking#True means keep. Or block.",
    of=talk,
)
def mask_turned(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    return talk(x, weights, heads, mask if mask is None else ~mask)


@EXERCISE.mistake(
    "the network bends with ReLU, not with GELU",
    why="These weights were made for GELU, as in BERT. `feed_forward` has it: call it.",
    section="book/norm#The other half: the feed-forward network",
    of=feed_forward,
)
def relu(x: Tensor, weights: Weights) -> Tensor:
    hidden = torch.relu(linear(x, part(weights, "widen")))
    return linear(hidden, part(weights, "narrow"))


@EXERCISE.mistake(
    "the network does not bend",
    why="Without a bend between them, its two layers are one. `feed_forward` has GELU: call it.",
    section="book/norm#The other half: the feed-forward network",
    of=feed_forward,
)
def no_bend(x: Tensor, weights: Weights) -> Tensor:
    return linear(linear(x, part(weights, "widen")), part(weights, "narrow"))


@EXERCISE.mistake(
    "attention is left out",
    why="A layer lets the tokens talk, and then lets each think: both, each with its norm.",
    section="book/norm#A whole layer",
)
def only_network(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    return norm(x + think(x, weights), weights, "feed_forward")


@EXERCISE.mistake(
    "the network is left out",
    why="A layer lets the tokens talk, and then lets each think: both, each with its norm.",
    section="book/norm#A whole layer",
)
def only_attention(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    return norm(x + talk(x, weights, heads, mask), weights, "attention")


@EXERCISE.mistake(
    "the network comes first",
    why="First the tokens talk, then each thinks about what it has read.",
    section="book/norm#A whole layer",
)
def network_first(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(x + think(x, weights), weights, "feed_forward")
    return norm(x + talk(x, weights, heads, mask), weights, "attention")


@EXERCISE.mistake(
    "both sublayers have the same norm",
    why="Each sublayer has a norm of its own: around_attention.norm and around_feed_forward.norm.",
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
