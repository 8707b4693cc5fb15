"""gradient: in which direction the loss of a line grows."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def gradient(x: Tensor, y: Tensor, slope: float, intercept: float) -> tuple[Tensor, Tensor]:
    """Return the derivative of the loss for the slope, and the one for the intercept."""
    error = slope * x + intercept - y
    return (2 * error * x).mean(), (2 * error).mean()


EXERCISE = Exercise(
    __name__,
    gradient,
    {"derivative for the slope": "", "derivative for the intercept": ""},
    "downhill#A step",
    frozenset({"grad", "backward"}),
)


@EXERCISE.requires("Both derivatives are those of the mean squared error.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return a few points, then many."""
    lines = ((2, 1.0, 0.25), (3, 1.5, 0.0), (5, -0.5, 0.3), (40, 2.0, -1.0))
    return [Inputs((draw.normal(n), draw.normal(n), *line)) for n, *line in lines]


EXERCISE.untouched()


EXERCISE.edit(
    "the derivative for the slope lacks x",
    {"error * x": "error"},
    why="A change of the slope moves the line by x times as much, so x is a factor.",
)
EXERCISE.edit(
    "the gradient points downhill",
    {"slope * x + intercept - y": "y - slope * x - intercept"},
    why="The gradient says where the loss grows; the minus belongs to the step.",
)
