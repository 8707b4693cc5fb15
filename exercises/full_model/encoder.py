"""encoder: a stack of layers."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .encoder_layer import encoder_layer
from .given import part
from .parts import (
    Weights,
    real_tokens,
    stack_weights,
)


def encoder(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    """Apply the layers in order."""
    for number in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


EXERCISE = Exercise(
    __name__,
    encoder,
    results={"memory": "tokens, features"},
    section="Three models from the same parts",
)


@EXERCISE.requires(
    "Each layer reads what the one before it made, with weights of its own.", points=1
)
def values(draw: Draw) -> list[Inputs]:
    """Return unmasked stacks of two, three and eleven layers."""
    sizes = ((1, 2, 4, 1, 3, 2), (2, 3, 4, 2, 5, 3))
    return [*(_stack_case(draw, *size) for size in sizes), _high_stack_case(draw, 11)]


@EXERCISE.requires("The mask holds in every layer.", points=1)
def masked(draw: Draw) -> list[Inputs]:
    """Return stacks with padding masks, with a causal mask, and in float64."""
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    return [
        _stack_case(draw, 2, 3, 4, 2, 6, 2, mask=real_tokens([2, 3]).unsqueeze(-2)),
        _stack_case(draw, 1, 4, 4, 2, 3, 3, mask=causal),
        _stack_case(draw, 2, 4, 4, 2, 5, 2, mask=real_tokens([4, 2]).unsqueeze(-2)),
        _stack_case(draw, 1, 4, 4, 1, 3, 2, mask=draw.mask(4, 4), dtype=torch.float64),
    ]


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return stacks of more than ten layers."""
    return [_high_stack_case(draw, layers) for layers in (11, 12)]


def _stack_case(
    draw: Draw,
    b: int,
    t: int,
    d: int,
    heads: int,
    f: int,
    layers: int,
    *,
    mask: Tensor | None = None,
    dtype: torch.dtype = torch.float32,
) -> Inputs:
    """Draw vectors and a stack."""
    x, weights = draw.normal(b, t, d, dtype=dtype), stack_weights(draw, d, f, layers, dtype)
    return Inputs((x, weights, heads, layers, mask))


def _high_stack_case(draw: Draw, layers: int) -> Inputs:
    """Draw a stack whose layers change little, so that the first still shows at the end."""
    x, weights, *others = _stack_case(draw, 1, 2, 4, 2, 2, layers).args
    little = {
        name: torch.ones_like(weight) if name.endswith("norm.weight") else weight / 8
        for name, weight in weights.items()
    }
    return Inputs((x, little, *others))


@EXERCISE.mistake(
    "every layer has the first one's weights",
    why="It is one layer, applied several times. Each layer has learned something of its own: the "
    "number must be in the name.",
    section="What goes wrong",
)
def one_layer(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    for _ in range(layers):
        x = encoder_layer(x, part(weights, "layers.0"), heads, mask)
    return x


@EXERCISE.mistake(
    "every layer reads the embeddings",
    why="The result of a layer is what the next one reads. Here all but the last one's work is "
    "thrown away: keep the name x for what goes on.",
)
def not_chained(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    return encoder_layer(x, part(weights, f"layers.{layers - 1}"), heads, mask)


@EXERCISE.mistake(
    "there is only one layer",
    why="A return inside the loop ends it at once. Each layer reads what the one before it made.",
)
def first_only(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    return encoder(x, weights, heads, 1, mask)


@EXERCISE.mistake(
    "the first layer is missing",
    why="The layers are numbered from 0.",
)
def from_one(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    for number in range(1, layers):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


@EXERCISE.mistake(
    "every layer has the last one's weights",
    why="Each layer has learned something of its own: the number in the name is that of the layer.",
    section="What goes wrong",
)
def last_weights(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    for _ in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{layers - 1}"), heads, mask)
    return x


@EXERCISE.mistake(
    "what came in is added once more around each layer",
    why="The additions are inside the layers, around each sublayer.",
    section="book/norm#The residual stream: add, don't replace",
)
def added(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    for number in range(layers):
        x = x + encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


@EXERCISE.mistake(
    "the last layer is missing",
    why="range(n) ends with n - 1 already. The layers are numbered from 0.",
)
def too_short(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    return encoder(x, weights, heads, layers - 1, mask)


@EXERCISE.mistake(
    "the last layer comes first",
    why="layers.0 reads the embeddings. A stack is numbered in the order in which it computes, "
    "whichever way it is drawn.",
)
def upside_down(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    for number in reversed(range(layers)):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, mask)
    return x


@EXERCISE.mistake(
    "only the first layer gets the mask",
    why="What is hidden in the first layer must be hidden in all: each has an attention of its "
    "own, and looks again.",
    section="What goes wrong",
)
def mask_once(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    for number in range(layers):
        x = encoder_layer(x, part(weights, f"layers.{number}"), heads, None if number else mask)
    return x


@EXERCISE.mistake(
    "a layer gets the weights of others whose numbers begin like its own",
    why='"layers.10" begins with "layers.1", too. Look for the name with its dot: "layers.1.".',
    section="What goes wrong",
)
def without_dot(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    for number in range(layers):
        start = f"layers.{number}"
        own = {name.split(".", 2)[2]: w for name, w in weights.items() if name.startswith(start)}
        x = encoder_layer(x, own, heads, mask)
    return x


@EXERCISE.mistake(
    "the layers are sorted as texts",
    why='As texts, "layers.10" comes before "layers.2". Count with range(layers).',
)
def sorted_as_texts(
    x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None
) -> Tensor:
    for name in sorted(f"layers.{number}" for number in range(layers)):
        x = encoder_layer(x, part(weights, name), heads, mask)
    return x


@EXERCISE.mistake(
    "one more norm stands at the end",
    why="A stack of pre-norm layers ends with a norm. These layers are post-norm: each ends with "
    "one already.",
    section="book/norm#Before or after?",
)
def normed(x: Tensor, weights: Weights, heads: int, layers: int, mask: Tensor | None) -> Tensor:
    x = encoder(x, weights, heads, layers, mask)
    return torch.nn.functional.layer_norm(x, x.shape[-1:])
