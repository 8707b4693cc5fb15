"""masked_softmax: share out what may be seen; nothing to see gives nothing."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..attention.softmax import softmax
from ..ready_made import ATTENTION
from .parts import HEIGHTS, SEES, deep, filled


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """Share out what may be seen; nothing to see gives nothing."""
    lowest = torch.finfo(scores.dtype).min
    return softmax(torch.where(mask, scores, lowest)).masked_fill(~mask, 0.0)


def something(weights: Tensor, mask: Tensor) -> Tensor:
    """Give the sum of each row, or 1 where it sees nothing."""
    return torch.where(mask.any(dim=-1, keepdim=True), weights.sum(dim=-1, keepdim=True), 1.0)


EXERCISE = Exercise(
    __name__,
    masked_softmax,
    results={"weights": "queries, keys"},
    section="True means keep. Or block.",
    forbidden=ATTENTION,
)


@EXERCISE.requires(
    "What is hidden has weight 0, and each row that sees something sums to one.", points=3
)
def values(draw: Draw) -> list[Inputs]:
    """Give scores, and masks that leave each query something to read."""
    by_hand = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[True, True, False]])
    sizes = ((2, 3), (3, 2), (3, 5), (2, 4))
    return [Inputs(by_hand), *(Inputs((draw.normal(*s), draw.mask(*s))) for s in sizes)]


@EXERCISE.requires("A row that sees nothing has weights of zero.", points=2)
def nothing(draw: Draw) -> list[Inputs]:
    """Give masks that hide every key from some query, or from all; once in half precision."""
    cases = []
    for row, sizes in enumerate(((2, 3), (3, 2), (3, 4), (4, 3))):
        mask = draw.mask(*sizes)
        mask[row] = False
        dtype = torch.float16 if row == 3 else torch.float32
        cases.append(Inputs((draw.normal(*sizes, dtype=dtype), mask)))
    return [*cases, Inputs((draw.normal(2, 3), torch.zeros(2, 3, dtype=torch.bool)))]


@EXERCISE.requires(
    "It takes batches, masks that broadcast, large scores, and every precision, half too.", points=2
)
def general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, masks that broadcast, other precisions, and scores far apart."""
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
    """Give squares, and scores far below 0."""
    squares = [Inputs((draw.normal(n, n), draw.mask(n, n))) for n in (3, 4, 4)]
    return [*squares, *deep(draw), *deep(draw)]


@EXERCISE.mistake(
    "the mask is turned round",
    why="True means: may attend. Here the keys marked True are the ones left out. masked_fill "
    "fills where its mask is True.",
)
def inverted(scores: Tensor, mask: Tensor) -> Tensor:
    return masked_softmax(scores, ~mask)


@inverted.also
def inverted_with_infinity(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, mask, -torch.inf)


@inverted.also
def inverted_without_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, mask, torch.finfo(scores.dtype).min)


@inverted.also
def inverted_then_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, mask, -torch.inf).nan_to_num()


@EXERCISE.mistake(
    "the mask comes after softmax",
    why="Weights set to zero after softmax leave a row that sums to less than one. Mask the scores "
    "first, so that softmax shares everything out among what is left.",
    section="What goes wrong",
)
def after_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores) * mask


@EXERCISE.mistake(
    "what is hidden takes part before it is masked",
    why="Where a hidden score is far above the rest, it takes everything, or is the maximum below "
    "which all others vanish, and nothing is left to be shared out anew. Mask the scores first: "
    "softmax then finds the right maximum and divides by the right sum.",
    section="What goes wrong",
)
def renormalised(scores: Tensor, mask: Tensor) -> Tensor:
    weights = softmax(scores) * mask
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)


@renormalised.also
def renormalised_where_there_is_something(scores: Tensor, mask: Tensor) -> Tensor:
    weights = softmax(scores) * mask
    return weights / something(weights, mask)


@EXERCISE.mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and exp(-200) is 0 in it: inf / inf and 0 / 0 are "
    "nan. Subtract the largest score that each row sees, or leave that to torch.softmax.",
    section="book/attention#Weights are a softmax of scores",
)
def overflows(scores: Tensor, mask: Tensor) -> Tensor:
    e = scores.exp() * mask
    return (e / e.sum(dim=-1, keepdim=True)).nan_to_num()


@overflows.also
def overflows_where_seen(scores: Tensor, mask: Tensor) -> Tensor:
    e = scores.exp().masked_fill(~mask, 0.0)
    return (e / e.sum(dim=-1, keepdim=True)).nan_to_num()


@overflows.also
def overflows_to_nan(scores: Tensor, mask: Tensor) -> Tensor:
    e = scores.exp() * mask
    return e / something(e, mask)


@EXERCISE.mistake(
    "the mask is added as 0 and 1",
    why="Adding True adds 1 to a score, which only nudges it. An additive mask holds 0 where one "
    "may attend and minus infinity where one may not.",
)
def added(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores + mask)


@added.also
def added_then_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(scores + mask) * mask.any(dim=-1, keepdim=True)


@EXERCISE.mistake(
    "masked scores are set to 0",
    why="exp(0) is 1, so a score of 0 still gets a share. Only minus infinity, or a number so "
    "negative that its exponential vanishes, gives weight zero.",
    section="What goes wrong",
)
def filled_with_zero(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, 0.0)


@filled_with_zero.also
def filled_with_zero_then_zeros(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, 0.0) * mask.any(dim=-1, keepdim=True)


@filled_with_zero.also
def filled_with_zero_then_hidden(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, 0.0) * mask


@EXERCISE.mistake(
    "the hidden scores are not low enough",
    why="What is hidden is filled with -100, or -1e4, and a score that may be seen can be lower "
    "still: then softmax gives all to what is hidden. Minus infinity is below every score, and so "
    "is the lowest number of the dtype.",
    section="Minus infinity, minus a billion, and nothing",
)
def filled_too_high(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, -100.0) * mask


@filled_too_high.also
def filled_ten_thousand_below(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, -1e4) * mask


@filled_too_high.also
def filled_as_low_as_half_precision(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, torch.finfo(torch.float16).min) * mask


@filled_too_high.also
def filled_too_high_in_half(scores: Tensor, mask: Tensor) -> Tensor:
    return filled(scores, ~mask, -1e4 if scores.dtype == torch.float16 else -1e9) * mask
