"""head_weights: the weights of self-attention."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import FLAT, STACK, matrices, quarters, scale
from .scores import scores
from .softmax import softmax


def head_weights(x: Tensor, W_q: Tensor, W_k: Tensor) -> Tensor:
    """Return the weights of self-attention."""
    return softmax(scale(scores(x @ W_q, x @ W_k), W_k.size(-1)))


EXERCISE = Exercise(
    __name__,
    head_weights,
    results={"weights": "queries, keys"},
    section="Why divide by √d_k?",
    forbidden=ATTENTION,
)


@EXERCISE.requires("The weights are those of scaled dot-product attention.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return words wider than the keys, once narrower, and scores whose exponentials overflow."""
    sizes = ((3, 8, 2), (4, 9, 3), (5, 12, 2), (3, 2, 9))
    drawn = [(draw.normal(t, d), *matrices(draw, d, k, 1)[:2]) for t, d, k in sizes]
    x = quarters(draw, 3, 8).float()
    x[:, 0] = 1.0
    high = torch.eye(8)[:, :4]
    high[0] = 20.0
    batch = (draw.normal(2, 3, 16), *matrices(draw, 16, 4, 1)[:2])
    return [Inputs(case) for case in (*drawn, batch, (x, high, high))]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return as many words as features and sentences, and scores that overflow."""
    squares = [(draw.normal(*shape), *matrices(draw, 3, 3, 1)[:2]) for shape in FLAT + STACK]
    large = [
        (x * torch.tensor([10.0, 20.0, 30.0]), *matrices(draw, 3, 2, 1)[:2])
        for x in (draw.normal(4, 3), draw.normal(3, 3), draw.normal(2, 4, 3))
    ]
    return [Inputs(case) for case in squares + large]


EXERCISE.edit(
    "the mistake is still in it",
    {"-1": "0"},
    why="It computes the same as before your change. How many products does one score add up, and "
    "whose width is that?",
    section="What goes wrong",
)
EXERCISE.edit(
    "the width of one example is hard-coded",
    {"scale(scores(x @ W_q, x @ W_k), W_k.size(-1))": "scores(x @ W_q, x @ W_k) / 8"},
    why="It divides by the same number whatever the width of the keys is. Another head may have "
    "another width.\nRead it from W_k.",
)
EXERCISE.edit(
    "the scores are not divided any more",
    {"W_k.size(-1)": "1"},
    why="Now the weights are too sharp; before, they were too flat. A division is needed, by the "
    "root of another width.",
)
EXERCISE.edit(
    "it divides by d_k, not by its square root",
    {"scale(scores(x @ W_q, x @ W_k), W_k.size(-1))": "scores(x @ W_q, x @ W_k) / W_k.size(-1)"},
    why="The width is right now.\nBut the typical size of a sum of d_k products is the *square "
    "root* of d_k.",
)
EXERCISE.edit(
    "it divides by the root of the number of words",
    {"W_k.size(-1)": "x.size(-2)"},
    why="More keys do not make a score larger. More products in its sum do, and their number is "
    "the width of a key.",
)
EXERCISE.edit(
    "the widths of queries and keys are added",
    {"W_k.": "W_q.size(-1) + W_k."},
    why="Each of the d_k products takes one number from the query and one from the key, so a "
    "score adds up d_k products, not 2 d_k.",
)
