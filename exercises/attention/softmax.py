"""softmax: turn each row into weights that sum to 1."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION, SOFTMAX
from .parts import (
    FLAT,
    GRID,
    STACK,
)


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


@EXERCISE.requires(
    "Each row becomes positive weights that sum to one, computed with the exponential.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Return one row to compute by hand, then small matrices."""
    drawn = [Inputs((draw.normal(*shape),)) for shape in ((2, 3), (4, 2), (3, 5), (1, 4), (3, 1))]
    return [Inputs((torch.tensor([1.0, 2.0, 3.0]),)), *drawn]


@EXERCISE.requires(
    "Large numbers cause no overflow: softmax([1000, 1001, 1002]) = [0.090, 0.245, 0.665].",
    points=1,
)
def stable(draw: Draw) -> list[Inputs]:
    """Return numbers whose exponentials overflow, rows far from each other, and rows spread wide.

    The largest number of a row comes first, last and in between. Rows that span 100 distinguish
    subtracting the mean, which is close enough to the maximum, from subtracting the minimum.
    """
    far_apart = torch.tensor([[1000.0, 1001.0, 1002.0], [-1000.0, -1001.0, -1002.0]])
    spread = torch.tensor([[0.0, 0.0, 0.0, 400.0], [0.0, 1.0, 0.0, 399.0]])
    far = far_apart[0], far_apart, far_apart.flip(0) * 2, torch.cat([far_apart, draw.normal(2, 3)])
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


@EXERCISE.mistake(
    "softmax runs over the queries, not the keys",
    why="Each query distributes its own attention, so each row has to sum to one. Here the "
    "columns do: take the last axis, dim=-1.",
    section="What goes wrong",
)
def over_queries(x: Tensor) -> Tensor:
    return x.softmax(dim=-2)


@over_queries.within(total)
def over_queries_with_maxima_of_rows(e: Tensor) -> Tensor:
    return e.sum(dim=-2, keepdim=True)


@EXERCISE.mistake(
    "softmax runs over the first axis",
    why="The first axis is the queries, or the batch when there is one: then different sentences "
    "share one attention. Take the last axis, dim=-1.",
    section="What goes wrong",
)
def over_first_axis(x: Tensor) -> Tensor:
    return x.softmax(dim=0)


@over_first_axis.within(total)
def over_first_axis_with_maxima_of_rows(e: Tensor) -> Tensor:
    return e.sum(dim=0, keepdim=True)


@EXERCISE.mistake(
    "softmax runs over axis 1, which is the last only for a matrix",
    why="With a batch or heads in front, axis 1 is no longer the keys. Count from the back: "
    "dim=-1 is right for any number of axes.",
    section="What goes wrong",
)
def over_axis_one(x: Tensor) -> Tensor:
    return x.softmax(dim=1 if x.dim() > 1 else 0)


@over_axis_one.within(total)
def over_axis_one_with_maxima_of_rows(e: Tensor) -> Tensor:
    return e.sum(dim=1 if e.dim() > 1 else 0, keepdim=True)


@EXERCISE.mistake(
    "softmax runs over all entries at once",
    why="A sum without dim adds up the whole tensor, so all rows together sum to one. Each row "
    "needs its own sum.",
    section="What goes wrong",
)
def over_everything(x: Tensor) -> Tensor:
    return x.flatten().softmax(dim=0).reshape(x.shape)


@over_everything.within(total)
def over_everything_with_maxima_of_rows(e: Tensor) -> Tensor:
    return e.sum()


@EXERCISE.mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. Subtract each row's maximum "
    "first: the weights stay the same, and the largest exponential is 1.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def overflows(x: Tensor) -> Tensor:
    return x.exp()


@EXERCISE.mistake(
    "one maximum is subtracted from all rows",
    why="A row far below the overall maximum underflows to zeros, and 0 / 0 is nan. Each row "
    "needs its own maximum.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def one_maximum(x: Tensor) -> Tensor:
    return (x - x.max()).exp()


@EXERCISE.mistake(
    "the mean is subtracted, not the maximum",
    why="With one number far above the rest, subtracting the mean leaves it large and its "
    "exponential overflows. Only the maximum makes every exponent at most 0.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def mean_subtracted(x: Tensor) -> Tensor:
    return (x - x.mean(dim=-1, keepdim=True)).exp()


@EXERCISE.mistake(
    "one number of the row is subtracted, not its maximum",
    why="The first number, or the last, may be far below another, whose exponential then "
    "overflows. Only the maximum makes every exponent at most 0.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def first_subtracted(x: Tensor) -> Tensor:
    return (x - x[..., :1]).exp()


@first_subtracted.within(exponentials)
def last_subtracted(x: Tensor) -> Tensor:
    return (x - x[..., -1:]).exp()


@EXERCISE.mistake(
    "the scores are divided by the largest, instead of subtracting it",
    why="Nothing overflows, but the weights depend on the differences between scores, and a "
    "division changes those. Subtract the row's maximum: that changes no difference.",
    of=exponentials,
)
def divided_by_the_largest(x: Tensor) -> Tensor:
    return (x / x.abs().amax(dim=-1, keepdim=True).clamp(min=1.0)).exp()


@EXERCISE.mistake(
    "the weights are not normalised",
    why="The exponentials are positive, but a row is a set of shares only if it sums to one: "
    "divide by the row's sum.",
    of=total,
)
def not_normalised(e: Tensor) -> Tensor:
    return torch.ones_like(e)


@not_normalised.also
def not_normalised_nor_shifted(x: Tensor) -> Tensor:
    return x.exp()


@EXERCISE.mistake(
    "the exponential is missing",
    why="x / x.sum() makes rows sum to one, but with negative scores the weights turn negative, or "
    "the sum is near zero. The exponential makes every number positive first.",
    of=exponentials,
)
def no_exponential(x: Tensor) -> Tensor:
    return x


@no_exponential.within(exponentials)
def squares(x: Tensor) -> Tensor:
    return x.square()


@EXERCISE.mistake(
    "it divides by the maximum, not by the sum",
    why="The largest weight comes out as 1 and the row sums to more. The maximum belongs in the "
    "exponent; divide by the sum of all exponentials.",
)
def divided_by_maximum(x: Tensor) -> Tensor:
    e = x.exp()
    return e / e.amax(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "it divides by the number of scores, not by their sum",
    why="A mean of exponentials is not their sum. The row has to sum to one, so divide by the sum.",
    of=total,
)
def divided_by_count(e: Tensor) -> Tensor:
    return torch.full_like(e[..., :1], e.size(-1))


@divided_by_count.within(total)
def divided_by_mean(e: Tensor) -> Tensor:
    return e.mean(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "it is a maximum, not a soft one",
    why="Each row has a single 1 at its largest score. Softmax gives every score a share, larger "
    "and a larger one for a larger score; argmax has no gradient to learn from.",
)
def hard_maximum(x: Tensor) -> Tensor:
    return torch.nn.functional.one_hot(x.argmax(dim=-1), x.size(-1)).to(x.dtype)


@EXERCISE.mistake(
    "it is the logarithm of softmax",
    why="The numbers are at most 0, so they are log-weights. A loss needs those; attention needs "
    "the weights themselves.",
)
def logarithm(x: Tensor) -> Tensor:
    return x.log_softmax(dim=-1)


@EXERCISE.mistake(
    "it is a sigmoid of each score",
    why="A sigmoid treats each score alone, so a row need not sum to one. In softmax the scores "
    "of a row compete.",
)
def sigmoid(x: Tensor) -> Tensor:
    return x.sigmoid()


@EXERCISE.mistake(
    "the sign is flipped",
    why="The smallest score gets the largest weight. Look at the sign in the exponent.",
)
def softmin(x: Tensor) -> Tensor:
    return softmax(-x)


@EXERCISE.mistake(
    "the row sums lost their axis (keepdim)",
    why="Without keepdim=True the sums broadcast along the rows instead of down the columns, so "
    "each entry is divided by another row's sum.",
    section="What goes wrong",
    of=total,
)
def keepdim_missing(e: Tensor) -> Tensor:
    return e.sum(dim=-1)


@EXERCISE.mistake(
    "the base of the powers is 2, not e",
    why="Powers of 2 give flatter weights than powers of e, and another gradient. Softmax uses e.",
)
def base_two(x: Tensor) -> Tensor:
    return softmax(x * 0.6931471805599453)


@base_two.also
def base_ten(x: Tensor) -> Tensor:
    return softmax(x * 2.302585092994046)


@EXERCISE.mistake(
    "each column's maximum is subtracted, not each row's",
    why="Subtracting the same number from a whole row changes nothing, but here each entry of a "
    "row has another number subtracted. Each row needs its own maximum.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def column_maximum(x: Tensor) -> Tensor:
    return (x - x.amax(dim=-2 if x.dim() > 1 else -1, keepdim=True)).exp()


@EXERCISE.mistake(
    "the largest absolute value is subtracted, not the largest",
    why="In a row far below 0 the largest absolute value is that of the smallest number: with it "
    "subtracted, every exponential underflows to 0. Subtract the maximum itself.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def largest_absolute(x: Tensor) -> Tensor:
    return (x - x.abs().amax(dim=-1, keepdim=True)).exp()


@EXERCISE.mistake(
    "the scores are left as they are, without softmax",
    why="Scores are not weights: they may be negative, and have any sum. Softmax turns them into "
    "shares.",
)
def scores_as_they_are(x: Tensor) -> Tensor:
    return x.clone()


@softmin.within(exponentials)
def taken_from_the_maximum(x: Tensor) -> Tensor:
    return (x.amax(dim=-1, keepdim=True) - x).exp()


@no_exponential.within(exponentials)
def distances_from_the_maximum(x: Tensor) -> Tensor:
    return x - x.amax(dim=-1, keepdim=True)


@column_maximum.within(exponentials)
def maximum_along_the_first_axis(x: Tensor) -> Tensor:
    return (x - x.amax(dim=0, keepdim=True)).exp()


@EXERCISE.mistake(
    "the minimum is subtracted, not the maximum",
    why="Then all exponents are at least 0, and the largest overflows if the row has a wide "
    "range. With the maximum subtracted, none is above 0.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def minimum_subtracted(x: Tensor) -> Tensor:
    return (x - x.amin(dim=-1, keepdim=True)).exp()


@EXERCISE.mistake(
    "the row maxima lost their axis (keepdim)",
    why="Without keepdim=True the maxima are lined up with the columns, not the rows, so each "
    "entry has another row's maximum subtracted.",
    section="What goes wrong",
    of=exponentials,
)
def maxima_without_keepdim(x: Tensor) -> Tensor:
    return (x - x.amax(dim=-1)).exp()


@EXERCISE.mistake(
    "the exponentials are divided by the sum of the scores",
    why="The fraction needs exponentials above and below: the exponential of one score, divided "
    "by the sum of the exponentials of all scores.",
    section="Weights are a softmax of scores",
)
def over_the_scores(x: Tensor) -> Tensor:
    return exponentials(x) / x.sum(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "the maximum is subtracted in one of two places",
    why="The fraction stays the same if the same number is subtracted above and below. Compute "
    "the exponentials once, and use them twice.",
    section="Weights are a softmax of scores",
)
def maximum_above_only(x: Tensor) -> Tensor:
    return exponentials(x) / x.exp().sum(dim=-1, keepdim=True)


@maximum_above_only.also
def maximum_below_only(x: Tensor) -> Tensor:
    return x.exp() / total(exponentials(x))


@EXERCISE.mistake(
    "large scores are clipped, and their differences are lost",
    why="1000 and 1002 both become 80, and get the same weight. Subtract each row's maximum: then "
    "none overflows, and every difference stays.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def clipped(x: Tensor) -> Tensor:
    return x.clamp(max=80.0).exp()


@clipped.within(exponentials)
def clipped_on_both_sides(x: Tensor) -> Tensor:
    return x.clamp(-80.0, 80.0).exp()


@EXERCISE.mistake(
    "one is added to the sum",
    why="Divided by more than their sum, the exponentials do not add up to 1. With the maximum "
    "subtracted, the sum is at least 1, so there is no division by zero to prevent.",
    section="Weights are a softmax of scores",
    of=total,
)
def one_more(e: Tensor) -> Tensor:
    return 1 + e.sum(dim=-1, keepdim=True)
