"""add_learned: look each position up."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.positional_encoding.parts import some_positions


def add_learned(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    """Look each position up."""
    return x + looked_up(positions, table)


def looked_up(positions: Tensor, table: Tensor) -> Tensor:
    """Give each position's row."""
    return table[positions]


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
    why="All words of a sentence get the same vector, and each sentence another one: x.size(0) "
    "is the batch. Look each token's own position up.",
    section="What goes wrong",
)
def along_batch(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x + table[: x.size(0), None]


@EXERCISE.mistake(
    "the given positions are not looked at",
    why="It adds the first rows of the table in order. With padding on the left a token's "
    "position is not its place in the tensor: look up the one that is given.",
    section="What goes wrong",
    of=looked_up,
)
def in_order(positions: Tensor, table: Tensor) -> Tensor:
    return table[: positions.size(-1)]


@EXERCISE.mistake(
    "it multiplies where it should add",
    why="A position is added to the word: x + p. Multiplied, a position whose vector has a 0 "
    "would wipe out a feature of every word that stands there.",
)
def multiplies(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x * looked_up(positions, table)


@EXERCISE.mistake(
    "the word is gone",
    why="It returns the positions' vectors alone. They are added to the words' vectors, x.",
)
def without_word(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return looked_up(positions, table).expand(x.shape).clone()


@EXERCISE.mistake(
    "positions are taken to begin at 1",
    why="Row 0 of the table belongs to position 0. Taking 1 off moves everybody, and position 0 "
    "gets the last row of the table without any error.",
    section="Or let the model learn them",
    of=looked_up,
)
def one_off(positions: Tensor, table: Tensor) -> Tensor:
    return table[positions - 1]


@EXERCISE.mistake(
    "every sentence gets the first one's positions",
    why="With padding on the left each sentence is numbered in its own way.",
    section="What goes wrong",
    of=looked_up,
)
def of_first(positions: Tensor, table: Tensor) -> Tensor:
    return table[positions[0]] if positions.dim() > 1 else table[positions]


@EXERCISE.mistake(
    "the positions are not added",
    why="The words come back as they went in: without positions they are a bag of words.",
)
def nothing_added(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x.clone()


@EXERCISE.mistake(
    "the positions themselves are added, not their vectors",
    why="A position is looked up in the table, and the row that stands there is added.",
)
def numbers_added(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return x + positions.unsqueeze(-1).to(x.dtype)


@EXERCISE.mistake(
    "the words are scaled",
    why="Words and positions are added as they are. The paper's factor √d is another thing.",
)
def scaled(x: Tensor, positions: Tensor, table: Tensor) -> Tensor:
    return add_learned(x * x.size(-1) ** 0.5, positions, table)
