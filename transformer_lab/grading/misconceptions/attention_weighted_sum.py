# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write the fourth step of attention: the weighted sum."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

SUM_SECTION = "book/attention#A dictionary that can be asked anything"
SOFTMAX_SECTION = "book/attention#Weights are a softmax of scores"
MATRIX_SECTION = "book/attention#Every shape"


@mistake(
    "every value counts the same",
    why="Every value counts the same here, whatever its weight. Multiply each by its weight "
    "before adding.",
    section=SUM_SECTION,
)
def plain_mean(weights: Tensor, v: Tensor) -> Tensor:
    return v.mean(dim=-2, keepdim=True).expand(*weights.shape[:-1], v.size(-1)).clone()


@mistake(
    "the weights are transposed",
    why="Row i of the weights says what query i reads. Transposed, row i says by whom value i is "
    "read, and its weights do not even sum to one.",
    section=MATRIX_SECTION,
)
def weights_transposed(weights: Tensor, v: Tensor) -> Tensor:
    return weights.transpose(-2, -1) @ v


@mistake(
    "the values are on the wrong side",
    why="v @ weights mixes the columns of v. Each row of weights has to mix the rows of v: "
    "weights @ v.",
    section=MATRIX_SECTION,
)
def wrong_side(weights: Tensor, v: Tensor) -> Tensor:
    return v @ weights


@mistake(
    "the values are transposed",
    why="Value j is row j of v, and weight j belongs to it. v as it is already has the keys where "
    "the product needs them.",
    section=MATRIX_SECTION,
)
def values_transposed(weights: Tensor, v: Tensor) -> Tensor:
    return weights @ v.transpose(-2, -1)


@mistake(
    "the products are not summed",
    why="weights * v multiplies place by place. Each query mixes all values: multiply each value "
    "row by its weight, then add the rows up.",
    section=SUM_SECTION,
)
def mix_not_summed(weights: Tensor, v: Tensor) -> Tensor:
    return weights * v


@mistake(
    "only the strongest value is read",
    why="Taking the value with the largest weight is a hard lookup. Soft lookup lets every value "
    "speak, in proportion to its weight; only that has a useful gradient.",
    section=SUM_SECTION,
)
def hard_lookup(weights: Tensor, v: Tensor) -> Tensor:
    return torch.nn.functional.one_hot(weights.argmax(dim=-1), v.size(-2)).to(v.dtype) @ v


@mistake(
    "softmax is applied to the weights once more",
    why="The weights already sum to one. A second softmax makes them nearly equal.",
    section=SOFTMAX_SECTION,
)
def softmax_again(weights: Tensor, v: Tensor) -> Tensor:
    return weights.softmax(dim=-1) @ v


@mistake(
    "the sum is divided by the number of keys",
    why="The weights sum to one, so the weighted sum is already an average. Dividing by the number "
    "of keys, as `mean` does, divides twice.",
    section=SUM_SECTION,
)
def divided_again(weights: Tensor, v: Tensor) -> Tensor:
    return weights @ v / v.size(-2)


SUM_MISTAKES = (
    plain_mean,
    weights_transposed,
    wrong_side,
    values_transposed,
    mix_not_summed,
    hard_lookup,
    softmax_again,
    divided_again,
)
