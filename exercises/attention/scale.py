"""scale: divide by the square root of the keys' width."""

import math

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import GENERAL


def scale(scores: Tensor, d_k: int) -> Tensor:
    """Return the scores divided by the square root of the keys' width."""
    return scores / d_k**0.5


EXERCISE = Exercise(
    __name__,
    scale,
    results={"scaled scores": "queries, keys"},
    section="Why divide by √d_k?",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Every score is divided by the square root of d_k.", points=1)
def values(draw: Draw) -> list[Inputs]:
    """Return values of d_k that equal neither length."""
    sizes = ((2, 3, 4), (3, 2, 16), (3, 5, 7), (4, 2, 9))
    return [Inputs((draw.normal(t, s) * 4, d_k)) for t, s, d_k in sizes]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, heads, float64 and half precision."""
    return [
        Inputs((draw.normal(2, 3, 5) * 4, 8)),
        Inputs((draw.normal(2, 2, 3, 4) * 4, 64)),
        Inputs((draw.normal(3, 4, dtype=torch.float64) * 4, 6)),
        Inputs((draw.normal(4, 3, dtype=torch.float16) * 4, 5)),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return general(draw)


@EXERCISE.mistake(
    "there is no scaling",
    why="The scores stay as they are. Dot products of width d_k have variance d_k, so without the "
    "division softmax saturates as d_k grows.",
)
def not_scaled(scores: Tensor, d_k: int) -> Tensor:
    return scores.clone()


@EXERCISE.mistake(
    "it divides by d_k, not by its square root",
    why="The variance of a dot product grows like d_k, its typical size like the square root of "
    "d_k. Dividing by d_k makes the scores too small and the weights nearly equal.",
)
def divides_by_d_k(scores: Tensor, d_k: int) -> Tensor:
    return scores / d_k


@EXERCISE.mistake(
    "the width of an example is written in",
    why="It divides by the same number whatever d_k is. The next head may have another width: take "
    "the root of the d_k that is given.",
)
def of_an_example(scores: Tensor, d_k: int) -> Tensor:
    return scores / 2**0.5


@of_an_example.also
def of_the_papers_width(scores: Tensor, d_k: int) -> Tensor:
    return scores / 8


@EXERCISE.mistake(
    "it multiplies by the square root of d_k",
    why="The scores are too large already; the square root of d_k has to make them smaller.",
)
def multiplies(scores: Tensor, d_k: int) -> Tensor:
    return scores * math.sqrt(d_k)


@EXERCISE.mistake(
    "the root is taken of the scores, not of d_k",
    why="Only the width goes under the root. The scores may be negative, and stay as they are.",
)
def root_of_all(scores: Tensor, d_k: int) -> Tensor:
    return (scores / d_k).sqrt()


@root_of_all.also
def root_of_scores(scores: Tensor, d_k: int) -> Tensor:
    return scores.sqrt() / d_k


@EXERCISE.mistake(
    "it divides by the square of d_k",
    why="** 2 squares; ** 0.5 and math.sqrt take the root.",
)
def squares(scores: Tensor, d_k: int) -> Tensor:
    return scores / d_k**2


@EXERCISE.mistake(
    "it scales by the number of keys",
    why="scores.size(-1) is how many keys there are. What makes a dot product large is how many "
    "products it adds up, and that is d_k.",
)
def scales_by_keys(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(scores.size(-1))


@EXERCISE.mistake(
    "it scales by the number of queries",
    why="scores.size(-2) is how many queries there are. What makes a dot product large is how many "
    "products it adds up, and that is d_k.",
)
def scales_by_queries(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.sqrt(scores.size(-2))


@EXERCISE.mistake(
    "the power binds before the division",
    why="d_k ** 1/2 means half of d_k, and d_k ** -1/2 means (1 / d_k) / 2. The whole exponent has "
    "to be one number.",
)
def precedence(scores: Tensor, d_k: int) -> Tensor:
    return scores * d_k**-1 / 2


@precedence.also
def half_of_the_width(scores: Tensor, d_k: int) -> Tensor:
    return scores / (d_k / 2)


@EXERCISE.mistake(
    "it divides with //, which drops the fraction",
    why="// rounds down to a whole number. Scores are real numbers: divide with /.",
)
def floor_division(scores: Tensor, d_k: int) -> Tensor:
    return scores // math.sqrt(d_k)


@EXERCISE.mistake(
    "the root is rounded",
    why="The root of d_k is a number with a point, unless d_k is a square: math.sqrt, or ** 0.5.",
)
def root_rounded(scores: Tensor, d_k: int) -> Tensor:
    return scores / math.isqrt(d_k)


@root_rounded.also
def root_rounded_to_the_nearest(scores: Tensor, d_k: int) -> Tensor:
    return scores / round(math.sqrt(d_k))
