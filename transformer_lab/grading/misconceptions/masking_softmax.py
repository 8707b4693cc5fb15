# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to take a softmax under a mask."""

import torch
from torch import Tensor

from transformer_lab.grading.misconceptions import mistake

NUMBERS = "book/masking#Minus infinity, minus a billion, and nothing"
NOTHING = "book/masking#A row that sees nothing"
KEEP = "book/masking#True means keep. Or block."
WRONG = "book/masking#What goes wrong"


def filled(scores: Tensor, where: Tensor, number: float) -> Tensor:
    """Put a number where it says, and leave the weights as softmax gives them."""
    return scores.masked_fill(where, number).softmax(dim=-1)


def right(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Mask rightly, so that a mistake stands alone."""
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=dim).masked_fill(~mask, 0.0)


@mistake(
    "the mask is turned round",
    why="True means: may attend. Here the keys marked True are the ones left out. masked_fill "
    "fills where its mask is True, so it wants ~mask.",
    section=KEEP,
)
def inverted(scores: Tensor, mask: Tensor) -> Tensor:
    return right(scores, ~mask)


@inverted.also
def inverted_with_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, mask, -torch.inf)


@inverted.also
def inverted_without_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, mask, torch.finfo(scores.dtype).min)


@inverted.also
def inverted_then_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, mask, -torch.inf).nan_to_num()


@mistake(
    "the mask comes after softmax",
    why="Weights set to zero after softmax leave a row that sums to less than one. Mask the scores "
    "first, so that softmax shares everything out among what is left.",
    section=WRONG,
)
def after_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.softmax(dim=-1) * mask


@mistake(
    "the rows are divided by their sums after masking",
    why="Where a hidden score is far above the rest, softmax gives it everything, and nothing is "
    "left to be shared out anew. Mask the scores first: softmax then divides by the right sum.",
    section=WRONG,
)
def renormalised(scores: Tensor, mask: Tensor) -> Tensor:
    weights = scores.softmax(dim=-1) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)


@mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and exp(-200) is 0 in it: inf / inf and 0 / 0 are "
    "nan. Subtract the largest score that each row sees, or leave that to torch.softmax.",
    section="book/attention#The softmax that survives large scores",
)
def overflows(scores: Tensor, mask: Tensor) -> Tensor:
    e = scores.exp() * mask
    return (e / e.sum(dim=-1, keepdim=True)).nan_to_num()


@overflows.also
def overflows_where_seen(scores: Tensor, mask: Tensor) -> Tensor:
    e = scores.exp().masked_fill(~mask, 0.0)
    return (e / e.sum(dim=-1, keepdim=True)).nan_to_num()


@mistake(
    "the mask is added as 0 and 1",
    why="Adding True adds 1 to a score, which only nudges it. An additive mask holds 0 where one "
    "may attend and minus infinity where one may not.",
    section=KEEP,
)
def added(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + mask).softmax(dim=-1)


@added.also
def added_then_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return (scores + mask).softmax(dim=-1) * mask.any(dim=-1, keepdim=True)


@mistake(
    "masked scores are set to 0",
    why="exp(0) is 1, so a score of 0 still gets a share. Only minus infinity, or a number so "
    "negative that its exponential vanishes, gives weight zero.",
    section=WRONG,
)
def filled_with_zero(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, 0.0)


@filled_with_zero.also
def filled_with_zero_then_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, 0.0) * mask.any(dim=-1, keepdim=True)


@mistake(
    "the hidden scores are not low enough",
    why="What is hidden is filled with -100, or -1e4, and a score that may be seen can be lower "
    "still: then softmax gives all to what is hidden. Minus infinity is below every score, and so "
    "is the lowest number of the dtype.",
    section=NUMBERS,
)
def filled_too_high(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, -100.0) * mask


@mistake(
    "a row with nothing to read gives nan",
    why="When all scores of a row are minus infinity, softmax divides 0 by 0. Nothing to read "
    "means weights of zero.",
    section=NOTHING,
)
def nan_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, -torch.inf)


@mistake(
    "a row with nothing to read reads everything",
    why="When all scores of a row are equally low, softmax gives each the same share. Nothing to "
    "read means weights of zero: set what is hidden to 0 after softmax.",
    section=NOTHING,
)
def even_rows(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, torch.finfo(scores.dtype).min)


@even_rows.also
def even_rows_but_not_in_half(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, -1e9)


@even_rows.also
def rows_unmasked(scores: Tensor, mask: Tensor) -> Tensor:
    return right(scores, mask | ~mask.any(dim=-1, keepdim=True))


@mistake(
    "softmax runs over the queries, not the keys",
    why="Each query shares out its own attention, so each row has to sum to one. Here the columns "
    "do: take the last axis, dim=-1.",
    section="book/attention#What goes wrong",
)
def over_queries(scores: Tensor, mask: Tensor) -> Tensor:
    return right(scores, mask, dim=-2)


@mistake(
    "the axis is counted from the front",
    why="dim=1 is the keys' axis of a matrix, and another one as soon as batch and heads stand "
    "before it. Counted from the back it is the same for all: dim=-1.",
    section="book/attention#What goes wrong",
)
def axis_one(scores: Tensor, mask: Tensor) -> Tensor:
    return right(scores, mask, dim=min(1, scores.dim() - 1))


@axis_one.also
def axis_nought(scores: Tensor, mask: Tensor) -> Tensor:
    return right(scores, mask, dim=0)


@mistake(
    "it changes the caller's scores",
    why="masked_fill_ and scores[...] = ... write into the tensor you were given, and whoever "
    "called still has it. masked_fill, without the _, makes a new one.",
    section=NUMBERS,
)
def changes_scores(scores: Tensor, mask: Tensor) -> Tensor:
    scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


@changes_scores.also
def changes_scores_with_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    scores.masked_fill_(~mask, -torch.inf)
    return scores.softmax(dim=-1).nan_to_num()


SOFTMAX_MISTAKES = (
    inverted,
    inverted_with_infinity,
    inverted_without_zeros,
    inverted_then_zeros,
    after_softmax,
    renormalised,
    overflows,
    overflows_where_seen,
    added,
    added_then_zeros,
    filled_with_zero,
    filled_with_zero_then_zeros,
    filled_too_high,
    nan_rows,
    even_rows,
    even_rows_but_not_in_half,
    rows_unmasked,
    over_queries,
    axis_one,
    axis_nought,
    changes_scores,
    changes_scores_with_infinity,
)
