"""rotate_halves: turn each feature with its partner in the other half."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.positional_encoding.parts import (
    GENERAL,
    halves,
    pairs,
    turn_general,
    turn_probes,
    turn_values,
)
from transformer_lab.positional_encoding import rotate_halves

EXERCISE = Exercise(
    __name__,
    rotate_halves,
    results={"turned vectors": "tokens, features"},
    section="The other half",
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
    return pairs(x, radians)


@EXERCISE.mistake(
    "it turns the wrong way round",
    why="A positive angle turns from the first half towards the second: the minus belongs to the "
    "first half's sine.",
    section="Or turn queries and keys",
)
def backwards(x: Tensor, radians: Tensor) -> Tensor:
    return halves(x, -radians)


@EXERCISE.mistake(
    "the minus is missing",
    why="One of the four products is subtracted: first · cos - second · sin. With a plus it is no "
    "rotation, and vectors change their length.",
    section="Or turn queries and keys",
)
def no_minus(x: Tensor, radians: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    cos, sin = radians.cos(), radians.sin()
    return torch.cat([first * cos + second * sin, first * sin + second * cos], dim=-1)


@EXERCISE.mistake(
    "the results are interleaved",
    why="The numbers are right, but put together as neighbours. The first half of the result "
    "comes from the first half of x: torch.cat.",
)
def interleaved(x: Tensor, radians: Tensor) -> Tensor:
    return torch.stack(halves(x, radians).chunk(2, dim=-1), dim=-1).flatten(-2)


@EXERCISE.mistake(
    "the angles are laid out for neighbours",
    why="The halves are turned, but the angles were repeated as 0, 0, 1, 1, which fits neighbours. "
    "For halves it has to be 0, 1, 0, 1: torch.cat([radians, radians], -1).",
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
    return halves(x, radians).roll(x.size(-1) // 2, dims=-1)
