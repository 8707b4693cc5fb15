"""sinusoidal: interleave sines and cosines."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .angles import angles
from .parts import some_positions, table_values
from .parts import turned as turned


def sinusoidal(positions: Tensor, d_model: int, base: int) -> Tensor:
    """Return interleaved sines and cosines of all angles."""
    return interleaved(angles(positions.double(), d_model, base))[..., :d_model].float()


def interleaved(radians: Tensor) -> Tensor:
    """Interleave the sines and cosines of angles."""
    return taking_turns(*hand(radians))


def hand(radians: Tensor) -> tuple[Tensor, Tensor]:
    """Return the coordinates of each angle on the circle."""
    return radians.sin(), radians.cos()


def taking_turns(first: Tensor, second: Tensor) -> Tensor:
    """Interleave the firsts and the seconds of all pairs."""
    return torch.stack([first, second], dim=-1).flatten(-2)


EXERCISE = Exercise(
    __name__,
    sinusoidal,
    results={"encoding": "positions, features"},
    section="A clock with many hands",
)


@EXERCISE.requires("Features 2i and 2i + 1 are the sine and the cosine of angle i.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return table_values(draw)


@EXERCISE.requires("An odd width ends with the sine of one more hand.", points=1)
def odd(draw: Draw) -> list[Inputs]:
    """Return odd widths."""
    sizes = ((4, 5, 100), (3, 7, 10_000), (5, 3, 50))
    return [Inputs((some_positions(draw, n, high=40), width, base)) for n, width, base in sizes]


@EXERCISE.requires("It works with positions that have more axes.", points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return the positions of a batch, different in each sentence; once more than features."""
    sizes = (((2, 6), 4, 100), ((3, 2), 6, 10_000), ((2, 2, 3), 8, 50))
    return [Inputs((some_positions(draw, *shape), width, base)) for shape, width, base in sizes]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many positions as features."""
    return [Inputs((some_positions(draw, n), n, 100)) for n in (4, 6, 8)]


EXERCISE.edit(
    "sines and cosines are swapped",
    {"radians.sin(), radians.cos()": "(radians.cos(), radians.sin())"},
    why="Feature 2i is the sine and feature 2i + 1 the cosine.\nAt position 0 the row begins 0, 1. "
    "Yours begins 1, 0.",
)
EXERCISE.edit(
    "all sines come first, then all cosines",
    {"-1": "-2"},
    why="The numbers are right, but in other columns. Some libraries use this order, but the "
    "paper's table, like this one, interleaves them: sine, cosine, sine, cosine.",
)
EXERCISE.edit(
    "there are sines and no cosines",
    "turned(positions, torch.arange(d_model) / d_model, base).sin()",
    {"radians.cos()": "radians.sin()"},
    why="Each pair needs both: a sine alone does not say whether the hand is rising or falling, "
    "and without the cosine no matrix can turn the clock further.",
    section="What goes wrong",
)
EXERCISE.edit(
    "sine and cosine of a pair turn at different speeds",
    "radians = turned(positions, torch.arange(d_model) / d_model, base); "
    "odd = torch.arange(d_model) % 2 == 1; return torch.where(odd, radians.cos(), radians.sin())",
    why="The speed was computed from the feature, so the cosine's hand is slower than the sine's. "
    "Both belong to one hand.\nCompute it once for each pair.",
    section="What goes wrong",
)
EXERCISE.edit(
    "with an odd width the last column stays 0",
    "table = sinusoidal(positions, d_model, base); "
    "return table * (torch.arange(d_model) < d_model // 2 * 2)",
    why="A loop over d_model // 2 pairs never reaches the last feature. It is the sine of one "
    "more hand.",
    section="What goes wrong",
)
EXERCISE.edit(
    "with an odd width there is a column too many",
    {"[..., :d_model]": ""},
    why="Three hands make six features.\nDrop the last cosine.",
    section="What goes wrong",
)


@EXERCISE.mistake(
    "with an odd width the last column is a cosine",
    why="Features are sine, cosine, sine, cosine, …: the one at an even index is a sine.",
    section="What goes wrong",
)
def ends_with_cosine(positions: Tensor, d_model: int, base: int) -> Tensor:
    table = sinusoidal(positions, d_model, base)
    if d_model % 2:
        table[..., -1] = interleaved(angles(positions, d_model, base))[..., -1]
    return table
