# ruff: noqa: D103 -- the decorator says what is wrong
"""Known-wrong repairs of the two bugs of the chapter on positions, and wrong shapes."""

import math

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

CLOCK = "book/positional_encoding#A clock with many hands"
TABLE = "book/positional_encoding#The wrong table"
AXIS = "book/positional_encoding#The wrong axis"
SHAPE = "book/positional_encoding#Every shape"
ROTARY = "book/positional_encoding#Or turn queries and keys"
ALIBI = "book/positional_encoding#Or let attention fade"

Shapes = tuple[tuple[int, ...], ...]


@mistake(
    "the mistake is still in it",
    why="Look at two words of one sentence: they are given the same vector. Then look at the same "
    "place in two sentences: they are given different ones. Which axis is which?",
    section=AXIS,
)
def add_bug(x: Tensor, table: Tensor) -> Tensor:
    return x + table[: x.size(0), None]


@mistake(
    "every token gets the same vector",
    why="table[n] is one row, and it is added everywhere. What is needed is the first n rows, "
    "table[:n], one for each token of a sentence.",
    section=AXIS,
)
def add_one_row(x: Tensor, table: Tensor) -> Tensor:
    return x + table[x.size(1)]


@mistake(
    "the last rows are added, not the first",
    why="The first token stands at position 0 and gets row 0. table[-n:] are the rows at the end.",
    section=AXIS,
)
def add_last_rows(x: Tensor, table: Tensor) -> Tensor:
    return x + table[-x.size(1) :]


@mistake(
    "the batch still says how many rows are taken",
    why="x.size(0) is the number of sentences. As many rows are needed as a sentence has tokens, "
    "and that is another axis.",
    section=AXIS,
)
def add_batch_many(x: Tensor, table: Tensor) -> Tensor:
    return x + table[: x.size(0)]


@mistake(
    "the right rows still lie along the batch",
    why="Now there is a row for each token, but [:, None] puts them along the first axis, and that "
    "is the batch. Without it they meet the tokens by themselves.",
    section=AXIS,
)
def add_still_first(x: Tensor, table: Tensor) -> Tensor:
    return x + table[: x.size(1), None]


def fill(length: int, d_model: int, sines: float, cosines: float) -> Tensor:
    """Fill a table in loops; sines and cosines say by what i is multiplied in the exponent."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10_000 ** (sines * i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10_000 ** (cosines * i / d_model))
    return table


@mistake(
    "the mistake is still in it",
    why="Work out the third number of the second row, for d_model = 4, with a calculator: by the "
    "formula it is sin(0.01). What is i in this loop, and what is it in the formula?",
    section=TABLE,
)
def loop_bug(length: int, d_model: int) -> Tensor:
    return fill(length, d_model, 2.0, 2.0)


@mistake(
    "now the exponent is too small",
    why="i runs over 0, 2, 4, … and is the formula's 2i already: the exponent is i / d_model. "
    "Halved instead, the hands do not get slow enough.",
    section=CLOCK,
)
def loop_halved(length: int, d_model: int) -> Tensor:
    return fill(length, d_model, 0.5, 0.5)


@mistake(
    "only one of the two exponents is mended",
    why="Sine and cosine of a pair belong to one hand. Yours have two speeds: work the angle out "
    "once and use it twice.",
    section=TABLE,
)
def loop_half_mended(length: int, d_model: int) -> Tensor:
    return fill(length, d_model, 1.0, 2.0)


@loop_half_mended.also
def loop_other_half_mended(length: int, d_model: int) -> Tensor:
    return fill(length, d_model, 2.0, 1.0)


@mistake(
    "the cosine has a speed of its own",
    why="It is worked out with i + 1, but sine and cosine of a pair share one hand and its speed.",
    section=TABLE,
)
def loop_uneven(length: int, d_model: int) -> Tensor:
    features = torch.arange(d_model)
    radians = torch.arange(length)[:, None] * 10_000 ** (-features / d_model)
    return torch.where(features % 2 == 1, radians.cos(), radians.sin())


@mistake(
    "sines and cosines have changed places",
    why="They were right: the sine belongs in feature i, the cosine in i + 1. Look at the angle.",
    section=CLOCK,
)
def loop_swapped(length: int, d_model: int) -> Tensor:
    even = torch.arange(0, d_model, 2)
    radians = torch.arange(length)[:, None] * 10_000 ** (-even / d_model)
    pairs = torch.stack([radians.cos(), radians.sin()], dim=-1)
    return pairs.flatten(-2)[:, :d_model]


def shapes(B: int, T: int, D: int, H: int) -> Shapes:
    """Give the five shapes as they are."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, H, T, K), (H, T, T)


@mistake(
    "the encoding has an axis for the batch",
    why="All sentences share one table, so it has no such axis: (T, D). It is added to every "
    "sentence by broadcasting.",
    section=SHAPE,
)
def shapes_batch(B: int, T: int, D: int, H: int) -> Shapes:
    return ((B, T, D), *shapes(B, T, D, H)[1:])


@mistake(
    "there is an angle for each feature",
    why="Two features share one hand, so a head of width K has K / 2 angles for each position.",
    section=ROTARY,
)
def shapes_angles(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, _, turned, bias = shapes(B, T, D, H)
    return table, total, (T, D // H), turned, bias


@mistake(
    "the angles are those of the whole width",
    why="What is turned is one head's query, of width K = D / H. So there are K / 2 hands, not "
    "D / 2.",
    section=ROTARY,
)
def shapes_whole_width(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, _, turned, bias = shapes(B, T, D, H)
    return table, total, (T, D // 2), turned, bias


@mistake(
    "the queries are turned before they are split into heads",
    why="Rotary works in each head on its own, after the projection and the split: (B, H, T, K).",
    section=ROTARY,
)
def shapes_not_split(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, angles, _, bias = shapes(B, T, D, H)
    return table, total, angles, (B, T, D), bias


@mistake(
    "turning halves the queries' width",
    why="Each pair of features is turned into a pair again: K features go in, K come out. Only the "
    "angles are half as many.",
    section=ROTARY,
)
def shapes_halved(B: int, T: int, D: int, H: int) -> Shapes:
    table, total, angles, _, bias = shapes(B, T, D, H)
    return table, total, angles, (B, H, T, D // H // 2), bias


@mistake(
    "the bias has no axis for the heads",
    why="Each head has its own slope, so there is a table of T by T for every head: (H, T, T).",
    section=ALIBI,
)
def shapes_one_bias(B: int, T: int, D: int, H: int) -> Shapes:
    return (*shapes(B, T, D, H)[:4], (T, T))


@mistake(
    "a size is a fraction",
    why="/ gives a float, even where it divides without a remainder, and a size is a whole "
    "number: divide with //.",
    section=SHAPE,
)
def shapes_fraction(B: int, T: int, D: int, H: int) -> tuple:
    table, total, _, _, bias = shapes(B, T, D, H)
    return table, total, (T, D / H / 2), (B, H, T, D / H), bias


@shapes_fraction.also
def shapes_one_fraction(B: int, T: int, D: int, H: int) -> tuple:
    table, total, _, turned, bias = shapes(B, T, D, H)
    return table, total, (T, D // H / 2), turned, bias


ADD_BUG_MISTAKES = (add_bug, add_one_row, add_last_rows, add_batch_many, add_still_first)
LOOP_BUG_MISTAKES = (
    loop_bug,
    loop_halved,
    loop_half_mended,
    loop_other_half_mended,
    loop_uneven,
    loop_swapped,
)
SHAPES_MISTAKES = (
    shapes_batch,
    shapes_angles,
    shapes_whole_width,
    shapes_not_split,
    shapes_halved,
    shapes_one_bias,
    shapes_fraction,
    shapes_one_fraction,
)
