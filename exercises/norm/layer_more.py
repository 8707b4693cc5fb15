"""layer_norm goes on: what γ, the mean and the root belong to."""

from torch import Tensor

from .layer import EXERCISE, as_rms, layer_norm
from .parts import divisor
from .statistics import mean_variance


@as_rms.also
def as_rms_without_beta(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x / divisor(x.square().mean(-1, keepdim=True), eps) * gamma


@EXERCISE.mistake(
    "one is added to γ",
    why="Some models keep γ - 1, so that it begins at 0. Here γ is kept as it is, and multiplies "
    "as it is.",
    section="γ and β: one pair for each feature",
)
def gamma_plus_one(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return layer_norm(x, gamma + 1, beta, eps)


@EXERCISE.mistake(
    "γ multiplies before the mean is subtracted",
    why="The mean is that of x, so it is taken off x itself. First normalise, then multiply by γ.",
    section="γ and β: one pair for each feature",
)
def gamma_first(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, variance = mean_variance(x)
    return (gamma * x - mean) / divisor(variance, eps) + beta


@EXERCISE.mistake(
    "only the mean is divided, not the difference",
    why="/ binds more strongly than -. Put x - mean into parentheses, and divide all of it.",
)
def only_the_mean_divided(x: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    mean, variance = mean_variance(x)
    return gamma * (x - mean / divisor(variance, eps)) + beta


@EXERCISE.mistake(
    "ε is a number of its own, not `eps`",
    why="How large ε is, the caller says: use `eps`, and not 0.00001, in the place of ε.",
    of=divisor,
)
def own_eps(square: Tensor, eps: float) -> Tensor:
    return (square + 1e-5).sqrt()


@own_eps.within(divisor)
def own_tiny_eps(square: Tensor, eps: float) -> Tensor:
    return (square + 1e-8).sqrt()
