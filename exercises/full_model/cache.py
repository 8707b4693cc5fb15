"""cached_step: one new token attends to the cache and itself."""

import torch
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Function, Inputs

from ..attention.attention import attention as attend
from ..attention.parts import weighted_sum
from ..attention.scores import scores
from ..attention.softmax import softmax
from .given import Attention
from .parts import attention_weights, holding

Triple = tuple[Tensor, Tensor, Tensor]


def cached_step(x: Tensor, keys: Tensor, values: Tensor, attention: Attention) -> Triple:
    """Return one new token's output, and the cache with its key and value appended."""
    keys = longer(keys, made(x, attention, "key"))
    values = longer(values, made(x, attention, "value"))
    found, _ = attend(made(x, attention, "query"), keys, values)
    return projected(found, attention), keys, values


def made(x: Tensor, attention: Attention, name: str) -> Tensor:
    """Return the query, key or value of x."""
    return linear(x, getattr(attention, name))


def linear(x: Tensor, layer: nn.Linear) -> Tensor:
    """Apply a linear layer."""
    return x @ layer.weight.mT + layer.bias


def longer(kept: Tensor, new: Tensor) -> Tensor:
    """Append new entries to the cache."""
    return torch.cat([kept, new], dim=-2)


def projected(found: Tensor, attention: Attention) -> Tensor:
    """Apply the output projection."""
    return linear(found, attention.output)


def with_attention(
    answer: "Function", x: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, attention: dict
) -> torch.Tensor:
    """Call an answer with an attention that holds the drawn weights."""
    return answer(x, keys, values, holding(Attention(*attention["sizes"]), attention))


EXERCISE = Exercise(
    __name__,
    cached_step,
    results={
        "output": "new tokens, features",
        "keys": "tokens, features",
        "values": "tokens, features",
    },
    section="book/training_and_writing#The cache",
    driver=with_attention,
)


@EXERCISE.requires(
    "It returns the last row of attention, and the cache with one row more.",
    points=2,
)
def values(draw: Draw) -> list[Inputs]:
    """Return one new token, and a cache of the tokens before it."""
    return [_cache(draw, *size) for size in ((1, 2, 2), (1, 3, 4), (2, 5, 3))]


@EXERCISE.requires("It works with an empty cache, with batches, and in float64.", points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return an empty cache, a long one, a batch, and float64."""
    return [
        _cache(draw, 1, 0, 3),
        _cache(draw, 1, 20, 2),
        _cache(draw, 3, 4, 5),
        _cache(draw, 2, 3, 4, dtype=torch.float64),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many tokens in all as the head is wide, other widths, and as many sentences."""
    return [_cache(draw, *size) for size in ((1, 3, 4), (4, 3, 4), (3, 2, 3), (2, 4, 7), (2, 3, 8))]


def _cache(draw: Draw, b: int, s: int, d: int, *, dtype: torch.dtype = torch.float32) -> Inputs:
    """Draw a new token, s cached ones, and a head as wide as the model."""
    attention = {"sizes": (d, 1), "weights": attention_weights(draw, "", d, dtype)}
    x, keys, values = (draw.normal(b, length, d, dtype=dtype) for length in (1, s, s))
    return Inputs((x, keys, values, attention))


@EXERCISE.mistake(
    "the new token does not see itself",
    why="Under a causal mask a token sees what came before *and itself*.\nAppend its key and its "
    "value to the cache before you compute the scores.",
)
def not_itself(x: Tensor, keys: Tensor, values: Tensor, attention: Attention) -> Triple:
    scaled = scores(made(x, attention, "query"), keys) / x.size(-1) ** 0.5
    found = scaled.softmax(dim=-1) @ values  # also of an empty cache
    return projected(found, attention), *cached_step(x, keys, values, attention)[1:]


EXERCISE.edit(
    "the cache is returned unchanged",
    "projected(found, attention), keys[..., :-1, :], values[..., :-1, :]",
    why="The result is right, but the new key and value are lost: the next token cannot attend to "
    "this one.\nReturn the longer cache.",
)
EXERCISE.edit(
    "the newest token is put first",
    {"kept, new": "new, kept"},
    why="Attention does not depend on the order, so the result is right. But the rows of a cache "
    "are the tokens in their order, and other code relies on that.",
)
EXERCISE.edit(
    "the new token sees only the first one",
    {"found, attention": "values[..., :1, :], attention"},
    why="A causal mask of one row, made without the past, allows one key: the first. The newest "
    "token may see all of them, so it needs no mask.",
)
EXERCISE.edit(
    "the token's vector is cached, not its key and value",
    {'made(x, attention, "key")': "x", 'made(x, attention, "value")': "x"},
    why="A cache saves work.\nKeep the keys and the values, as they are after their matrices.",
)
EXERCISE.edit(
    "the output projection is missing",
    {"linear(found, attention.output)": "found"},
    why="The mixed values go through the fourth matrix, here as everywhere.",
)


@EXERCISE.mistake(
    "the division by the root of the width is missing",
    why="A step with a cache is the same attention: the scores are divided by √d_k.\nThat is the "
    "last axis, size(-1); size(1) is the number of new tokens, which is 1, and so is its root.",
)
def no_scale(x: Tensor, keys: Tensor, values: Tensor, attention: Attention) -> Triple:
    _, keys, values = cached_step(x, keys, values, attention)
    found = weighted_sum(softmax(scores(made(x, attention, "query"), keys)), values)
    return projected(found, attention), keys, values


EXERCISE.edit(
    "keys and values are swapped",
    {"projected(found, attention), keys, values": "(projected(found, attention), values, keys)"},
    why="It returns output, keys, values, in this order; and the key is computed with key's "
    "matrix.",
)
EXERCISE.edit(
    "the key and the value are made by one matrix",
    {'value"': 'key"'},
    why="Keys and values have a matrix each.",
)
EXERCISE.edit(
    "the biases are left out",
    {"mT + layer.bias": "mT"},
    why="A linear layer has a matrix and a bias: x W + b.\nCall the layer: attention.query(x).",
)
EXERCISE.edit(
    "the layers' matrices are transposed",
    {".mT": ""},
    why="A linear layer stores its matrix as (outputs, inputs), and multiplies by its transpose.\n"
    "Call the layer: attention.query(x).",
)
EXERCISE.edit(
    "the residual connection is already included",
    {"return projected": "return x + projected"},
    why="The addition is made outside, around every sublayer.",
)


@EXERCISE.mistake(
    "what is cached goes through its projection again",
    why="The cache holds keys and values, projected when their tokens were new.\nProject only the "
    "new token.",
)
def projected_again(x: Tensor, keys: Tensor, values: Tensor, attention: Attention) -> Triple:
    keys = made(longer(keys, x), attention, "key")
    values = made(longer(values, x), attention, "value")
    found, _ = attend(made(x, attention, "query"), keys, values)
    return projected(found, attention), keys, values


EXERCISE.edit(
    "the new token replaces an old one",
    {"([kept, new], dim=-2)": "([new, kept[..., 1:, :]], dim=-2)[..., : kept.size(-2), :]"},
    {"[kept, new]": "[kept[..., 1:, :], new]"},
    why="The cache is as long as before, and one token is lost. It grows by one with each token.\n"
    "Append the new key and value to the old ones.",
)
EXERCISE.edit(
    "softmax runs over the query, not the keys",
    {"found, attention": "values.sum(dim=-2, keepdim=True), attention"},
    why="There is one query, so its axis has length 1, and a softmax along it gives 1 to each key. "
    "The keys are the last axis.\ndim=-1.",
    section="book/attention#Weights are a softmax of scores",
)
