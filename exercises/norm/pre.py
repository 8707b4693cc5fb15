"""pre_norm: normalise the sublayer's input."""

from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import NORMS
from .given import sublayer
from .layer import layer_norm
from .parts import (
    GENERAL,
    wiring_general,
    wiring_probes,
    wiring_silent,
    wiring_values,
)


def pre_norm(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    """Add a sublayer whose input is normalised."""
    return x + sublayer(layer_norm(x, gamma, beta, eps), weight)


EXERCISE = Exercise(
    __name__,
    pre_norm,
    results={"stream": "tokens, features"},
    section="Before or after?",
    forbidden=NORMS,
)


@EXERCISE.requires("The result is x plus what the sublayer makes of the normalised x.", points=2)
def values(draw: Draw) -> list[Inputs]:
    return wiring_values(draw)


@EXERCISE.requires("Where the sublayer is silent, it is x.", points=1)
def silent(draw: Draw) -> list[Inputs]:
    return wiring_silent(draw)


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    return wiring_general(draw)


EXERCISE.untouched()
EXERCISE.trains()
EXERCISE.probe(wiring_probes)


@EXERCISE.mistake(
    "that is post-norm",
    why="The sum is normalised. Pre-norm leaves the sum alone: the norm stands on the branch, "
    "before the sublayer, and nothing is in the stream's way.",
)
def as_post(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return layer_norm(x + sublayer(x, weight), gamma, beta, eps)


@EXERCISE.mistake(
    "nothing is added",
    why="What the sublayer makes of the normalised x is to be added to x. Silence the sublayer, "
    "with a weight of zeros: x should come out, and yours gives zeros.",
    section="Three wrong wirings",
)
def replaces(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return sublayer(layer_norm(x, gamma, beta, eps), weight)


@EXERCISE.mistake(
    "it adds to the normalised vector",
    why="That comes of x = norm(x) in a line of its own. The norm is back in the stream, and with "
    "it what pre-norm was to avoid: add to the x that came in.",
    section="Three wrong wirings",
)
def adds_to_normed(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    x = layer_norm(x, gamma, beta, eps)
    return x + sublayer(x, weight)


@EXERCISE.mistake(
    "the norm stands behind the sublayer, not before it",
    why="The sublayer reads x as it is, of whatever size. Pre-norm gives it the normalised x, and "
    "leaves what comes out alone.",
)
def norm_of_result(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x + layer_norm(sublayer(x, weight), gamma, beta, eps)


@EXERCISE.mistake(
    "there is no norm",
    why="The sublayer reads x as it is. With every layer the stream grows, and each sublayer would "
    "have to cope with another size.",
)
def no_norm(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return x + sublayer(x, weight)


@EXERCISE.mistake(
    "the bend comes after the addition",
    why="`sublayer` multiplies and bends, and then its result is added. The stream itself is never "
    "bent: it could not fall below 0.",
    section="The residual stream: add, don't replace",
)
def bends_stream(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return (x + layer_norm(x, gamma, beta, eps) @ weight).relu()


@EXERCISE.mistake(
    "the norm is taken twice, before and after",
    why="One norm for each sublayer, on the branch. A second one puts the stream through a norm, "
    "which pre-norm was to avoid.",
)
def both(x: Tensor, weight: Tensor, gamma: Tensor, beta: Tensor, eps: float) -> Tensor:
    return layer_norm(x + sublayer(layer_norm(x, gamma, beta, eps), weight), gamma, beta, eps)
