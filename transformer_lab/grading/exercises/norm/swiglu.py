"""swiglu: let through what the gate lets through."""

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.norm.parts import GENERAL, zeros_and_ones


def swiglu(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    """Let through what the gate lets through."""
    return (F.silu(x @ gate) * (x @ widen)) @ narrow


EXERCISE = Exercise(
    __name__,
    swiglu,
    results={"output": "tokens, features"},
    section="The other half: the feed-forward network",
)


@EXERCISE.requires(
    "swish of one branch lets the other through, and the third matrix narrows.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give widths that all differ."""
    return [_gated(draw, *size) for size in ((2, 2, 3), (3, 4, 7), (4, 3, 5), (2, 5, 4))]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Give batches, float64 and half precision."""
    return [
        _gated(draw, 3, 4, 5, 2),
        _gated(draw, 3, 2, 4, 2, 3),
        _gated(draw, 2, 3, 4, dtype=torch.float64),
        zeros_and_ones(draw, (2, 3), (3, 4), (3, 4), (4, 3)),
    ]


EXERCISE.untouched()
EXERCISE.trains()


def _gated(
    draw: Draw, t: int, d: int, f: int, *lead: int, dtype: torch.dtype = torch.float32
) -> Inputs:
    """Draw tokens and three matrices."""
    shapes = ((*lead, t, d), (d, f), (d, f), (f, d))
    return Inputs(tuple(draw.normal(*shape, dtype=dtype) for shape in shapes))


@EXERCISE.mistake(
    "the bend is on the wrong branch",
    why="swish belongs to the gate, x @ gate. What the gate lets through, x @ widen, stays as it "
    "is.",
)
def other_branch(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return ((x @ gate) * F.silu(x @ widen)) @ narrow


@EXERCISE.mistake(
    "both branches are bent",
    why="Only the gate goes through swish. What it lets through, x @ widen, stays as it is.",
)
def both(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return (F.silu(x @ gate) * F.silu(x @ widen)) @ narrow


@EXERCISE.mistake(
    "the gate is a sigmoid",
    why="That is the older GLU. swish multiplies the sigmoid by its own input: z · sigmoid(z).",
)
def sigmoid(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return ((x @ gate).sigmoid() * (x @ widen)) @ narrow


@EXERCISE.mistake(
    "the gate is a ReLU",
    why="A gate of ReLU is a variant of its own, ReGLU. swish, z · sigmoid(z), is smooth, and a "
    "little below 0 on the left.",
)
def relu(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return (F.relu(x @ gate) * (x @ widen)) @ narrow


@EXERCISE.mistake(
    "there is no bend",
    why="Gate and content are multiplied, but the gate never goes through swish, z · sigmoid(z).",
)
def no_bend(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return ((x @ gate) * (x @ widen)) @ narrow


@EXERCISE.mistake(
    "the branches are added, not multiplied",
    why="A gate multiplies: where it is 0, nothing gets through. Added, both would always get "
    "through.",
)
def added(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return (F.silu(x @ gate) + x @ widen) @ narrow


@EXERCISE.mistake(
    "the second branch is not looked at",
    why="It is the plain network with swish for ReLU. What the gate lets through is x @ widen: "
    "multiply the two.",
)
def no_content(x: Tensor, gate: Tensor, widen: Tensor, narrow: Tensor) -> Tensor:
    return F.silu(x @ gate) @ narrow
