"""layer_norm: normalise each vector to mean 0 and variance 1, then scale and shift it."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import NORMS
from .parts import GENERAL, divisor, far_vectors, gamma_and_beta, layer_general, token_vectors
from .statistics import mean_variance


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Normalise each vector to mean 0 and variance 1, then scale and shift it."""
    mean, variance = mean_variance(x)
    return (x - mean) / divisor(variance, eps) * gamma + beta


EXERCISE = Exercise(
    __name__,
    layer_norm,
    results={"normalised vectors": "tokens, features"},
    section="LayerNorm",
    forbidden=NORMS,
)


@EXERCISE.requires(
    "Each token's features are normalised to mean 0 and variance 1, then scaled by "
    "γ and shifted by β.",
    points=2,
)
def values(draw: Draw) -> list[Inputs]:
    """Return (1, 2, 3) with γ = 1 and β = 0, then any γ and β, and large means.

    Those have small γ and β, so that rounding in x γ / σ + (β - μ γ / σ) doesn't count.
    """
    by_hand = (torch.tensor([[1.0, 2.0, 3.0]]), torch.ones(3), torch.zeros(3), 1e-5)
    tokens = token_vectors(draw, (2, 4), (3, 5), (4, 3))
    drawn = [(x, *gamma_and_beta(draw, x), 1e-5) for x in tokens]
    far = [(x, *(n / 8 for n in gamma_and_beta(draw, x)), 1e-5) for x in far_vectors(draw, 2, 3)]
    return [Inputs(case) for case in (by_hand, *drawn, *far)]


@EXERCISE.requires("ε is added to the variance, under the root.", points=1)
def eps(draw: Draw) -> list[Inputs]:
    """Return constant vectors, small ones, and an ε as large as the variance."""
    equal = torch.tensor([[0.25, 0.25, 0.25, 0.25], [1.0, 2.0, 3.0, 4.0]])
    small, large_eps, other = token_vectors(draw, (3, 4), (2, 5), (4, 3))
    cases = ((equal, 1e-5), (small * 1e-3, 1e-5), (large_eps, 0.5), (other, 0.25))
    return [Inputs((x, *gamma_and_beta(draw, x), eps)) for x, eps in cases]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    return layer_general(draw)


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many tokens as features, and an ε that matters."""
    tokens = token_vectors(draw, (3, 3), (4, 4), (5, 5), (3, 3, 3))
    return [Inputs((x, *gamma_and_beta(draw, x), 0.25)) for x in tokens]


EXERCISE.edit(
    "ε is outside the root",
    {"(square + eps).sqrt()": "square.sqrt() + eps"},
    why="The root is taken first, and then ε is added. For small or nearly constant vectors the "
    "difference is large.\nAdd ε under the root.",
    section="What goes wrong",
)
EXERCISE.edit(
    "ε is missing",
    {"square + eps": "square"},
    why="A vector without spread, such as one of zeros, gives 0 / 0, which is nan.\nAdd ε under "
    "the root, to the mean of the squares.",
)
EXERCISE.edit(
    "the root is missing",
    {"sqrt": "abs"},
    why="It divides by the mean of the squares. Divided by the root, a vector twice as large "
    "gives the same result; this way it comes out half as large.",
)
EXERCISE.edit(
    "the mean is not subtracted",
    {"x - mean": "x"},
    why="The variance is measured from the mean, but the numbers are divided without subtracting "
    "it.\nSubtract the mean first. (RMSNorm leaves the mean in, but it measures from 0 too.)",
)
EXERCISE.edit(
    "it is RMSNorm",
    {"(x - mean) / divisor(variance, eps)": "x / divisor(x.square().mean(-1, keepdim=True), eps)"},
    why="It divides by the root of the mean square and leaves the mean in. LayerNorm subtracts the "
    "mean, and measures the variance from there.",
    section="RMSNorm: without the mean",
)
EXERCISE.edit(
    "β is scaled by γ",
    {"+ beta": "+ gamma * beta"},
    why="\nFirst multiply by γ, then add β: γ · normal + β. With γ · (normal + β) the shift is "
    "scaled, too.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "γ and β are swapped",
    "layer_norm(x, beta, gamma, eps)",
    why="γ multiplies and β is added. At the beginning of training γ is 1 and β is 0, so neither "
    "changes anything; swapped, they would set everything to 1.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "γ and β are left out",
    {"gamma + beta": "torch.ones_like(gamma) + torch.zeros_like(beta)"},
    why="After the norm each feature is multiplied by its own γ and shifted by its own β.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "β is left out",
    {"gamma + beta": "gamma"},
    why="After the scaling by γ, each feature is shifted by its own β. (RMSNorm has none.)",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "γ is left out",
    {"(variance, eps) * gamma": "(variance, eps)"},
    why="Before β is added, each feature is multiplied by its own γ.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "the division is missing",
    {"square + eps": "torch.ones_like(square)"},
    why="The mean is 0 now, but the spread is unchanged.\nDivide by the root, with ε under it.",
)
EXERCISE.edit(
    "ε is a lower bound, and not added",
    {"(square + eps).sqrt()": "square.sqrt().clamp(min=eps)"},
    {"square + eps": "square.clamp(min=eps)"},
    why="clamp and maximum change only small variances. ε is added to every variance, under the "
    "root.",
)
EXERCISE.edit(
    "one is added to γ",
    {"* gamma": "* (gamma + 1)"},
    why="Some models store γ - 1, so that it begins at 0. Here γ is stored as it is, and "
    "multiplies as it is.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "γ multiplies before the mean is subtracted",
    {"x -": "gamma * x -", "* gamma +": "+"},
    why="The mean is that of x, so subtract it from x itself.\nNormalise, then multiply by γ.",
    section="γ and β: one pair for each feature",
)
EXERCISE.edit(
    "only the mean is divided, not the difference",
    {"(x - mean) / divisor(variance, eps)": "(x - mean / divisor(variance, eps))"},
    why="/ binds more strongly than -.\nPut x - mean in parentheses, and divide all of it.",
)
EXERCISE.edit(
    "ε is a number of its own, not `eps`",
    {"+ eps": "+ 1e-5"},
    why="The caller decides how large ε is.\nUse `eps`, not 0.00001.",
)
