"""angles: turn each hand as far as each position asks."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.positional_encoding.parts import (
    right_angles,
    some_positions,
    table_values,
    turned,
)
from transformer_lab.positional_encoding import position_angles


def angles(positions: Tensor, width: int, base: int) -> Tensor:
    """Turn each hand as far as each position asks."""
    return position_angles(positions, width, float(base), torch.float64).float()


EXERCISE = Exercise(
    __name__, angles, results={"angles": "positions, hands"}, section="A clock with many hands"
)


@EXERCISE.requires("Hand i of position t has turned by t · base^(-2i / width) radians.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give what the table is made from, then positions in a long text."""
    width, base = draw.ids(2, low=10, high=100).tolist()
    return [
        *table_values(draw),
        Inputs((some_positions(draw, 4, high=5000), 2 * width, 100 * base)),
    ]


@EXERCISE.requires("It takes odd widths, and positions with more axes in front.", points=1)
def general(draw: Draw) -> list[Inputs]:
    """Give odd widths, and the positions of a batch."""
    return [
        Inputs((some_positions(draw, 4, high=1000), 5, 100)),
        Inputs((some_positions(draw, 2, 3), 7, 10_000)),
        Inputs((some_positions(draw, 3, 5), 3, 50)),
        Inputs((some_positions(draw, 2, 3, 4), 6, 1000)),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give as many positions as hands."""
    return [Inputs((some_positions(draw, n), 2 * n, 100)) for n in (2, 3, 4)]


@EXERCISE.mistake(
    "the exponent is doubled",
    why="The formula's 2i is already 0, 2, 4, … when you count with torch.arange(0, width, 2). "
    "Doubled once more, every hand but the first is far too slow.",
    section="The wrong table",
)
def doubled(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, 2 * torch.arange(0, width, 2) / width, base)


@EXERCISE.mistake(
    "the exponent is halved",
    why="Hand i has the exponent 2i / width, not i / width: the hands do not get slow enough. "
    "The last one of a wide vector should be nearly base times slower than the first.",
)
def halved(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, torch.arange((width + 1) // 2) / width, base)


@EXERCISE.mistake(
    "there is a hand for every feature, not for every pair",
    why="Sine and cosine of a pair share one hand, so there are half as many hands as features. "
    "With one speed for each feature, a step is no rotation any more.",
    section="The wrong table",
)
def of_features(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, torch.arange(width) / width, base)


@EXERCISE.mistake(
    "each hand is faster than the last",
    why="The exponent is negative: the first hand turns by one radian a step, and all others "
    "more slowly. Without the minus they race.",
)
def faster(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, -torch.arange(0, width, 2) / width, base)


@EXERCISE.mistake(
    "every hand has the same speed",
    why="All columns are alike. // drops the fraction, and 2i // width is 0 for every hand: "
    "divide with /. A clock needs slow hands to tell noon from evening.",
)
def same_speed(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, 0.0 * torch.arange(0, width, 2), base)


@EXERCISE.mistake(
    "positions are counted from 1",
    why="The first token stands at position 0, where all hands point straight up. Take the "
    "positions as they are given.",
)
def from_one(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(positions + 1, width, base)


@EXERCISE.mistake(
    "the base is always 10,000",
    why="That is the paper's, but here the base is an argument: in the small example of the "
    "chapter it is 100, and in models for long texts it is a million.",
)
def fixed_base(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(positions, width, 10_000)


@EXERCISE.mistake(
    "the given positions are not looked at",
    why="It numbers the tokens 0, 1, 2, … itself. With padding on the left, or when a text goes "
    "on, a token's position is not its place in the tensor.",
    section="The sentence that moved",
)
def own_numbers(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(torch.arange(positions.size(-1)).expand_as(positions), width, base)


@EXERCISE.mistake(
    "positions and hands have changed places",
    why="Each row belongs to a position, each column to a hand. Give the positions a new last "
    "axis, positions[..., None], and the hands will lie along it.",
    section="Every shape",
)
def transposed(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(positions, width, base).transpose(-2, -1)


@EXERCISE.mistake(
    "an odd width loses its last hand",
    why="Five features are two pairs and a half, and the half needs a hand too: there are "
    "(width + 1) // 2 of them.",
    section="The odd one out",
)
def lost_hand(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(positions, width, base)[..., : width // 2]
