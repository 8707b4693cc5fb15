"""Further mistakes that head_losses is known to make."""

import torch
from torch import Tensor

from .heads import EXERCISE, growth, silent, text_loss
from .parts import Weights


@EXERCISE.mistake(
    "the head of this number is silenced in every layer",
    why="Head 0 of layer 0 and head 0 of layer 1 are two heads, with a number each in the table. "
    "Change the weights of one layer only.",
    of=silent,
)
def in_every_layer(weights: Weights, layer: int, head: int, heads: int) -> Weights:
    layers = {int(name.split(".")[1]) for name in weights if name.startswith("layers.")}
    for each in layers:
        weights = silent(weights, each, head, heads)
    return weights


@EXERCISE.mistake(
    "the other heads of the layer are silenced",
    why="Asked for is what is lost without the head, not what it can do alone. Silence this one, "
    "and let all others go on.",
    of=silent,
)
def the_others(weights: Weights, layer: int, head: int, heads: int) -> Weights:
    for other in set(range(heads)) - {head}:
        weights = silent(weights, layer, other, heads)
    return weights


@EXERCISE.mistake(
    "the loss is given, not what it grows by",
    why="Asked for is the difference: the loss without the head, less the loss of the whole model.",
    of=growth,
)
def not_less(
    without: Tensor, weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    return without


@EXERCISE.mistake(
    "the difference is the wrong way round",
    why="A head that is needed makes the loss *grow* when it is silenced: take the whole model's "
    "loss off, and the entry is positive.",
    of=growth,
)
def other_way(
    without: Tensor, weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    return text_loss(weights, ids, real, heads, layers) - without


@EXERCISE.mistake(
    "heads once silenced stay silent",
    why="Each entry is about one head. Begin again with the whole weights for each of them.",
)
def cumulative(weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int) -> Tensor:
    usual, left, found = text_loss(weights, ids, real, heads, layers), weights, []
    for number in range(layers * heads):
        left = silent(left, number // heads, number % heads, heads)
        found.append(text_loss(left, ids, real, heads, layers) - usual)
    return torch.stack(found).view(layers, heads)


@cumulative.also
def cumulative_in_a_layer(
    weights: Weights, ids: Tensor, real: Tensor, heads: int, layers: int
) -> Tensor:
    usual, found = text_loss(weights, ids, real, heads, layers), []
    for layer in range(layers):
        left = weights
        for head in range(heads):
            left = silent(left, layer, head, heads)
            found.append(text_loss(left, ids, real, heads, layers) - usual)
    return torch.stack(found).view(layers, heads)
