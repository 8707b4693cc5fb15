# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to take mean and variance, and to write RMSNorm."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

LAYER = "book/norm#LayerNorm"
AXES = "book/norm#Which numbers are averaged?"
FEATURES = "book/norm#γ and β: one pair for each feature"
WRONG = "book/norm#What goes wrong"
RMS = "book/norm#RMSNorm: without the mean"

Pair = tuple[Tensor, Tensor]


def statistics(x: Tensor) -> Pair:
    """Give mean and variance of each vector, rightly."""
    return x.mean(-1, keepdim=True), x.var(-1, correction=0, keepdim=True)


@mistake(
    "the variance is the unbiased one",
    why="It divides by d - 1, which is for guessing the spread of a population from a sample. "
    "These d numbers are all there are: divide by d. torch.var needs correction=0 for that.",
    section=AXES,
)
def mean_unbiased(x: Tensor) -> Pair:
    return x.mean(-1, keepdim=True), x.var(-1, keepdim=True)


@mistake(
    "the last axis is lost (keepdim)",
    why="The numbers are right, but (B, T) does not meet (B, T, D): it would be spread along the "
    "wrong axis. keepdim=True leaves (B, T, 1).",
    section=WRONG,
)
def mean_no_keepdim(x: Tensor) -> Pair:
    return x.mean(-1), x.var(-1, correction=0)


@mistake(
    "it averages over the tokens, not the features",
    why="Each token has a mean of its own, over its features: the last axis, dim=-1. Along the "
    "tokens, each would see the others, and the future too.",
    section=AXES,
)
def mean_over_tokens(x: Tensor) -> Pair:
    return x.mean(-2, keepdim=True), x.var(-2, correction=0, keepdim=True)


@mistake(
    "it averages over everything",
    why="Without an axis, mean and variance run over all tokens of all sentences. Each token has "
    "its own: give dim=-1.",
    section=AXES,
)
def mean_of_all(x: Tensor) -> Pair:
    return x.mean(), x.var(correction=0)


@mean_of_all.also
def mean_of_all_kept(x: Tensor) -> Pair:
    axes = tuple(range(x.dim()))
    return x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)


@mistake(
    "it gives the standard deviation, not the variance",
    why="The root comes later, when ε has been added. The variance is the mean of the squares, "
    "without a root.",
    section=LAYER,
)
def mean_deviation(x: Tensor) -> Pair:
    return x.mean(-1, keepdim=True), x.std(-1, correction=0, keepdim=True)


@mistake(
    "the squares are taken before the mean is subtracted",
    why="The mean of x² is not the variance unless the mean is 0. Subtract the mean first, then "
    "square.",
    section=LAYER,
)
def mean_of_squares(x: Tensor) -> Pair:
    return x.mean(-1, keepdim=True), x.square().mean(-1, keepdim=True)


@mistake(
    "the variance is a difference of large numbers",
    why="E[x²] - E[x]² is right on paper. Where the mean is large, both are far larger than the "
    "variance, and float32 has rounded it away before they are subtracted: with a mean of 1000 "
    "both are a million. Subtract the mean first, then square.",
    section=LAYER,
)
def mean_difference(x: Tensor) -> Pair:
    mean = x.mean(-1, keepdim=True)
    return mean, x.square().mean(-1, keepdim=True) - mean.square()


@mistake(
    "the squares are added up, and not averaged",
    why="The sum of the squares grows with the width. Divide it by d.",
    section=LAYER,
)
def mean_summed(x: Tensor) -> Pair:
    mean, variance = statistics(x)
    return mean, variance * x.size(-1)


@mistake(
    "distances are averaged without being squared",
    why="The mean of |x - mean| is another measure of spread. The variance squares the distances, "
    "so that a far-off number counts for more.",
    section=LAYER,
)
def mean_absolute(x: Tensor) -> Pair:
    mean, _ = statistics(x)
    return mean, (x - mean).abs().mean(-1, keepdim=True)


@mistake(
    "the two results have changed places",
    why="It returns (variance, mean). The promise is (mean, variance).",
    section=LAYER,
)
def mean_second(x: Tensor) -> Pair:
    return statistics(x)[::-1]


def scaled(x: Tensor, gamma: Tensor, mean_square: Tensor, eps: float) -> Tensor:
    """Finish RMSNorm from a given mean square, so that a mistake stands alone."""
    return x * torch.rsqrt(mean_square + eps) * gamma


@mistake(
    "the mean is subtracted",
    why="That is LayerNorm's first step. RMSNorm leaves the mean in: it divides, and no more.",
    section=RMS,
)
def rms_centred(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    mean, variance = statistics(x)
    return scaled(x - mean, gamma, variance, eps)


@mistake(
    "it divides by the standard deviation",
    why="The variance is measured from the mean, the mean square from 0. They differ as soon as "
    "the mean is not 0: square x itself.",
    section=RMS,
)
def rms_deviation(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, gamma, statistics(x)[1], eps)


@mistake(
    "it divides by the vector's length",
    why="The length is the root of the *sum* of squares. The root of their *mean* is smaller by "
    "the root of d, and leaves numbers of size 1 whatever the width.",
    section=RMS,
)
def rms_length(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, gamma, x.square().sum(-1, keepdim=True), eps)


@mistake(
    "the root is missing",
    why="It divides by the mean square itself. Then a vector twice as large comes out half as "
    "large, where it should come out the same.",
    section=RMS,
)
def rms_no_root(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True) + eps) * gamma


@mistake(
    "ε stands outside the root",
    why="It is added to the mean square, under the root, and not to the root. For small vectors "
    "that is a great difference.",
    section=WRONG,
)
def rms_eps_outside(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True).sqrt() + eps) * gamma


@mistake(
    "ε is missing",
    why="A vector of zeros gives 0 / 0, which is nan. Add ε to the mean square before the root.",
    section=LAYER,
)
def rms_no_eps(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return x / x.square().mean(-1, keepdim=True).sqrt() * gamma


@mistake(
    "γ is left out",
    why="After the division each feature is multiplied by its own γ.",
    section=FEATURES,
)
def rms_no_gamma(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, torch.ones_like(gamma), x.square().mean(-1, keepdim=True), eps)


@mistake(
    "it averages over the tokens, not the features",
    why="Each token is divided by its own size, over its features: the last axis, dim=-1.",
    section=AXES,
)
def rms_over_tokens(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, gamma, x.square().mean(-2, keepdim=True), eps)


@mistake(
    "it averages over everything",
    why="Without an axis the mean runs over all tokens: loud ones stay loud, quiet ones quiet. "
    "Each token is divided by its own size: dim=-1.",
    section=AXES,
)
def rms_of_all(x: Tensor, gamma: Tensor, eps: float) -> Tensor:
    return scaled(x, gamma, x.square().mean(), eps)


MEAN_MISTAKES = (
    mean_unbiased,
    mean_no_keepdim,
    mean_over_tokens,
    mean_of_all,
    mean_of_all_kept,
    mean_deviation,
    mean_of_squares,
    mean_difference,
    mean_summed,
    mean_absolute,
    mean_second,
)
RMS_MISTAKES = (
    rms_centred,
    rms_deviation,
    rms_length,
    rms_no_root,
    rms_eps_outside,
    rms_no_eps,
    rms_no_gamma,
    rms_over_tokens,
    rms_of_all,
)
