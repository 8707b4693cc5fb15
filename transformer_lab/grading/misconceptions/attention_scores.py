# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write the first two steps of attention: scores and scale."""

import math

from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

SCORES_SECTION = "book/attention#A score is a dot product"
SCALE_SECTION = "book/attention#Why divide by √d_k?"
SOFTMAX_SECTION = "book/attention#Weights are a softmax of scores"
WRONG_SECTION = "book/attention#What goes wrong"
MATRIX_SECTION = "book/attention#Every shape"
AXES_SECTION = "book/attention#Every shape"


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
    "the keys are reshaped, not transposed",
    why="Both give a tensor of the right shape, but reshape only cuts the same row of numbers "
    "elsewhere, so the pieces of different keys get mixed. Turning the axes round is transpose.",
    section=WRONG_SECTION,
)
def reshaped(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))


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


SCORES_MISTAKES = (
    keys_not_transposed,
    queries_and_keys_swapped,
    already_scaled,
    already_weights,
    own_key_only,
    products_not_summed,
    cosine,
    reshaped,
    transposes_first_axes,
    transposes_middle_axes,
)
SCALE_MISTAKES = (
    not_scaled,
    divides_by_d_k,
    multiplies,
    scales_by_keys,
    scales_by_queries,
    precedence,
    floor_division,
    scales_in_place,
)
