"""alibi_bias goes on: what grows with the distance."""

from torch import Tensor

from transformer_lab.grading.exercises.positional_encoding.alibi import EXERCISE, faded


@EXERCISE.mistake(
    "the distance is squared",
    why="What is taken off grows along a line: slope times distance, and each step costs the same.",
    of=faded,
)
def squared(slopes: Tensor, back: Tensor) -> Tensor:
    return faded(slopes, back**2)
