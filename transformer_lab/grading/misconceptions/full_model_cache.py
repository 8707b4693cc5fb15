# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to read with a cache, and to count the places of new tokens."""

import math

import torch
from torch import Tensor

from transformer_lab.grading.checks.full_model_given import linear, part
from transformer_lab.grading.misconceptions import mistake

CACHE = "book/full_model#The cache"
WRONG = "book/full_model#What goes wrong"

Weights = dict[str, Tensor]
Triple = tuple[Tensor, Tensor, Tensor]


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


@mistake(
    "the new token does not see itself",
    why="Under a causal mask a token sees what came before *and itself*. Put its key and its value "
    "into the cache before it asks.",
    section=CACHE,
)
def cache_not_itself(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    scale = 1 / math.sqrt(x.size(-1))
    output = read(made(x, weights, "query"), keys, values, weights, scale=scale)
    return output, *step(x, keys, values, weights)[1:]


@mistake(
    "the cache comes back as it was",
    why="The result is right, but the new key and value are forgotten: the next token will not "
    "know of this one. Return the longer ones.",
    section=CACHE,
)
def cache_forgets(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    return step(x, keys, values, weights)[0], keys.clone(), values.clone()


@mistake(
    "the newest stands in front",
    why="To attention the order does not matter, so the result is right. But a cache is a text: "
    "its rows are the tokens in their order, and the next part of the code relies on it.",
    section=CACHE,
)
def cache_in_front(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    output, keys, values = step(x, keys, values, weights)
    return output, keys.roll(1, dims=-2), values.roll(1, dims=-2)


@mistake(
    "the new token sees the first one only",
    why="A causal mask of one row, made without the past, allows one key: the first. The newest "
    "token may see all there is, so it needs no mask.",
    section=CACHE,
)
def cache_short_mask(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    _, keys, values = step(x, keys, values, weights)
    return linear(values[..., :1, :], part(weights, "output")), keys, values


@mistake(
    "the division by the root of the width is missing",
    why="A step with a cache is the same attention: the scores are divided by √d_k. That is the "
    "last axis, size(-1); size(1) is the number of new tokens, which is 1, and so is its root.",
    section=CACHE,
)
def cache_no_scale(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    _, keys, values = step(x, keys, values, weights)
    return read(made(x, weights, "query"), keys, values, weights, scale=1.0), keys, values


@mistake(
    "the token's vector is kept, not its key and value",
    why="What is kept should save work: the keys and the values as they are compared and mixed, "
    "behind their matrices.",
    section=CACHE,
)
def cache_keeps_x(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    keys, values = torch.cat([keys, x], dim=-2), torch.cat([values, x], dim=-2)
    scale = 1 / math.sqrt(x.size(-1))
    return read(made(x, weights, "query"), keys, values, weights, scale=scale), keys, values


@mistake(
    "the output projection is missing",
    why="What has been mixed passes through the fourth matrix, here as everywhere.",
    section=CACHE,
)
def cache_no_output(x: Tensor, keys: Tensor, values: Tensor, weights: Weights) -> Triple:
    _, keys, values = step(x, keys, values, weights)
    scores = made(x, weights, "query") @ keys.mT / math.sqrt(x.size(-1))
    return scores.softmax(dim=-1) @ values, keys, values


@mistake(
    "the mistake is still in it",
    why="The first new token stands behind `past` others. Which row of the table does it get?",
    section=WRONG,
)
def places_bug(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids] + positions[: ids.size(-1)]


@mistake(
    "all new tokens stand at one place",
    why="Several tokens may be new at once, a whole prompt for example. They stand at past, past + "
    "1, and so on.",
    section=WRONG,
)
def places_all_one(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids] + positions[past]


@mistake(
    "they stand one place too far",
    why="Places count from 0: behind `past` tokens, at 0 to past - 1, comes place past.",
    section=WRONG,
)
def places_too_far(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids] + positions[past + 1 :][: ids.size(-1)]


@mistake(
    "they stand one place too near",
    why="The last token that was read has place past - 1. The first new one comes behind it.",
    section=WRONG,
)
def places_too_near(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids] + positions[past - 1 :][: ids.size(-1)]


@mistake(
    "they have no places now",
    why="The tokens' vectors are right, but the positions are gone. They are to be added, from "
    "another row on.",
    section=WRONG,
)
def places_none(ids: Tensor, past: int, tokens: Tensor, positions: Tensor) -> Tensor:
    return tokens[ids]


CACHE_MISTAKES = (
    cache_not_itself,
    cache_forgets,
    cache_in_front,
    cache_short_mask,
    cache_no_scale,
    cache_keeps_x,
    cache_no_output,
)
PLACES_MISTAKES = (places_bug, places_all_one, places_too_far, places_too_near, places_none)
