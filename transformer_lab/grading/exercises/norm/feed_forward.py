"""feed_forward: widen, bend, narrow."""

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.norm.parts import GENERAL, zeros_and_ones


def feed_forward(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    """Widen, bend, narrow."""
    return narrowed(bent(widened(x, w1, b1)), w2, b2)


def widened(x: Tensor, w1: Tensor, b1: Tensor) -> Tensor:
    """Apply the first layer."""
    return x @ w1 + b1


def bent(hidden: Tensor) -> Tensor:
    """Leave out what is negative."""
    return F.relu(hidden)


def narrowed(hidden: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    """Apply the second layer."""
    return hidden @ w2 + b2


EXERCISE = Exercise(
    __name__,
    feed_forward,
    results={"output": "tokens, features"},
    section="The other half: the feed-forward network",
)


@EXERCISE.requires("Each token is widened, bent by ReLU and narrowed.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Give one vector to do by hand, then widths that all differ."""
    x, b2 = torch.tensor([[1.0, 2.0]]), torch.tensor([10.0, 20.0])
    w1, b1 = torch.tensor([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]]), torch.tensor([0.0, -3.0, 4.0])
    w2 = torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 3.0]])
    drawn = [_network(draw, *size) for size in ((2, 3, 5), (3, 4, 7), (4, 2, 6))]
    return [Inputs((x, w1, b1, w2, b2)), *drawn]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Give batches, float64 and half precision."""
    return [
        _network(draw, 3, 4, 5, 2),
        _network(draw, 3, 2, 4, 2, 3),
        _network(draw, 2, 3, 4, dtype=torch.float64),
        zeros_and_ones(draw, (2, 3), (3, 4), (4,), (4, 3), (3,)),
    ]


EXERCISE.untouched()
EXERCISE.trains()


def _network(
    draw: Draw, t: int, d: int, f: int, *lead: int, dtype: torch.dtype = torch.float32
) -> Inputs:
    """Draw tokens and two layers."""
    shapes = ((*lead, t, d), (d, f), (f,), (f, d), (d,))
    return Inputs(tuple(draw.normal(*shape, dtype=dtype) for shape in shapes))


@EXERCISE.mistake(
    "there is no bend",
    why="Without the ReLU between them, two linear layers are one, and the network can be no more "
    "than a single matrix.",
    of=bent,
)
def no_bend(hidden: Tensor) -> Tensor:
    return hidden


@EXERCISE.mistake(
    "the ReLU comes last",
    why="It belongs between the two layers. At the end it would allow the network to add to the "
    "stream, but never to take anything away.",
)
def bends_last(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return bent(narrowed(widened(x, w1, b1), w2, b2))


@EXERCISE.mistake(
    "there is a ReLU too many, at the end",
    why="The one between the layers is right. A second one at the end would allow the network to "
    "add to the stream, but never to take anything away.",
)
def bends_twice(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return bent(feed_forward(x, w1, b1, w2, b2))


@EXERCISE.mistake(
    "the first bias comes after the ReLU",
    why="The bias says how much of a yes is needed before the ReLU lets anything through, so it "
    "is added before.",
)
def late_bias(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return narrowed(bent(x @ w1) + b1, w2, b2)


@EXERCISE.mistake(
    "the first bias is left out",
    why="Both layers have a bias: b1 is added before the ReLU.",
    of=widened,
)
def no_first_bias(x: Tensor, w1: Tensor, b1: Tensor) -> Tensor:
    return x @ w1


@EXERCISE.mistake(
    "the second bias is left out",
    why="Both layers have a bias: b2 is added at the end.",
    of=narrowed,
)
def no_second_bias(hidden: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return hidden @ w2


@EXERCISE.mistake(
    "it bends by GELU, not by ReLU",
    why="GELU is what BERT and GPT have, a ReLU with a rounded corner. Asked for is the paper's: "
    "what is negative becomes 0, exactly.",
    of=bent,
)
def gelu(hidden: Tensor) -> Tensor:
    return F.gelu(hidden)


@gelu.within(bent)
def gelu_by_tanh(hidden: Tensor) -> Tensor:
    return F.gelu(hidden, approximate="tanh")


@EXERCISE.mistake(
    "it bends by another function, not by ReLU",
    why="Asked for is the paper's: what is negative becomes 0, and the rest stays as it is.",
    of=bent,
)
def tanh(hidden: Tensor) -> Tensor:
    return hidden.tanh()


@tanh.within(bent)
def sigmoid(hidden: Tensor) -> Tensor:
    return hidden.sigmoid()


@tanh.within(bent)
def silu(hidden: Tensor) -> Tensor:
    return F.silu(hidden)


@tanh.within(bent)
def leaky(hidden: Tensor) -> Tensor:
    return F.leaky_relu(hidden)


@tanh.within(bent)
def absolute(hidden: Tensor) -> Tensor:
    return hidden.abs()


@EXERCISE.mistake(
    "the ReLU lets the negative through, not the positive",
    why="What is negative becomes 0, and what is positive stays: max(0, x).",
    of=bent,
)
def negative(hidden: Tensor) -> Tensor:
    return hidden.clamp(max=0)


@EXERCISE.mistake(
    "the residual connection is in it already",
    why="The network gives what is to be added to x. The addition is made outside, around every "
    "sublayer alike; here it would happen twice.",
)
def adds_x(x: Tensor, w1: Tensor, b1: Tensor, w2: Tensor, b2: Tensor) -> Tensor:
    return x + feed_forward(x, w1, b1, w2, b2)
