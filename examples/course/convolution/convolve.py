"""convolve: slide a kernel along a signal."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs


def convolve(signal: Tensor, kernel: Tensor) -> Tensor:
    """Return the dot product of the kernel with each window of the signal."""
    return signal.unfold(0, len(kernel), 1) @ kernel


EXERCISE = Exercise(
    __name__,
    convolve,
    {"features": "windows"},
    "Sliding a kernel",
    frozenset({"conv1d", "Conv1d"}),
)


@EXERCISE.requires("Each number is the dot product of the kernel with one window.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return signals and kernels of several lengths."""
    sizes = ((4, 2), (9, 3), (6, 1), (5, 5))
    return [Inputs((draw.normal(n), draw.normal(k))) for n, k in sizes]


EXERCISE.trains()


EXERCISE.edit(
    "the kernel is flipped",
    {"@ kernel": "@ kernel.flip(0)"},
    why="Mathematics flips the kernel of a convolution, but a layer of a network does not.",
)
