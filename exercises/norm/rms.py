"""rms_norm: scale each vector to root mean square 1, then by γ."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import NORMS
from .parts import GENERAL, divisor, gamma_and_beta, layer_general, token_vectors


def rms_norm(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    """Scale each vector to root mean square 1, then by γ."""
    return x / divisor(mean_square(x), eps) * gamma


def mean_square(x: Tensor) -> Tensor:
    """Return the mean of each vector's squares."""
    return x.square().mean(-1, keepdim=True)


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
    """Return (1, 2, 2), whose mean square is 3, then any γ."""
    by_hand = (torch.tensor([[1.0, 2.0, 2.0]]), torch.ones(3), 1e-6)
    drawn = [
        (x, gamma_and_beta(draw, x)[0], 1e-6) for x in token_vectors(draw, (2, 4), (3, 5), (4, 3))
    ]
    return [Inputs(case) for case in (by_hand, *drawn)]


@EXERCISE.requires("ε is added to the mean square, under the root.", points=1)
def eps(draw: Draw) -> list[Inputs]:
    """Return zeros, small vectors, and an ε as large as the mean square."""
    zeros = torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    small, large_eps, other = token_vectors(draw, (3, 4), (2, 5), (4, 3))
    cases = ((zeros, 1e-6), (small * 1e-3, 1e-6), (large_eps, 0.5), (other, 2.0))
    return [Inputs((x, gamma_and_beta(draw, x)[0], eps)) for x, eps in cases]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, batches of batches, float64 and half precision."""
    drawn = (inputs.args for inputs in layer_general(draw))
    return [Inputs((x, gamma, eps)) for x, gamma, _, eps in drawn]


EXERCISE.untouched()
EXERCISE.trains()


EXERCISE.edit(
    "the mean is subtracted",
    "rms_norm(x - x.mean(-1, keepdim=True), gamma, eps)",
    why="That is LayerNorm's first step. RMSNorm leaves the mean in, and only divides.",
)
EXERCISE.edit(
    "it divides by the standard deviation",
    "x.var(-1, correction=0, keepdim=True)",
    why="The variance is measured from the mean, the mean square from 0. They differ as soon as "
    "the mean is not 0.\nSquare x itself.",
    of=mean_square,
)
EXERCISE.edit(
    "it divides by the vector's length",
    {".mean": ".sum"},
    why="The length is the root of the *sum* of squares.\nThe root of their *mean* is smaller by a "
    "factor of the root of d, and leaves numbers of size 1 whatever the width.",
)
EXERCISE.edit(
    "γ is left out",
    {"* gamma": "* torch.ones_like(gamma)"},
    why="After the division each feature is multiplied by its own γ.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "it averages over the tokens, not the features",
    {"1": "2"},
    why="\nDivide each token by its own size, computed over its features: the last axis, dim=-1.",
    section="Which numbers are averaged?",
    of=mean_square,
)
EXERCISE.edit(
    "it averages over everything",
    {"-1, keepdim=True": ""},
    why="Without an axis the mean runs over all tokens, so large ones stay large and small ones "
    "small.\nDivide each token by its own size: dim=-1.",
    section="Which numbers are averaged?",
)
EXERCISE.edit(
    "the numbers are not squared",
    {"x.square": "x.abs().mean(-1, keepdim=True).square"},
    {"divisor(mean_square(x), eps)": "(x.square() + eps).sqrt().mean(-1, keepdim=True)"},
    {"divisor(mean_square(x), eps)": "(x.abs().mean(-1, keepdim=True) + eps)"},
    why="The mean of the numbers, or of their absolute values, is another measure of size.\n"
    "Square, take the mean, take the root.",
)
EXERCISE.edit(
    "the mean is squared, not the numbers",
    {"x.square": "x.mean(-1, keepdim=True).square"},
    why='Plus and minus cancel in the mean.\nRead "root mean square" from right to left: square, '
    "take the mean, take the root.",
)
EXERCISE.edit(
    "one is added to γ",
    {"* gamma": "* (gamma + 1)"},
    why="Some models store γ - 1, so that it begins at 0. Here γ is stored as it is, and "
    "multiplies as it is.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "γ comes before the norm",
    {"(x)": "(gamma * x)"},
    why="Then γ is part of the mean square, so a common factor of γ cancels.\nFirst divide, then "
    "multiply by γ.",
)
