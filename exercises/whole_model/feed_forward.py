"""FeedForward: what each token thinks by itself, as a module."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tensorgrader.exercise import Draw, Exercise, Inputs

from .parts import SHAPES, feed_forward_weights, one_step


class FeedForward(nn.Module):
    """A gate on a wider layer, then back to the width."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden, bias=False)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.gated(self.gate(x), self.up(x)))

    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return F.silu(gate) * up


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


@EXERCISE.mistake(
    "the activation is on the wrong branch",
    why="The gate goes through silu, not the up projection. (Or the layers are created in another "
    "order than up, gate, down, in which the checker sets their weights.)",
)
class WrongBranch(FeedForward):
    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return gate * F.silu(up)


@EXERCISE.mistake("the gate is a ReLU", why="Asked for is silu, z · sigmoid(z): `F.silu`.")
class WithRelu(FeedForward):
    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return gate.relu() * up


@EXERCISE.mistake("the gate is a GELU", why="Asked for is silu, z · sigmoid(z): `F.silu`.")
class WithGelu(FeedForward):
    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return F.gelu(gate) * up


@EXERCISE.mistake(
    "the gate is a sigmoid", why="silu is z · sigmoid(z), not the sigmoid alone: `F.silu`."
)
class WithSigmoid(FeedForward):
    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return gate.sigmoid() * up


@EXERCISE.mistake(
    "the branches are added, not multiplied", why="A gate lets through or holds back: multiply."
)
class Added(FeedForward):
    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return F.silu(gate) + up


@EXERCISE.mistake(
    "the activation is missing", why="Without silu the gate is only another linear layer."
)
class NoBend(FeedForward):
    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return gate * up


@EXERCISE.mistake(
    "the gate is not used", why="There are two branches: silu(gate(x)) multiplies up(x)."
)
class NoGate(FeedForward):
    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return F.silu(up) + 0 * gate


@NoGate.also
class OnlyUp(FeedForward):
    def gated(self, gate: Tensor, up: Tensor) -> Tensor:
        return up + 0 * gate


@EXERCISE.mistake(
    "the input is added to the output",
    why="The residual connection belongs to the block, which adds what this returns.",
)
class WithResidual(FeedForward):
    def forward(self, x: Tensor) -> Tensor:
        return x + super().forward(x)


@EXERCISE.mistake(
    "its layers have biases",
    why="`nn.Linear` has a bias unless you say `bias=False`, and then there are six parameters.",
)
class WithBiases(FeedForward):
    def __init__(self, width: int, hidden: int) -> None:
        super().__init__(width, hidden)
        sizes = (hidden, hidden, width)
        self.biases = nn.ParameterList(nn.Parameter(torch.zeros(size)) for size in sizes)
