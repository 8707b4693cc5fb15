"""head: one attention head, in which x attends to a source."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .attention import attention, stable
from .parts import far_apart, matrices


def head(x: Tensor, source: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor) -> tuple[Tensor, Tensor]:
    """Return the output and the weights of one head, in which x attends to the source."""
    return attention(x @ W_q, source @ W_k, source @ W_v)


EXERCISE = Exercise(
    __name__,
    head,
    results={"output": "queries, d_v", "weights": "queries, keys"},
    section="Self and cross: who asks, who is asked",
    forbidden=ATTENTION,
)


@EXERCISE.requires(
    "In self-attention (the source is x) it returns the output and the weights.", points=2
)
def self(draw: Draw) -> list[Inputs]:
    """Return inputs for self-attention: x and source are the same text."""
    texts = (draw.normal(3, 4), draw.normal(2, 5, 6), draw.normal(2, 2, 3, 5))
    sizes = ((4, 2, 3), (6, 4, 2), (5, 3, 4))
    return [Inputs((x, x, *matrices(draw, *size))) for x, size in zip(texts, sizes, strict=True)]


@EXERCISE.requires(
    "In cross-attention the queries come from x, the keys and values from another text.", points=2
)
def cross(draw: Draw) -> list[Inputs]:
    """Return inputs of unequal lengths, and of equal ones with square matrices."""
    sizes = ((2, 3, 4, 2, 3), (4, 2, 6, 3, 2), (3, 5, 8, 2, 4), (3, 3, 4, 4, 4))
    flat = [
        (draw.normal(t, d), draw.normal(s, d), *matrices(draw, d, d_k, d_v))
        for t, s, d, d_k, d_v in sizes
    ]
    batch = (draw.normal(2, 3, 4), draw.normal(2, 5, 4), *matrices(draw, 4, 2, 3))
    x, source = draw.normal(3, 2, 6, dtype=torch.float64), draw.normal(3, 4, 6, dtype=torch.float64)
    wide = (part.to(torch.float64) for part in matrices(draw, 6, 3, 4))
    q, k, _ = far_apart(draw, 1).args
    large = (q, k, torch.eye(5), torch.eye(5), torch.cat([torch.eye(2), draw.normal(3, 2)]))
    alone = (draw.normal(1, 4), draw.normal(1, 4), *matrices(draw, 4, 2, 3))
    drawn = (*flat, batch, (x, source, *wide), large, alone)
    return [Inputs(case) for case in drawn]


EXERCISE.untouched()
EXERCISE.trains("output")


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return texts of equal length, and square matrices."""
    equal = [
        Inputs((draw.normal(n, 6), draw.normal(n, 6), *matrices(draw, 6, 3, 2))) for n in (3, 4, 5)
    ]
    square = [
        Inputs((draw.normal(3, n), draw.normal(4, n), *matrices(draw, n, n, n))) for n in (3, 4, 5)
    ]
    return equal + square


@EXERCISE.probe
def large(draw: Draw) -> list[Inputs]:
    """Return texts that are their own queries and keys, with large or far-apart scores."""
    drawn = [inputs.args for inputs in stable(draw)]
    wide = [torch.eye(q.size(-1)) for q, _, _ in drawn]
    return [
        Inputs((q, k, one, one, one[:, :3])) for (q, k, _), one in zip(drawn, wide, strict=True)
    ]


EXERCISE.edit(
    "queries come from the source, keys and values from x",
    {"x @ W_q, source @ W_k, source": "source @ W_q, x @ W_k, x"},
    {"x @ W_q, source": "source @ W_q, x"},
    why="The output has a row for each word that asks. x asks, so make the queries from x, and "
    "the keys and values from the source.",
)
EXERCISE.edit(
    "x attends to itself, and the source is not read",
    {"source @ W_k, source": "x @ W_k, x"},
    why="That is self-attention.\nMake keys and values from the source; in self-attention the "
    "caller gives x as the source.",
)
EXERCISE.edit(
    "the values come from x",
    {"source @ W_v": "x @ W_v"},
    why="A key and its value belong to the same word.\nMake both from the source.",
)
EXERCISE.edit(
    "the keys come from x",
    {"W_q, source": "W_q, x"},
    why="A key and its value belong to the same word.\nMake both from the source.",
)
EXERCISE.edit(
    "W_q and W_k are swapped",
    {"W_q, source @ W_k": "W_k, source @ W_q"},
    why="W_q says what to look for, W_k what to be found by.\nThe queries go through W_q.",
    section="Words that ask each other",
)
EXERCISE.edit(
    "the values are used without W_v",
    {"source @ W_v": "source"},
    why="What a word gives is also computed.\nThe source times W_v.",
    section="Words that ask each other",
)
EXERCISE.edit(
    "the matrices are transposed",
    "head(x, source, W_q.T, W_k.T, W_v.T)",
    why="nn.Linear stores its matrix transposed. These are the matrices of the formula X W.\nOne "
    "row for each number of a word.",
    section="Words that ask each other",
)
EXERCISE.edit(
    "the scores are divided by the root of the words' width",
    {"@ W_q": "@ (W_q * (W_q.size(-1) / x.size(-1)) ** 0.5)"},
    why="A score is large because it adds up many products. Their number is the width of a query "
    "and a key, not of a word.",
    section="Why divide by √d_k?",
)
EXERCISE.edit(
    "keys and values are swapped",
    {"W_k, source @ W_v": "W_v, source @ W_k"},
    why="A key is what a word is found by, a value is what it gives.\nW_k makes the keys, W_v the "
    "values.",
    section="Query, key, value",
)
EXERCISE.edit(
    "the keys are made with W_q",
    {"W_k,": "W_q,"},
    why="A query says what a word looks for, a key what it is found by, and each has its own "
    "matrix.\nMake the keys with W_k.",
    section="Words that ask each other",
)
EXERCISE.edit(
    "x is read too, besides the source",
    "head(x, torch.cat([x, source], dim=-2), W_q, W_k, W_v)",
    why="\nMake keys and values from the source alone, one for each of its words. If x should be "
    "read as well, the caller puts it into the source.",
)
