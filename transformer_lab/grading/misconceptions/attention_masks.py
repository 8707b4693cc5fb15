# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to use the mask in attention."""

import math

import torch
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.grading.misconceptions import mistake
from transformer_lab.grading.misconceptions.attention import Mask, Pair, attend

MASK_SECTION = "exercises/attention#All of it, with a mask"


@mistake(
    "the mask is turned round",
    why="True means: may attend. Here the keys marked True are the ones left out. "
    "masked_fill fills where its mask is True, so it wants ~mask.",
    section=MASK_SECTION,
)
def inverted(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(_scores(q, k), v, None if mask is None else ~mask)


@inverted.also
def inverted_with_infinity(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return _fill(_scores(q, k), v, mask, -torch.inf)


@inverted.also
def inverted_without_zeros(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return _fill(_scores(q, k), v, mask, -1e9)


@inverted.also
def inverted_then_zeros(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    output, weights = _fill(_scores(q, k), v, mask, -torch.inf)
    return output.nan_to_num(), weights.nan_to_num()


@mistake(
    "the mask is ignored",
    why="Every query reads every key, whatever the mask says. Before softmax, give the keys a "
    "query may not attend to a score of minus infinity.",
    section=MASK_SECTION,
)
def ignored(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(_scores(q, k), v, None)


@mistake(
    "the mask comes after softmax",
    why="Weights set to zero after softmax leave a row that sums to less than one. Mask the "
    "scores first, so that softmax shares everything out among what is left.",
    section=MASK_SECTION,
)
def after_softmax(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    weights = _scores(q, k).softmax(dim=-1)
    weights = weights if mask is None else weights * mask
    return weights @ v, weights


@mistake(
    "the rows are divided by their sums after masking",
    why="Where a hidden score is far above the rest, softmax gives it everything, and nothing is "
    "left to be shared out anew. Mask the scores first: softmax then divides by the right sum.",
    section=MASK_SECTION,
)
def renormalised(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    weights = _scores(q, k).softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-30)
    return weights @ v, weights


@mistake(
    "the mask is added as 0 and 1",
    why="Adding True adds 1 to a score, which only nudges it. An additive mask holds 0 where a "
    "query may attend and minus infinity where it may not.",
    section=MASK_SECTION,
)
def added(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(_scores(q, k) + (0 if mask is None else mask), v, None)


@mistake(
    "masked scores are set to 0",
    why="exp(0) is 1, so a score of 0 still gets a share. Only minus infinity, or a number so "
    "negative that its exponential vanishes, gives weight zero.",
    section=MASK_SECTION,
)
def filled_with_zero(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return _fill(_scores(q, k), v, None if mask is None else ~mask, 0.0)


@filled_with_zero.also
def filled_with_zero_then_zeros(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    output, weights = _fill(_scores(q, k), v, None if mask is None else ~mask, 0.0)
    if mask is None:
        return output, weights
    blind = ~mask.any(dim=-1, keepdim=True)
    return output.masked_fill(blind, 0.0), weights.masked_fill(blind, 0.0)


@mistake(
    "the hidden scores are not low enough",
    why="What is hidden is filled with -100, or -1e4, and a score that may be seen can be lower "
    "still: then softmax gives all to what is hidden. Minus infinity is below every score, and so "
    "is the lowest number of the dtype.",
    section=MASK_SECTION,
)
def filled_too_high(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    _, weights = _fill(_scores(q, k), v, None if mask is None else ~mask, -100.0)
    weights = weights if mask is None else weights * mask
    return weights @ v, weights


@mistake(
    "a query with nothing to read gives nan",
    why="When all scores of a row are minus infinity, softmax divides 0 by 0. Nothing to read "
    "means weights of zero: fill those rows with 0 after softmax.",
    section=MASK_SECTION,
)
def blind_rows_nan(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return _fill(_scores(q, k), v, None if mask is None else ~mask, -torch.inf)


@mistake(
    "a query with nothing to read reads everything",
    why="When all scores of a row are equally negative, softmax gives each the same share. "
    "Nothing to read means weights of zero: fill what is masked with 0 after softmax.",
    section=MASK_SECTION,
)
def blind_rows_uniform(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return _fill(_scores(q, k), v, None if mask is None else ~mask, -1e9)


@blind_rows_uniform.also
def blind_rows_unmasked(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(
        _scores(q, k), v, None if mask is None else mask | ~mask.any(dim=-1, keepdim=True)
    )


@blind_rows_uniform.also
def blind_rows_shifted(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(_scores(q, k) + (0 if mask is None else (~mask) * -3e4), v, None)


@mistake(
    "the mask is transposed",
    why="Row i of the mask says what query i may attend to. Turned round, it says by whom key i "
    "may be read. Rows are queries, as in the weights.",
    section=MASK_SECTION,
)
def transposed(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(_scores(q, k), v, None if mask is None else mask.mT)


@mistake(
    "the future is always masked",
    why="A causal mask is laid over every call. Here the caller decides: no mask means that every "
    "query may attend to every key.",
    section=MASK_SECTION,
)
def always_causal(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    past = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    return scaled_dot_product_attention(q, k, v, past if mask is None else past & mask)


def _scores(q: Tensor, k: Tensor) -> Tensor:
    """Give the scaled scores."""
    return q @ k.mT / math.sqrt(q.size(-1))


def _fill(scores: Tensor, v: Tensor, where: Mask, number: float) -> Pair:
    """Put a number where it says, and leave the weights as softmax gives them."""
    scores = scores if where is None else scores.masked_fill(where, number)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


MASKS = (
    inverted,
    inverted_with_infinity,
    inverted_without_zeros,
    inverted_then_zeros,
    ignored,
    after_softmax,
    renormalised,
    added,
    filled_with_zero,
    filled_with_zero_then_zeros,
    filled_too_high,
    blind_rows_nan,
    blind_rows_uniform,
    blind_rows_unmasked,
    blind_rows_shifted,
    transposed,
    always_causal,
)
