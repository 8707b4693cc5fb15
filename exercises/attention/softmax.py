"""softmax: turn each row into weights that sum to 1."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION, SOFTMAX
from .parts import FLAT, GRID, STACK


def softmax(x: Tensor) -> Tensor:
    """Return the softmax of each row."""
    e = exponentials(x)
    return e / total(e)


def exponentials(x: Tensor) -> Tensor:
    """Return exponentials that cannot overflow."""
    return (x - x.amax(dim=-1, keepdim=True)).exp()


def total(e: Tensor) -> Tensor:
    """Return the sum of each row."""
    return e.sum(dim=-1, keepdim=True)


EXERCISE = Exercise(
    __name__,
    softmax,
    results={"weights": "..., keys"},
    section="Weights are a softmax of scores",
    forbidden=ATTENTION | SOFTMAX,
)


@EXERCISE.requires("Each row becomes its exponentials, divided by their sum.", points=2)
def values(draw: Draw) -> list[Inputs]:
    """Return one row to compute by hand, then small matrices."""
    drawn = [Inputs((draw.normal(*shape),)) for shape in ((2, 3), (4, 2), (3, 5), (1, 4), (3, 1))]
    return [Inputs((torch.tensor([1.0, 2.0, 3.0]),)), *drawn]


@EXERCISE.requires("Numbers far from 0 do no harm: neither 1000 nor -1000.", points=1)
def stable(draw: Draw) -> list[Inputs]:
    """Return numbers whose exponentials overflow, rows far from each other, and rows spread wide.

    The largest number of a row comes first, last and in between. Rows that span 100 distinguish
    subtracting the mean, which is close enough to the maximum, from subtracting the minimum.
    """
    far_apart = torch.tensor([[1000.0, 1001.0, 1002.0], [-1000.0, -1001.0, -1002.0]])
    spread = torch.tensor([[0.0, 0.0, 0.0, 400.0], [0.0, 1.0, 0.0, 399.0]])
    far = *far_apart, far_apart, far_apart.flip(0) * 2, torch.cat([far_apart, draw.normal(2, 3)])
    wide = (spread, spread.roll(2, dims=1), spread + 100, spread - 300)
    tame = torch.tensor([0.0, 0.0, 0.0, 100.0])
    tamer = (tame, tame.roll(1), tame.roll(1) + tame.roll(2), tame.roll(2) + tame.roll(3))
    batch = draw.normal(2, 2, 3) + torch.tensor([[[0.0], [500.0]], [[-300.0], [9.0]]])
    return [Inputs((x,)) for x in (*far, *wide, *tamer, batch)]


@EXERCISE.requires(
    "It works along the last axis, whatever axes come before, and keeps the dtype.", points=1
)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, heads, float64 and half precision."""
    batches = draw.normal(2, 3, 4), draw.normal(2, 3, 4, 5)
    others = (draw.normal(3, 4, dtype=dtype) for dtype in (torch.float64, torch.float16))
    return [Inputs((x,)) for x in (*batches, *others)]


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return squares and cubes, and a row whose minimum is far below the rest."""
    shapes = FLAT + STACK + GRID
    return [Inputs((draw.normal(*shape),)) for shape in shapes] + [
        Inputs((torch.tensor([-200.0, low, low + 0.5, low + 1.0]),)) for low in (0.0, 1.0, 2.0)
    ]


EXERCISE.edit(
    "softmax runs over the queries, not the keys",
    {"e / total(e)": "x.softmax(dim=-2)"},
    why="Each query distributes its own attention, so each row has to sum to one. Here the columns "
    "do.\nTake the last axis, dim=-1.",
    section="What goes wrong",
)
EXERCISE.edit(
    "softmax runs over the first axis",
    {"e / total(e)": "x.softmax(dim=0)"},
    {"e.sum(dim=-1": "e.sum(dim=0"},
    why="The first axis is the queries, or the batch when there is one: then different sentences "
    "share one attention.\nTake the last axis, dim=-1.",
    section="What goes wrong",
)
EXERCISE.edit(
    "softmax runs over axis 1, which is the last only for a matrix",
    {"e / total(e)": "x.softmax(dim=1 if x.dim() > 1 else 0)"},
    why="With a batch or heads in front, axis 1 is no longer the keys.\nCount from the back: "
    "dim=-1 is right for any number of axes.",
    section="What goes wrong",
)
EXERCISE.edit(
    "softmax runs over all entries at once",
    {"e / total(e)": "x.flatten().softmax(dim=0).reshape(x.shape)"},
    why="A sum without dim adds up the whole tensor, so all rows together sum to one. Each row "
    "needs its own sum.",
    section="What goes wrong",
)
EXERCISE.edit(
    "the exponential overflows",
    "x.exp()",
    why="exp(100) is more than float32 can hold, and inf / inf is nan.\nSubtract each row's "
    "maximum first: the weights stay the same, and the largest exponential is 1.",
    of=exponentials,
)
EXERCISE.edit(
    "one maximum is subtracted from all rows",
    {"x.amax": "x.max().amax"},
    why="A row far below the overall maximum underflows to zeros, and 0 / 0 is nan. Each row "
    "needs its own maximum.",
)
EXERCISE.edit(
    "the mean is subtracted, not the maximum",
    {"amax": "mean"},
    why="With one number far above the rest, subtracting the mean leaves it large and its "
    "exponential overflows.\nOnly the maximum makes every exponent at most 0.",
)
EXERCISE.edit(
    "the scores are divided by the largest, instead of subtracting it",
    {"- x.amax(dim=-1, keepdim=True)": "/ x.abs().amax(dim=-1, keepdim=True).clamp(min=1.0)"},
    why="Nothing overflows, but the weights depend on the differences between scores, and a "
    "division changes those.\nSubtract the row's maximum: that changes no difference.",
)
EXERCISE.edit(
    "the exponential is missing",
    {"(x - x.amax(dim=-1, keepdim=True)).exp()": "x"},
    why="x / x.sum() makes rows sum to one, but with negative scores the weights turn negative, or "
    "the sum is near zero. The exponential makes every number positive first.",
)
EXERCISE.edit(
    "it is a maximum, not a soft one",
    {"e / total(e)": "torch.nn.functional.one_hot(x.argmax(dim=-1), x.size(-1)).to(x.dtype)"},
    why="Each row has a single 1 at its largest score. Softmax gives every score a share, larger "
    "and a larger one for a larger score; argmax has no gradient to learn from.",
)
EXERCISE.edit(
    "the sign is flipped",
    {"(x)": "(-x)"},
    why="The smallest score gets the largest weight. Look at the sign in the exponent.",
)
EXERCISE.edit(
    "the row sums lost their axis (keepdim)",
    {"True": "False"},
    why="Without keepdim=True the sums broadcast along the rows instead of down the columns, so "
    "each entry is divided by another row's sum.",
    section="What goes wrong",
    of=total,
)
EXERCISE.edit(
    "each column's maximum is subtracted, not each row's",
    {"-1": "-2 if x.dim() > 1 else -1"},
    why="Subtracting the same number from a whole row changes nothing, but here each entry of a "
    "row has another number subtracted. Each row needs its own maximum.",
)
EXERCISE.edit(
    "the largest absolute value is subtracted",
    {"- x.": "- x.abs()."},
    why="In a row far below 0 the largest absolute value is that of the smallest number: with it "
    "subtracted, every exponential underflows to 0.\nSubtract the maximum itself.",
)
EXERCISE.edit(
    "the minimum is subtracted, not the maximum",
    {"amax": "amin"},
    why="Then all exponents are at least 0, and the largest overflows if the row has a wide "
    "range.\nWith the maximum subtracted, none is above 0.",
)
EXERCISE.edit(
    "the exponentials are divided by the sum of the scores",
    {"(e)": "(x.sum(dim=-1, keepdim=True))"},
    why="The fraction needs exponentials above and below: the exponential of one score, divided "
    "by the sum of the exponentials of all scores.",
)
EXERCISE.edit(
    "the maximum is subtracted in one of two places",
    {"(e)": "(x.exp().sum(dim=-1, keepdim=True))"},
    why="The fraction stays the same if the same number is subtracted above and below.\nCompute "
    "the exponentials once, and use them twice.",
)
EXERCISE.edit(
    "large scores are clipped, and their differences are lost",
    {"x - x.amax(dim=-1, keepdim=True)": "x.clamp(max=80.0)"},
    {"x - x.amax(dim=-1, keepdim=True)": "x.clamp(-80.0, 80.0)"},
    why="1000 and 1002 both become 80, and get the same weight.\nSubtract each row's maximum: then "
    "none overflows, and every difference stays.",
)
EXERCISE.edit(
    "one is added to the sum",
    {"e.sum": "1 + e.sum"},
    why="Divided by more than their sum, the exponentials do not add up to 1.\nWith the maximum "
    "subtracted, the sum is at least 1, so there is no division by zero to prevent.",
)
