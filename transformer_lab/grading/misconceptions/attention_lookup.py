# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to ask a soft dictionary, and to say the shapes of a head."""

import math

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

DICTIONARY = "book/attention#A dictionary that can be asked anything"
SOFTMAX = "book/attention#Weights are a softmax of scores"
SCORE = "book/attention#A score is a dot product"
SHAPE = "book/attention#Every shape"


@mistake(
    "only the value of the best key is returned",
    why="That is a hard dictionary. The soft one lets every value speak, more or less: the answer "
    "is a weighted average of them all.",
    section=DICTIONARY,
)
def lookup_best(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return values[(keys @ query).argmax()]


@mistake(
    "the scores are used as they are, without softmax",
    why="Scores are raw numbers of any size and sign. Weights are never negative, and add up to 1: "
    "softmax makes the one of the other.",
    section=SOFTMAX,
)
def lookup_scores(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return keys @ query @ values


@mistake(
    "the weights do not add up to 1",
    why="The exponentials are positive, and that is half of it. Divide each by the sum of all, or "
    "the answer leaves the range of the values.",
    section=SOFTMAX,
)
def lookup_exponentials(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return torch.exp(keys @ query) @ values


@mistake(
    "every value counts the same",
    why="The answer is the plain mean, whatever the query. A value should count the more, the "
    "better its key fits.",
    section=DICTIONARY,
)
def lookup_mean(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return values.mean(dim=0)


@mistake(
    "the keys are mixed, not the values",
    why="Keys are what one is found by, values what is given. Once the weights are made, the keys "
    "have done their work.",
    section="book/attention#Query, key, value",
)
def lookup_keys(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return (keys @ query).softmax(dim=0) @ keys


@mistake(
    "the weights are returned, not the answer",
    why="The weights say how much of each value goes into the answer. Multiply and add up.",
    section=DICTIONARY,
)
def lookup_weights(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return (keys @ query).softmax(dim=0)


@mistake(
    "the weighted values are not added up",
    why="There is one answer, as wide as one value. Each value, times its weight, is a part of "
    "it: add the parts up.",
    section=DICTIONARY,
)
def lookup_parts(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return (keys @ query).softmax(dim=0)[:, None] * values


@mistake(
    "the scores are already scaled",
    why="Dividing by the square root of d_k comes later. Here the scores are plain dot products.",
    section=SCORE,
)
def lookup_scaled(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    return (keys @ query / math.sqrt(query.size(0))).softmax(dim=0) @ values


LOOKUP_MISTAKES = (
    lookup_best,
    lookup_scores,
    lookup_exponentials,
    lookup_mean,
    lookup_keys,
    lookup_weights,
    lookup_parts,
    lookup_scaled,
)

Shapes = tuple[tuple[int, ...], ...]


@mistake(
    "the matrix is transposed",
    why="x W with words of width D needs a W of D rows; each column makes one number of a query. "
    "(nn.Linear stores it the other way round.)",
    section=SHAPE,
)
def shapes_transposed(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (d_k, D), (B, S, d_k), (B, T, S), (B, T, d_v)


@mistake(
    "the keys are as many as the queries",
    why="It is the other text that is asked: there are S keys, whatever T.",
    section="book/attention#Self and cross: who asks, who is asked",
)
def shapes_t_keys(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, T, d_k), (B, T, S), (B, T, d_v)


@mistake(
    "the weights are square",
    why="Every query meets every key, so there is a row for each query and a column for each key: "
    "square only where a text asks itself.",
    section="book/attention#Self and cross: who asks, who is asked",
)
def shapes_square(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, T, T), (B, T, d_v)


@mistake(
    "the weights are turned round",
    why="Rows are queries, columns are keys: each row adds up to 1.",
    section=SHAPE,
)
def shapes_turned(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, S, T), (B, T, d_v)


@mistake(
    "the output is as wide as a key",
    why="The output is a mixture of values, so it is as wide as a value.",
    section=SHAPE,
)
def shapes_key_wide(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, T, S), (B, T, d_k)


@mistake(
    "the output is as long as the text that is asked",
    why="Each query gets one answer, so there are as many as there are queries.",
    section=SHAPE,
)
def shapes_source_long(B: int, T: int, S: int, D: int, d_k: int, d_v: int) -> Shapes:
    return (D, d_k), (B, S, d_k), (B, T, S), (B, S, d_v)


SHAPES_MISTAKES = (
    shapes_transposed,
    shapes_t_keys,
    shapes_square,
    shapes_turned,
    shapes_key_wide,
    shapes_source_long,
)
