"""step_matrix: turn every hand by its speed times delta."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.positional_encoding import position_angles


def step_matrix(delta: int, d_model: int, base: int) -> Tensor:
    """Turn every hand by its speed times delta."""
    turn = position_angles(torch.tensor([delta]), d_model, float(base), torch.float64)[0]
    cos, sin = turn.cos(), turn.sin()
    blocks = torch.stack([cos, sin, -sin, cos], dim=-1).view(-1, 2, 2)
    return torch.block_diag(*blocks).float()


EXERCISE = Exercise(
    __name__, step_matrix, results={"matrix": "features, features"}, section="A step is a rotation"
)


@EXERCISE.requires(
    "The matrix takes the encoding of any position to that of delta positions on.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give steps forward, the first with a single hand."""
    far, base = draw.ids(1, low=4, high=9).item(), draw.ids(1, low=20, high=200).item()
    cases = ((1, 2, 100), (1, 4, 100), (2, 6, 50), (far, 8, base), (3, 4, 1000))
    return [Inputs(case) for case in cases]


@EXERCISE.requires("A negative delta goes back, and 0 stays where it is.", points=1)
def back(draw: Draw) -> list[Inputs]:
    """Give steps backward, and the step of 0 that is none."""
    back, base = -draw.ids(1, low=4, high=9).item(), draw.ids(1, low=20, high=200).item()
    cases = ((-1, 4, 100), (-2, 6, 50), (back, 8, base), (0, 4, 100))
    return [Inputs(case) for case in cases]


def turns(delta: int, d_model: int, base: int) -> Tensor:
    """Give the angle by which each hand turns in delta steps."""
    return delta * base ** (-torch.arange(0, d_model, 2) / d_model)


def blocks(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> Tensor:
    """Put the blocks ((a, b), (c, d)) of all hands along the diagonal of one matrix."""
    return torch.block_diag(*torch.stack([a, b, c, d], dim=-1).view(-1, 2, 2))


def right_step(delta: int, d_model: int, base: int) -> Tensor:
    """Give the matrix as it should be."""
    turn = turns(delta, d_model, base)
    return blocks(turn.cos(), turn.sin(), -turn.sin(), turn.cos())


@EXERCISE.mistake(
    "it turns the wrong way round",
    why="The matrix takes the table delta positions back. Each pair is (sine, cosine), in this "
    "order, so the minus belongs to the lower left sine. The same comes of a matrix for rows, "
    "p @ R, where R @ p is asked for.",
)
def backwards(delta: int, d_model: int, base: int) -> Tensor:
    return right_step(delta, d_model, base).mT.contiguous()


@EXERCISE.mistake(
    "the minus is missing",
    why="cos(a + b) = cos a cos b - sin a sin b: one of the two sines in a block is negative. "
    "Without it the block is no rotation, and vectors change their length.",
)
def no_minus(delta: int, d_model: int, base: int) -> Tensor:
    turn = turns(delta, d_model, base)
    return blocks(turn.cos(), turn.sin(), turn.sin(), turn.cos())


@EXERCISE.mistake(
    "the minus stands at a cosine: it mirrors",
    why="With the minus on the diagonal a block is a reflection. Two of them give the identity, "
    "where two steps should give a step of two.",
)
def mirrors(delta: int, d_model: int, base: int) -> Tensor:
    turn = turns(delta, d_model, base)
    return blocks(turn.cos(), turn.sin(), turn.sin(), -turn.cos())


@EXERCISE.mistake(
    "the pairs are features i and i + d_model / 2",
    why="In this table a pair's sine and cosine are neighbours, features 2i and 2i + 1, so its "
    "block stands on the diagonal. Yours fits a table that has all sines first.",
)
def of_halves(delta: int, d_model: int, base: int) -> Tensor:
    turn = turns(delta, d_model, base)
    cos, sin = turn.cos().diag(), turn.sin().diag()
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


@EXERCISE.mistake(
    "every hand turns as far as the first",
    why="Each hand has its own speed, so each block has its own angle: the speed times delta.",
)
def one_speed(delta: int, d_model: int, base: int) -> Tensor:
    turn = delta + 0.0 * turns(delta, d_model, base)
    return blocks(turn.cos(), turn.sin(), -turn.sin(), turn.cos())


@EXERCISE.mistake(
    "it always takes one step",
    why="The matrix does not depend on delta. Each hand turns by its speed times delta.",
)
def of_one(delta: int, d_model: int, base: int) -> Tensor:
    return right_step(1, d_model, base)


@EXERCISE.mistake(
    "a step back is taken forwards",
    why="delta may be negative: then the sines change their sign, and the matrix is the one that "
    "undoes the step forwards. Do not take its absolute value.",
)
def without_sign(delta: int, d_model: int, base: int) -> Tensor:
    return right_step(abs(delta), d_model, base)


@EXERCISE.mistake(
    "the blocks are stacked, not put into one matrix",
    why="d_model / 2 blocks of two by two are right, but nothing to multiply a position with. "
    "torch.block_diag(*blocks) puts them along the diagonal of one matrix.",
)
def stacked(delta: int, d_model: int, base: int) -> Tensor:
    turn = turns(delta, d_model, base)
    return torch.stack([turn.cos(), turn.sin(), -turn.sin(), turn.cos()], dim=-1).view(-1, 2, 2)
