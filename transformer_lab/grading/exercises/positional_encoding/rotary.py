"""rotate_pairs: turn each pair of neighbouring features."""

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
from transformer_lab.positional_encoding import rotate_pairs

EXERCISE = Exercise(
    __name__,
    rotate_pairs,
    results={"turned vectors": "tokens, features"},
    section="Or turn queries and keys",
)


@EXERCISE.requires(
    "Features 2i and 2i + 1 are turned together, by angle i of their token.", points=2
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
    "it pairs features i and i + K / 2",
    why="That is the other convention, as right as this one but for other weights. Here the pairs "
    "are neighbours: 0 with 1, 2 with 3.",
    section="The other half",
)
def as_halves(x: Tensor, radians: Tensor) -> Tensor:
    return halves(x, radians)


@EXERCISE.mistake(
    "it turns the wrong way round",
    why="A positive angle turns from the first feature of a pair towards the second: (1, 0) "
    "becomes (cos, sin). Queries and keys that both turn backwards still fit each other, but not "
    "anybody else's.",
)
def backwards(x: Tensor, radians: Tensor) -> Tensor:
    return pairs(x, -radians)


@EXERCISE.mistake(
    "the minus is missing",
    why="One of the four products is subtracted: first · cos - second · sin. With a plus it is no "
    "rotation, and vectors change their length.",
)
def no_minus(x: Tensor, radians: Tensor) -> Tensor:
    first, second = x[..., 0::2], x[..., 1::2]
    cos, sin = radians.cos(), radians.sin()
    turned = [first * cos + second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2)


@EXERCISE.mistake(
    "the second of a pair reads what the first has become",
    why="Both results need both old numbers. If the first is overwritten before the second is "
    "worked out, the second reads the new one. Keep the old pair until both are done.",
)
def overwritten(x: Tensor, radians: Tensor) -> Tensor:
    turned = x.clone()
    cos, sin = radians.cos(), radians.sin()
    turned[..., 0::2] = turned[..., 0::2] * cos - turned[..., 1::2] * sin
    turned[..., 1::2] = turned[..., 0::2] * sin + turned[..., 1::2] * cos
    return turned


@EXERCISE.mistake(
    "the results stand side by side, not interleaved",
    why="The numbers are right, but all firsts come before all seconds. Each belongs where it "
    "came from: torch.stack on a new last axis, then flatten the last two.",
    section="The other half",
)
def side_by_side(x: Tensor, radians: Tensor) -> Tensor:
    turned = pairs(x, radians)
    return torch.cat([turned[..., 0::2], turned[..., 1::2]], dim=-1)


@EXERCISE.mistake(
    "the angles are laid out for the other pairing",
    why="Neighbours are turned, but the angles were repeated as 0, 1, 2, 0, 1, 2, which fits "
    "pairs i and i + K / 2. For neighbours it has to be 0, 0, 1, 1, 2, 2.",
    section="The other half",
)
def angles_of_halves(x: Tensor, radians: Tensor) -> Tensor:
    twice = torch.cat([radians, radians], dim=-1)
    across = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * twice.cos() + across * twice.sin()


@EXERCISE.mistake(
    "the second feature of each pair stays as it was",
    why="A rotation changes both: the second becomes first · sin + second · cos.",
)
def half_done(x: Tensor, radians: Tensor) -> Tensor:
    turned = pairs(x, radians)
    return torch.stack([turned[..., 0::2], x[..., 1::2]], dim=-1).flatten(-2)


@EXERCISE.mistake(
    "it changes the caller's tensor",
    why="Assigning to x[..., 0::2] writes into the tensor you were given, and whoever called still "
    "has it. Work on a clone, or build a new one.",
)
def in_place(x: Tensor, radians: Tensor) -> Tensor:
    return x.copy_(pairs(x, radians))
