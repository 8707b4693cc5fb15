"""attention: scaled dot-product attention from the steps before it."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import (
    GENERAL,
    Pair,
    far_apart,
    quarters,
    triple,
    width,
)
from .scale import scale
from .scores import scores
from .softmax import softmax
from .weighted_sum import weighted_sum


def attention(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    """Return the output and the weights of scaled dot-product attention."""
    weights = softmax(scale(scores(q, k), width(k, v)))
    return weighted_sum(weights, v), weights


EXERCISE = Exercise(
    __name__,
    attention,
    results={"output": "queries, d_v", "weights": "queries, keys"},
    section="Why divide by √d_k?",
    forbidden=ATTENTION,
)


@EXERCISE.requires("It returns (output, weights) of scaled dot-product attention.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return inputs whose sizes all differ, without a mask."""
    sizes = ((2, 3, 4, 2), (3, 3, 2, 4), (3, 2, 5, 3), (4, 5, 3, 2), (1, 1, 3, 2))
    return [Inputs(triple(draw, *size)) for size in sizes]


@EXERCISE.requires("Large scores do no harm.", points=1)
def stable(draw: Draw) -> list[Inputs]:
    """Return exact scores near 128, whose exponentials overflow, and far-apart keys."""
    cases = []
    for t, s, d_v in ((2, 3, 2), (3, 2, 3), (3, 4, 2)):
        q, k, v = triple(draw, t, s, 4, d_v)
        cases.append(Inputs((8 + q.round() / 8, 8 + (k * 2).round() / 16, v)))
    return [*cases, *(far_apart(draw, places) for places in range(3))]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, heads, float64 and bfloat16."""
    small = quarters(draw, 3, 4), quarters(draw, 5, 4), quarters(draw, 5, 2) / 4
    return [
        Inputs(triple(draw, 3, 4, 5, 2, 2)),
        Inputs(triple(draw, 3, 4, 2, 3, 2, 3)),
        Inputs(triple(draw, 3, 4, 5, 2, 2, dtype=torch.float64)),
        Inputs(tuple(part.bfloat16() for part in small)),
    ]


EXERCISE.untouched()
EXERCISE.trains("output")


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return squares, cubes, and scores near 512, which stay large when divided by d_k."""
    squares = [Inputs(triple(draw, n, n, n, n)) for n in (3, 4, 4, 5)]
    cubes = [Inputs(triple(draw, 3, 3, 3, 3, 3)) for _ in range(3)]
    q, k, v = triple(draw, 3, 4, 4, 2)
    return [*squares, *cubes, Inputs((16 + q.round() / 8, 8 + (k * 2).round() / 16, v))]


@EXERCISE.mistake(
    "it divides by d_k, not by its square root",
    why="The typical size of a dot product is the square root of d_k. Dividing by d_k makes the "
    "scores too small and the weights nearly equal.",
)
def divides_by_d_k(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    weights = softmax(scores(q, k) / k.size(-1))
    return weighted_sum(weights, v), weights


@EXERCISE.mistake(
    "it scales by the width of the values",
    why="d_v is how wide a value is. The dot products are between queries and keys, whose width is "
    "d_k; the two need not agree.",
    of=width,
)
def scales_by_d_v(k: Tensor, v: Tensor) -> int:
    return v.size(-1)


@EXERCISE.mistake(
    "the scaling comes after softmax",
    why="Dividing the weights makes rows sum to less than one. The division belongs to the scores, "
    "before softmax.",
)
def scales_weights(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    weights = scale(softmax(scores(q, k)), k.size(-1))
    return weighted_sum(weights, v), weights


@EXERCISE.mistake(
    "every value counts the same",
    why="The output is the mean of the values a query may read: queries and keys have no say. "
    "Weight each value before adding.",
    section="A dictionary that can be asked anything",
)
def plain_mean(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    weights = softmax(scores(q, k) * 0)
    return weighted_sum(weights, v), weights


@EXERCISE.mistake(
    "the two results have changed places",
    why="It returns (weights, output). The promise is (output, weights): the output first.",
    section="The whole thing in one line",
)
def results_swapped(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attention(q, k, v)[::-1]


@EXERCISE.mistake(
    "only the output is returned",
    why="The caller wants to look at the weights, too: return both.",
    section="The whole thing in one line",
)
def output_only(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return attention(q, k, v)[0]


@EXERCISE.mistake(
    "scores are returned in place of weights",
    why="The output is right, but beside it stand the scores from before softmax. The weights are "
    "what softmax makes of them: positive, each row summing to one.",
    section="Weights are a softmax of scores",
)
def scores_returned(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    scaled = scale(scores(q, k), k.size(-1))
    return weighted_sum(softmax(scaled), v), scaled


@EXERCISE.mistake(
    "only the first item of the batch is computed",
    why="A return inside the loop over the batch, or q[0], leaves the other items out. Matrix "
    "products treat all leading axes at once, without a loop.",
    section="The whole thing in one line",
)
def first_item_only(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    first = (q[0], k[0], v[0]) if q.dim() > 2 else (q, k, v)
    return attention(*first)


@EXERCISE.mistake(
    "the future is hidden, which nobody asked for",
    why="A causal mask belongs to models that write, and has a chapter of its own. Here every "
    "query reads all keys.",
    section="book/masking#The causal mask",
)
def causal(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    scaled = scale(scores(q, k), k.size(-1))
    past = torch.ones(scaled.shape[-2:], dtype=torch.bool).tril()
    weights = softmax(scaled.masked_fill(~past, -torch.inf))
    return weighted_sum(weights, v), weights
