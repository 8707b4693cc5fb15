"""add_learned: look each position up."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.positional_encoding.parts import some_positions


def add_learned(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    """Look each position up."""
    return x + table[positions]


EXERCISE = Exercise(
    __name__,
    add_learned,
    results={"sum": "tokens, features"},
    section="Add something to each vector",
)


@EXERCISE.requires(
    "Each token gets the table's row of its own position, added to its vector.", points=1
)
def values(draw: Draw) -> list[Inputs]:
    """Give each sentence positions of its own, as padding on the left makes them."""
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    by_hand = (torch.ones(2, 2, 2) * 10, torch.tensor([[0, 1], [0, 0]]), table)
    sizes = ((2, 3, 4, 6), (3, 2, 5, 4), (2, 4, 3, 7))
    return [Inputs(by_hand), *(Inputs(_placed(draw, *size)) for size in sizes)]


@EXERCISE.requires(
    "It works with shared positions, without a batch, and keeps the dtype.", points=1
)
def general(draw: Draw) -> list[Inputs]:
    """Give positions shared by all, a sentence without a batch, one token, other precisions."""
    return [
        Inputs((draw.normal(3, 4, 2), some_positions(draw, 4, high=5), draw.normal(5, 2))),
        Inputs((draw.normal(4, 3), some_positions(draw, 4, high=6), draw.normal(6, 3))),
        Inputs(_placed(draw, 2, 3, 4, 5, dtype=torch.float64)),
        Inputs(_placed(draw, 1, 1, 4, 5, dtype=torch.float16)),
    ]


EXERCISE.untouched()
EXERCISE.trains()


def _placed(
    draw: Draw, b: int, t: int, d: int, rows: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw words, their positions and a table."""
    x, table = draw.normal(b, t, d, dtype=dtype), draw.normal(rows, d, dtype=dtype)
    return x, some_positions(draw, b, t, high=rows), table


@EXERCISE.mistake(
    "the vectors are added along the batch",
    why="All words of a sentence get the same vector, and each sentence another one: "
    "x.size(0) is the batch. Look each token's own position up: table[positions].",
    section="The wrong axis",
)
def along_batch(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x + table[: x.size(0), None]


@EXERCISE.mistake(
    "the given positions are not looked at",
    why="It adds the first rows of the table in order. With padding on the left a token's "
    "position is not its place in the tensor: table[positions] looks up the right one.",
    section="The sentence that moved",
)
def in_order(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x + table[: x.size(-2)]


@EXERCISE.mistake(
    "it multiplies where it should add",
    why="A position is added to the word: x + p. Multiplied, a position whose vector has a 0 "
    "would wipe out a feature of every word that stands there.",
)
def multiplies(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x * table[positions]


@EXERCISE.mistake(
    "the word is gone",
    why="It returns the positions' vectors alone. They are added to the words' vectors, x.",
)
def without_word(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return table[positions].expand(x.shape).clone()


@EXERCISE.mistake(
    "positions are taken to begin at 1",
    why="Row 0 of the table belongs to position 0. Taking 1 off moves everybody, and position 0 "
    "gets the last row of the table without any error.",
    section="Or let the model learn them",
)
def one_off(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x + table[positions - 1]


@EXERCISE.mistake(
    "it changes the caller's tensor",
    why="+= writes into the tensor you were given, and whoever called still has it. Make a new "
    "one: x + ...",
)
def in_place(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    x += table[positions]
    return x
