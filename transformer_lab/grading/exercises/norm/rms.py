"""rms_norm: give each vector root mean square 1, then scale it."""

import torch
from torch import Tensor

from transformer_lab import norm
from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.norm.parts import (
    GENERAL,
    gamma_and_beta,
    layer_general,
    right_statistics,
    token_vectors,
)
from transformer_lab.grading.exercises.ready_mades import NORMS


def rms_norm(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    """Give each vector root mean square 1, then scale it."""
    return norm.rms_norm(x, gamma, eps)


EXERCISE = Exercise(
    __name__,
    rms_norm,
    results={"normalised vectors": "tokens, features"},
    section="RMSNorm: without the mean",
    forbidden=NORMS,
)


@EXERCISE.requires(
    "Each token is divided by the root of its mean square, and multiplied by γ.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give (1, 2, 2), whose mean square is 3, then any γ."""
    by_hand = (torch.tensor([[1.0, 2.0, 2.0]]), torch.ones(3), 1e-6)
    drawn = [
        (x, gamma_and_beta(draw, x)[0], 1e-6) for x in token_vectors(draw, (2, 4), (3, 5), (4, 3))
    ]
    return [Inputs(case) for case in (by_hand, *drawn)]


@EXERCISE.requires("ε is added to the mean square, under the root.", points=1)
def eps(draw: Draw) -> list[Inputs]:
    """Give zeros, small vectors, and an ε that weighs as much as the mean square."""
    zeros = torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    small, large_eps, other = token_vectors(draw, (3, 4), (2, 5), (4, 3))
    cases = ((zeros, 1e-6), (small * 1e-3, 1e-6), (large_eps, 0.5), (other, 2.0))
    return [Inputs((x, gamma_and_beta(draw, x)[0], eps)) for x, eps in cases]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Give batches, batches of batches, float64 and half precision."""
    drawn = (inputs.args for inputs in layer_general(draw))
    return [Inputs((x, gamma, eps)) for x, gamma, _, eps in drawn]


EXERCISE.untouched()
EXERCISE.trains()


def scaled(x: Tensor, gamma: Tensor, mean_square: Tensor, eps: float) -> Tensor:
    """Finish RMSNorm from a given mean square, so that a mistake stands alone."""
    return x * torch.rsqrt(mean_square + eps) * gamma


@EXERCISE.mistake(
    "the mean is subtracted",
    why="That is LayerNorm's first step. RMSNorm leaves the mean in: it divides, and no more.",
)
def centred(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    mean, variance = right_statistics(x)
    return scaled(x - mean, gamma, variance, eps)


@EXERCISE.mistake(
    "it divides by the standard deviation",
    why="The variance is measured from the mean, the mean square from 0. They differ as soon as "
    "the mean is not 0: square x itself.",
)
def deviation(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, gamma, right_statistics(x)[1], eps)


@EXERCISE.mistake(
    "it divides by the vector's length",
    why="The length is the root of the *sum* of squares. The root of their *mean* is smaller by "
    "the root of d, and leaves numbers of size 1 whatever the width.",
)
def length(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, gamma, x.square().sum(-1, keepdim=True), eps)


@EXERCISE.mistake(
    "the root is missing",
    why="It divides by the mean square itself. Then a vector twice as large comes out half as "
    "large, where it should come out the same.",
)
def no_root(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True) + eps) * gamma


@EXERCISE.mistake(
    "ε stands outside the root",
    why="It is added to the mean square, under the root, and not to the root. For small vectors "
    "that is a great difference.",
    section="What goes wrong",
)
def eps_outside(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True).sqrt() + eps) * gamma


@EXERCISE.mistake(
    "ε is missing",
    why="A vector of zeros gives 0 / 0, which is nan. Add ε to the mean square before the root.",
    section="LayerNorm",
)
def no_eps(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return x / x.square().mean(-1, keepdim=True).sqrt() * gamma


@EXERCISE.mistake(
    "γ is left out",
    why="After the division each feature is multiplied by its own γ.",
    section="γ and β: one pair for each feature",
)
def no_gamma(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, torch.ones_like(gamma), x.square().mean(-1, keepdim=True), eps)


@EXERCISE.mistake(
    "it averages over the tokens, not the features",
    why="Each token is divided by its own size, over its features: the last axis, dim=-1.",
    section="Which numbers are averaged?",
)
def over_tokens(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, gamma, x.square().mean(-2, keepdim=True), eps)


@EXERCISE.mistake(
    "it averages over everything",
    why="Without an axis the mean runs over all tokens: loud ones stay loud, quiet ones quiet. "
    "Each token is divided by its own size: dim=-1.",
    section="Which numbers are averaged?",
)
def of_all(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, gamma, x.square().mean(), eps)
