"""mean_variance goes on: the variance by its other formula, and one for a whole sentence."""

from torch import Tensor

from .parts import Pair
from .statistics import EXERCISE, of_sentence


@EXERCISE.mistake(
    "the mean is taken off the mean square without being squared",
    why="On paper the variance is E[x²] - E[x]²: the mean is squared too. But subtract the mean "
    "first, then square: that is right in float32 as well.",
)
def mean_as_it_is(x: Tensor) -> Pair:
    mean = x.mean(-1, keepdim=True)
    return mean, x.square().mean(-1, keepdim=True) - mean


@of_sentence.also
def of_sentence_for_each_token(x: Tensor) -> Pair:
    return for_each_token(x, (-2, -1) if x.dim() > 2 else (-1,))


@of_sentence.also
def of_all_but_the_batch_for_each_token(x: Tensor) -> Pair:
    return for_each_token(x, tuple(range(min(1, x.dim() - 1), x.dim())))


def for_each_token(x: Tensor, axes: tuple[int, ...]) -> Pair:
    """Average over some axes, and give each token what they share."""
    mean, variance = x.mean(axes, keepdim=True), x.var(axes, correction=0, keepdim=True)
    return mean.expand(*x.shape[:-1], 1), variance.expand(*x.shape[:-1], 1)
