"""cached_step: let one new token ask all that is kept, itself included."""

import math

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.full_model.given import linear, part
from transformer_lab.grading.exercises.full_model.parts import attention_weights

Weights = dict[str, Tensor]
Triple = tuple[Tensor, Tensor, Tensor]


def cached_step(
    x: Tensor, keys: Tensor, values: Tensor, weights: dict[str, Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """Let one new token ask all that is kept, itself included."""
    q = linear(x, part(weights, "query"))
    keys = torch.cat([keys, linear(x, part(weights, "key"))], dim=-2)
    values = torch.cat([values, linear(x, part(weights, "value"))], dim=-2)
    seen = (q @ keys.mT / math.sqrt(q.size(-1))).softmax(dim=-1)
    return linear(seen @ values, part(weights, "output")), keys, values


EXERCISE = Exercise(
    __name__,
    cached_step,
    results={
        "output": "new tokens, features",
        "keys": "tokens, features",
        "values": "tokens, features",
    },
    section="The cache",
)


@EXERCISE.requires("The result is the last row of attention over the whole text.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give one new token, and what is kept of those before it."""
    return [_cache(draw, *size) for size in ((1, 2, 2), (1, 3, 4), (2, 5, 3))]


@EXERCISE.requires("It holds for an empty cache, for batches, and in float64.", points=1)
def general(draw: Draw) -> list[Inputs]:
    """Give an empty cache, a batch, and float64."""
    return [
        _cache(draw, 1, 0, 3),
        _cache(draw, 3, 4, 5),
        _cache(draw, 2, 3, 4, dtype=torch.float64),
    ]


EXERCISE.untouched()


def _cache(draw: Draw, b: int, s: int, d: int, *, dtype: torch.dtype = torch.float32) -> Inputs:
    """Draw a new token, s kept ones, and a head as wide as the model."""
    weights = {
        name.removeprefix("head."): weight
        for name, weight in attention_weights(draw, "head", d, dtype).items()
    }
    x, keys, values = (draw.normal(b, length, d, dtype=dtype) for length in (1, s, s))
    return Inputs((x, keys, values, weights))


def made(x: Tensor, weights: Weights, name: str) -> Tensor:
    """Make the query, key or value of x."""
    return linear(x, part(weights, name))


def read(q: Tensor, keys: Tensor, values: Tensor, weights: Weights, *, scale: float) -> Tensor:
    """Ask keys and values, and project what was found."""
    return linear((q @ keys.mT * scale).softmax(dim=-1) @ values, part(weights, "output"))


def step(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    """Do the step, rightly."""
    keys = torch.cat([keys, made(x, weights, "key")], dim=-2)
    values = torch.cat([values, made(x, weights, "value")], dim=-2)
    scale = 1 / math.sqrt(x.size(-1))
    return read(made(x, weights, "query"), keys, values, weights, scale=scale), keys, values


@EXERCISE.mistake(
    "the new token does not see itself",
    why="Under a causal mask a token sees what came before *and itself*. Put its key and its value "
    "into the cache before it asks.",
)
def not_itself(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    scale = 1 / math.sqrt(x.size(-1))
    output = read(made(x, weights, "query"), keys, values, weights, scale=scale)
    return output, *step(x, keys, values, weights)[1:]


@EXERCISE.mistake(
    "the cache comes back as it was",
    why="The result is right, but the new key and value are forgotten: the next token will not "
    "know of this one. Return the longer ones.",
)
def forgets(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    return step(x, keys, values, weights)[0], keys.clone(), values.clone()


@EXERCISE.mistake(
    "the newest stands in front",
    why="To attention the order does not matter, so the result is right. But a cache is a text: "
    "its rows are the tokens in their order, and the next part of the code relies on it.",
)
def in_front(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    output, keys, values = step(x, keys, values, weights)
    return output, keys.roll(1, dims=-2), values.roll(1, dims=-2)


@EXERCISE.mistake(
    "the new token sees the first one only",
    why="A causal mask of one row, made without the past, allows one key: the first. The newest "
    "token may see all there is, so it needs no mask.",
)
def short_mask(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    _, keys, values = step(x, keys, values, weights)
    return linear(values[..., :1, :], part(weights, "output")), keys, values


@EXERCISE.mistake(
    "the division by the root of the width is missing",
    why="A step with a cache is the same attention: the scores are divided by √d_k. That is the "
    "last axis, size(-1); size(1) is the number of new tokens, which is 1, and so is its root.",
)
def no_scale(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    _, keys, values = step(x, keys, values, weights)
    return read(made(x, weights, "query"), keys, values, weights, scale=1.0), keys, values


@EXERCISE.mistake(
    "the token's vector is kept, not its key and value",
    why="What is kept should save work: the keys and the values as they are compared and mixed, "
    "behind their matrices.",
)
def keeps_x(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    keys, values = torch.cat([keys, x], dim=-2), torch.cat([values, x], dim=-2)
    scale = 1 / math.sqrt(x.size(-1))
    return read(made(x, weights, "query"), keys, values, weights, scale=scale), keys, values


@EXERCISE.mistake(
    "the output projection is missing",
    why="What has been mixed passes through the fourth matrix, here as everywhere.",
)
def no_output(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    _, keys, values = step(x, keys, values, weights)
    scores = made(x, weights, "query") @ keys.mT / math.sqrt(x.size(-1))
    return scores.softmax(dim=-1) @ values, keys, values
