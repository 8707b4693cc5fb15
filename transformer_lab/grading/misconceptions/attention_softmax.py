# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to write the third step of attention: softmax."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

SOFTMAX_SECTION = "book/attention#Weights are a softmax of scores"
AXIS_SECTION = "book/attention#What goes wrong"
STABLE_SECTION = "book/attention#The softmax that survives large scores"


@mistake(
    "softmax runs over the queries, not the keys",
    why="Each query shares out its own attention, so each row has to sum to one. Here the columns "
    "do: take the last axis, dim=-1.",
    section=AXIS_SECTION,
)
def over_queries(x: Tensor) -> Tensor:
    return x.softmax(dim=-2)


@mistake(
    "softmax runs over the first axis",
    why="The first axis is the queries, or the batch when there is one: then different sentences "
    "share one attention. Take the last axis, dim=-1.",
    section=AXIS_SECTION,
)
def over_first_axis(x: Tensor) -> Tensor:
    return x.softmax(dim=0)


@mistake(
    "softmax runs over axis 1, which is the last only for a matrix",
    why="With a batch or heads in front, axis 1 is no longer the keys. Count from the back: "
    "dim=-1 is right for any number of axes.",
    section=AXIS_SECTION,
)
def over_axis_one(x: Tensor) -> Tensor:
    return x.softmax(dim=1 if x.dim() > 1 else 0)


@mistake(
    "softmax runs over all entries at once",
    why="A sum without dim adds up the whole tensor, so all rows together sum to one. Each row "
    "needs its own sum: dim=-1, keepdim=True.",
    section=AXIS_SECTION,
)
def over_everything(x: Tensor) -> Tensor:
    return x.flatten().softmax(dim=0).reshape(x.shape)


@mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. Subtract each row's maximum "
    "first: the weights stay the same, and the largest exponential is 1.",
    section=STABLE_SECTION,
)
def overflows(x: Tensor) -> Tensor:
    return x.exp() / x.exp().sum(dim=-1, keepdim=True)


@mistake(
    "one maximum is subtracted from all rows",
    why="A row far below the overall maximum underflows to zeros, and 0 / 0 is nan. Each row needs "
    "its own maximum: dim=-1, keepdim=True.",
    section=STABLE_SECTION,
)
def one_maximum(x: Tensor) -> Tensor:
    e = (x - x.max()).exp()
    return e / e.sum(dim=-1, keepdim=True)


@mistake(
    "the mean is subtracted, not the maximum",
    why="With one number far above the rest, subtracting the mean leaves it large and its "
    "exponential overflows. Only the maximum makes every exponent at most 0.",
    section=STABLE_SECTION,
)
def mean_subtracted(x: Tensor) -> Tensor:
    e = (x - x.mean(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


@mistake(
    "the weights are not normalised",
    why="The exponentials are positive, but a row is a set of shares only when it sums to one: "
    "divide by the row's sum.",
    section=SOFTMAX_SECTION,
)
def not_normalised(x: Tensor) -> Tensor:
    return (x - x.amax(dim=-1, keepdim=True)).exp()


@not_normalised.also
def not_normalised_nor_shifted(x: Tensor) -> Tensor:
    return x.exp()


@mistake(
    "the exponential is missing",
    why="x / x.sum() makes rows sum to one, but with negative scores the weights turn negative, or "
    "the sum is near zero. The exponential makes every number positive first.",
    section=SOFTMAX_SECTION,
)
def no_exponential(x: Tensor) -> Tensor:
    return x / x.sum(dim=-1, keepdim=True)


@mistake(
    "it divides by the maximum, not by the sum",
    why="The largest weight comes out as 1 and the row sums to more. The maximum belongs in the "
    "exponent; below stands the sum of all exponentials.",
    section=SOFTMAX_SECTION,
)
def divided_by_maximum(x: Tensor) -> Tensor:
    e = x.exp()
    return e / e.amax(dim=-1, keepdim=True)


@mistake(
    "it is a maximum, not a soft one",
    why="Each row has a single 1 at its largest score. Softmax gives every score a share, larger "
    "for larger scores; argmax has no gradient to learn from.",
    section=SOFTMAX_SECTION,
)
def hard_maximum(x: Tensor) -> Tensor:
    return torch.nn.functional.one_hot(x.argmax(dim=-1), x.size(-1)).to(x.dtype)


@mistake(
    "it is the logarithm of softmax",
    why="The numbers are at most 0, so they are log-weights. Losses want those; attention needs "
    "the weights themselves.",
    section=SOFTMAX_SECTION,
)
def logarithm(x: Tensor) -> Tensor:
    return x.log_softmax(dim=-1)


@mistake(
    "it is a sigmoid: every score for itself",
    why="A sigmoid squeezes each score alone, so a row need not sum to one. In softmax the scores "
    "of a row compete.",
    section=SOFTMAX_SECTION,
)
def sigmoid(x: Tensor) -> Tensor:
    return x.sigmoid()


@mistake(
    "the sign is turned round",
    why="The smallest score gets the largest weight: exp(-x) instead of exp(x).",
    section=SOFTMAX_SECTION,
)
def softmin(x: Tensor) -> Tensor:
    return (-x).softmax(dim=-1)


@mistake(
    "the row sums lost their axis (keepdim)",
    why="Without keepdim=True the sums broadcast along the rows instead of down the columns, so "
    "each entry is divided by another row's sum.",
    section=AXIS_SECTION,
)
def keepdim_missing(x: Tensor) -> Tensor:
    e = (x - x.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1)


@mistake(
    "it changes the caller's tensor",
    why="-= and methods that end in _ write into the tensor you were given, and whoever called "
    "still has it. Make a new one: x - ...",
    section=STABLE_SECTION,
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


SOFTMAX_MISTAKES = (
    over_queries,
    over_first_axis,
    over_axis_one,
    over_everything,
    overflows,
    one_maximum,
    mean_subtracted,
    not_normalised,
    not_normalised_nor_shifted,
    no_exponential,
    divided_by_maximum,
    hard_maximum,
    logarithm,
    sigmoid,
    softmin,
    keepdim_missing,
    changes_input,
    overwrites_input,
    exponentiates_input,
)
