"""causal_weights: attention weights under a causal mask."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..attention.softmax import softmax as softmax
from ..ready_made import ATTENTION
from .causal import causal_mask
from .parts import filled as filled
from .parts import low
from .softmax import masked_softmax


def causal_weights(scores: Tensor) -> Tensor:
    """Return attention weights under a causal mask."""
    return masked_softmax(scores, causal_mask(scores.size(-1)))


EXERCISE = Exercise(
    __name__,
    causal_weights,
    results={"weights": "queries, keys"},
    section="What goes wrong",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Each row is the softmax over the token itself and those before it.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return scores of single sentences, batches and heads, some rising, some low.

    The first low ones are float64, where even their exponentials can be divided.
    """
    by_hand = torch.tensor([[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    shapes = ((4, 4), (2, 3, 3), (5, 5), (2, 2, 4, 4), (1, 1))
    drawn = [draw.normal(*shape) for shape in shapes]
    rising = draw.normal(4, 4) + torch.tensor([-75.0, -25, 25, 75])  # the future lies far above
    deep = draw.normal(3, 3) - 20_000
    return [Inputs((scores,)) for scores in (by_hand, *drawn, rising, low(draw, 3, 3), deep)]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return cubes, and low scores."""
    cubes = [draw.normal(n, n, n) for n in (3, 3, 4)]
    return [Inputs((scores,)) for scores in (*cubes, low(draw, 4, 4), low(draw, 2, 3, 3))]


EXERCISE.trains()


def past(scores: Tensor) -> Tensor:
    """Return the causal mask."""
    return torch.ones(scores.shape[-2:], dtype=torch.bool).tril()


EXERCISE.edit(
    "the mistake is still in it",
    "filled(scores, past(scores), -1e9)",
    why="It computes the same as before your change. Take three tokens and one row of the "
    "weights: which keys has that query read, and which should it have read?",
)
EXERCISE.edit(
    "each token sees one token of the future",
    "filled(scores, torch.ones_like(past(scores)).triu(diagonal=2), -1e9)",
    why="The border is one column too far to the right now: each token sees the very answer it "
    "must give. The last key that is allowed is the token itself.",
)
EXERCISE.edit(
    "no token sees itself",
    "filled(scores, ~past(scores).tril(-1), -1e9)",
    why="Now the diagonal is hidden as well, and the first token, which has nothing to read, "
    "reads everything. A token may attend to itself.",
)
EXERCISE.edit(
    "the future is set to 0 before softmax",
    "filled(scores, ~past(scores), 0.0)",
    why="exp(0) is 1: a score of 0 still gets a share.\nFill hidden scores with minus infinity or "
    "a very negative number.",
)
EXERCISE.edit(
    "the weights of the future are set to 0 after softmax",
    "softmax(scores) * past(scores)",
    why="The rows no longer sum to one, and what is left still depends on the future, through the "
    "denominator.\nHide scores, not weights.",
)
EXERCISE.edit(
    "rows and columns are swapped",
    {"causal_mask(scores.size(-1))": "past(scores).mT"},
    why="Rows are queries, columns are keys. Now each token reads itself and what comes after it, "
    "so the last one reads only itself.",
)
EXERCISE.edit(
    "the hidden scores are not low enough",
    "filled(scores, ~past(scores), -10.0)",
    why="A score of -10 still gets a share, and a large one if all visible scores are low.\nMinus "
    "infinity is below every score, and -1e9 below every score that occurs here.",
    section="Minus infinity, minus a billion, and nothing",
)
