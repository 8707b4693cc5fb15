"""packed_projection: one product for queries, keys and values."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import GENERAL


def packed_projection(x: Tensor, W: Tensor) -> tuple[Tensor, ...]:
    """Return queries, keys and values from one matrix product."""
    return (x @ W).chunk(3, dim=-1)


EXERCISE = Exercise(
    __name__,
    packed_projection,
    results={"queries": "tokens, width", "keys": "tokens, width", "values": "tokens, width"},
    section="One projection for all heads",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Queries, keys and values are the three thirds of x W.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return one word to compute by hand, then sentences."""
    x = torch.tensor([[1.0, 2.0]])
    W = torch.tensor([[1.0, 0.0, 2.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 2.0, 1.0, -1.0]])
    sizes = ((3, 4, 4), (2, 3, 3), (5, 4, 4))
    drawn = [Inputs((draw.normal(t, d), draw.normal(d, 3 * m))) for t, d, m in sizes]
    return [Inputs((x, W)), *drawn]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, outputs narrower than the word, float64, and float16 zeros and ones."""
    return [
        Inputs((draw.normal(2, 3, 4), draw.normal(4, 12))),
        Inputs((draw.normal(2, 2, 6, 5), draw.normal(5, 6))),
        Inputs((draw.normal(2, 4, 3, dtype=torch.float64), draw.normal(3, 9, dtype=torch.float64))),
        Inputs((draw.ids(1, 1, 3, high=2).half(), draw.ids(3, 6, high=2).half())),
    ]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return square matrices."""
    return [Inputs((draw.normal(2, t, d), draw.normal(d, d))) for t, d in ((4, 3), (3, 6), (5, 9))]


EXERCISE.edit(
    "queries, keys and values are interleaved",
    {"chunk(3, dim=-1)": "unflatten(-1, (-1, 3)).unbind(-1)"},
    why="It takes every third column. The matrices are side by side.\nFirst all columns of W_Q, "
    "then all of W_K, then all of W_V.",
)
EXERCISE.edit(
    "the matrix is transposed",
    {"@ W": "@ W.T"},
    why="nn.Linear stores its matrix transposed, one row for each output. This W is the one of the "
    "formula x W.\nOne row for each number of a word.",
    section="Packed equals separate",
)
EXERCISE.edit(
    "the three come in another order",
    "q, k, v = packed_projection(x, W); return k, q, v",
    why="The numbers are right, but under the wrong names.\nThe first third of the columns is W_Q, "
    "the second W_K, the last W_V.",
)
EXERCISE.edit(
    "the words are cut into three, not their numbers",
    {"chunk(3, dim=-1)": "tensor_split(3, dim=-2)"},
    {"-1": "1"},
    {"-1": "0"},
    why="One third of the words became queries, another one keys. Every word has a query, a key "
    "and a value.\nCut the last axis, dim=-1.",
)
EXERCISE.edit(
    "two of the three are the same third",
    "q, k, _ = packed_projection(x, W); return q, k, k",
    why="The first third of the columns makes the queries, the second the keys, the last the "
    "values: each is used once.",
)
EXERCISE.edit(
    "the product is cut by the width of x",
    "d, y = x.size(-1), x @ W; return y[..., :d], y[..., d : 2 * d], y[..., 2 * d :]",
    "d, y = x.size(-1), x @ W; return y[..., :d], y[..., d : 2 * d], y[..., 2 * d : 3 * d]",
    why="Each part has a third of W's columns. The width of a word is another number as soon as "
    "queries are narrower or wider than words.",
)
EXERCISE.edit(
    "the matrix is reshaped into three, not cut",
    {"(x @ W).chunk(3, dim=-1)": "tuple(x @ matrix for matrix in W.reshape(3, x.size(-1), -1))"},
    why="A reshape keeps the order in memory, and there rows come before columns: the first piece "
    "gets the first rows. The matrices are side by side.\nCut the columns, dim=-1.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the product is reshaped, and whole words come first",
    {"chunk(3, dim=-1)": "reshape(3, *(x @ W).shape[:-1], -1).unbind(0)"},
    why="A reshape keeps the order in memory, so the first third of all numbers belongs to the "
    "first words.\nCut the last axis, dim=-1.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the pieces are three numbers wide",
    {"chunk": "split"},
    why="split(3) makes pieces of width 3, as many as fit.\nchunk(3) makes three pieces. Or pass "
    "the width of a third to split.",
)
EXERCISE.edit(
    "the queries are scaled already",
    "q, k, v = packed_projection(x, W); return q / q.size(-1) ** 0.5, k, v",
    why="Dividing by the root of d_k is a part of attention, and happens there.\nReturn the three "
    "parts of the product as they are.",
    section="book/attention#Why divide by √d_k?",
)
