# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to wire a decoder layer, and to hide the future and the padding."""

import torch
from torch import Tensor

from transformer_lab.grading.checks.full_model_given import attention, part
from transformer_lab.grading.misconceptions import mistake
from transformer_lab.grading.misconceptions.full_model_encoder import norm, stack, talk, think

LAYERS = "book/full_model#Three models from the same parts"
WRONG = "book/full_model#What goes wrong"
ADD = "book/norm#Add, don't replace"

Weights = dict[str, Tensor]
Mask = Tensor | None


def ask(x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask) -> Tensor:
    """Apply the layer's cross-attention."""
    return attention(x, memory, part(weights, "cross_attention"), heads, mask)


def finish(x: Tensor, weights: Weights) -> Tensor:
    """Apply the last sublayer, rightly."""
    return norm(x + think(x, weights), weights, "feed_forward")


@mistake(
    "cross-attention does not ask the memory",
    why="It asks what has been written, a second time, and the decoder never hears of the source. "
    "Queries come from x; keys and values come from the memory.",
    section=LAYERS,
)
def decoder_no_memory(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return finish(norm(x + ask(x, x, weights, heads, mask), weights, "cross_attention"), weights)


@mistake(
    "cross-attention is left out",
    why="That is an encoder's layer, or one of GPT. In the decoder of 2017 a third sublayer stands "
    "in the middle, with a norm of its own.",
    section=LAYERS,
)
def decoder_two_sublayers(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    return finish(norm(x + talk(x, weights, heads, mask), weights, "attention"), weights)


@mistake(
    "the memory is asked first",
    why="First the tokens written so far talk to each other, then they ask the memory. The order "
    "of the sublayers is part of the model.",
    section=LAYERS,
)
def decoder_memory_first(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")
    return finish(norm(x + talk(x, weights, heads, mask), weights, "attention"), weights)


@mistake(
    "self-attention sees the future",
    why="Its mask is not used. Each token would read the ones that it must help to write.",
    section=WRONG,
)
def decoder_no_mask(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, None), weights, "attention")
    x = norm(x + ask(x, memory, weights, heads, memory_mask), weights, "cross_attention")
    return finish(x, weights)


@mistake(
    "the memory's padding is read",
    why="memory_mask is not used. Padding of the source is as empty for the decoder as it is for "
    "the encoder.",
    section=LAYERS,
)
def decoder_no_memory_mask(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return finish(
        norm(x + ask(x, memory, weights, heads, None), weights, "cross_attention"), weights
    )


@mistake(
    "the memory is asked by the layer's input",
    why="The queries should know what has been written so far: take them from behind the first "
    "norm.",
    section=LAYERS,
)
def decoder_asks_with_x(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    heard = norm(x + talk(x, weights, heads, mask), weights, "attention")
    found = ask(x, memory, weights, heads, memory_mask)
    return finish(norm(heard + found, weights, "cross_attention"), weights)


@mistake(
    "what the memory says replaces what was there",
    why="An addition is missing around cross-attention. All three sublayers add to the stream.",
    section=ADD,
)
def decoder_replaces(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return finish(
        norm(ask(x, memory, weights, heads, memory_mask), weights, "cross_attention"), weights
    )


@mistake(
    "both attentions have the same weights",
    why="Reading back and asking the source are two skills. cross_attention has four matrices of "
    "its own.",
    section=LAYERS,
)
def decoder_shares(
    x: Tensor, memory: Tensor, weights: Weights, heads: int, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    found = attention(x, memory, part(weights, "attention"), heads, memory_mask)
    return finish(norm(x + found, weights, "cross_attention"), weights)


def past(x: Tensor) -> Tensor:
    """Let each token see itself and what came before."""
    return torch.ones(x.size(-2), x.size(-2), dtype=torch.bool).tril()


@mistake(
    "the mistake is still in it",
    why="Write the mask down for three tokens, the last of which is padding. May the first read "
    "the second?",
    section=WRONG,
)
def leak_bug(x: Tensor, weights: Weights, heads: int, layers: int, real: Tensor) -> Tensor:
    return stack(x, weights, heads, layers, past(x) | real.unsqueeze(-2))


@mistake(
    "padding is read now",
    why="The future is hidden, and that is most of it. But `real` is not used any more. A pair is "
    "allowed if both masks allow it.",
    section=LAYERS,
)
def leak_padding(x: Tensor, weights: Weights, heads: int, layers: int, real: Tensor) -> Tensor:
    return stack(x, weights, heads, layers, past(x))


@mistake(
    "the future is read still",
    why="Only padding is hidden now. Without the triangle this is an encoder.",
    section=LAYERS,
)
def leak_future(x: Tensor, weights: Weights, heads: int, layers: int, real: Tensor) -> Tensor:
    return stack(x, weights, heads, layers, real.unsqueeze(-2))


@mistake(
    "the triangle is upside down",
    why="Rows are queries, columns are keys. Each token sees itself and what comes *after* it now: "
    "tril, not triu.",
    section=WRONG,
)
def leak_turned(x: Tensor, weights: Weights, heads: int, layers: int, real: Tensor) -> Tensor:
    return stack(x, weights, heads, layers, past(x).mT & real.unsqueeze(-2))


@mistake(
    "padding is kept from asking, not from being read",
    why="real must say which *keys* may be read: a row that serves all queries, unsqueeze(-2). As "
    "a column it empties the rows of padding, and their softmax is nan.",
    section="book/masking#A row that sees nothing",
)
def leak_rows(x: Tensor, weights: Weights, heads: int, layers: int, real: Tensor) -> Tensor:
    return stack(x, weights, heads, layers, past(x) & real.unsqueeze(-1))


DECODER_LAYER_MISTAKES = (
    decoder_no_memory,
    decoder_two_sublayers,
    decoder_memory_first,
    decoder_no_mask,
    decoder_no_memory_mask,
    decoder_asks_with_x,
    decoder_replaces,
    decoder_shares,
)
LEAK_MISTAKES = (leak_bug, leak_padding, leak_future, leak_turned, leak_rows)
