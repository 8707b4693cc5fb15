"""mean_variance: each vector's mean and biased variance."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import GENERAL, Pair, double_precision, half_precision, token_vectors


def mean_variance(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return each vector's mean and biased variance."""
    return x.mean(dim=-1, keepdim=True), x.var(dim=-1, correction=0, keepdim=True)


EXERCISE = Exercise(
    __name__,
    mean_variance,
    results={"mean": "tokens, 1", "variance": "tokens, 1"},
    section="LayerNorm",
)


@EXERCISE.requires(
    "Each token has the mean and the (biased) variance of its own features.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Return (1, 2, 3) to compute by hand, then tokens whose mean is non-zero, or far from 0."""
    by_hand = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    tokens = token_vectors(draw, (2, 4), (3, 5), (4, 2))
    drawn = token_vectors(draw, (3, 4), (4, 5), (5, 6))
    far = [x + 1000 * (-1.0) ** torch.arange(len(x))[:, None] for x in drawn]
    return [Inputs((x,)) for x in (by_hand, *tokens, *far)]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return one vector, batches, float64 with a row of zeros, and half precision."""
    tokens = (draw.normal(5) + 1, *token_vectors(draw, (2, 3, 4), (3, 2, 2, 5)))
    double = double_precision(draw) * (torch.arange(3) > 0)[:, None]
    return [Inputs((x,)) for x in (*tokens, double, half_precision(draw)[0])]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return batches of sentences."""
    return [Inputs((x,)) for x in token_vectors(draw, (2, 3, 4), (3, 4, 2), (2, 5, 3), (4, 3, 5))]


EXERCISE.edit(
    "the variance is the unbiased one",
    {"0": "1"},
    why="It divides by d - 1, which estimates the spread of a population from a sample. These d "
    "numbers are all there are.\nDivide by d. In torch.var that is correction=0.",
    section="Which numbers are averaged?",
)
EXERCISE.edit(
    "the last axis is lost (keepdim)",
    {
        "(dim=-1, keepdim=True)": "(dim=-1, keepdim=False)",
        "(dim=-1, correction=0, keepdim=True)": "(dim=-1, correction=0, keepdim=False)",
    },
    why="The numbers are right, but (B, T) does not broadcast with (B, T, D): it would be aligned "
    "with the wrong axes.\nkeepdim=True returns (B, T, 1).",
    section="What goes wrong",
)
EXERCISE.edit(
    "it averages over the tokens, not the features",
    {
        "x.mean(dim=-1, keepdim=True)": "x.mean(dim=-2, keepdim=True)",
        "x.var(dim=-1, correction=0, keepdim=True)": "x.var(dim=-2, correction=0, keepdim=True)",
    },
    why="Each token has a mean of its own, over its features.\nThe last axis, dim=-1. Averaged "
    "over the tokens, each would depend on the others, and on the future too.",
    section="Which numbers are averaged?",
)
EXERCISE.edit(
    "it averages over everything",
    "like = torch.ones_like(x[..., :1]); return x.mean() * like, x.var(correction=0) * like",
    why="Without an axis, mean and variance run over all tokens of all sentences. Each token has "
    "its own.\nPass dim=-1.",
    section="Which numbers are averaged?",
)
EXERCISE.edit(
    "it gives the standard deviation, not the variance",
    {".var": ".std"},
    why="The root comes later, after ε has been added. The variance is the mean of the squares, "
    "without a root.",
)
EXERCISE.edit(
    "the squares are taken before the mean is subtracted",
    {"x.var(dim=-1, correction=0, keepdim=True)": "x.square().mean(-1, keepdim=True)"},
    why="The mean of x² is not the variance unless the mean is 0.\nSubtract the mean first, then "
    "square.",
)
EXERCISE.edit(
    "the variance is a difference of large numbers",
    "mean = x.mean(-1, keepdim=True); "
    "return mean, x.square().mean(-1, keepdim=True) - mean.square()",
    why="E[x²] - E[x]² is right on paper. If the mean is large, both terms are far larger than the "
    "variance, so float32 rounds it away before the subtraction: with a mean of 1000 both are a "
    "million.\nSubtract the mean first, then square.",
)
EXERCISE.edit(
    "distances are averaged without being squared",
    "mean, _ = mean_variance(x); return mean, (x - mean).abs().mean(-1, keepdim=True)",
    why="The mean of |x - mean| is another measure of spread. The variance squares the distances, "
    "so distant numbers count for more.",
)
EXERCISE.edit(
    "the two results are swapped",
    "mean_variance(x)[::-1]",
    why="It returns (variance, mean).\nReturn (mean, variance).",
)
EXERCISE.edit(
    "it averages over a whole sentence",
    "axes = tuple(range(1, x.dim())) if x.dim() > 1 else (0); "
    "return x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)",
    "for_each_token(x, tuple(range(min(1, x.dim() - 1), x.dim())))",
    why="Each token has a mean and a variance of its own. Averaged over the tokens as well, each "
    "would depend on the others, and on the future too.",
    section="Which numbers are averaged?",
)
EXERCISE.edit(
    "the axis is counted from the front",
    {
        "x.mean(dim=-1, keepdim=True)": "x.mean(dim=1, keepdim=True)",
        "x.var(dim=-1, correction=0, keepdim=True)": "x.var(dim=1, correction=0, keepdim=True)",
    },
    why="dim=1 is the features' axis in a matrix, but not once a batch comes before it. Counted "
    "from the back it is always the same.\ndim=-1.",
    section="Which numbers are averaged?",
)
EXERCISE.edit(
    "the mean is subtracted from the mean square without being squared",
    "mean = x.mean(-1, keepdim=True); return mean, x.square().mean(-1, keepdim=True) - mean",
    why="On paper the variance is E[x²] - E[x]²: the mean is squared too.\nBut subtract the mean "
    "first, then square: that is right in float32 as well.",
)


def for_each_token(x: Tensor, axes: tuple[int, ...]) -> Pair:
    """Return mean and variance over some axes, repeated for each token."""
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)
    return mean.expand(*x.shape[:-1], 1), variance.expand(*x.shape[:-1], 1)
