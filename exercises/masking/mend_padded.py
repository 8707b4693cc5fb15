"""padded_weights: attention weights under a padding mask."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..attention.softmax import softmax as softmax
from ..ready_made import ATTENTION
from .padding import padding_mask
from .parts import filled as filled
from .parts import low, real_tokens
from .softmax import masked_softmax


def padded_weights(scores: Tensor, real: Tensor) -> Tensor:
    """Return attention weights under a padding mask."""
    return masked_softmax(scores, padding_mask(real, False))


EXERCISE = Exercise(
    __name__,
    padded_weights,
    results={"weights": "queries, keys"},
    section="True means keep. Or block.",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Each row is the softmax over the real tokens of its sentence.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return scores of batches with their padding masks; batch size and length differ.

    The last but one are low and float64, where even their exponentials can be divided. In the last,
    padding scores too far above the rest for a division after softmax.
    """
    by_hand = torch.tensor([[[1.0, 2.0, 0.0]] * 3]), torch.tensor([[True, True, False]])
    sizes = ((2, 3), (3, 4), (3, 5), (2, 4))
    drawn = [(draw.normal(b, n, n), real_tokens(draw, b, n)) for b, n in sizes]
    last = low(draw, 2, 3, 3), real_tokens(draw, 2, 3)
    real = real_tokens(draw, 2, 4)
    apart = draw.normal(2, 4, 4) + torch.where(real, 0, 60)[:, None, :], real
    return [Inputs(case) for case in (by_hand, *drawn, last, apart)]


EXERCISE.untouched()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return cubes, and low scores."""
    cubes = [(draw.normal(n, n, n), real_tokens(draw, n, n)) for n in (3, 3, 4)]
    deep = [(low(draw, b, n, n), real_tokens(draw, b, n)) for b, n in ((2, 4), (3, 2))]
    return [Inputs(case) for case in (*cubes, *deep)]


EXERCISE.edit(
    "the mistake is still in it",
    {"masked_softmax(scores, padding_mask(real, False))": "softmax(scores) * real[:, None, :]"},
    why="It computes the same as before your change. Add up one row of the weights of a sentence "
    "with padding: what should the sum be, and at which step does it go wrong?",
    section="What goes wrong",
)
EXERCISE.edit(
    "hidden scores are set to 0",
    "softmax(scores * real[:, None, :])",
    why="The mask now acts before softmax, but exp(0) is 1, so padding keeps a share.\nFill hidden "
    "scores with minus infinity or a very negative number.",
    section="What goes wrong",
)
EXERCISE.edit(
    "rows are hidden, not columns",
    "filled(scores, ~real[:, :, None], -1e9)",
    why="The padding does not ask now, but every word still reads it.\nHide the keys: put the new "
    "axis before the last.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the mask is inverted",
    {"False": "True"},
    {"False": "True"},
    why="Now only padding is read. True stands for a real token.\nFill where it is False.",
)
EXERCISE.edit(
    "the weights are divided by a count, not by their sum",
    "softmax(scores) * real[:, None, :] / real.sum(dim=-1)[:, None, None]",
    why="What a row lacks is the weight that padding had, not a number of tokens.\nDivide by the "
    "row's own sum, or better, hide the scores.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the columns are divided by their sums, not the rows",
    "weights = softmax(scores) * real[:, None, :]; "
    "return weights / weights.sum(dim=-2, keepdim=True)",
    "weights = softmax(scores) * real[:, None, :]; "
    "return weights / weights.sum(dim=-2, keepdim=True).clamp(min=1e-9)",
    why="Each query distributes its own attention.\nIts row has to sum to one, and that is the "
    "last axis.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the row sums lost their axis (keepdim)",
    "weights = softmax(scores) * real[:, None, :]; "
    "return weights / weights.sum(dim=-1)[:, None, :]",
    why="Without keepdim=True the sums are lined up with the columns, not the rows, so each entry "
    "is divided by another row's sum.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the hidden scores are not low enough",
    "filled(scores, ~real[:, None, :], -10.0)",
    why="A score of -10 still gets a share, and a large one if all visible scores are low.\nMinus "
    "infinity is below every score, and -1e9 below every score that occurs here.",
    section="Minus infinity, minus a billion, and nothing",
)
