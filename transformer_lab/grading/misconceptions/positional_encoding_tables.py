# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write angles and the sinusoidal table."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

CLOCK = "book/positional_encoding#A clock with many hands"
TABLE = "book/positional_encoding#The wrong table"
ODD = "book/positional_encoding#The odd one out"
SHAPE = "book/positional_encoding#Every shape"
MOVED = "book/positional_encoding#The sentence that moved"


def turned(positions: Tensor, exponents: Tensor, base: int) -> Tensor:
    """Turn positions by hands of the given speeds, base to the power of minus the exponents."""
    return positions[..., None] * base ** (-exponents)


def pairs_of(radians: Tensor, d_model: int) -> Tensor:
    """Interleave sines and cosines, cut to the width."""
    pairs = torch.stack([radians.sin(), radians.cos()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


def right_angles(positions: Tensor, width: int, base: int) -> Tensor:
    """Give the angles as they should be."""
    return turned(positions, torch.arange(0, width, 2) / width, base)


@mistake(
    "the exponent is doubled",
    why="The formula's 2i is already 0, 2, 4, … when you count with torch.arange(0, width, 2). "
    "Doubled once more, every hand but the first is far too slow.",
    section=TABLE,
)
def angles_doubled(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, 2 * torch.arange(0, width, 2) / width, base)


@mistake(
    "the exponent is halved",
    why="Hand i has the exponent 2i / width, not i / width: the hands do not get slow enough. "
    "The last one of a wide vector should be nearly base times slower than the first.",
    section=CLOCK,
)
def angles_halved(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, torch.arange((width + 1) // 2) / width, base)


@mistake(
    "there is a hand for every feature, not for every pair",
    why="Sine and cosine of a pair share one hand, so there are half as many hands as features. "
    "With one speed for each feature, a step is no rotation any more.",
    section=TABLE,
)
def angles_of_features(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, torch.arange(width) / width, base)


@mistake(
    "each hand is faster than the last",
    why="The exponent is negative: the first hand turns by one radian a step, and all others "
    "more slowly. Without the minus they race.",
    section=CLOCK,
)
def angles_faster(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, -torch.arange(0, width, 2) / width, base)


@mistake(
    "every hand has the same speed",
    why="All columns are alike. // drops the fraction, and 2i // width is 0 for every hand: "
    "divide with /. A clock needs slow hands to tell noon from evening.",
    section=CLOCK,
)
def angles_same_speed(positions: Tensor, width: int, base: int) -> Tensor:
    return turned(positions, 0.0 * torch.arange(0, width, 2), base)


@mistake(
    "positions are counted from 1",
    why="The first token stands at position 0, where all hands point straight up. Take the "
    "positions as they are given.",
    section=CLOCK,
)
def angles_from_one(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(positions + 1, width, base)


@mistake(
    "the base is always 10,000",
    why="That is the paper's, but here the base is an argument: in the small example of the "
    "chapter it is 100, and in models for long texts it is a million.",
    section=CLOCK,
)
def angles_fixed_base(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(positions, width, 10_000)


@mistake(
    "the given positions are not looked at",
    why="It numbers the tokens 0, 1, 2, … itself. With padding on the left, or when a text goes "
    "on, a token's position is not its place in the tensor.",
    section=MOVED,
)
def angles_own_numbers(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(torch.arange(positions.size(-1)).expand_as(positions), width, base)


@mistake(
    "positions and hands have changed places",
    why="Each row belongs to a position, each column to a hand. Give the positions a new last "
    "axis, positions[..., None], and the hands will lie along it.",
    section=SHAPE,
)
def angles_transposed(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(positions, width, base).transpose(-2, -1)


@mistake(
    "an odd width loses its last hand",
    why="Five features are two pairs and a half, and the half needs a hand too: there are "
    "(width + 1) // 2 of them.",
    section=ODD,
)
def angles_lost_hand(positions: Tensor, width: int, base: int) -> Tensor:
    return right_angles(positions, width, base)[..., : width // 2]


@mistake(
    "sines and cosines have changed places",
    why="Feature 2i is the sine and feature 2i + 1 the cosine: at position 0 the row begins "
    "0, 1. Yours begins 1, 0.",
    section=CLOCK,
)
def table_swapped(positions: Tensor, d_model: int, base: int) -> Tensor:
    radians = right_angles(positions, d_model, base)
    pairs = torch.stack([radians.cos(), radians.sin()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


@mistake(
    "all sines come first, then all cosines",
    why="Those are the right numbers in other columns. Some libraries order them so, but the "
    "paper's table, and this one, interleaves: sine, cosine, sine, cosine.",
    section=CLOCK,
)
def table_halves(positions: Tensor, d_model: int, base: int) -> Tensor:
    radians = right_angles(positions, d_model, base)
    return torch.cat([radians.sin(), radians.cos()], dim=-1)[..., :d_model]


@mistake(
    "there are sines and no cosines",
    why="Each pair needs both: a sine alone does not say whether the hand is rising or falling, "
    "and without the cosine no matrix can turn the clock on.",
    section=TABLE,
)
def table_only_sines(positions: Tensor, d_model: int, base: int) -> Tensor:
    return turned(positions, torch.arange(d_model) / d_model, base).sin()


@mistake(
    "sine and cosine of a pair turn at different speeds",
    why="The speed was worked out from the feature, so the cosine's hand is slower than the "
    "sine's. Both belong to one hand: work it out once for each pair.",
    section=TABLE,
)
def table_uneven(positions: Tensor, d_model: int, base: int) -> Tensor:
    radians = turned(positions, torch.arange(d_model) / d_model, base)
    odd = torch.arange(d_model) % 2 == 1
    return torch.where(odd, radians.cos(), radians.sin())


@mistake(
    "with an odd width the last column stays 0",
    why="A loop over d_model // 2 pairs never reaches the last feature. It is the sine of one "
    "more hand.",
    section=ODD,
)
def table_empty_column(positions: Tensor, d_model: int, base: int) -> Tensor:
    table = pairs_of(right_angles(positions, d_model, base), d_model)
    return table * (torch.arange(d_model) < d_model // 2 * 2)


@mistake(
    "with an odd width there is a column too many",
    why="Three hands make six features. Cut the last cosine off: [..., :d_model].",
    section=ODD,
)
def table_too_wide(positions: Tensor, d_model: int, base: int) -> Tensor:
    return pairs_of(right_angles(positions, d_model, base), d_model + 1)


@mistake(
    "the speed stands outside the sine",
    why="A slow hand is one whose angle grows slowly: sin(speed · position). speed · sin(position) "
    "is a fast hand that swings less.",
    section=CLOCK,
)
def table_speed_outside(positions: Tensor, d_model: int, base: int) -> Tensor:
    speeds = right_angles(torch.ones_like(positions), d_model, base)
    there = positions[..., None]
    pairs = torch.stack([speeds * there.sin(), speeds * there.cos()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


@mistake(
    "the exponent is doubled",
    why="The formula's 2i is already 0, 2, 4, … when you count with torch.arange(0, d_model, 2). "
    "Your own `angles` has it right: call it.",
    section=TABLE,
)
def table_doubled(positions: Tensor, d_model: int, base: int) -> Tensor:
    radians = turned(positions, 2 * torch.arange(0, d_model, 2) / d_model, base)
    return pairs_of(radians, d_model)


ANGLES_MISTAKES = (
    angles_doubled,
    angles_halved,
    angles_of_features,
    angles_faster,
    angles_same_speed,
    angles_from_one,
    angles_fixed_base,
    angles_own_numbers,
    angles_transposed,
    angles_lost_hand,
)
TABLE_MISTAKES = (
    table_swapped,
    table_halves,
    table_only_sines,
    table_uneven,
    table_empty_column,
    table_too_wide,
    table_speed_outside,
    table_doubled,
)
