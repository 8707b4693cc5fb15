"""split_heads: give each head its own slice of every word."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import GENERAL


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Split every word's features into heads: (B, T, D) becomes (B, H, T, K)."""
    return to_the_front(cut(x, heads))


def cut(x: Tensor, heads: int) -> Tensor:
    """Cut each word into slices, one for each head."""
    return x.unflatten(-1, (heads, -1))


def to_the_front(x: Tensor) -> Tensor:
    """Move the heads before the words."""
    return x.transpose(-2, -3)


EXERCISE = Exercise(
    __name__,
    split_heads,
    results={"result": "heads, tokens, d_k"},
    section="One projection for all heads",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Each head in order holds every word, and of each word its own slice.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return "The cat sat" with four features per word, then batches."""
    by_hand = torch.arange(12.0).view(1, 3, 4)
    sizes = ((2, 3, 8, 2), (3, 2, 12, 4), (2, 5, 6, 3))
    return [Inputs((by_hand, 2)), *(Inputs((draw.normal(*size[:3]), size[3])) for size in sizes)]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return no batch, two axes in front, a single head, a single word, other precisions."""
    return [
        Inputs((draw.normal(3, 8), 2)),
        Inputs((draw.normal(4, 6), 3)),
        Inputs((draw.normal(2, 3, 4, 6), 2)),
        Inputs((draw.normal(3, 2, 5, 8), 4)),
        Inputs((draw.normal(2, 3, 5), 1)),
        Inputs((draw.normal(2, 3, 12, dtype=torch.float64), 4)),
        Inputs((draw.normal(1, 1, 6, dtype=torch.float16), 2)),
    ]


EXERCISE.untouched()


EXERCISE.edit(
    "it is reshaped straight to the shape, and no axis is moved",
    "x.reshape(*x.shape[:-2], heads, x.size(-2), x.size(-1) // heads)",
    why="A reshape keeps the order of the numbers in memory, and there words come before heads: "
    "the first head gets the first words.\nCut the last axis, then transpose.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the heads stay after the words",
    {"-2": "-3"},
    why="The last axis is cut, which is half of it. Attention works on the last two axes, words "
    "and width, so the heads have to come before the words.",
)
dealt = EXERCISE.edit(
    "the numbers are interleaved between the heads",
    {"(-1, (heads, -1))": "(-1, (-1, heads)).mT"},
    "B, T, D = x.shape; return x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)",
    why="The last axis is cut into (d_k, heads), so head 0 gets every n-th number. Each head "
    "should have a slice in one piece: (heads, d_k), with the heads first.",
    section="What goes wrong",
)
EXERCISE.edit(
    "`heads` is taken for the width of a head",
    {"heads, -1": "-1, heads"},
    why="There are as many heads now as a head should have numbers, and vice versa.\nCut the last "
    "axis into `heads` pieces, not into pieces of that width.",
    section="Several heads, side by side",
)
EXERCISE.edit(
    "words and numbers have changed places as well",
    {"(cut(x, heads))": "(cut(x, heads)).transpose(-2, -1)"},
    why="The heads are in front, but each head's table is transposed: (d_k, T), not (T, d_k).\n"
    "Swap only one pair of axes, words and heads.",
)
EXERCISE.edit(
    "the axes are counted from the front",
    {"-2, -3": "1, 2"},
    why="transpose(1, 2) means words and heads only with exactly one batch axis.\nCounted from the "
    "back, -3 and -2, they are right with any axes in front.",
)
EXERCISE.edit(
    "the heads come before the batch",
    {"to_the_front(cut(x, heads))": "torch.stack(x.chunk(heads, dim=-1))"},
    why="The heads are too far in front: the batch stays the first axis, and the heads come right "
    "before the words.",
)
EXERCISE.edit(
    "the heads come in reverse order",
    {"))": ")).flip(-3)"},
    why="Head 0 gets the first slice of every word, head 1 the next.",
)
EXERCISE.edit(
    "words change places with a head's numbers, not with the heads",
    {"-2": "-1"},
    why="After the cut the axes are words, heads and a head's numbers.\nSwap words and heads, the "
    "axes -3 and -2; the numbers stay last.",
)
