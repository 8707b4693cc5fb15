"""Further mistakes that is_layer_norm is known to make."""

import torch
from torch import Tensor

from .catch import (
    EXERCISE,
    Case,
    Norm,
    alike,
    cases,
    far,
    is_layer_norm,
    numbers,
    weighing,
)
from .layer import layer_norm


@EXERCISE.mistake(
    "the tokens are so wide that d and d - 1 are alike",
    why="With 4,096 features, dividing by d - 1 changes the result by less than the tolerance. "
    "Take four features.",
    of=numbers,
)
def wide() -> tuple[Tensor, Tensor, Tensor]:
    x = (torch.arange(6 * 4096.0).view(2, 3, 4096) * 1.7).sin().mul(8).round() / 4
    gamma = torch.tensor([0.5, 2.0, -1.0, 3.0]).repeat(1024)
    return x, gamma, torch.tensor([1.0, -2.0, 0.5, 4.0]).repeat(1024)


@EXERCISE.mistake(
    "ε is 0.00001 in every trial",
    why="A norm may ignore the ε that it is given, and use 0.00001, as most norms do. Give each a "
    "larger ε too, such as 0.5.",
    of=cases,
)
def usual() -> list[Case]:
    x, gamma, beta = numbers()
    return [(x / 300, gamma, beta, 1e-5), (x + far(), gamma, beta, 1e-5)]


@EXERCISE.mistake(
    "every norm is refused, the right ones too",
    why="Either what you compare with is wrong, or your tolerance is too small: float32 rounds, "
    "and near 0 a tolerance of one in a hundred is nothing. Differences up to 0.01 * (1 + |right|) "
    "are rounding.",
)
def all_refused(norm: Norm) -> bool:
    return False


@EXERCISE.mistake(
    "γ is 1, β is 0 and ε is tiny in every trial",
    why="Mean 0 and variance 1 is what comes out then, of many faulty norms too. Give each feature "
    "a γ and a β of its own, and an ε that weighs beside the variance.",
)
def only_statistics(norm: Norm) -> bool:
    normal = norm(numbers()[0], torch.ones(4), torch.zeros(4), 1e-5)
    mean, variance = normal.mean(dim=-1), normal.var(dim=-1, correction=0)
    return alike(mean, torch.zeros_like(mean)) and alike(variance, torch.ones_like(variance))


@only_statistics.also
def plain(norm: Norm) -> bool:
    x, ones = numbers()[0], torch.ones(4)
    return alike(norm(x, ones, ones * 0, 1e-5), layer_norm(x, ones, ones * 0, 1e-5))


@EXERCISE.mistake(
    "only the shape is looked at",
    why="Nearly every faulty norm gives the right shape. Compare the numbers with those of your "
    "layer_norm.",
    of=alike,
)
def shape_only(yours: Tensor, right: Tensor) -> bool:
    return yours.shape == right.shape


@shape_only.also
def nothing_but_shape(norm: Norm) -> bool:
    x, gamma, beta = numbers()
    return norm(x, gamma, beta, weighing()).shape == x.shape


@EXERCISE.mistake(
    "True and False have changed places",
    why="True is for a right norm, False for one with a fault.",
)
def opposite(norm: Norm) -> bool:
    return not is_layer_norm(norm)


@EXERCISE.mistake(
    "γ and β are the same numbers in every trial",
    why="A norm that takes the one for the other gives the same then. Draw each by itself.",
    of=numbers,
)
def one_for_both() -> tuple[Tensor, Tensor, Tensor]:
    x, gamma, _ = numbers()
    return x, gamma, gamma
