"""merge_heads: concatenate the outputs of all heads."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import GENERAL


def merge_heads(x: Tensor) -> Tensor:
    """Concatenate the outputs of all heads."""
    return joined(back(x))


def back(x: Tensor) -> Tensor:
    """Move the heads behind the words."""
    return x.transpose(-2, -3)


def joined(x: Tensor) -> Tensor:
    """Flatten the last two axes."""
    return x.flatten(-2)


EXERCISE = Exercise(
    __name__,
    merge_heads,
    results={"result": "tokens, heads times d_k"},
    section="One projection for all heads",
    forbidden=ATTENTION,
)


@EXERCISE.requires("For each word, the outputs of all heads are concatenated in order.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return two heads of "The cat sat", then batches."""
    by_hand = torch.arange(12.0).view(1, 2, 3, 2)
    sizes = ((2, 4, 3, 2), (3, 2, 5, 4), (2, 3, 4, 5))
    return [Inputs((by_hand,)), *(Inputs((draw.normal(*size),)) for size in sizes)]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return no batch, two axes in front, a single word, other precisions."""
    return [
        Inputs((draw.normal(2, 3, 4),)),
        Inputs((draw.normal(4, 2, 3),)),
        Inputs((draw.normal(2, 3, 4, 5, 2),)),
        Inputs((draw.normal(3, 2, 3, 2, 4),)),
        Inputs((draw.normal(2, 4, 3, 5, dtype=torch.float64),)),
        Inputs((draw.normal(1, 2, 1, 3, dtype=torch.float16),)),
    ]


EXERCISE.untouched()


EXERCISE.edit(
    "the heads are not moved back before they are joined",
    {"joined(back(x))": "x.reshape(*x.shape[:-3], x.size(-2), x.size(-3) * x.size(-1))"},
    "B, H, T, K = x.shape; return x.reshape(B, T, H * K)",
    why="In memory, heads come before words here. Reshaped as it is, the first row gets the first "
    "words of head 0, not all heads of word 0.\nTranspose first, then merge.",
    section="What goes wrong",
)
EXERCISE.edit(
    "heads and words are joined, not heads and numbers",
    {"joined(back(x))": "x.flatten(-3, -2)"},
    why="The sentence is longer now, and each word is still only as wide as a head.\nMerge the "
    "axis of the heads with that of their numbers: both have to be neighbours, and the last two.",
)
EXERCISE.edit(
    "the heads are interleaved",
    {"transpose(-2, -3)": "movedim(-3, -1)"},
    why="Each word gets the first number of every head, then the second of every head.\nKeep each "
    "head's numbers together: put heads before numbers when you merge the two.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the heads are added up or averaged",
    {"joined(back(x))": "x.mean(dim=-3)"},
    {"joined(back(x))": "x.sum(dim=-3)"},
    why="The outputs are concatenated, so that nothing is lost: an average cannot be undone. The "
    "product with W_O mixes them later.",
    section="One average is not enough",
)
EXERCISE.edit(
    "the axes are counted from the front",
    {"-2, -3": "1, 2"},
    "x.transpose(1, 2).flatten(2)",
    "torch.cat(list(x.unbind(1)), dim=-1)",
    why="transpose(1, 2) means heads and words only with exactly one batch axis.\nCounted from the "
    "back, -3 and -2, they are right with any axes in front.",
)
EXERCISE.edit(
    "the first axis is taken for the heads",
    {"joined(back(x))": "torch.cat(list(x), dim=-1)"},
    why="The heads are the third axis from the back, dim=-3. The first is the batch, if there is "
    "one.",
)
EXERCISE.edit(
    "the heads come in reverse order",
    {"(x)": "(x.flip(-3))"},
    why="In each word's row the output of head 0 comes first, then that of head 1.",
)
EXERCISE.edit(
    "there is a row for each head, not for each word",
    {"joined(back(x))": "back(x).reshape(*x.shape[:-3], x.size(-3), -1)"},
    why="The axes are right, but their sizes are swapped. After the heads are moved back, the "
    "words are the third axis from the back: there are as many rows as words.",
)
