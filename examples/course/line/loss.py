"""loss: how far a line is from its points."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def loss(x: Tensor, y: Tensor, slope: float, intercept: float) -> Tensor:
    """Return the mean squared error of the line for the points (x, y)."""
    return (slope * x + intercept - y).square().mean()


EXERCISE = Exercise(__name__, loss, {"loss": ""}, "The loss", frozenset({"mse_loss", "MSELoss"}))


@EXERCISE.requires("It is the mean of the squared errors.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return a few points, then many."""
    lines = ((2, 1.0, 0.25), (3, 1.5, 0.0), (5, -0.5, 0.3), (40, 2.0, -1.0))
    return [Inputs((draw.normal(n), draw.normal(n), *line)) for n, *line in lines]


EXERCISE.edit(
    "the errors are added up, not averaged",
    {"mean()": "sum()"},
    why="With twice as many points the loss would be twice as large, for a line as good.",
)
EXERCISE.edit(
    "the errors are not squared",
    {".square()": ".abs()"},
    why="An error of 2 counts four times one of 1.",
)
