"""moving_average: the mean of each window of a signal."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def moving_average(signal: Tensor, width: int) -> Tensor:
    """Return the mean of each window of the last axis."""
    return signal.unfold(-1, width, 1).mean(-1)


EXERCISE = Exercise(
    __name__,
    moving_average,
    results={"averages": "windows"},
    section="Windows",
    forbidden=frozenset({"avg_pool1d", "conv1d"}),
)


@EXERCISE.requires("Each number is the mean of the next `width`.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give signals of several lengths."""
    return [Inputs((draw.normal(n), width)) for n, width in ((4, 2), (9, 3), (6, 1), (5, 5))]


EXERCISE.trains(constant="width")


@EXERCISE.mistake(
    "windows at the edge are cut short",
    why="Only windows that lie in the signal as a whole have a mean.",
)
def with_edges(signal: Tensor, width: int) -> Tensor:
    parts = [signal[..., i : i + width].mean(-1) for i in range(signal.shape[-1])]
    return signal.new_tensor([part.item() for part in parts])
