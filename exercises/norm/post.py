"""post_norm: add the sublayer's output, then normalise."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import NORMS
from .given import sublayer
from .layer import layer_norm
from .parts import GENERAL, wiring_general, wiring_probes, wiring_silent, wiring_values


def post_norm(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Add the sublayer's output, then normalise."""
    return layer_norm(x + sublayer(x, weight), gamma, beta, eps)


EXERCISE = Exercise(
    __name__,
    post_norm,
    results={"stream": "tokens, features"},
    section="Before or after: pre-norm and post-norm",
    forbidden=NORMS,
)


@EXERCISE.requires("The result is the norm of x plus the sublayer's output for x.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return wiring_values(draw)


@EXERCISE.requires("If the sublayer returns zeros, x alone goes into the norm.", points=1)
def silent(draw: Draw) -> list[Inputs]:
    return wiring_silent(draw)


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    return wiring_general(draw)


EXERCISE.untouched()
EXERCISE.trains()
EXERCISE.probe(wiring_probes)


EXERCISE.edit(
    "that is pre-norm",
    "x + sublayer(layer_norm(x, gamma, beta, eps), weight)",
    why="The norm comes before the sublayer, on the branch. Post-norm adds first and then "
    "normalises the sum, so the stream itself runs through the norm.",
)
EXERCISE.edit(
    "nothing is added",
    {"x + sublayer": "sublayer"},
    why="\nAdd the sublayer's output to x. Without the addition everything that came before has to "
    "pass through the sublayer, and the identity is hard to learn.",
    section="The residual stream: add, don't replace",
)
EXERCISE.edit(
    "only the sublayer's result is normalised, not the sum",
    "x + layer_norm(sublayer(x, weight), gamma, beta, eps)",
    why="\nFirst add, then normalise: Norm(x + f(x)). In x + Norm(f(x)) the stream is never "
    "normalised, and each addition has the same size.",
)
EXERCISE.edit(
    "there is no norm",
    {"layer_norm(x + sublayer(x, weight), gamma, beta, eps)": "x + sublayer(x, weight)"},
    why="x + f(x) alone keeps the path clear, but the numbers in the stream grow from layer to "
    "layer.\nNormalise the sum.",
)
EXERCISE.edit(
    "the norm is taken twice, before and after",
    {"x,": "layer_norm(x, gamma, beta, eps),"},
    why="One norm for each sublayer: in post-norm the sublayer reads x as it is, and the sum is "
    "normalised.",
)
EXERCISE.edit(
    "the sublayer's matrix is transposed",
    {"@ weight": "@ weight.mT"},
    why="nn.Linear stores its matrix transposed. This one is that of the formula, x W.\n`sublayer` "
    "takes it as it is.",
)
EXERCISE.edit(
    "x alone is normalised, and then added to",
    "layer_norm(x, gamma, beta, eps) + sublayer(x, weight)",
    why="The norm comes last.\nNorm(x + f(x)). In Norm(x) + f(x) the sum is never normalised.",
)
EXERCISE.edit(
    "x is added again after the norm",
    {"return": "return x +"},
    why="The residual connection is inside.\nNorm(x + f(x)). Added again after the norm, x makes "
    "the stream grow from layer to layer.",
)
EXERCISE.edit(
    "each part is normalised by itself",
    "found = layer_norm(sublayer(x, weight), gamma, beta, eps); "
    "return layer_norm(x, gamma, beta, eps) + found",
    why="The norm of a sum is not the sum of the norms.\nFirst add, then normalise once.",
)
