"""masked_softmax: softmax over visible entries; rows that see nothing become zeros."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..attention.softmax import softmax
from ..ready_made import ATTENTION
from .parts import HEIGHTS, SEES, deep
from .parts import filled as filled
from .parts import right as right


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Return softmax over visible entries; rows that see nothing become zeros."""
    lowest = torch.finfo(scores.dtype).min
    return softmax(torch.where(mask, scores, lowest)).masked_fill(~mask, 0.0)


def something(weights: Tensor, mask: Tensor) -> Tensor:
    """Return the sum of each row, or 1 where a row sees nothing."""
    return torch.where(mask.any(dim=-1, keepdim=True), weights.sum(dim=-1, keepdim=True), 1.0)


EXERCISE = Exercise(
    __name__,
    masked_softmax,
    results={"weights": "queries, keys"},
    section="True means keep. Or block.",
    forbidden=ATTENTION,
)


@EXERCISE.requires("Each row is the softmax over what it sees; all else has weight 0.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return scores, and masks that leave each query something to read."""
    by_hand = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[True, True, False]])
    sizes = ((2, 3), (3, 2), (3, 5), (2, 4))
    return [Inputs(by_hand), *(Inputs((draw.normal(*s), draw.mask(*s))) for s in sizes)]


@EXERCISE.requires("A row that sees nothing has weights of zero.", points=2)
def nothing(draw: Draw) -> list[Inputs]:
    """Return masks in which some or all queries see no key; once in half precision."""
    cases = []
    for row, sizes in enumerate(((2, 3), (3, 2), (3, 4), (4, 3))):
        mask = draw.mask(*sizes)
        mask[row] = False
        dtype = torch.float16 if row == 3 else torch.float32
        cases.append(Inputs((draw.normal(*sizes, dtype=dtype), mask)))
    return [*cases, Inputs((draw.normal(2, 3), torch.zeros(2, 3, dtype=torch.bool)))]


@EXERCISE.requires(
    "It works with batches, masks that broadcast, large scores, and half precision too.",
    points=2,
)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, heads, masks that broadcast, other precisions, and far-apart scores."""
    half = torch.float16
    far = [draw.normal(3, 4) + HEIGHTS for _ in range(4)]
    return [
        Inputs((draw.normal(2, 3, 4), draw.mask(2, 1, 4))),
        Inputs((draw.normal(3, 2, 3, 4), draw.mask(3, 4))),
        Inputs((draw.normal(2, 3, 2, 4), draw.mask(2, 1, 1, 4))),
        Inputs((draw.normal(2, 2, 3, 4), draw.mask(2, 2, 3, 4))),
        Inputs((draw.normal(2, 4, 3, dtype=torch.float64), draw.mask(4, 3))),
        Inputs((draw.normal(3, 4, dtype=half), draw.mask(3, 4))),
        Inputs((draw.normal(2, 3, 5, dtype=half), draw.mask(2, 3, 5))),
        *(Inputs((x.roll(n, dims=1), SEES.roll(n, dims=1))) for n, x in enumerate(far)),
        *deep(draw),
    ]


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return squares, and scores far below 0."""
    squares = [Inputs((draw.normal(n, n), draw.mask(n, n))) for n in (3, 4, 4)]
    return [*squares, *deep(draw), *deep(draw)]


EXERCISE.edit(
    "the mask is inverted",
    "masked_softmax(scores, ~mask)",
    "filled(scores, mask, -torch.inf).nan_to_num()",
    why="True means: may attend. Here the keys marked True are left out.\nmasked_fill fills where "
    "its mask is True.",
)
EXERCISE.edit(
    "the mask comes after softmax",
    {"torch.where(mask, scores, lowest)": "scores"},
    why="If weights are set to zero after softmax, the row sums to less than one. Mask the scores "
    "first, so that softmax distributes everything among the visible keys.",
    section="What goes wrong",
)
EXERCISE.edit(
    "hidden scores take part before they are masked",
    "weights = softmax(scores) * mask; "
    "return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)",
    "weights = softmax(scores) * mask; return weights / something(weights, mask)",
    why="If a hidden score is far above the rest, all visible weights underflow to 0, and nothing "
    "is left to renormalise. Mask the scores first: then softmax uses the right maximum and the "
    "right sum.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the exponential overflows",
    "e = scores.exp() * mask; return (e / e.sum(dim=-1, keepdim=True)).nan_to_num()",
    "e = scores.exp() * mask; return e / something(e, mask)",
    why="exp(100) is more than float32 can hold, and exp(-200) is 0 in it: inf / inf and 0 / 0 are "
    "nan.\nSubtract the largest visible score of each row, or leave that to torch.softmax.",
    section="book/attention#Weights are a softmax of scores",
)
EXERCISE.edit(
    "masked scores are set to 0",
    "filled(scores, ~mask, 0.0)",
    "filled(scores, ~mask, 0.0) * mask.any(dim=-1, keepdim=True)",
    "filled(scores, ~mask, 0.0) * mask",
    why="exp(0) is 1, so a score of 0 still gets a share. Only minus infinity, or a number so "
    "negative that its exponential vanishes, gives weight zero.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the hidden scores are not low enough",
    {"torch.finfo(scores.dtype).min": "-100.0"},
    {"scores.dtype": "torch.float16"},
    why="Hidden scores are filled with -100 or -1e4, but a visible score can be lower still: then "
    "softmax gives everything to the hidden keys. Minus infinity is below every score, and the "
    "lowest number of the dtype is below or equal to each.",
    section="Minus infinity, minus a billion, and nothing",
)
EXERCISE.edit(
    "a row with nothing to read gives nan",
    "filled(scores, ~mask, -torch.inf)",
    "filled(scores, ~mask, -torch.inf) if mask.any() else torch.zeros_like(scores)",
    why="When all scores of a row are minus infinity, all exponentials are 0, and 0 / 0 is nan. "
    "Nothing to read means weights of zero.",
    section="A row that sees nothing",
)
EXERCISE.edit(
    "a row with nothing to read reads everything",
    {".masked_fill(~mask, 0.0)": ""},
    "scores.masked_fill(~mask, -1e9).softmax(dim=-1)",
    why="When all scores of a row are equally low, softmax gives each the same share. Nothing to "
    "read means weights of zero.\nSet the hidden weights to 0 after softmax.",
    section="A row that sees nothing",
)
EXERCISE.edit(
    "softmax runs over the queries, not the keys",
    {"softmax(torch.where(mask, scores, lowest))": "right(scores, mask, dim=-2)"},
    why="Each query distributes its own attention, so each row has to sum to one. Here the columns "
    "do.\nTake the last axis, dim=-1.",
    section="book/attention#What goes wrong",
)
EXERCISE.edit(
    "the axis is counted from the front",
    "right(scores, mask, dim=min(1, scores.dim() - 1))",
    why="dim=1 is the keys' axis in a matrix, but not once batch and heads come before it. Counted "
    "from the back it is always the same.\ndim=-1.",
    section="book/attention#What goes wrong",
)
EXERCISE.edit(
    "the mask is not used",
    "softmax(scores)",
    why="Every key gets a share, whatever the mask says.\nFill hidden scores with minus infinity "
    "before softmax.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the lowest number is added to what is hidden, not put in its place",
    {"(mask, scores, lowest)": "(mask, scores, scores + lowest)"},
    why="A hidden score may be so high that, with the lowest number added, it is still above a "
    "visible one: in float16, 60000 becomes -5504.\nReplace it: masked_fill or torch.where.",
    section="Minus infinity, minus a billion, and nothing",
)
EXERCISE.edit(
    "empty columns are looked for, not empty rows",
    {"~mask": "~mask.any(dim=-2, keepdim=True)"},
    why="A query that sees nothing is a row without True.\nany(dim=-1). A column without True is a "
    "key that nobody sees.",
    section="A row that sees nothing",
)
