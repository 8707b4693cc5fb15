"""decoder_layer: self-attention, cross-attention, feed-forward."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Function, Inputs

from .given import DecoderLayer
from .parts import (
    attention_weights,
    encoder_layer_weights,
    holding,
    norm_weights,
    real_tokens,
)

Mask = Tensor | None


def decoder_layer(
    x: Tensor, memory: Tensor, layer: DecoderLayer, mask: Mask, memory_mask: Mask
) -> Tensor:
    """Apply self-attention, cross-attention and the feed-forward network, in post-norm."""
    x = layer.attention_norm(x + talk(x, layer, mask))
    x = layer.cross_attention_norm(x + ask(x, memory, layer, memory_mask))
    return finish(x, layer)


def talk(x: Tensor, layer: DecoderLayer, mask: Mask) -> Tensor:
    """Apply the layer's self-attention."""
    return layer.attention(x, x, mask)


def ask(x: Tensor, memory: Tensor, layer: DecoderLayer, mask: Mask) -> Tensor:
    """Apply the layer's cross-attention."""
    return layer.cross_attention(x, memory, mask)


def finish(x: Tensor, layer: DecoderLayer) -> Tensor:
    """Apply the last sublayer."""
    return layer.feed_forward_norm(x + layer.feed_forward(x))


def with_layer(
    answer: "Function",
    x: torch.Tensor,
    memory: torch.Tensor,
    layer: dict,
    mask: torch.Tensor,
    memory_mask: torch.Tensor,
) -> torch.Tensor:
    """Call an answer with a layer that holds the drawn weights."""
    return answer(x, memory, holding(DecoderLayer(*layer["sizes"]), layer), mask, memory_mask)


EXERCISE = Exercise(
    __name__,
    decoder_layer,
    results={"stream": "tokens, features"},
    section="Three models from the same parts",
    driver=with_layer,
)


@EXERCISE.requires("Self-attention, cross-attention, network: each added and normalised.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return a causal decoder layer and a memory without padding."""
    sizes = ((1, 2, 3, 4, 1, 2), (1, 3, 2, 4, 2, 6), (2, 3, 4, 4, 2, 5))
    return [_decoder_case(draw, *size) for size in sizes]


@EXERCISE.requires("Each attention uses its own mask.", points=1)
def masked(draw: Draw) -> list[Inputs]:
    """Return memories with padding, once without a causal mask, and float64."""
    return [
        _decoder_case(draw, 2, 3, 4, 4, 2, 5, lengths=[4, 2]),
        _decoder_case(draw, 2, 2, 3, 4, 1, 6, lengths=[1, 3]),
        _decoder_case(draw, 2, 4, 3, 6, 3, 4, lengths=[3, 2], causal=False),
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
    causal: bool = True,
    dtype: torch.dtype = torch.float32,
) -> Inputs:
    """Draw vectors, a memory and a layer."""
    weights = (
        encoder_layer_weights(draw, d, f, dtype)
        | attention_weights(draw, "cross_attention.", d, dtype)
        | norm_weights(draw, "cross_attention_norm", d, dtype)
    )
    x, memory = draw.normal(b, t, d, dtype=dtype), draw.normal(b, s, d, dtype=dtype)
    mask = torch.ones(t, t, dtype=torch.bool).tril() if causal else None
    memory_mask = None if lengths is None else real_tokens(lengths).unsqueeze(-2)
    layer = {"sizes": (d, f, heads), "weights": weights}
    return Inputs((x, memory, layer, mask, memory_mask))


EXERCISE.edit(
    "cross-attention does not read the memory",
    {"memory, layer, memory_mask": "x, layer, mask"},
    why="It attends to the target a second time, and the decoder never reads the source.\nQueries "
    "come from x; keys and values come from the memory.",
)
EXERCISE.edit(
    "cross-attention comes first",
    {
        "x = layer.attention_norm(x + talk(x, layer, mask))": "pass",
        "(x, layer)": "(layer.attention_norm(x + talk(x, layer, mask)), layer)",
    },
    why="First the tokens written so far attend to each other, then they attend to the memory. "
    "The order of the sublayers is part of the model.",
)
EXERCISE.edit(
    "self-attention sees the future",
    "talk(x, layer, None)",
    why="Its mask is not used. Each token would read the tokens that it has to predict.",
    section="What goes wrong",
    of=talk,
)
EXERCISE.edit(
    "the memory's padding is read",
    "ask(x, memory, layer, None)",
    why="memory_mask is not used.",
    of=ask,
)
EXERCISE.edit(
    "the queries of cross-attention come from the layer's input",
    {
        "x = layer.attention_norm": "heard = layer.attention_norm",
        "x + ask": "heard + ask",
    },
    why="The queries should include what self-attention has found.\nTake them from the output of "
    "the first norm.",
)
EXERCISE.edit(
    "cross-attention's output replaces the stream",
    {"x + ask": "ask"},
    why="An addition is missing around cross-attention. All three sublayers add to the stream.",
    section="book/norm#The residual stream: add, don't replace",
)
EXERCISE.edit(
    "both attentions have the same weights",
    {"cross_attention": "attention"},
    why="Self-attention and cross-attention learn different things: layer.cross_attention has "
    "four matrices of its own.",
    of=ask,
)
EXERCISE.edit(
    "two of the three norms are the same",
    {"cross_attention": "attention"},
    why="Each sublayer has a norm of its own, with its own learned scale: attention_norm, "
    "cross_attention_norm, feed_forward_norm.",
    section="book/norm#A whole layer",
)
EXERCISE.edit(
    "cross-attention's output is added to the layer's input",
    {"x = layer.attention_norm": "heard = layer.attention_norm", "ask(x,": "ask(heard,"},
    why="It is added to its own input: the output of the first norm.",
    section="book/norm#A whole layer",
)


@EXERCISE.mistake(
    "that is pre-norm",
    why="The norms come before the sublayers, on the branches. These weights were trained with "
    "post-norm.\nFirst add, then normalise the sum.",
    section="book/norm#Before or after: pre-norm and post-norm",
)
def pre_norm(
    x: Tensor, memory: Tensor, layer: DecoderLayer, mask: Mask, memory_mask: Mask
) -> Tensor:
    x = x + talk(layer.attention_norm(x), layer, mask)
    x = x + ask(layer.cross_attention_norm(x), memory, layer, memory_mask)
    return x + layer.feed_forward(layer.feed_forward_norm(x))


EXERCISE.edit(
    "the two masks are swapped",
    {
        "layer, memory_mask)": "layer, mask)",
        "talk(x, layer, mask)": "talk(x, layer, memory_mask)",
    },
    why="`mask` says which tokens may read each other, `memory_mask` what they may read of the "
    "memory.",
    section="book/masking#What goes wrong",
)
EXERCISE.edit(
    "queries come from the memory, keys and values from x",
    {"x, memory": "memory, x"},
    why="The outputs belong to the tokens that ask, and are added to x, so the queries come from "
    "x, and the keys and values from the memory.",
)
EXERCISE.edit(
    "the feed-forward network comes before cross-attention",
    {
        "return finish(x, layer)": "return x",
        "x = layer.cross": "x = finish(x, layer); x = layer.cross",
    },
    why="First the tokens written so far attend to each other, then they attend to the memory, "
    "then the feed-forward network follows: cross-attention comes second.",
)
