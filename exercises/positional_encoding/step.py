"""step_matrix: rotate every pair by its frequency times delta."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .angles import angles


def step_matrix(delta: int, d_model: int, base: int) -> Tensor:
    """Return the matrix that shifts the encoding of any position by delta."""
    turns = angles(torch.tensor(float(delta), dtype=torch.float64), d_model, base)
    return along_the_diagonal(block(turns)).float()


def block(turn: Tensor) -> Tensor:
    """Return for each angle the matrix that rotates sine and cosine by it."""
    return square(turn.cos(), turn.sin(), -turn.sin(), turn.cos())


def square(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    """Arrange four numbers for each angle as a 2 × 2 block."""
    return torch.stack([a, b, c, d], dim=-1).unflatten(-1, (2, 2))


def along_the_diagonal(blocks: Tensor) -> Tensor:
    """Return the block-diagonal matrix of all blocks."""
    return torch.block_diag(*blocks)


EXERCISE = Exercise(
    __name__, step_matrix, results={"matrix": "features, features"}, section="A step is a rotation"
)


@EXERCISE.requires(
    "The matrix maps the encoding of any position to that of the position delta further.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Return steps forward, the first with a single frequency."""
    far, base = draw.ids(1, low=4, high=9).item(), draw.ids(1, low=20, high=200).item()
    cases = ((1, 2, 100), (1, 4, 100), (2, 6, 50), (far, 8, base), (3, 4, 1000))
    return [Inputs(case) for case in cases]


@EXERCISE.requires("A negative delta goes back, and 0 stays where it is.", points=1)
def back(draw: Draw) -> list[Inputs]:
    """Return steps backward, and a step of 0."""
    back, base = -draw.ids(1, low=4, high=9).item(), draw.ids(1, low=20, high=200).item()
    cases = ((-1, 4, 100), (-2, 6, 50), (back, 8, base), (0, 4, 100))
    return [Inputs(case) for case in cases]


EXERCISE.edit(
    "it rotates the wrong way",
    {"(delta)": "(-delta)"},
    why="The matrix moves the encoding delta positions back.\nEach pair is (sine, cosine), in this "
    "order, so the minus belongs to the sine at the lower left. A matrix for rows, p @ R, has the "
    "same effect; the task asks for R @ p.",
)
EXERCISE.edit(
    "the minus is missing",
    {"-turn": "turn"},
    why="cos(a + b) = cos a cos b - sin a sin b: one of the two sines in a block is negative. "
    "Without it the block is not a rotation, and vectors change their length.",
)
EXERCISE.edit(
    "sines and cosines are swapped",
    {"cos(), turn.sin(), -turn.sin(), turn.cos": "sin(), turn.cos(), -turn.cos(), turn.sin"},
    why="In a block the cosines are on the diagonal.\nFor a step of 0 it is the identity.",
)
EXERCISE.edit(
    "the pairs are features i and i + d_model / 2",
    "(a, b), (c, d) = ([row.diag() for row in rows] for rows in blocks.permute(1, 2, 0)); "
    "return torch.cat([torch.cat([a, b], dim=1), torch.cat([c, d], dim=1)])",
    why="In this table a pair's sine and cosine are neighbours, features 2i and 2i + 1, so its "
    "block is on the diagonal. Yours fits a table that has all sines first.",
    of=along_the_diagonal,
)
EXERCISE.edit(
    "a step back goes forwards",
    {"(delta)": "(abs(delta))"},
    why="delta may be negative: then the sines change their sign, and the matrix undoes the step "
    "forwards.\nDo not take its absolute value.",
)
EXERCISE.edit(
    "a step back is not taken",
    {"float(delta)": "max(delta, 0)"},
    why="delta may be negative.\nThen a loop over range(delta) does nothing. Each hand turns by "
    "its speed times delta, whatever its sign.",
)


@EXERCISE.mistake(
    "the blocks overlap",
    why="A block is two wide, so block i begins at row and column 2 i. At i, each block "
    "overwrites a part of the one before, and the end of the diagonal stays empty.",
)
def overlapping(delta: int, d_model: int, base: int) -> Tensor:
    matrix = torch.zeros(d_model, d_model)
    for i, turn in enumerate(block(angles(torch.tensor(float(delta)), d_model, base))):
        matrix[i : i + 2, i : i + 2] = turn
    return matrix
