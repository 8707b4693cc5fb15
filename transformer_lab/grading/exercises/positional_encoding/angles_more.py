"""angles goes on: what a hand counts in."""

import math

from torch import Tensor

from transformer_lab.grading.exercises.positional_encoding.angles import EXERCISE, speeds


@EXERCISE.mistake(
    "the hands are counted in full turns (2π)",
    why="The formula gives radians as it stands: the first hand turns by one radian a step, not by "
    "a whole round.",
    of=speeds,
)
def full_turns(width: int, base: int) -> Tensor:
    return 2 * math.pi * speeds(width, base)
