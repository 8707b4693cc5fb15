"""normalise: give each vector mean 0 and variance 1."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.norm.parts import divisor, far_vectors, token_vectors
from transformer_lab.grading.exercises.norm.statistics import mean_variance
from transformer_lab.grading.exercises.ready_mades import NORMS


def normalise(x: Tensor, eps: float) -> Tensor:
    """Give each vector mean 0 and variance 1."""
    mean, variance = mean_variance(x)
    return (x - mean) / divisor(variance, eps)


EXERCISE = Exercise(
    __name__,
    normalise,
    results={"normalised vectors": "tokens, features"},
    section="Which numbers are averaged?",
    forbidden=NORMS,
)


@EXERCISE.requires("Each vector comes out with mean 0, and with variance 1 but for ε.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give few features, where a wrong variance shows most, several ε, and large means."""
    by_hand = (torch.tensor([[1.0, 2.0, 3.0]]), 1e-5)
    tokens = token_vectors(draw, (2, 4), (3, 2), (4, 5), (2, 3, 4))
    drawn = zip(tokens, (0.1, 0.5, 0.25, 1e-5), strict=True)
    far = ((x, 1e-5) for x in far_vectors(draw, (2,), (3,)))
    return [Inputs(case) for case in (by_hand, *drawn, *far)]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give as many tokens as features, and as sentences."""
    vectors = token_vectors(draw, (3, 3), (4, 4), (3, 3, 3), (2, 2, 2))
    return [Inputs((x, 0.25)) for x in vectors]


@EXERCISE.mistake(
    "the mistake is still in it",
    why="Take its result for x = (1, 2, 3) and work out the variance: you get 2/3, where it should "
    "be 1. By what does torch.std divide?",
    section="What goes wrong",
)
def bug(x: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / divisor(x.var(-1, keepdim=True), eps)


@EXERCISE.mistake(
    "the correction goes the wrong way",
    why="correction is taken off d: with 1, which is what you get if you say nothing, it is d - 1. "
    "Which correction leaves d?",
)
def wrong_way(x: Tensor, eps: float) -> Tensor:
    deviation = x.std(-1, correction=-1, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / (deviation.square() + eps).sqrt()


@EXERCISE.mistake(
    "the square is gone, and ε stands outside the root",
    why="ε was in its right place, added to the variance, which is the square of the deviation. "
    "Only the deviation itself was wrong.",
    section="What goes wrong",
)
def eps_outside(x: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, correction=0, keepdim=True) + eps)


@EXERCISE.mistake(
    "the statistics run over the tokens now",
    why="The axis was right: each token by itself, over its features, dim=-1.",
)
def over_tokens(x: Tensor, eps: float) -> Tensor:
    deviation = x.std(-2, correction=0, keepdim=True)
    return (x - x.mean(-2, keepdim=True)) / (deviation.square() + eps).sqrt()


@EXERCISE.mistake(
    "it divides by the variance now",
    why="The root was right: what is wanted is a variance of 1, and dividing by the deviation does "
    "that. Only the deviation itself was wrong.",
    section="LayerNorm",
)
def no_root(x: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + eps)


@EXERCISE.mistake(
    "the deviation is mended as if it were the variance",
    why="(d - 1) / d turns the one variance into the other. Between deviations it is the root of "
    "that; and where d divides from the start, nothing need be mended.",
    section="What goes wrong",
)
def factor_on_root(x: Tensor, eps: float) -> Tensor:
    factor = (x.size(-1) - 1) / x.size(-1)
    square = (x.std(-1, keepdim=True) * factor).square()
    return (x - x.mean(-1, keepdim=True)) / divisor(square, eps)


@EXERCISE.mistake(
    "the mean is not subtracted any more",
    why="x - mean was right: the vector comes out with mean 0. Only the deviation was wrong.",
)
def not_centred(x: Tensor, eps: float) -> Tensor:
    return x / divisor(x.var(-1, correction=0, keepdim=True), eps)


@EXERCISE.mistake(
    "the sign is turned round",
    why="x - mean was right. What lay above the mean lies below it now.",
)
def sign_turned(x: Tensor, eps: float) -> Tensor:
    return normalise(-x, eps)


@over_tokens.also
def deviation_over_tokens(x: Tensor, eps: float) -> Tensor:
    deviation = x.std(-2, correction=0, keepdim=True)
    return (x - x.mean(-1, keepdim=True)) / divisor(deviation.square(), eps)


@EXERCISE.mistake(
    "ε is missing",
    why="It was in its right place: with it, equal numbers do not divide by 0.",
)
def no_eps(x: Tensor, eps: float) -> Tensor:
    return normalise(x, 0.0)
