"""sinusoidal: interleave sines and cosines."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.positional_encoding.parts import (
    right_angles,
    some_positions,
    table_values,
    turned,
)
from transformer_lab.positional_encoding import sinusoidal_encoding


def sinusoidal(positions: Tensor, d_model: int, base: int) -> Tensor:
    """Interleave sines and cosines."""
    return sinusoidal_encoding(positions, d_model, base=float(base), dtype=torch.float64).float()


EXERCISE = Exercise(
    __name__,
    sinusoidal,
    results={"encoding": "positions, features"},
    section="A clock with many hands",
)


@EXERCISE.requires("Features 2i and 2i + 1 are the sine and the cosine of angle i.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return table_values(draw)


@EXERCISE.requires("An odd width ends with a sine.", points=1)
def odd(draw: Draw) -> list[Inputs]:
    """Give odd widths."""
    sizes = ((4, 5, 100), (3, 7, 10_000), (5, 3, 50))
    return [Inputs((some_positions(draw, n, high=40), width, base)) for n, width, base in sizes]


@EXERCISE.requires("It takes positions with more axes in front.", points=1)
def general(draw: Draw) -> list[Inputs]:
    """Give the positions of a batch, each sentence its own."""
    sizes = (((2, 3), 4, 100), ((3, 2), 6, 10_000), ((2, 2, 3), 8, 50))
    return [Inputs((some_positions(draw, *shape), width, base)) for shape, width, base in sizes]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give as many positions as features."""
    return [Inputs((some_positions(draw, n), n, 100)) for n in (4, 6, 8)]


def pairs_of(radians: Tensor, d_model: int) -> Tensor:
    """Interleave sines and cosines, cut to the width."""
    pairs = torch.stack([radians.sin(), radians.cos()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


@EXERCISE.mistake(
    "sines and cosines have changed places",
    why="Feature 2i is the sine and feature 2i + 1 the cosine: at position 0 the row begins "
    "0, 1. Yours begins 1, 0.",
)
def swapped(positions: Tensor, d_model: int, base: int) -> Tensor:
    radians = right_angles(positions, d_model, base)
    pairs = torch.stack([radians.cos(), radians.sin()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


@EXERCISE.mistake(
    "all sines come first, then all cosines",
    why="Those are the right numbers in other columns. Some libraries order them so, but the "
    "paper's table, and this one, interleaves: sine, cosine, sine, cosine.",
)
def halves(positions: Tensor, d_model: int, base: int) -> Tensor:
    radians = right_angles(positions, d_model, base)
    return torch.cat([radians.sin(), radians.cos()], dim=-1)[..., :d_model]


@EXERCISE.mistake(
    "there are sines and no cosines",
    why="Each pair needs both: a sine alone does not say whether the hand is rising or falling, "
    "and without the cosine no matrix can turn the clock on.",
    section="The wrong table",
)
def only_sines(positions: Tensor, d_model: int, base: int) -> Tensor:
    return turned(positions, torch.arange(d_model) / d_model, base).sin()


@EXERCISE.mistake(
    "sine and cosine of a pair turn at different speeds",
    why="The speed was worked out from the feature, so the cosine's hand is slower than the "
    "sine's. Both belong to one hand: work it out once for each pair.",
    section="The wrong table",
)
def uneven(positions: Tensor, d_model: int, base: int) -> Tensor:
    radians = turned(positions, torch.arange(d_model) / d_model, base)
    odd = torch.arange(d_model) % 2 == 1
    return torch.where(odd, radians.cos(), radians.sin())


@EXERCISE.mistake(
    "with an odd width the last column stays 0",
    why="A loop over d_model // 2 pairs never reaches the last feature. It is the sine of one "
    "more hand.",
    section="The odd one out",
)
def empty_column(positions: Tensor, d_model: int, base: int) -> Tensor:
    table = pairs_of(right_angles(positions, d_model, base), d_model)
    return table * (torch.arange(d_model) < d_model // 2 * 2)


@EXERCISE.mistake(
    "with an odd width there is a column too many",
    why="Three hands make six features. Cut the last cosine off: [..., :d_model].",
    section="The odd one out",
)
def too_wide(positions: Tensor, d_model: int, base: int) -> Tensor:
    return pairs_of(right_angles(positions, d_model, base), d_model + 1)


@EXERCISE.mistake(
    "the speed stands outside the sine",
    why="A slow hand is one whose angle grows slowly: sin(speed · position). speed · sin(position) "
    "is a fast hand that swings less.",
)
def speed_outside(positions: Tensor, d_model: int, base: int) -> Tensor:
    speeds = right_angles(torch.ones_like(positions), d_model, base)
    there = positions[..., None]
    pairs = torch.stack([speeds * there.sin(), speeds * there.cos()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


@EXERCISE.mistake(
    "the exponent is doubled",
    why="The formula's 2i is already 0, 2, 4, … when you count with torch.arange(0, d_model, 2). "
    "Your own `angles` has it right: call it.",
    section="The wrong table",
)
def doubled(positions: Tensor, d_model: int, base: int) -> Tensor:
    radians = turned(positions, 2 * torch.arange(0, d_model, 2) / d_model, base)
    return pairs_of(radians, d_model)
