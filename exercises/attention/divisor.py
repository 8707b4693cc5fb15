"""divisor: the divisor of a score for entries of any mean and variance."""

import math

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def divisor(
    q_values: Tensor, q_chances: Tensor, k_values: Tensor, k_chances: Tensor, d_k: int
) -> float:
    """Return the standard deviation of a sum of d_k products."""
    return math.sqrt(d_k * of_a_product(q_values, q_chances, k_values, k_chances))


def of_a_product(q: Tensor, q_chances: Tensor, k: Tensor, k_chances: Tensor) -> float:
    """Return the variance of one product: the mean of its square minus the square of its mean."""
    square = mean(q.square(), q_chances) * mean(k.square(), k_chances)
    return square - (mean(q, q_chances) * mean(k, k_chances)) ** 2


def mean(values: Tensor, chances: Tensor) -> float:
    """Return the mean of a discrete random variable."""
    return (values * chances).sum().item()


EXERCISE = Exercise(
    __name__,
    divisor,
    results={"divisor": ""},
    section="Why divide by √d_k?",
)


@EXERCISE.requires("It is right where one of the two means is 0, for any variance.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return a constant query with a fair coin, then values that are symmetric around 0."""
    coin, fair = torch.tensor([-1.0, 1.0]), torch.tensor([0.5, 0.5])
    first = Inputs((torch.ones(1), torch.ones(1), coin, fair, 9))
    drawn = [(*_centred(draw, n), *_centred(draw, n + 1)) for n in (1, 2, 3)]
    return [first, *(Inputs((*d, width)) for d, width in zip(drawn, (2, 64, 5), strict=True))]


def _centred(draw: Draw, count: int) -> tuple[Tensor, Tensor]:
    """Draw values, each with its opposite at the same probability."""
    numbers, chances = draw.normal(count).abs() + 0.5, draw.weights(count)
    return torch.cat([numbers, -numbers]), torch.cat([chances, chances]) / 2


@EXERCISE.requires("It is right for numbers with any mean.", points=2)
def general(draw: Draw) -> list[Inputs]:
    """Return values of any mean, with unequal probabilities."""
    return [
        Inputs((*_drawn(draw, n, shift), *_drawn(draw, 5 - n, -shift / 2), width))
        for n, shift, width in ((2, 1.0, 4), (3, -2.0, 16), (2, 0.5, 7), (3, 1.5, 512))
    ]


def _drawn(draw: Draw, count: int, shift: float) -> tuple[Tensor, Tensor]:
    """Draw distinct values around a number, with their probabilities."""
    apart = draw.normal(count).clamp(-0.4, 0.4) + torch.arange(count)
    return apart + shift, draw.weights(count)


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return small means and few products too, so that wrong variances are seldom negative."""
    near = [(*_drawn(draw, n, -n / 2), *_drawn(draw, 5 - n, 0.5)) for n in (2, 3, 2, 3)]
    few = [Inputs((*drawn, width)) for drawn, width in zip(near, (2, 3, 3, 2), strict=True)]
    return [*general(draw), *values(draw), *few]


@EXERCISE.mistake(
    "the means are taken to be 0",
    why="The variance of a product is the product of the variances only where both means are 0. "
    "In general it is the mean of the square, less the square of the mean.",
    of=of_a_product,
)
def centred(q: Tensor, q_chances: Tensor, k: Tensor, k_chances: Tensor) -> float:
    return variance(q, q_chances) * variance(k, k_chances)


def variance(values: Tensor, chances: Tensor) -> float:
    """Return the variance of a discrete random variable."""
    return mean(values.square(), chances) - mean(values, chances) ** 2


@EXERCISE.mistake(
    "one of the two means is taken to be 0",
    why="The variance of a product has three parts: the product of the variances, and each "
    "variance times the square of the other's mean. One of the last two is missing here.",
    of=of_a_product,
)
def query_centred(q: Tensor, q_chances: Tensor, k: Tensor, k_chances: Tensor) -> float:
    return variance(q, q_chances) * mean(k.square(), k_chances)


@query_centred.within(of_a_product)
def key_centred(q: Tensor, q_chances: Tensor, k: Tensor, k_chances: Tensor) -> float:
    return mean(q.square(), q_chances) * variance(k, k_chances)


@EXERCISE.mistake(
    "the square of the mean is not subtracted",
    why="The mean of the square is the variance only where the mean is 0. Subtract the square of "
    "the product's mean, which is the product of the two means.",
    of=of_a_product,
)
def not_subtracted(q: Tensor, q_chances: Tensor, k: Tensor, k_chances: Tensor) -> float:
    return mean(q.square(), q_chances) * mean(k.square(), k_chances)


@EXERCISE.mistake(
    "the chances are not used",
    why="A value that comes often counts more. Its mean is the sum of the values, each times its "
    "chance.",
    of=mean,
)
def equally_likely(values: Tensor, chances: Tensor) -> float:
    return values.mean().item()


@EXERCISE.mistake(
    "the mean is divided by the number of values",
    why="The chances are shares already, and sum to 1: (values * chances).sum(), not .mean().",
    of=mean,
)
def averaged(values: Tensor, chances: Tensor) -> float:
    return (values * chances).mean().item()


@EXERCISE.mistake(
    "the square of the score's mean is taken off squares of products",
    why="The mean of a score is d_k times that of a product, and its square d_k² times as large, "
    "but the mean of the score's square is not d_k times that of a product's. Find the variance "
    "of one product, and take it d_k times.",
)
def mixed(
    q_values: Tensor, q_chances: Tensor, k_values: Tensor, k_chances: Tensor, d_k: int
) -> float:
    return math.sqrt(mixed_square(q_values, q_chances, k_values, k_chances, d_k))


@mixed.also
def mixed_without_sign(
    q_values: Tensor, q_chances: Tensor, k_values: Tensor, k_chances: Tensor, d_k: int
) -> float:
    return math.sqrt(abs(mixed_square(q_values, q_chances, k_values, k_chances, d_k)))


def mixed_square(q: Tensor, q_chances: Tensor, k: Tensor, k_chances: Tensor, d_k: int) -> float:
    """Return d_k times the products' mean square, minus the square of the whole sum's mean."""
    squares = d_k * mean(q.square(), q_chances) * mean(k.square(), k_chances)
    return squares - (d_k * mean(q, q_chances) * mean(k, k_chances)) ** 2


@EXERCISE.mistake(
    "one product is counted, not d_k of them",
    why="A score adds up d_k products that are independent of each other, and so are their "
    "variances added up.",
)
def one_product(
    q_values: Tensor, q_chances: Tensor, k_values: Tensor, k_chances: Tensor, d_k: int
) -> float:
    return math.sqrt(of_a_product(q_values, q_chances, k_values, k_chances))


@EXERCISE.mistake(
    "it is multiplied by d_k, not by its square root",
    why="Variances add up, standard deviations do not: d_k products have d_k times the variance, "
    "and the root of all that is asked for.",
)
def by_the_width(
    q_values: Tensor, q_chances: Tensor, k_values: Tensor, k_chances: Tensor, d_k: int
) -> float:
    return d_k * one_product_of(q_values, q_chances, k_values, k_chances)


def one_product_of(q: Tensor, q_chances: Tensor, k: Tensor, k_chances: Tensor) -> float:
    """Return the standard deviation of one product."""
    return math.sqrt(of_a_product(q, q_chances, k, k_chances))


@EXERCISE.mistake(
    "it is the variance, not its square root",
    why="Divided by a number, scores have a variance that is divided by its square. For 1, "
    "divide by the standard deviation.",
)
def no_root(
    q_values: Tensor, q_chances: Tensor, k_values: Tensor, k_chances: Tensor, d_k: int
) -> float:
    return d_k * of_a_product(q_values, q_chances, k_values, k_chances)


@EXERCISE.mistake(
    "it is the root of the width, whatever the numbers are",
    why="The root of d_k is right for numbers with a mean of 0 and a variance of 1. These have "
    "others.",
)
def of_the_paper(
    q_values: Tensor, q_chances: Tensor, k_values: Tensor, k_chances: Tensor, d_k: int
) -> float:
    return math.sqrt(d_k)


@EXERCISE.mistake(
    "the variances of query and key are added",
    why="They would be, were the numbers added. They are multiplied.",
    of=of_a_product,
)
def added(q: Tensor, q_chances: Tensor, k: Tensor, k_chances: Tensor) -> float:
    return variance(q, q_chances) + variance(k, k_chances)
