"""variance: the mean of the squared distances from the mean."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def variance(x: Tensor) -> Tensor:
    distances = x - x.mean()
    return (distances**2).mean()


EXERCISE = Exercise(
    __name__,
    variance,
    results={"variance": ""},  # and its axes, such as "rows, columns"; a number has none
    section="basics#Variance",  # the page and the heading to read again
    forbidden=frozenset({"var", "std", "var_mean", "std_mean"}),
)


@EXERCISE.requires("It is the mean of the squared distances from the mean.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return [Inputs((draw.normal(n),)) for n in (2, 3, 5, 40)]


@EXERCISE.requires("All numbers of a table count alike.", points=1)
def tables(draw: Draw) -> list[Inputs]:
    return [Inputs((draw.normal(*shape),)) for shape in ((2, 3), (4, 1), (2, 3, 4))]


EXERCISE.untouched()
EXERCISE.trains()

EXERCISE.edit(
    "the distances are not squared",
    {"distances**2": "distances.abs()"},
    why="A distance of 2 counts four times as much as a distance of 1.\nSquare before the mean.",
)
EXERCISE.edit(
    "the mean is not subtracted",
    {"x - x.mean()": "x"},
    why="That is the mean square, measured from 0. The variance is measured from the mean.",
)


@EXERCISE.mistake(
    "it divides by n - 1",
    why="That estimates the variance of what the numbers were drawn from.\nHere divide by n.",
)
def of_a_population(x: Tensor) -> Tensor:
    return ((x - x.mean()) ** 2).sum() / (x.numel() - 1)
