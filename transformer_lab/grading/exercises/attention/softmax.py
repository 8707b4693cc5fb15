"""softmax: turn each row into weights."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.attention.parts import (
    FLAT,
    GRID,
    STACK,
)
from transformer_lab.grading.exercises.ready_mades import ATTENTION, SOFTMAX


def softmax(x: Tensor) -> Tensor:
    """Turn each row into weights."""
    return x.softmax(dim=-1)


EXERCISE = Exercise(
    __name__,
    softmax,
    results={"weights": "..., keys"},
    section="Weights are a softmax of scores",
    forbidden=ATTENTION | SOFTMAX,
)


@EXERCISE.requires(
    "Each row becomes positive weights that sum to one, by the exponential.", points=2
)
def values(draw: Draw) -> list[Inputs]:
    """Give one row to do by hand, then small matrices."""
    drawn = [Inputs((draw.normal(*shape),)) for shape in ((2, 3), (4, 2), (3, 5), (1, 4), (3, 1))]
    return [Inputs((torch.tensor([1.0, 2.0, 3.0]),)), *drawn]


@EXERCISE.requires(
    "Large numbers do no harm: softmax([1000, 1001, 1002]) = [0.090, 0.245, 0.665].", points=1
)
def stable(draw: Draw) -> list[Inputs]:
    """Give numbers whose exponential overflows, rows far from each other, rows spread wide.

    The largest number of a row stands first, last and in between. Rows spread over 100 tell who
    subtracts the mean, which is near enough to the maximum, from who subtracts the minimum.
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
    "It works along the last axis, whatever comes before, and keeps the dtype.", points=1
)
def general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, float64 and half precision."""
    batches = draw.normal(2, 3, 4), draw.normal(2, 3, 4, 5)
    others = (draw.normal(3, 4, dtype=dtype) for dtype in (torch.float64, torch.float16))
    return [Inputs((x,)) for x in (*batches, *others)]


EXERCISE.untouched()
EXERCISE.trains()


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes."""
    return [Inputs((draw.normal(*shape),)) for shape in FLAT + STACK + GRID]


@EXERCISE.mistake(
    "softmax runs over the queries, not the keys",
    why="Each query shares out its own attention, so each row has to sum to one. Here the columns "
    "do: take the last axis, dim=-1.",
    section="What goes wrong",
)
def over_queries(x: Tensor) -> Tensor:
    return x.softmax(dim=-2)


@EXERCISE.mistake(
    "softmax runs over the first axis",
    why="The first axis is the queries, or the batch when there is one: then different sentences "
    "share one attention. Take the last axis, dim=-1.",
    section="What goes wrong",
)
def over_first_axis(x: Tensor) -> Tensor:
    return x.softmax(dim=0)


@EXERCISE.mistake(
    "softmax runs over axis 1, which is the last only for a matrix",
    why="With a batch or heads in front, axis 1 is no longer the keys. Count from the back: "
    "dim=-1 is right for any number of axes.",
    section="What goes wrong",
)
def over_axis_one(x: Tensor) -> Tensor:
    return x.softmax(dim=1 if x.dim() > 1 else 0)


@EXERCISE.mistake(
    "softmax runs over all entries at once",
    why="A sum without dim adds up the whole tensor, so all rows together sum to one. Each row "
    "needs its own sum: dim=-1, keepdim=True.",
    section="What goes wrong",
)
def over_everything(x: Tensor) -> Tensor:
    return x.flatten().softmax(dim=0).reshape(x.shape)


@EXERCISE.mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. Subtract each row's maximum "
    "first: the weights stay the same, and the largest exponential is 1.",
    section="The softmax that survives large scores",
)
def overflows(x: Tensor) -> Tensor:
    return x.exp() / x.exp().sum(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "one maximum is subtracted from all rows",
    why="A row far below the overall maximum underflows to zeros, and 0 / 0 is nan. Each row needs "
    "its own maximum: dim=-1, keepdim=True.",
    section="The softmax that survives large scores",
)
def one_maximum(x: Tensor) -> Tensor:
    e = (x - x.max()).exp()
    return e / e.sum(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "the mean is subtracted, not the maximum",
    why="With one number far above the rest, subtracting the mean leaves it large and its "
    "exponential overflows. Only the maximum makes every exponent at most 0.",
    section="The softmax that survives large scores",
)
def mean_subtracted(x: Tensor) -> Tensor:
    e = (x - x.mean(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "the weights are not normalised",
    why="The exponentials are positive, but a row is a set of shares only when it sums to one: "
    "divide by the row's sum.",
)
def not_normalised(x: Tensor) -> Tensor:
    return (x - x.amax(dim=-1, keepdim=True)).exp()


@not_normalised.also
def not_normalised_nor_shifted(x: Tensor) -> Tensor:
    return x.exp()


@EXERCISE.mistake(
    "the exponential is missing",
    why="x / x.sum() makes rows sum to one, but with negative scores the weights turn negative, or "
    "the sum is near zero. The exponential makes every number positive first.",
)
def no_exponential(x: Tensor) -> Tensor:
    return x / x.sum(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "it divides by the maximum, not by the sum",
    why="The largest weight comes out as 1 and the row sums to more. The maximum belongs in the "
    "exponent; below stands the sum of all exponentials.",
)
def divided_by_maximum(x: Tensor) -> Tensor:
    e = x.exp()
    return e / e.amax(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "it is a maximum, not a soft one",
    why="Each row has a single 1 at its largest score. Softmax gives every score a share, larger "
    "for larger scores; argmax has no gradient to learn from.",
)
def hard_maximum(x: Tensor) -> Tensor:
    return torch.nn.functional.one_hot(x.argmax(dim=-1), x.size(-1)).to(x.dtype)


@EXERCISE.mistake(
    "it is the logarithm of softmax",
    why="The numbers are at most 0, so they are log-weights. Losses want those; attention needs "
    "the weights themselves.",
)
def logarithm(x: Tensor) -> Tensor:
    return x.log_softmax(dim=-1)


@EXERCISE.mistake(
    "it is a sigmoid: every score for itself",
    why="A sigmoid squeezes each score alone, so a row need not sum to one. In softmax the scores "
    "of a row compete.",
)
def sigmoid(x: Tensor) -> Tensor:
    return x.sigmoid()


@EXERCISE.mistake(
    "the sign is turned round",
    why="The smallest score gets the largest weight: exp(-x) instead of exp(x).",
)
def softmin(x: Tensor) -> Tensor:
    return (-x).softmax(dim=-1)


@EXERCISE.mistake(
    "the row sums lost their axis (keepdim)",
    why="Without keepdim=True the sums broadcast along the rows instead of down the columns, so "
    "each entry is divided by another row's sum.",
    section="What goes wrong",
)
def keepdim_missing(x: Tensor) -> Tensor:
    e = (x - x.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1)


@EXERCISE.mistake(
    "it changes the caller's tensor",
    why="-= and methods that end in _ write into the tensor you were given, and whoever called "
    "still has it. Make a new one: x - ...",
    section="The softmax that survives large scores",
)
def changes_input(x: Tensor) -> Tensor:
    x -= x.amax(dim=-1, keepdim=True)
    return x.softmax(dim=-1)


@changes_input.also
def overwrites_input(x: Tensor) -> Tensor:
    x.copy_(x.softmax(dim=-1))
    return x


@changes_input.also
def exponentiates_input(x: Tensor) -> Tensor:
    x -= x.amax(dim=-1, keepdim=True)
    x.exp_()
    return x / x.sum(dim=-1, keepdim=True)
