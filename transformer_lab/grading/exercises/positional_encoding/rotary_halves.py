"""rotate_halves: turn each feature with its partner in the other half."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.positional_encoding.parts import (
    GENERAL,
    halves,
    interleaved,
    joined,
    neighbours,
    rotated,
    turn_general,
    turn_probes,
    turn_values,
)


def rotate_halves(x: Tensor, radians: Tensor) -> Tensor:
    """Turn each feature with its partner in the other half."""
    return joined(*rotated(*halves(x), radians))


EXERCISE = Exercise(
    __name__,
    rotate_halves,
    results={"turned vectors": "tokens, features"},
    section="What goes wrong",
)


@EXERCISE.requires(
    "Features i and i + K / 2 are turned together, by angle i of their token.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    return turn_values(draw)


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    return turn_general(draw)


EXERCISE.untouched()
EXERCISE.trains(constant="radians")


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    return turn_probes(draw)


@EXERCISE.mistake(
    "it pairs neighbours",
    why="That is the other convention, the one you wrote before. Here feature i turns with "
    "feature i + K / 2.",
)
def as_pairs(x: Tensor, radians: Tensor) -> Tensor:
    return interleaved(*rotated(*neighbours(x), radians))


@EXERCISE.mistake(
    "the results are interleaved",
    why="The numbers are right, but put together as neighbours. The first half of the result "
    "comes from the first half of x.",
    of=joined,
)
def mixed(first: Tensor, second: Tensor) -> Tensor:
    return interleaved(first, second)


@EXERCISE.mistake(
    "the angles are laid out for neighbours",
    why="The halves are turned, but the angles were repeated as 0, 0, 1, 1, which fits "
    "neighbours. For halves it has to be 0, 1, 0, 1.",
)
def angles_of_pairs(x: Tensor, radians: Tensor) -> Tensor:
    twice = radians.repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    return x * twice.cos() + torch.cat([-second, first], dim=-1) * twice.sin()


@EXERCISE.mistake(
    "the two halves have changed places",
    why="The second half of the result stands first. Features stay where they are; they only turn.",
)
def swapped(x: Tensor, radians: Tensor) -> Tensor:
    return rotate_halves(x, radians).roll(x.size(-1) // 2, dims=-1)
