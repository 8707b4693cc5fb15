"""mean_variance goes on: the variance by its other formula."""

from torch import Tensor

from transformer_lab.grading.exercises.norm.parts import Pair
from transformer_lab.grading.exercises.norm.statistics import EXERCISE


@EXERCISE.mistake(
    "the mean is taken off the mean square without being squared",
    why="On paper the variance is E[x²] - E[x]²: the mean is squared too. But subtract the mean "
    "first, then square: that is right in float32 as well.",
)
def mean_as_it_is(x: Tensor) -> Pair:
    mean = x.mean(-1, keepdim=True)
    return mean, x.square().mean(-1, keepdim=True) - mean
