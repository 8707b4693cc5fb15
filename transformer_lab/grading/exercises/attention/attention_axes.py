"""attention goes on: known mistakes in choosing an axis."""

import math

from torch import Tensor

from transformer_lab.grading.exercises.attention.attention import EXERCISE
from transformer_lab.grading.exercises.attention.parts import Pair, attend


@EXERCISE.mistake(
    "softmax runs over the queries, not the keys",
    why="Each query shares out its own attention, so each row of weights has to sum to one. Here "
    "the columns do: take the last axis, dim=-1.",
    section="What goes wrong",
)
def over_queries(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-1)), v, dim=-2)


@EXERCISE.mistake(
    "the axis is counted from the front",
    why="dim=1 is the keys' axis of a matrix, and another one as soon as batch and heads stand "
    "before it. Counted from the back it is the same for all: dim=-1.",
    section="What goes wrong",
)
def axis_one(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-1)), v, dim=1)


@axis_one.also
def axis_nought(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-1)), v, dim=0)


@EXERCISE.mistake(
    "the keys are reshaped, not transposed",
    why="Both give a tensor of the right shape, but reshape only cuts the same row of numbers "
    "elsewhere, so the pieces of different keys get mixed. Turning the axes round is transpose.",
    section="What goes wrong",
)
def reshaped(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    turned = k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))
    return attend(q @ turned / math.sqrt(q.size(-1)), v)
