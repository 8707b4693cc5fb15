# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to wire an encoder layer, and to stack such layers."""

from torch import Tensor

from transformer_lab.grading.checks.full_model_given import (
    attention,
    feed_forward,
    layer_norm,
    part,
)
from transformer_lab.grading.misconceptions import mistake

LAYERS = "book/full_model#Three models from the same parts"
WRONG = "book/full_model#What goes wrong"
BLOCK = "book/norm#A whole layer"
ADD = "book/norm#Add, don't replace"
PLACE = "book/norm#Before or after?"

Weights = dict[str, Tensor]


def talk(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    """Apply the layer's attention."""
    return attention(x, x, part(weights, "attention"), heads, mask)


def think(x: Tensor, weights: Weights) -> Tensor:
    """Apply the layer's feed-forward network."""
    return feed_forward(x, part(weights, "feed_forward"))


def norm(x: Tensor, weights: Weights, sublayer: str) -> Tensor:
    """Apply the norm around one sublayer."""
    return layer_norm(x, part(weights, f"around_{sublayer}.norm"))


def layer(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    """Apply a layer, rightly."""
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return norm(x + think(x, weights), weights, "feed_forward")


def stack(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    """Apply a stack, rightly."""
    for number in range(layers):
        x = layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


@mistake(
    "nothing is added to what attention has found",
    why="Each sublayer's result is added to what the sublayer has read. Without the first "
    "addition a token forgets which word it is.",
    section=ADD,
)
def layer_no_first_sum(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(talk(x, weights, heads, mask), weights, "attention")
    return norm(x + think(x, weights), weights, "feed_forward")


@mistake(
    "nothing is added to what the network has made",
    why="Each sublayer's result is added to what the sublayer has read. Without the second "
    "addition all that attention has found must pass through the network.",
    section=ADD,
)
def layer_no_second_sum(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return norm(think(x, weights), weights, "feed_forward")


@mistake(
    "the two norms have changed places",
    why="Each sublayer has a norm of its own, and they have learned different scales: "
    "around_attention.norm stands behind attention.",
    section=BLOCK,
)
def layer_norms_swapped(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = norm(x + talk(x, weights, heads, mask), weights, "feed_forward")
    return norm(x + think(x, weights), weights, "attention")


@mistake(
    "that is pre-norm",
    why="The norms stand before the sublayers, on the branches. These weights were made for "
    "post-norm: first add, then normalise the sum.",
    section=PLACE,
)
def layer_pre_norm(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    x = x + talk(norm(x, weights, "attention"), weights, heads, mask)
    return x + think(norm(x, weights, "feed_forward"), weights)


@mistake(
    "the mask is not used",
    why="Hand it on to attention. Without it a decoder sees the future, and everybody reads the "
    "padding.",
    section=WRONG,
)
def layer_no_mask(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    return layer(x, weights, heads, None)


@mistake(
    "the network reads the layer's input",
    why="It should think about what attention has found. Feed it the vectors behind the first "
    "norm.",
    section=BLOCK,
)
def layer_network_reads_x(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    heard = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return norm(heard + think(x, weights), weights, "feed_forward")


@mistake(
    "the second addition is to the layer's input",
    why="What the network makes is added to what the network has read. Added to the layer's input, "
    "half of what attention has found gets lost.",
    section=BLOCK,
)
def layer_adds_to_input(x: Tensor, weights: Weights, heads: int, mask: Tensor | None) -> Tensor:
    heard = norm(x + talk(x, weights, heads, mask), weights, "attention")
    return norm(x + think(heard, weights), weights, "feed_forward")


@mistake(
    "every layer has the first one's weights",
    why="It is one layer, applied several times. Each layer has learned something of its own: the "
    "number must be in the name.",
    section=WRONG,
)
def stack_one_layer(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    for _ in range(layers):
        x = layer(x, part(weights, "layers.0"), heads, mask)
    return x


@mistake(
    "every layer reads the embeddings",
    why="The result of a layer is what the next one reads. Here all but the last one's work is "
    "thrown away: keep the name x for what goes on.",
    section=LAYERS,
)
def stack_not_chained(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    return layer(x, part(weights, f"layers.{layers - 1}"), heads, mask)


@mistake(
    "the last layer is missing",
    why="range(n) ends with n - 1 already. The layers are numbered from 0.",
    section=LAYERS,
)
def stack_too_short(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    return stack(x, weights, heads, layers - 1, mask)


@mistake(
    "the last layer comes first",
    why="layers.0 reads the embeddings. A stack is numbered in the order in which it computes, "
    "whichever way it is drawn.",
    section=LAYERS,
)
def stack_reversed(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    for number in reversed(range(layers)):
        x = layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


@mistake(
    "only the first layer gets the mask",
    why="What is hidden in the first layer must be hidden in all: each has an attention of its "
    "own, and looks again.",
    section=WRONG,
)
def stack_mask_once(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    for number in range(layers):
        x = layer(x, part(weights, f"layers.{number}"), heads, None if number else mask)
    return x


ENCODER_LAYER_MISTAKES = (
    layer_no_first_sum,
    layer_no_second_sum,
    layer_norms_swapped,
    layer_pre_norm,
    layer_no_mask,
    layer_network_reads_x,
    layer_adds_to_input,
)
ENCODER_MISTAKES = (
    stack_one_layer,
    stack_not_chained,
    stack_too_short,
    stack_reversed,
    stack_mask_once,
)
