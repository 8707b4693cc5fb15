"""Known-wrong ways to write the four steps of attention: scores, scale, softmax, weighted sum."""

import math

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

SCORES_SECTION = "Dot product"
SCALE_SECTION = "Why divide"
SOFTMAX_SECTION = "Softmax"
SUM_SECTION = "Soft lookup"
MATRIX_SECTION = "Matrix form"
AXES_SECTION = "Axes"


@mistake(
    "the keys are not transposed",
    why="q @ k pairs the columns of q with the rows of k. To dot query i with key j, the keys' "
    "last axis has to meet the queries' last axis: turn k's last two axes round first.",
    section=MATRIX_SECTION,
)
def keys_not_transposed(q: Tensor, k: Tensor) -> Tensor:
    return q @ k


@mistake(
    "queries and keys have changed places",
    why="Rows belong to queries and columns to keys. Your table is the transposed one: row i "
    "holds what key i gets from every query.",
    section=MATRIX_SECTION,
)
def queries_and_keys_swapped(q: Tensor, k: Tensor) -> Tensor:
    return k @ q.transpose(-2, -1)


@mistake(
    "the scores are already scaled",
    why="Dividing by the square root of d_k is the next step, `scale`. Done here as well, it would "
    "happen twice.",
    section=SCALE_SECTION,
)
def already_scaled(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))


@mistake(
    "softmax is already applied",
    why="The scores are the raw dot products: any number, negative ones too. Turning rows into "
    "weights comes two steps later.",
    section=SOFTMAX_SECTION,
)
def already_weights(q: Tensor, k: Tensor) -> Tensor:
    return (q @ k.transpose(-2, -1)).softmax(dim=-1)


@mistake(
    "each query meets only the key at its own place",
    why="q * k multiplies place by place, so query i never sees key j. Every query has to be "
    "dotted with every key: that is a matrix product.",
    section=SCORES_SECTION,
)
def own_key_only(q: Tensor, k: Tensor) -> Tensor:
    return (q * k).sum(dim=-1)


@mistake(
    "the products are not summed",
    why="A dot product multiplies two vectors number by number and then adds up. q * k stops after "
    "the first half, and only pairs query i with key i.",
    section=SCORES_SECTION,
)
def products_not_summed(q: Tensor, k: Tensor) -> Tensor:
    return q * k


@mistake(
    "vectors are normalised first (cosine similarity)",
    why="Attention uses the plain dot product, in which longer vectors count for more. Dividing "
    "by the lengths gives the cosine, another measure.",
    section=SCORES_SECTION,
)
def cosine(q: Tensor, k: Tensor) -> Tensor:
    return (q / q.norm(dim=-1, keepdim=True)) @ (k / k.norm(dim=-1, keepdim=True)).mT


@mistake(
    "the transpose names fixed axes from the front (0, 1)",
    why="With a batch in front, axes 0 and 1 are no longer length and width. Count from the back: "
    "-2 and -1 are right for any number of axes.",
    section=AXES_SECTION,
)
def transposes_first_axes(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(0, 1)


@mistake(
    "the transpose names fixed axes from the front (1, 2)",
    why="Axes 1 and 2 are length and width only with exactly one batch axis; with heads they are "
    "head and length. Count from the back: -2 and -1.",
    section=AXES_SECTION,
)
def transposes_middle_axes(q: Tensor, k: Tensor) -> Tensor:
    return q @ (k.T if k.dim() == 2 else k.transpose(1, 2))


@mistake(
    "there is no scaling",
    why="The scores come back as they went in. Dot products of width d_k have variance d_k, so "
    "without the division softmax saturates as d_k grows.",
    section=SCALE_SECTION,
)
def not_scaled(scores: Tensor, d_k: int) -> Tensor:
    return scores.clone()


@mistake(
    "it divides by d_k, not by its square root",
    why="The variance of a dot product grows like d_k, its typical size like the square root of "
    "d_k. Dividing by d_k makes the scores too small and the weights nearly equal.",
    section=SCALE_SECTION,
)
def divides_by_d_k(scores: Tensor, d_k: int) -> Tensor:
    return scores / d_k


@mistake(
    "it multiplies by the square root of d_k",
    why="The scores are too large already; the square root of d_k has to make them smaller.",
    section=SCALE_SECTION,
)
def multiplies(scores: Tensor, d_k: int) -> Tensor:
    return scores * math.sqrt(d_k)


@mistake(
    "it scales by the number of keys",
    why="scores.size(-1) is how many keys there are. What makes a dot product large is how many "
    "products it adds up, and that is d_k.",
    section=SCALE_SECTION,
)
def scales_by_keys(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(scores.size(-1))


@mistake(
    "it scales by the number of queries",
    why="scores.size(-2) is how many queries there are. What makes a dot product large is how many "
    "products it adds up, and that is d_k.",
    section=SCALE_SECTION,
)
def scales_by_queries(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(scores.size(-2))


@mistake(
    "the power binds before the division",
    why="d_k ** -1/2 means (1 / d_k) / 2. Write d_k ** -0.5 or divide by math.sqrt(d_k).",
    section=SCALE_SECTION,
)
def precedence(scores: Tensor, d_k: int) -> Tensor:
    return scores * d_k**-1 / 2


@mistake(
    "it divides with //, which drops the fraction",
    why="// rounds down to a whole number. Scores are real numbers: divide with /.",
    section=SCALE_SECTION,
)
def floor_division(scores: Tensor, d_k: int) -> Tensor:
    return scores // math.sqrt(d_k)


@mistake(
    "it changes the caller's tensor",
    why="/= writes into the tensor you were given, and whoever called still has it. "
    "Make a new one: scores / ...",
    section=SCALE_SECTION,
)
def scales_in_place(scores: Tensor, d_k: int) -> Tensor:
    scores /= math.sqrt(d_k)
    return scores


@mistake(
    "each column of weights is empty of meaning: the values are not read",
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


SCORES = (
    keys_not_transposed,
    queries_and_keys_swapped,
    already_scaled,
    already_weights,
    own_key_only,
    products_not_summed,
    cosine,
    transposes_first_axes,
    transposes_middle_axes,
)
SCALE = (
    not_scaled,
    divides_by_d_k,
    multiplies,
    scales_by_keys,
    scales_by_queries,
    precedence,
    floor_division,
    scales_in_place,
)
WEIGHTED_SUM = (
    plain_mean,
    weights_transposed,
    wrong_side,
    values_transposed,
    mix_not_summed,
    hard_lookup,
    softmax_again,
    divided_again,
)
