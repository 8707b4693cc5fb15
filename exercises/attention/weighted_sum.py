"""weighted_sum: sum the values, weighted."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import (
    FLAT,
    GENERAL,
    STACK,
    quarters,
)


def weighted_sum(weights: Tensor, v: Tensor) -> Tensor:
    """Return the weighted sums of the values."""
    return weights @ v


EXERCISE = Exercise(
    __name__,
    weighted_sum,
    results={"output": "queries, d_v"},
    section="A dictionary that can be asked anything",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Row i is the sum of all value rows, each times its weight in row i.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return weights to compute by hand, then unequal sizes, then rows that sum to less than 1."""
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    v = torch.tensor([[1.0, 0.0], [0.0, 2.0], [4.0, 4.0]])
    sizes = ((2, 3, 4), (3, 2, 4), (2, 5, 3), (1, 1, 2))
    drawn = [Inputs((draw.weights(t, s), draw.normal(s, d))) for t, s, d in sizes]
    return [Inputs((weights, v)), *drawn, *_struck_out(draw)]


def _struck_out(draw: Draw) -> list[Inputs]:
    """Draw weights of which a mask has zeroed some, and one whole row."""
    cases = []
    for row, (t, s, d) in enumerate(((2, 3, 2), (3, 4, 2))):
        weights = draw.weights(t, s) * draw.mask(t, s)
        weights[row] = 0.0
        cases.append(Inputs((weights, draw.normal(s, d))))
    return cases


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, heads, float64 and half precision."""
    kinds = (((2,), torch.float32), ((3, 2), torch.float32), ((2, 3), torch.float64))
    drawn = [
        (draw.weights(*lead, 3, 5, dtype=dtype), draw.normal(*lead, 5, 4, dtype=dtype))
        for lead, dtype in kinds
    ]
    half = torch.tensor([[0.5, 0.0, 0.5], [0.25, 0.5, 0.25]], dtype=torch.float16)
    return [*map(Inputs, drawn), Inputs((half, quarters(draw, 3, 4)))]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return squares and cubes, other dtypes, and rows that sum to less than 1."""
    squares = [(draw.weights(*shape), draw.normal(*shape)) for shape in FLAT + STACK]
    half = quarters(draw, 2, 3).abs() / 4, quarters(draw, 3, 2)
    wide = tuple(part.double() for part in half)
    return [*map(Inputs, (*squares, half, wide)), *_struck_out(draw)]


@EXERCISE.mistake(
    "every value counts the same",
    why="A plain mean does not look at the weights. Multiply each value by its own before adding.",
)
def plain_mean(weights: Tensor, v: Tensor) -> Tensor:
    return v.mean(dim=-2, keepdim=True).expand(*weights.shape[:-1], v.size(-1)).clone()


@EXERCISE.mistake(
    "the weights are transposed",
    why="Row i of the weights says what query i reads. Transposed, row i says by whom value i is "
    "read, and its weights do not even sum to one.",
    section="The whole thing in one line",
)
def weights_transposed(weights: Tensor, v: Tensor) -> Tensor:
    return weighted_sum(weights.mT, v)


@EXERCISE.mistake(
    "the values are on the wrong side",
    why="v @ weights mixes the columns of v. Each row of the weights has to mix the rows of v.",
    section="The whole thing in one line",
)
def wrong_side(weights: Tensor, v: Tensor) -> Tensor:
    return v @ weights


@EXERCISE.mistake(
    "the values are transposed",
    why="Value j is row j of v, and weight j belongs to it. v as it is already has the keys where "
    "the product needs them.",
    section="The whole thing in one line",
)
def values_transposed(weights: Tensor, v: Tensor) -> Tensor:
    return weighted_sum(weights, v.mT)


@EXERCISE.mistake(
    "the weights are divided by their sum",
    why="Weights are shares already. Where a row adds up to less than 1, something has been "
    "struck out, and where it adds up to 0, the query reads nothing: 0 / 0 would be nan.",
)
def shared_anew(weights: Tensor, v: Tensor) -> Tensor:
    return weighted_sum(weights / weights.sum(dim=-1, keepdim=True), v)


@shared_anew.also
def shared_anew_where_there_is_something(weights: Tensor, v: Tensor) -> Tensor:
    return weighted_sum(weights / weights.sum(dim=-1, keepdim=True), v).nan_to_num()


@EXERCISE.mistake(
    "the products are not summed",
    why="weights * v multiplies place by place. Each query mixes all values: multiply each value "
    "row by its weight, then add the rows up.",
)
def mix_not_summed(weights: Tensor, v: Tensor) -> Tensor:
    return weights * v


@EXERCISE.mistake(
    "only the strongest value is read",
    why="Taking the value with the largest weight is a hard lookup. Soft lookup lets every value "
    "speak, in proportion to its weight; only that has a useful gradient.",
)
def hard_lookup(weights: Tensor, v: Tensor) -> Tensor:
    hard = torch.nn.functional.one_hot(weights.argmax(dim=-1), v.size(-2))
    return weighted_sum(hard.to(v.dtype), v)


@EXERCISE.mistake(
    "softmax is applied to the weights once more",
    why="The weights already sum to one. A second softmax makes them nearly equal.",
    section="Weights are a softmax of scores",
)
def softmax_again(weights: Tensor, v: Tensor) -> Tensor:
    return weighted_sum(weights.softmax(dim=-1), v)


@EXERCISE.mistake(
    "the sum is divided by the number of keys",
    why="The weights sum to one, so the weighted sum is already an average. Dividing by the number "
    "of keys, as `mean` does, divides twice.",
)
def divided_again(weights: Tensor, v: Tensor) -> Tensor:
    return weighted_sum(weights, v) / v.size(-2)


@EXERCISE.mistake(
    "it works for one number of axes only",
    why="Without axes in front the result is right. With batches or heads, tensordot mixes the "
    "values of each by the weights of all others, too. @ keeps to pairs: each with its own.",
)
def of_all_pairs(weights: Tensor, v: Tensor) -> Tensor:
    rows, columns = weights.reshape(-1, weights.size(-1)), v.movedim(-2, 0)
    pairs = rows @ columns.reshape(len(columns), -1)  # as tensordot does it
    return pairs.reshape(*weights.shape[:-1], *columns.shape[1:])


@EXERCISE.mistake(
    "each query reads its own value only",
    why="The values stand on the axis of the queries, so that row i is value i times the sum of "
    "its weights. They belong on the axis of the keys: v.unsqueeze(-3).",
)
def own_value(weights: Tensor, v: Tensor) -> Tensor:
    return (weights.unsqueeze(-1) * v.unsqueeze(-2)).sum(dim=-2)


@EXERCISE.mistake(
    "the queries are added up, not the keys",
    why="There is one mixture for each query. Its row of weights meets the rows of v, and what is "
    "added up are the keys.",
)
def over_queries(weights: Tensor, v: Tensor) -> Tensor:
    return weights.sum(dim=-2).unsqueeze(-1) * v


@EXERCISE.mistake(
    "the last value is left out",
    why="range(n) ends with n - 1 already, and so does a loop over all values. The last one has a "
    "weight, too.",
)
def last_left_out(weights: Tensor, v: Tensor) -> Tensor:
    return weighted_sum(weights[..., :-1], v[..., :-1, :])


@EXERCISE.mistake(
    "small weights are left out",
    why="A value with a small weight counts a little, and many of them count much. Only a weight "
    "of 0 is nothing.",
)
def small_left_out(weights: Tensor, v: Tensor) -> Tensor:
    return weighted_sum(weights * (weights > 0.1), v)
