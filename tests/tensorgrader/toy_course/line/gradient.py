"""gradient: of a line's mean squared error, for its slope and its intercept."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def gradient(x: Tensor, y: Tensor, slope: float, intercept: float) -> tuple[Tensor, Tensor]:
    """Return how the mean squared error of a line changes with its slope and its intercept."""
    error = slope * x + intercept - y
    return (2 * error * x).mean(), (2 * error).mean()


EXERCISE = Exercise(
    __name__,
    gradient,
    results={"gradient of the slope": "", "gradient of the intercept": ""},
    section="Downhill",
    forbidden=frozenset({"mse_loss", "lstsq"}),
)


@EXERCISE.requires("Both gradients are means over the points.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Give a few points, then many."""
    return [
        Inputs((draw.normal(n), draw.normal(n), slope, intercept))
        for n, slope, intercept in ((2, 1.0, 0.0), (5, -0.5, 0.3), (40, 2.0, -1.0), (7, 0.0, 0.0))
    ]


EXERCISE.untouched()


@EXERCISE.mistake(
    "the errors are added up, not averaged",
    why="The loss is a mean: with twice as many points the gradient must not be twice as large.",
)
def added_up(x: Tensor, y: Tensor, slope: float, intercept: float) -> tuple[Tensor, Tensor]:
    error = slope * x + intercept - y
    return (2 * error * x).sum(), (2 * error).sum()
