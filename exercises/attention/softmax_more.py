"""softmax goes on: rarer mistakes."""

import torch
from torch import Tensor

from .softmax import (
    EXERCISE,
    exponentials,
    softmax,
    total,
)


@EXERCISE.mistake(
    "the weights are not normalised",
    why="The exponentials are positive, but a row is a set of shares only when it sums to one: "
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
    "exponent; below stands the sum of all exponentials.",
)
def divided_by_maximum(x: Tensor) -> Tensor:
    e = x.exp()
    return e / e.amax(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "it divides by how many there are, not by the sum",
    why="A mean of exponentials is no sum: the rows have to sum to one, so divide by their sum.",
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
    why="2 to the power of x gives flatter weights than e to the power of x, and another "
    "gradient. Softmax has e.",
)
def base_two(x: Tensor) -> Tensor:
    return softmax(x * 0.6931471805599453)


@base_two.also
def base_ten(x: Tensor) -> Tensor:
    return softmax(x * 2.302585092994046)


@EXERCISE.mistake(
    "each column's maximum is subtracted, not each row's",
    why="Subtracting the same number from a whole row changes nothing; another number at each "
    "place does. Each row needs its own maximum.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def column_maximum(x: Tensor) -> Tensor:
    return (x - x.amax(dim=-2 if x.dim() > 1 else -1, keepdim=True)).exp()


@EXERCISE.mistake(
    "the largest absolute value is subtracted, not the largest",
    why="In a row far below 0 the largest absolute value is that of the smallest number: minus it, "
    "every exponential vanishes. Subtract the maximum itself.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def largest_absolute(x: Tensor) -> Tensor:
    return (x - x.abs().amax(dim=-1, keepdim=True)).exp()


@EXERCISE.mistake(
    "the scores are left as they are, without softmax",
    why="Scores are no weights: they may be negative, and add up to anything. Softmax makes shares "
    "of them.",
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
    why="The exponents are all at least 0 then, and the largest overflows where a row is spread "
    "wide. Minus the maximum, none is above 0.",
    section="Weights are a softmax of scores",
    of=exponentials,
)
def minimum_subtracted(x: Tensor) -> Tensor:
    return (x - x.amin(dim=-1, keepdim=True)).exp()


@EXERCISE.mistake(
    "the row maxima lost their axis (keepdim)",
    why="Without keepdim=True the maxima lie along a row instead of down the rows, so that each "
    "entry has another row's maximum taken off.",
    section="What goes wrong",
    of=exponentials,
)
def maxima_without_keepdim(x: Tensor) -> Tensor:
    return (x - x.amax(dim=-1)).exp()


@EXERCISE.mistake(
    "the exponentials are divided by the sum of the scores",
    why="Both lines of the fraction have exponentials: above that of one score, below the sum of "
    "all of them.",
    section="Weights are a softmax of scores",
)
def over_the_scores(x: Tensor) -> Tensor:
    return exponentials(x) / x.sum(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "the maximum is subtracted in one of two places",
    why="The fraction stays what it is if the same number is taken off above the line and below "
    "it. Work the exponentials out once, and use them twice.",
    section="Weights are a softmax of scores",
)
def maximum_above_only(x: Tensor) -> Tensor:
    return exponentials(x) / x.exp().sum(dim=-1, keepdim=True)


@maximum_above_only.also
def maximum_below_only(x: Tensor) -> Tensor:
    return x.exp() / total(exponentials(x))


@EXERCISE.mistake(
    "large scores are clipped, and their differences are lost",
    why="1000 and 1002 both become 80, and get the same weight. Subtract each row's maximum: that "
    "makes all of them harmless, and keeps every difference.",
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
    why="Divided by more than their sum, the weights do not reach 1 together. Once the maximum is "
    "subtracted, the sum is at least 1: it needs no help.",
    section="Weights are a softmax of scores",
    of=total,
)
def one_more(e: Tensor) -> Tensor:
    return 1 + e.sum(dim=-1, keepdim=True)
