"""soft_lookup: average the values, weighted by how well their keys match the query."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import quarters, weighted_sum
from .scores import scores
from .softmax import softmax


def soft_lookup(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Return the average of the values, weighted by how well their keys match the query."""
    return weighted_sum(softmax(scores(query, keys)), values)


EXERCISE = Exercise(
    __name__,
    soft_lookup,
    results={"answer": "d_v"},
    section="A dictionary that can be asked anything",
    forbidden=ATTENTION,
)


@EXERCISE.requires("The values are mixed by the softmax of their keys' scores.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return the chapter's dictionary, where the query "fruit" gets 8, then other ones.

    One has duplicate keys with different values, one a single key. The last have scores near 300
    and -300, which are exact in float32, while their exponentials aren't. In some, one score is far
    above the others.
    """
    query = torch.tensor([4.0, -4.0])
    keys = torch.tensor([[1.0, 0.0], [0.9, 0.0], [0.0, 1.0]])
    by_hand = Inputs((query, keys, torch.tensor([[10.0], [5.0], [2.0]])))
    sizes = ((3, 4, 2), (4, 2, 3), (5, 3, 2), (1, 3, 2))
    drawn = [(draw.normal(k), draw.normal(s, k), draw.normal(s, v)) for s, k, v in sizes]
    wide = (
        draw.normal(4, dtype=torch.float64),
        draw.normal(3, 4, dtype=torch.float64),
        draw.normal(3, 2, dtype=torch.float64),
    )
    twice = draw.normal(3), draw.normal(2, 3).repeat(2, 1), draw.normal(4, 2)
    large = [_far(draw, torch.full((3,), n)) for n in (300.0, -300.0)]
    return [by_hand, *map(Inputs, (*drawn, wide, twice)), *large, *_peaks(draw)]


def _far(draw: Draw, higher: Tensor) -> Inputs:
    """Draw a query and keys whose scores are raised by the given amounts."""
    query, keys = quarters(draw, 4).float(), quarters(draw, len(higher), 4).float()
    query[0] = 1.0
    keys[:, 0] += higher
    return Inputs((query, keys, draw.normal(len(higher), 2)))


def _peaks(draw: Draw) -> list[Inputs]:
    """Draw keys of which the first, the second or the last matches far better than the others."""
    return [_far(draw, 300 * one) for one in torch.eye(3)]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return squares, other dtypes, and scores that are far apart."""
    squares = [(draw.normal(n), draw.normal(n, n), draw.normal(n, n)) for n in (3, 4, 5)]
    half = quarters(draw, 4), quarters(draw, 3, 4), quarters(draw, 3, 2)
    wide = tuple(part.double() for part in half)
    low = [_far(draw, -120 * one) for one in torch.eye(3)]  # minus their mean, these don't overflow
    return [*map(Inputs, (*squares, half, wide)), *_peaks(draw), *low]


def shares(scores: Tensor) -> Tensor:
    """Apply softmax as its formula is written, without subtracting the maximum."""
    return scores.exp() / scores.exp().sum()


EXERCISE.edit(
    "the exponential overflows",
    {"softmax(scores(query, keys))": "shares(keys @ query)"},
    why="exp(300) is more than float32 can hold, and exp(-300) is 0 in it: inf / inf and 0 / 0 are "
    "nan.\nSubtract the largest score first, or leave that to torch.softmax.",
    section="Weights are a softmax of scores",
)
EXERCISE.edit(
    "only the value of the best key is returned",
    {"weighted_sum(softmax(scores(query, keys)), values)": "values[(keys @ query).argmax()]"},
    why="That is a hard dictionary. The soft one uses every value, some more and some less: the "
    "answer is a weighted average of all of them.",
)
EXERCISE.edit(
    "the scores are used as they are, without softmax",
    {"softmax(scores(query, keys))": "scores(query, keys)"},
    why="Scores are raw numbers of any size and sign.\nWeights are never negative, and add up to "
    "1: softmax turns scores into weights.",
    section="Weights are a softmax of scores",
)
EXERCISE.edit(
    "every value counts the same",
    {"weighted_sum(softmax(scores(query, keys)), values)": "values.mean(dim=0)"},
    why="The answer is the plain mean, whatever the query. The better a key fits, the more its "
    "value should count.",
)
EXERCISE.edit(
    "the keys are mixed, not the values",
    {"values)": "keys)"},
    why="A key is what an entry is found by, a value is what it gives. Once the weights are "
    "computed, the keys are not needed any more.",
    section="Query, key, value",
)
EXERCISE.edit(
    "the weighted values are not added up",
    "softmax(scores(query, keys))[:, None] * values",
    "softmax(scores(query, keys)) * values",
    why="The answer is a single vector, as wide as one value. Each value, times its weight, is a "
    "part of it.\nAdd the parts up.",
    section="The word moves",
)
EXERCISE.edit(
    "the answer is divided by the number of values",
    "soft_lookup(query, keys, values) / values.size(0)",
    why="The weights add up to 1, so their sum of values is an average already. A mean divides by "
    "the number of values once more.",
)
EXERCISE.edit(
    "the scores are already scaled",
    {"scores(query, keys)": "keys @ query / math.sqrt(query.size(0))"},
    why="Dividing by the square root of d_k comes later. Here the scores are plain dot products.",
    section="A score is a dot product",
)
EXERCISE.edit(
    "softmax is taken of each product, not of their sums",
    {"softmax(scores(query, keys))": "(keys * query).softmax(dim=0).mean(dim=-1)"},
    why="How well a key fits is one number: the sum of all its products with the query. Softmax "
    "turns these numbers, one for each key, into weights.",
    section="A score is a dot product",
)
EXERCISE.edit(
    "negative scores are set to 0",
    {"(query, keys)": "(query, keys).relu()"},
    why="A key that points the other way fits worse than one that is unrelated to the query. "
    "Softmax takes scores of any sign.\nPass them on as they are.",
    section="Weights are a softmax of scores",
)
