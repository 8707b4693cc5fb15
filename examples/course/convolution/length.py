"""length: how many windows a signal has."""

from tensorgrader.exercise import Draw, Exercise, Inputs


def length(signal: int, kernel: int, stride: int, padding: int) -> int:
    """Return how many numbers come out, for a signal that is padded at both ends."""
    return (signal + 2 * padding - kernel) // stride + 1


EXERCISE = Exercise(__name__, length, {"length": ""}, "padding#Stride and padding")


@EXERCISE.requires("It counts the windows.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return several strides and paddings."""
    kinds = ((1, 0), (1, 1), (2, 0), (3, 2), (2, 3))
    return [Inputs((*draw.distinct(1, low=8, high=40), 3, *kind)) for kind in kinds]


EXERCISE.edit(
    "the first window is not counted", {" + 1": ""}, why="The kernel also stands at the start."
)
EXERCISE.edit("the padding is added at one end", {"2 * ": ""}, why="Both ends get zeros.")
