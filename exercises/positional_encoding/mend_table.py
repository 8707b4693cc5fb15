"""loop_table: the paper's table."""

import math

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .sinusoidal import sinusoidal


def loop_table(length: int, d_model: int) -> Tensor:
    """Return the paper's table."""
    return sinusoidal(torch.arange(length), d_model, 10_000)


EXERCISE = Exercise(
    __name__, loop_table, results={"encoding": "positions, features"}, section="What goes wrong"
)


@EXERCISE.requires("It is the table of the paper.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return widths of two frequencies or more, and one for a long text, where nothing is wrong."""
    length, width = draw.ids(2, low=6, high=40).tolist()
    long = draw.ids(1, low=5100, high=6000).item()
    return [Inputs(case) for case in ((2, 4), (4, 5), (3, 6), (5, 3), (length, width), (long, 2))]


def fill(length: int, d_model: int, sines: float, cosines: float) -> Tensor:
    """Fill a table in loops, with i times `sines` or `cosines` in the exponents."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10_000 ** (sines * i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10_000 ** (cosines * i / d_model))
    return table


EXERCISE.edit(
    "the mistake is still in it",
    {"sinusoidal(torch.arange(length), d_model, 10_000)": "fill(length, d_model, 2.0, 2.0)"},
    why="Compute the third number of the second row, for d_model = 4, with a calculator: by the "
    "formula it is sin(0.01). What is i in this loop, and what is it in the formula?",
)
EXERCISE.edit(
    "now the exponent is too small",
    {"sinusoidal(torch.arange(length), d_model, 10_000)": "fill(length, d_model, 0.5, 0.5)"},
    why="i is 0, 2, 4, …, which is the formula's 2i already.\nThe exponent is i / d_model. Halved, "
    "it does not make the hands slow enough.",
    section="A clock with many hands",
)
EXERCISE.edit(
    "the cosine has a speed of its own",
    "features = torch.arange(d_model); radians = torch.arange(length)[:, None] * 10_000 ** "
    "(-features / d_model); return torch.where(features % 2 == 1, radians.cos(), radians.sin())",
    why="It is computed with i + 1, but sine and cosine of a pair share one hand and its speed.",
)


@EXERCISE.mistake(
    "sines and cosines are swapped",
    why="They were right.\nThe sine belongs in feature i, the cosine in i + 1. Look at the angle.",
    section="A clock with many hands",
)
def swapped(length: int, d_model: int) -> Tensor:
    even = torch.arange(0, d_model, 2)
    radians = torch.arange(length)[:, None] * 10_000 ** (-even / d_model)
    pairs = torch.stack([radians.cos(), radians.sin()], dim=-1)
    return pairs.flatten(-2)[:, :d_model]


@EXERCISE.mistake(
    "the pairs overlap",
    why="i counts pairs now, so the exponent is 2 i / d_model, and a pair is in the columns 2 i "
    "and 2 i + 1.\nIn the columns i and i + 1 each pair overwrites half of the one before.",
)
def overlapping(length: int, d_model: int) -> Tensor:
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range((d_model + 1) // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


EXERCISE.edit(
    "row 0 stays empty",
    "table = loop_table(length, d_model); table[0] = 0; return table",
    why="Position 0 has angles of 0, so its sines are 0.\nBut its cosines are 1.",
    section="A clock with many hands",
)
