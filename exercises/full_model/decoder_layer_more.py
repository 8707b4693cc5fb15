"""decoder_layer goes on: mistakes in its norms and sums."""

from torch import Tensor

from .decoder_layer import (
    EXERCISE,
    Mask,
    decoder_layer,
    finish,
)
from .parts import (
    Weights,
    ask,
    norm,
    talk,
    think,
)


@EXERCISE.mistake(
    "two of the three norms are one",
    why="Each sublayer has a norm of its own, and they have learned different scales: "
    "attention_residual.norm, cross_attention_residual.norm, feed_forward_residual.norm.",
    section="book/norm#A whole layer",
)
def first_norm_twice(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "attention")
    return finish(x, weights)


@first_norm_twice.also
def second_norm_twice(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "cross_attention")
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")
    return finish(x, weights)


@first_norm_twice.also
def last_norm_twice(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "feed_forward")
    return finish(x, weights)


@EXERCISE.mistake(
    "the first two norms have changed places",
    why="attention_residual.norm stands behind self-attention, cross_attention_residual.norm "
    "behind cross-attention.",
    section="book/norm#A whole layer",
)
def norms_swapped(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "cross_attention")
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "attention")
    return finish(x, weights)


@EXERCISE.mistake(
    "nothing is added to what self-attention has found",
    why="Each sublayer's result is added to what the sublayer has read, in all three.",
    section="book/norm#Add, don't replace",
)
def no_first_sum(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(talk(x, weights, heads, mask), weights, "attention")
    return finish(
        norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention"), weights
    )


@EXERCISE.mistake(
    "what the memory says is added to the layer's input",
    why="It is added to what has asked: the vectors from behind the first norm.",
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
    why="The norms stand before the sublayers, on the branches. These weights were made for "
    "post-norm: first add, then normalise the sum.",
    section="book/norm#Before or after?",
)
def pre_norm(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = x + talk(norm(x, weights, "attention"), weights, heads, mask)
    x = x + ask(norm(x, weights, "cross_attention"), memory, weights, heads, memory_mask)
    return x + think(norm(x, weights, "feed_forward"), weights)


@EXERCISE.mistake(
    "self-attention is left out",
    why="First the tokens written so far talk to each other, then they ask the memory, then each "
    "thinks.",
)
def no_self(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")
    return finish(x, weights)


@EXERCISE.mistake(
    "the network is left out",
    why="First the tokens written so far talk to each other, then they ask the memory, then each "
    "thinks.",
)
def no_network(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")


@EXERCISE.mistake(
    "the two masks have changed places",
    why="`mask` says what the tokens may read of each other, `memory_mask` what they may read of "
    "the memory.",
    section="book/masking#What goes wrong",
)
def masks_swapped(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    return decoder_layer(x, memory, weights, heads, memory_mask, mask)


@EXERCISE.mistake(
    "the memory asks, and x is asked",
    why="Whoever asks gets the answers, and the answers are added to x: so x asks, and the memory "
    "is asked.",
)
def memory_asks(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    found = ask(memory, x, weights, heads, memory_mask)
    return finish(norm(x + found, weights, "cross_attention"), weights)


@EXERCISE.mistake(
    "the network comes before the memory",
    why="First the tokens written so far talk to each other, then they ask the memory, then each "
    "thinks about what it has found: cross-attention stands in the middle.",
)
def network_before_memory(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = finish(norm(x + talk(x, weights, heads, mask), weights, "attention"), weights)
    return norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")
