"""mean_variance: each vector's mean and biased variance."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import GENERAL, Pair, double_precision, half_precision, right_statistics, token_vectors


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
    """Return (1, 2, 3) to compute by hand, then tokens whose mean is non-zero, or large."""
    by_hand = torch.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]])
    tokens = token_vectors(draw, (2, 4), (3, 5), (4, 2))
    far = [x + 1000 for x in token_vectors(draw, (3, 4), (4, 5), (5, 6))]
    return [Inputs((x,)) for x in (by_hand, *tokens, *far)]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return one vector, batches, float64 and half precision."""
    tokens = (draw.normal(5) + 1, *token_vectors(draw, (2, 3, 4), (3, 2, 2, 5)))
    return [Inputs((x,)) for x in (*tokens, double_precision(draw), half_precision(draw)[0])]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return batches of sentences."""
    return [Inputs((x,)) for x in token_vectors(draw, (2, 3, 4), (3, 4, 2), (2, 5, 3), (4, 3, 5))]


EXERCISE.edit(
    "the variance is the unbiased one",
    {"0": "1"},
    why="It divides by d - 1, which estimates the spread of a population from a sample. These d "
    "numbers are all there are: divide by d. In torch.var that is correction=0.",
    section="Which numbers are averaged?",
)

EXERCISE.edit(
    "the last axis is lost (keepdim)",
    {
        "(dim=-1, keepdim=True)": "(dim=-1, keepdim=False)",
        "(dim=-1, correction=0, keepdim=True)": "(dim=-1, correction=0, keepdim=False)",
    },
    why="The numbers are right, but (B, T) does not broadcast with (B, T, D): it would be aligned "
    "with the wrong axes. keepdim=True returns (B, T, 1).",
    section="What goes wrong",
)

EXERCISE.edit(
    "it averages over the tokens, not the features",
    {
        "x.mean(dim=-1, keepdim=True)": "x.mean(dim=-2, keepdim=True)",
        "x.var(dim=-1, correction=0, keepdim=True)": "x.var(dim=-2, correction=0, keepdim=True)",
    },
    why="Each token has a mean of its own, over its features: the last axis, dim=-1. Averaged "
    "over the tokens, each would depend on the others, and on the future too.",
    section="Which numbers are averaged?",
)


@EXERCISE.mistake(
    "it averages over everything",
    why="Without an axis, mean and variance run over all tokens of all sentences. Each token has "
    "its own: pass dim=-1.",
    section="Which numbers are averaged?",
)
def of_all(x: Tensor) -> Pair:
    return x.mean(), x.var(correction=0)


@of_all.also
def of_all_for_each(x: Tensor) -> Pair:
    like = torch.ones_like(x[..., :1])
    return x.mean() * like, x.var(correction=0) * like


EXERCISE.edit(
    "it gives the standard deviation, not the variance",
    {".var": ".std"},
    why="The root comes later, after ε has been added. The variance is the mean of the squares, "
    "without a root.",
)

EXERCISE.edit(
    "the squares are taken before the mean is subtracted",
    {"x.var(dim=-1, correction=0, keepdim=True)": "x.square().mean(-1, keepdim=True)"},
    why="The mean of x² is not the variance unless the mean is 0. Subtract the mean first, then "
    "square.",
)


@EXERCISE.mistake(
    "the variance is a difference of large numbers",
    why="E[x²] - E[x]² is right on paper. If the mean is large, both terms are far larger than "
    "the variance, so float32 rounds it away before the subtraction: with a mean of 1000 both are "
    "a million. Subtract the mean first, then square.",
)
def difference(x: Tensor) -> Pair:
    mean = x.mean(-1, keepdim=True)
    return mean, x.square().mean(-1, keepdim=True) - mean.square()


@EXERCISE.mistake(
    "the squares are added up, and not averaged",
    why="The sum of the squares grows with the width. Divide it by d.",
)
def summed(x: Tensor) -> Pair:
    mean, variance = right_statistics(x)
    return mean, variance * x.size(-1)


@EXERCISE.mistake(
    "distances are averaged without being squared",
    why="The mean of |x - mean| is another measure of spread. The variance squares the distances, "
    "so distant numbers count for more.",
)
def absolute(x: Tensor) -> Pair:
    mean, _ = right_statistics(x)
    return mean, (x - mean).abs().mean(-1, keepdim=True)


@EXERCISE.mistake(
    "the two results are swapped", why="It returns (variance, mean). Return (mean, variance)."
)
def second(x: Tensor) -> Pair:
    return mean_variance(x)[::-1]


@EXERCISE.mistake(
    "it averages over a whole sentence",
    why="Each token has a mean and a variance of its own. Averaged over the tokens as well, each "
    "would depend on the others, and on the future too.",
    section="Which numbers are averaged?",
)
def of_sentence(x: Tensor) -> Pair:
    axes = tuple(range(-2, 0)) if x.dim() > 2 else (-1,)
    return x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)


@of_sentence.also
def of_all_but_the_batch(x: Tensor) -> Pair:
    axes = tuple(range(1, x.dim())) if x.dim() > 1 else (0,)
    return x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)


EXERCISE.edit(
    "the axis is counted from the front",
    {
        "x.mean(dim=-1, keepdim=True)": "x.mean(dim=1, keepdim=True)",
        "x.var(dim=-1, correction=0, keepdim=True)": "x.var(dim=1, correction=0, keepdim=True)",
    },
    why="dim=1 is the features' axis in a matrix, but not once a batch comes before it. Counted "
    "from the back it is always the same: dim=-1.",
    section="Which numbers are averaged?",
)

EXERCISE.edit(
    "only one of the two has kept its axis",
    {"(dim=-1, keepdim=True)": "(dim=-1)"},
    why="Mean and variance are both combined with the vectors again, so both need their last axis.",
    section="What goes wrong",
)


@EXERCISE.mistake(
    "the mean is a sum",
    why="A mean is the sum divided by the number of features: .mean(...), not .sum(...).",
)
def mean_is_a_sum(x: Tensor) -> Pair:
    total = x.sum(-1, keepdim=True)
    return total, (x - total).square().mean(-1, keepdim=True)


@EXERCISE.mistake(
    "mean and variance run along different axes",
    why="Both are of a vector's features: use the last axis for the mean and for the variance.",
)
def variance_over_tokens(x: Tensor) -> Pair:
    mean = x.mean(-1, keepdim=True)
    return mean, (x - mean).square().mean(-2, keepdim=True)


@EXERCISE.mistake(
    "the mean is subtracted from the mean square without being squared",
    why="On paper the variance is E[x²] - E[x]²: the mean is squared too. But subtract the mean "
    "first, then square: that is right in float32 as well.",
)
def mean_as_it_is(x: Tensor) -> Pair:
    mean = x.mean(-1, keepdim=True)
    return mean, x.square().mean(-1, keepdim=True) - mean


@of_sentence.also
def of_all_but_the_batch_for_each_token(x: Tensor) -> Pair:
    return for_each_token(x, tuple(range(min(1, x.dim() - 1), x.dim())))


def for_each_token(x: Tensor, axes: tuple[int, ...]) -> Pair:
    """Return mean and variance over some axes, repeated for each token."""
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)
    return mean.expand(*x.shape[:-1], 1), variance.expand(*x.shape[:-1], 1)
