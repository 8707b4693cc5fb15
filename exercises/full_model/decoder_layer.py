"""decoder_layer: self-attention, cross-attention, feed-forward."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import (
    Weights,
    ask,
    attention_weights,
    encoder_layer_weights,
    norm,
    norm_weights,
    real_tokens,
    talk,
    think,
)

Mask = Tensor | None


def decoder_layer(
    x: Tensor,
    memory: Tensor,
    weights: Weights,
    heads: int,
    mask: Tensor | None,
    memory_mask: Tensor | None,
) -> Tensor:
    """Apply self-attention, cross-attention and the feed-forward network, in post-norm."""
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")
    return finish(x, weights)


def finish(x: Tensor, weights: Weights) -> Tensor:
    """Apply the last sublayer."""
    return norm(x + think(x, weights), weights, "feed_forward")


EXERCISE = Exercise(
    __name__,
    decoder_layer,
    results={"stream": "tokens, features"},
    section="Three models from the same parts",
)


@EXERCISE.requires(
    "Three sublayers: self-attention, cross-attention, feed-forward network.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Return a causal decoder layer and a memory without padding."""
    sizes = ((1, 2, 3, 4, 1, 2), (1, 3, 2, 4, 2, 6), (2, 3, 4, 4, 2, 5))
    return [_decoder_case(draw, *size) for size in sizes]


@EXERCISE.requires("Each attention uses its own mask.", points=1)
def masked(draw: Draw) -> list[Inputs]:
    """Return memories with padding, and float64."""
    return [
        _decoder_case(draw, 2, 3, 4, 4, 2, 5, lengths=[4, 2]),
        _decoder_case(draw, 2, 2, 3, 4, 1, 6, lengths=[1, 3]),
        _decoder_case(draw, 2, 4, 3, 6, 3, 4, lengths=[3, 2]),
        _decoder_case(draw, 2, 3, 4, 4, 2, 3, lengths=[3, 4], dtype=torch.float64),
        _decoder_case(draw, 1, 1, 1, 4, 2, 3, lengths=[1]),
    ]


EXERCISE.untouched()
EXERCISE.trains()


def _decoder_case(
    draw: Draw,
    b: int,
    t: int,
    s: int,
    d: int,
    heads: int,
    f: int,
    *,
    lengths: list[int] | None = None,
    dtype: torch.dtype = torch.float32,
) -> Inputs:
    """Draw vectors, a memory and a layer."""
    weights = (
        encoder_layer_weights(draw, d, f, dtype)
        | attention_weights(draw, "cross_attention", d, dtype)
        | norm_weights(draw, "around_cross_attention.norm", d, dtype)
    )
    x, memory = draw.normal(b, t, d, dtype=dtype), draw.normal(b, s, d, dtype=dtype)
    causal = torch.ones(t, t, dtype=torch.bool).tril()
    memory_mask = None if lengths is None else real_tokens(lengths).unsqueeze(-2)
    return Inputs((x, memory, weights, heads, causal, memory_mask))


EXERCISE.edit(
    "cross-attention does not read the memory",
    {"memory, weights, heads, memory_mask": "x, weights, heads, mask"},
    why="It attends to the target a second time, and the decoder never reads the source. Queries "
    "come from x; keys and values come from the memory.",
)

EXERCISE.edit(
    "cross-attention is left out",
    {'norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")': "x"},
    why="That is the layer of an encoder, or of GPT. The decoder of 2017 has a third sublayer in "
    "the middle, with a norm of its own.",
)


@EXERCISE.mistake(
    "cross-attention comes first",
    why="First the tokens written so far attend to each other, then they attend to the memory. "
    "The order of the sublayers is part of the model.",
)
def memory_first(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")
    return finish(norm(x + talk(x, weights, heads, mask), weights, "attention"), weights)


@EXERCISE.mistake(
    "self-attention sees the future",
    why="Its mask is not used. Each token would read the tokens that it has to predict.",
    section="What goes wrong",
    of=talk,
)
def no_mask(x: Tensor, weights: Weights, heads: int, mask: Mask) -> Tensor:
    return talk(x, weights, heads, None)


@EXERCISE.mistake("the memory's padding is read", why="memory_mask is not used.", of=ask)
def no_memory_mask(x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask) -> Tensor:
    return ask(x, memory, weights, heads, None)


@EXERCISE.mistake(
    "the queries of cross-attention come from the layer's input",
    why="The queries should include what self-attention has found: take them from the output of "
    "the first norm.",
)
def asks_with_x(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    heard = norm(x + talk(x, weights, heads, mask), weights, "attention")
    found = ask(x, memory, weights, heads, memory_mask)
    return finish(norm(heard + found, weights, "cross_attention"), weights)


EXERCISE.edit(
    "cross-attention's output replaces the stream",
    {"x + ask": "ask"},
    why="An addition is missing around cross-attention. All three sublayers add to the stream.",
    section="book/norm#The residual stream: add, don't replace",
)

EXERCISE.edit(
    "both attentions have the same weights",
    {"cross_attention": "attention"},
    why="Self-attention and cross-attention learn different things: cross_attention has four "
    "matrices of its own.",
    of=ask,
)

EXERCISE.edit(
    "two of the three norms are the same",
    {"cross_attention": "attention"},
    why="Each sublayer has a norm of its own, with its own learned scale: around_attention.norm, "
    "around_cross_attention.norm, around_feed_forward.norm.",
    section="book/norm#A whole layer",
)


@EXERCISE.mistake(
    "the first two norms are swapped",
    why="around_attention.norm comes after self-attention, around_cross_attention.norm after "
    "cross-attention.",
    section="book/norm#A whole layer",
)
def norms_swapped(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "cross_attention")
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "attention")
    return finish(x, weights)


EXERCISE.edit(
    "self-attention's output replaces the stream",
    {"x + talk": "talk"},
    why="Each sublayer's result is added to its input, in all three.",
    section="book/norm#The residual stream: add, don't replace",
)


@EXERCISE.mistake(
    "cross-attention's output is added to the layer's input",
    why="It is added to its own input: the output of the first norm.",
    section="book/norm#A whole layer",
)
def adds_to_input(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    heard = norm(x + talk(x, weights, heads, mask), weights, "attention")
    found = ask(heard, memory, weights, heads, memory_mask)
    return finish(norm(x + found, weights, "cross_attention"), weights)


@EXERCISE.mistake(
    "that is pre-norm",
    why="The norms come before the sublayers, on the branches. These weights were trained with "
    "post-norm: first add, then normalise the sum.",
    section="book/norm#Before or after?",
)
def pre_norm(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = x + talk(norm(x, weights, "attention"), weights, heads, mask)
    x = x + ask(norm(x, weights, "cross_attention"), memory, weights, heads, memory_mask)
    return x + think(norm(x, weights, "feed_forward"), weights)


EXERCISE.edit(
    "self-attention is left out",
    {'norm(x + talk(x, weights, heads, mask), weights, "attention")': "x"},
    why="First the tokens written so far attend to each other, then they attend to the memory, "
    "then the feed-forward network follows.",
)

EXERCISE.edit(
    "the feed-forward network is left out",
    {"finish(x, weights)": "x"},
    why="First the tokens written so far attend to each other, then they attend to the memory, "
    "then the feed-forward network follows.",
)


@EXERCISE.mistake(
    "the two masks are swapped",
    why="`mask` says which tokens may read each other, `memory_mask` what they may read of the "
    "memory.",
    section="book/masking#What goes wrong",
)
def masks_swapped(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    return decoder_layer(x, memory, weights, heads, memory_mask, mask)


EXERCISE.edit(
    "queries come from the memory, keys and values from x",
    {"x, memory": "memory, x"},
    why="The outputs belong to the tokens that ask, and are added to x, so the queries come from "
    "x, and the keys and values from the memory.",
)


@EXERCISE.mistake(
    "the feed-forward network comes before cross-attention",
    why="First the tokens written so far attend to each other, then they attend to the memory, "
    "then the feed-forward network follows: cross-attention comes second.",
)
def network_before_memory(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = finish(norm(x + talk(x, weights, heads, mask), weights, "attention"), weights)
    return norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")
