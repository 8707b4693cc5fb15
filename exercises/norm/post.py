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
    section="Before or after?",
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


@EXERCISE.mistake(
    "that is pre-norm",
    why="The norm comes before the sublayer, on the branch. Post-norm adds first and then "
    "normalises the sum, so the stream itself runs through the norm.",
)
def as_pre(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x + sublayer(layer_norm(x, gamma, beta, eps), weight)


EXERCISE.edit(
    "nothing is added",
    {"x + sublayer": "sublayer"},
    why="Add the sublayer's output to x. Without the addition everything that came before has to "
    "pass through the sublayer, and the identity is hard to learn.",
    section="The residual stream: add, don't replace",
)


@EXERCISE.mistake(
    "only the sublayer's result is normalised, not the sum",
    why="First add, then normalise: Norm(x + f(x)). In x + Norm(f(x)) the stream is never "
    "normalised, and each addition has the same size.",
)
def norm_of_result(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


EXERCISE.edit(
    "there is no norm",
    {"layer_norm(x + sublayer(x, weight), gamma, beta, eps)": "x + sublayer(x, weight)"},
    why="x + f(x) alone keeps the path clear, but the numbers in the stream grow from layer to "
    "layer. Normalise the sum.",
)


@EXERCISE.mistake(
    "the norm is taken twice, before and after",
    why="One norm for each sublayer: in post-norm the sublayer reads x as it is, and the sum is "
    "normalised.",
)
def both(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return layer_norm(x + sublayer(layer_norm(x, gamma, beta, eps), weight), gamma, beta, eps)


EXERCISE.edit(
    "the sublayer's matrix is transposed",
    {"@ weight": "@ weight.mT"},
    why="nn.Linear stores its matrix transposed. This one is that of the formula, x W: `sublayer` "
    "takes it as it is.",
    of=sublayer,
)

EXERCISE.edit(
    "the sublayer's ReLU is missing",
    {"torch.relu(x @ weight)": "x @ weight"},
    why="`sublayer` multiplies and then applies ReLU. Call it, and both are done.",
    of=sublayer,
)

EXERCISE.edit(
    "the sublayer is left out",
    {"relu(x @ weight)": "zeros_like(x)"},
    why="Add the sublayer's output to the stream.",
    of=sublayer,
)


@EXERCISE.mistake(
    "the sublayer's result is subtracted, not added",
    why="A residual connection adds: x + f(x).",
    section="The residual stream: add, don't replace",
    of=sublayer,
)
def taken_off(x: Tensor, weight: Tensor) -> Tensor:
    return -sublayer(x, weight)


@EXERCISE.mistake(
    "x alone is normalised, and then added to",
    why="The norm comes last: Norm(x + f(x)). In Norm(x) + f(x) the sum is never normalised.",
)
def norm_of_x(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return layer_norm(x, gamma, beta, eps) + sublayer(x, weight)


@EXERCISE.mistake(
    "x is added again after the norm",
    why="The residual connection is inside: Norm(x + f(x)). Added again after the norm, x makes "
    "the stream grow from layer to layer.",
)
def added_again(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x + post_norm(x, weight, gamma, beta, eps)


@EXERCISE.mistake(
    "each part is normalised by itself",
    why="The norm of a sum is not the sum of the norms. First add, then normalise once.",
)
def each_by_itself(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    found = layer_norm(sublayer(x, weight), gamma, beta, eps)
    return layer_norm(x, gamma, beta, eps) + found
