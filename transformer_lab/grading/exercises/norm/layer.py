"""layer_norm: give each vector mean 0 and variance 1, then scale and shift it."""

import torch
from torch import Tensor

from transformer_lab import norm
from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.norm.parts import (
    GENERAL,
    far_vectors,
    gamma_and_beta,
    layer_general,
    token_vectors,
)
from transformer_lab.grading.exercises.ready_mades import NORMS


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Give each vector mean 0 and variance 1, then scale and shift it."""
    return norm.layer_norm(x, gamma, beta, eps)


EXERCISE = Exercise(
    __name__,
    layer_norm,
    results={"normalised vectors": "tokens, features"},
    section="LayerNorm",
    forbidden=NORMS,
)


@EXERCISE.requires("Each token's features get mean 0 and variance 1, and then γ and β.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give (1, 2, 3) with γ = 1 and β = 0, then any γ and β, and means that are large."""
    by_hand = (torch.tensor([[1.0, 2.0, 3.0]]), torch.ones(3), torch.zeros(3), 1e-5)
    tokens = (*token_vectors(draw, (2, 4), (3, 5), (4, 3)), *far_vectors(draw, (2,), (3,)))
    drawn = [(x, *gamma_and_beta(draw, x), 1e-5) for x in tokens]
    return [Inputs(case) for case in (by_hand, *drawn)]


@EXERCISE.requires("ε is added to the variance, under the root.", points=1)
def eps(draw: Draw) -> list[Inputs]:
    """Give vectors of equal numbers, small ones, and an ε that weighs as much as the variance."""
    equal = torch.tensor([[7.0, 7.0, 7.0, 7.0], [1.0, 2.0, 3.0, 4.0]])
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
    """Give as many tokens as features."""
    tokens = token_vectors(draw, (3, 3), (4, 4), (5, 5), (3, 3, 3))
    return [Inputs((x, *gamma_and_beta(draw, x), 1e-5)) for x in tokens]


def normal(x: Tensor, eps: float) -> Tensor:
    """Normalise each vector, rightly."""
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / (variance + eps).sqrt()


@EXERCISE.mistake(
    "the variance is the unbiased one",
    why="It divides by d - 1. These d numbers are no sample of anything, they are all there are: "
    "divide by d. torch.var and torch.std need correction=0 for that.",
    section="What goes wrong",
)
def unbiased(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * gamma + beta


@EXERCISE.mistake(
    "ε stands outside the root",
    why="It is added to the variance, under the root, and not to the root. For vectors that are "
    "small, or nearly all alike, that is a great difference.",
    section="What goes wrong",
)
def eps_outside(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return (x - mean) / (deviation + eps) * gamma + beta


@EXERCISE.mistake(
    "ε is missing",
    why="A vector of equal numbers gives 0 / 0, which is nan. Add ε to the variance before the "
    "root: then the result is β.",
)
def no_eps(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, deviation = x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)
    return (x - mean) / deviation * gamma + beta


@EXERCISE.mistake(
    "the root is missing",
    why="It divides by the variance. Divided by its root the numbers would have variance 1; "
    "this way they come out the larger, the closer together they were.",
)
def no_root(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, variance = x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)
    return (x - mean) / (variance + eps) * gamma + beta


@EXERCISE.mistake(
    "the mean and the variance lost their axis (keepdim)",
    why="A mean of shape (T) is broadcast along the other axis: with as many tokens as features it "
    "subtracts one token's mean from another, and no error says so. keepdim=True leaves (T, 1).",
    section="What goes wrong",
)
def no_keepdim(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return (x - x.mean(-1)) / (x.var(-1, correction=0) + eps).sqrt() * gamma + beta


@EXERCISE.mistake(
    "it averages over the tokens, not the features",
    why="Each token has a mean and a variance of its own, over its features: the last axis. "
    "Along the tokens, each would see the others, and the future too.",
    section="Why not BatchNorm?",
)
def over_tokens(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, variance = x.mean(-2, keepdim=True), x.var(-2, correction=0, keepdim=True)
    return (x - mean) / (variance + eps).sqrt() * gamma + beta


@EXERCISE.mistake(
    "it averages over everything",
    why="Without an axis, mean and variance run over all tokens of all sentences, and each token's "
    "result depends on strangers. Give dim=-1.",
    section="Which numbers are averaged?",
)
def of_all(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return (x - x.mean()) / (x.var(correction=0) + eps).sqrt() * gamma + beta


@EXERCISE.mistake(
    "the mean is not subtracted",
    why="The variance is measured from the mean, and then the numbers are divided where they "
    "stand. Subtract the mean first. (RMSNorm leaves the mean in, but it measures from 0 too.)",
)
def not_centred(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x / (x.var(-1, correction=0, keepdim=True) + eps).sqrt() * gamma + beta


@EXERCISE.mistake(
    "it is RMSNorm",
    why="It divides by the root of the mean square and leaves the mean in. LayerNorm subtracts the "
    "mean, and measures the variance from there.",
    section="RMSNorm: without the mean",
)
def as_rms(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * gamma + beta


@EXERCISE.mistake(
    "β is scaled by γ",
    why="First multiply by γ, then add β: γ · normal + β. With γ · (normal + β) the shift depends "
    "on the scale.",
    section="γ and β: one pair for each feature",
)
def beta_inside(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return (normal(x, eps) + beta) * gamma


@EXERCISE.mistake(
    "γ and β have changed places",
    why="γ multiplies and β is added. At the beginning of training γ is 1 and β is 0, so that the "
    "two change nothing; yours would wipe everything out.",
    section="γ and β: one pair for each feature",
)
def swapped(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return normal(x, eps) * beta + gamma


@EXERCISE.mistake(
    "γ and β are left out",
    why="After the norm each feature is multiplied by its own γ and shifted by its own β.",
    section="γ and β: one pair for each feature",
)
def bare(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return normal(x, eps)


@EXERCISE.mistake(
    "β is left out",
    why="After the scaling by γ, each feature is shifted by its own β. (RMSNorm has none.)",
    section="γ and β: one pair for each feature",
)
def no_beta(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return normal(x, eps) * gamma


@EXERCISE.mistake(
    "it changes the caller's tensor",
    why="-= and /= write into the tensor you were given, and whoever called still has it: the "
    "residual connection adds it afterwards. Make a new one.",
)
def in_place(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    x -= x.mean(-1, keepdim=True)
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * gamma + beta


@in_place.also
def all_in_place(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x.copy_(normal(x, eps) * gamma + beta)
