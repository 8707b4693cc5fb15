"""angles goes on: what a hand counts in."""

import math

from torch import Tensor

from .angles import (
    EXERCISE,
    angles,
    speeds,
)


@EXERCISE.mistake(
    "the hands are counted in full turns (2π)",
    why="The formula gives radians as it stands: the first hand turns by one radian a step, not by "
    "a whole round.",
    of=speeds,
)
def full_turns(width: int, base: int) -> Tensor:
    return 2 * math.pi * speeds(width, base)


@EXERCISE.mistake(
    "whole turns are taken off",
    why="A hand that has gone round once points where it did, but its angle has grown by 2π, and "
    "the angle is what is asked for: sine and cosine come later.",
)
def whole_turns_off(positions: Tensor, width: int, base: int) -> Tensor:
    return angles(positions, width, base) % (2 * math.pi)
