"""swiglu: a feed-forward network with a gate."""

import torch
import torch.nn.functional as F
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import GENERAL, zeros_and_ones


def swiglu(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    """Return the gated feed-forward network of x."""
    return (let_through(x @ gate) * content(x @ up)) @ down


def let_through(z: Tensor) -> Tensor:
    """Apply the gate's activation, swish."""
    return F.silu(z)


def content(z: Tensor) -> Tensor:
    """Return the gated content unchanged."""
    return z


EXERCISE = Exercise(
    __name__,
    swiglu,
    results={"output": "tokens, features"},
    section="The other half: the feed-forward network",
)


@EXERCISE.requires(
    "The gate, one branch through swish, multiplies the other branch, and the third matrix "
    "projects down.",
    points=2,
)
def values(draw: Draw) -> list[Inputs]:
    """Return widths that all differ, and numbers whose exponentials overflow.

    These are integers far from 0, since fractions could cancel and leave rounding alone.
    """
    drawn = [_gated(draw, *size) for size in ((2, 2, 3), (3, 4, 7), (4, 3, 5), (2, 5, 4))]
    large = 1000 * draw.normal(3, 3)
    matrices = [draw.ids(*size, low=-2, high=3).float() for size in ((3, 4), (3, 4), (4, 3))]
    return [*drawn, Inputs((large, *matrices))]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, square matrices, float64 and half precision."""
    return [
        _gated(draw, 3, 4, 4),
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


EXERCISE.edit(
    "the activation is on the wrong branch",
    "swiglu(x, up, gate, down)",
    why="swish belongs to the gate.\nThat is x @ gate: the other branch, x @ up, stays as it is.",
)
EXERCISE.edit(
    "the gate is a sigmoid",
    {"silu": "sigmoid"},
    why="That is the older GLU. swish multiplies the sigmoid by its own input.\nZ · sigmoid(z).",
)
EXERCISE.edit(
    "the gate is a ReLU",
    {"silu": "relu"},
    why="A ReLU gate is a variant of its own, ReGLU.\nSwish, z · sigmoid(z), is smooth, and "
    "slightly negative for z < 0.",
)
EXERCISE.edit(
    "the gate is a GELU",
    {"silu": "gelu"},
    why="A GELU gate is a variant of its own, GEGLU.\nThis task asks for swish, z · sigmoid(z).",
)
EXERCISE.edit(
    "the activation is missing",
    {"F.silu(z)": "z"},
    why="Gate and content are multiplied, but the gate never goes through swish, z · sigmoid(z).",
)
EXERCISE.edit(
    "the branches are added, not multiplied",
    {"(let_through(x @ gate) * content(x @ up))": "(let_through(x @ gate) + content(x @ up))"},
    why="A gate multiplies: where it is 0, nothing gets through. When you add, both branches "
    "always get through.",
)
EXERCISE.edit(
    "the gate is not used",
    {"(x @ gate) * content(x @ up)": "(x @ up)"},
    why="The gate says how much of x @ up gets through.\nMultiply by its swish.",
)
EXERCISE.edit(
    "swish is taken of the product",
    {"(x @ gate) * content(x @ up)": "((x @ gate) * (x @ up))"},
    why="\nApply swish to the gate alone, and then multiply by x @ up.",
)
EXERCISE.edit(
    "the input is added to the output",
    {"return": "return x +"},
    why="The residual connection is added outside, around every sublayer.",
    section="The residual stream: add, don't replace",
)
EXERCISE.edit(
    "the exponential overflows",
    {"F.silu(z)": "z * (z.exp() / (1 + z.exp()))"},
    why="exp(100) is more than float32 can hold, and inf / inf is nan.\n1 / (1 + exp(-z)) holds "
    "for any z, and so does z.sigmoid().",
    section="book/attention#Weights are a softmax of scores",
)
