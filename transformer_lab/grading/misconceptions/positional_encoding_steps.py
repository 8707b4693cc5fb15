# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write a step of the clock as a matrix."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

STEP = "book/positional_encoding#A step is a rotation"


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


@mistake(
    "it turns the wrong way round",
    why="The matrix takes the table delta positions back. Each pair is (sine, cosine), in this "
    "order, so the minus belongs to the lower left sine. The same comes of a matrix for rows, "
    "p @ R, where R @ p is asked for.",
    section=STEP,
)
def step_backwards(delta: int, d_model: int, base: int) -> Tensor:
    return right_step(delta, d_model, base).mT.contiguous()


@mistake(
    "the minus is missing",
    why="cos(a + b) = cos a cos b - sin a sin b: one of the two sines in a block is negative. "
    "Without it the block is no rotation, and vectors change their length.",
    section=STEP,
)
def step_no_minus(delta: int, d_model: int, base: int) -> Tensor:
    turn = turns(delta, d_model, base)
    return blocks(turn.cos(), turn.sin(), turn.sin(), turn.cos())


@mistake(
    "the minus stands at a cosine: it mirrors",
    why="With the minus on the diagonal a block is a reflection. Two of them give the identity, "
    "where two steps should give a step of two.",
    section=STEP,
)
def step_mirrors(delta: int, d_model: int, base: int) -> Tensor:
    turn = turns(delta, d_model, base)
    return blocks(turn.cos(), turn.sin(), turn.sin(), -turn.cos())


@mistake(
    "the pairs are features i and i + d_model / 2",
    why="In this table a pair's sine and cosine are neighbours, features 2i and 2i + 1, so its "
    "block stands on the diagonal. Yours fits a table that has all sines first.",
    section=STEP,
)
def step_of_halves(delta: int, d_model: int, base: int) -> Tensor:
    turn = turns(delta, d_model, base)
    cos, sin = turn.cos().diag(), turn.sin().diag()
    return torch.cat([torch.cat([cos, sin], dim=1), torch.cat([-sin, cos], dim=1)])


@mistake(
    "every hand turns as far as the first",
    why="Each hand has its own speed, so each block has its own angle: the speed times delta.",
    section=STEP,
)
def step_one_speed(delta: int, d_model: int, base: int) -> Tensor:
    turn = delta + 0.0 * turns(delta, d_model, base)
    return blocks(turn.cos(), turn.sin(), -turn.sin(), turn.cos())


@mistake(
    "it always takes one step",
    why="The matrix does not depend on delta. Each hand turns by its speed times delta.",
    section=STEP,
)
def step_of_one(delta: int, d_model: int, base: int) -> Tensor:
    return right_step(1, d_model, base)


@mistake(
    "a step back is taken forwards",
    why="delta may be negative: then the sines change their sign, and the matrix is the one that "
    "undoes the step forwards. Do not take its absolute value.",
    section=STEP,
)
def step_without_sign(delta: int, d_model: int, base: int) -> Tensor:
    return right_step(abs(delta), d_model, base)


@mistake(
    "the blocks are stacked, not put into one matrix",
    why="d_model / 2 blocks of two by two are right, but nothing to multiply a position with. "
    "torch.block_diag(*blocks) puts them along the diagonal of one matrix.",
    section=STEP,
)
def step_stacked(delta: int, d_model: int, base: int) -> Tensor:
    turn = turns(delta, d_model, base)
    return torch.stack([turn.cos(), turn.sin(), -turn.sin(), turn.cos()], dim=-1).view(-1, 2, 2)


STEP_MISTAKES = (
    step_backwards,
    step_no_minus,
    step_mirrors,
    step_of_halves,
    step_one_speed,
    step_of_one,
    step_without_sign,
    step_stacked,
)
