"""FeedForward: what each token thinks by itself, as a module."""

import torch.nn.functional as F
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import SHAPES, feed_forward_weights, fitting, one_step


class FeedForward(nn.Module):
    """A gate on a wider layer, then back to the width."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        gate, up = self.gate(x), self.up(x)
        return self.down(F.silu(gate) * up)


EXERCISE = Exercise(
    __name__,
    FeedForward,
    results={
        SHAPES: "",
        "output": "texts, tokens, features",
        "output after a step": "texts, tokens, features",
    },
    section="book/whole_model#A GPT on one page",
    driver=one_step,
    effect=fitting,
    seconds=10.0,
)


@EXERCISE.requires(
    "With its three matrices it gives down(silu(gate) · up), before and after a training step.",
    points=3,
)
def values(draw: Draw) -> list[Inputs]:
    """Return a few widths."""
    cases = ((1, 2, 2, 3), (2, 3, 4, 6), (3, 2, 6, 8), (1, 5, 3, 9), (2, 2, 4, 2), (1, 2, 2, 4, 6))
    return [_inputs(draw, *case) for case in cases]


def _inputs(draw: Draw, *shape: int) -> Inputs:
    """Draw texts, and the weights of a network, whose hidden width comes last."""
    *axes, width, hidden = shape
    weights = feed_forward_weights(draw, width, hidden)
    return Inputs((draw.normal(*axes, width), weights, (width, hidden)))


EXERCISE.edit(
    "the activation is on the wrong branch",
    {"F.silu(gate) * up": "gate * F.silu(up)"},
    why="The gate goes through silu, not the up projection. (Or the layers are created in another "
    "order than up, gate, down, in which the checker sets their weights.)",
)
EXERCISE.edit(
    "the gate is a ReLU",
    {"F.silu(gate)": "gate.relu()"},
    why="Asked for is silu, z · sigmoid(z).\n`F.silu`.",
)
EXERCISE.edit(
    "the gate is a GELU",
    {"F.silu": "F.gelu"},
    why="Asked for is silu, z · sigmoid(z).\n`F.silu`.",
)
EXERCISE.edit(
    "the gate is a sigmoid",
    {"F.silu(gate)": "gate.sigmoid()"},
    why="silu is z · sigmoid(z), not the sigmoid alone.\n`F.silu`.",
)
EXERCISE.edit(
    "the branches are added, not multiplied",
    {" * up": " + up"},
    why="A gate lets through or holds back.\nMultiply.",
)
EXERCISE.edit(
    "the activation is missing",
    {"F.silu(gate)": "gate"},
    why="Without silu the gate is only another linear layer.",
)
EXERCISE.edit(
    "the gate is not used",
    {"F.silu(gate) * up": "F.silu(up)"},
    {"F.silu(gate) * up": "up"},
    why="There are two branches.\nsilu(gate(x)) multiplies up(x).",
)
EXERCISE.edit(
    "the input is added to the output",
    {"return ": "return x + "},
    why="The residual connection belongs to the block, which adds what this returns.",
)
