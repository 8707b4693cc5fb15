# ruff: noqa: D103 -- the decorator says what each function gets wrong
"""Known-wrong ways to put attention together, apart from masks (see attention_masks)."""

import math

import torch
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.grading.misconceptions import mistake

Mask = Tensor | None
Pair = tuple[Tensor, Tensor]

SCALE_SECTION = "book/attention#Why divide by √d_k?"
SOFTMAX_SECTION = "book/attention#Weights are a softmax of scores"
STABLE_SECTION = "book/attention#The softmax that survives large scores"
MATRIX_SECTION = "book/attention#Every shape"
SUM_SECTION = "book/attention#A dictionary that can be asked anything"


def attend(scores: Tensor, v: Tensor, mask: Mask, dim: int = -1) -> Pair:
    """Finish attention rightly from given scores, so that a mistake stands alone."""
    blocked = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
    weights = scores.masked_fill(blocked, torch.finfo(scores.dtype).min).softmax(dim=dim)
    weights = weights.masked_fill(blocked, 0.0)
    return weights @ v, weights


@mistake(
    "there is no scaling",
    why="The scores go into softmax as they are. Dot products of width d_k have variance d_k, so "
    "softmax saturates as d_k grows: divide by the square root of d_k.",
    section=SCALE_SECTION,
)
def not_scaled(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT, v, mask)


@mistake(
    "it divides by d_k, not by its square root",
    why="The typical size of a dot product is the square root of d_k. Dividing by d_k makes the "
    "scores too small and the weights nearly equal.",
    section=SCALE_SECTION,
)
def divides_by_d_k(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / q.size(-1), v, mask)


@mistake(
    "it multiplies by the square root of d_k",
    why="The scores are too large already; the square root of d_k has to make them smaller.",
    section=SCALE_SECTION,
)
def multiplies(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT * math.sqrt(q.size(-1)), v, mask)


@mistake(
    "it scales by the number of keys",
    why="k.size(-2) is how many keys there are. What makes a dot product large is how many "
    "products it adds up: the width, k.size(-1).",
    section=SCALE_SECTION,
)
def scales_by_keys(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(k.size(-2)), v, mask)


@mistake(
    "it scales by the number of queries",
    why="q.size(-2) is how many queries there are. What makes a dot product large is how many "
    "products it adds up: the width, q.size(-1).",
    section=SCALE_SECTION,
)
def scales_by_queries(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-2)), v, mask)


@mistake(
    "it scales by the width of the values",
    why="d_v is how wide a value is. The dot products are between queries and keys, whose width is "
    "d_k; the two need not agree.",
    section=SCALE_SECTION,
)
def scales_by_d_v(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(v.size(-1)), v, mask)


@mistake(
    "the scaling comes after softmax",
    why="Dividing the weights makes rows sum to less than one. The division belongs to the scores, "
    "before softmax.",
    section=SCALE_SECTION,
)
def scales_weights(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    output, weights = attend(q @ k.mT, v, mask)
    return output / math.sqrt(q.size(-1)), weights / math.sqrt(q.size(-1))


@mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. Subtract each row's maximum "
    "before the exponential.",
    section=STABLE_SECTION,
)
def overflows(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    e = (q @ k.mT / math.sqrt(q.size(-1))).exp()
    e = e if mask is None else e * mask
    weights = e / e.sum(dim=-1, keepdim=True)
    weights = weights if mask is None else weights.masked_fill(~mask, 0.0)
    return weights @ v, weights


@overflows.also
def overflows_where_seen(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    e = (q @ k.mT / math.sqrt(q.size(-1))).exp()
    e = e if mask is None else e.masked_fill(~mask, 0.0)
    weights = e / e.sum(dim=-1, keepdim=True)
    weights = weights if mask is None else weights.masked_fill(~mask, 0.0)
    return weights @ v, weights


@mistake(
    "it is a maximum, not a soft one",
    why="Each query reads only the key with the largest score. Softmax gives every key a share; "
    "argmax has no gradient to learn from.",
    section=SOFTMAX_SECTION,
)
def hard_maximum(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    scores = q @ k.mT
    seen = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    best = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).argmax(dim=-1)
    weights = torch.nn.functional.one_hot(best, scores.size(-1)).to(scores.dtype) * seen
    return weights @ v, weights


@mistake(
    "every value counts the same",
    why="The output is the mean of the values a query may read: queries and keys have no say. "
    "Weight each value before adding.",
    section=SUM_SECTION,
)
def plain_mean(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT * 0, v, mask)


@mistake(
    "queries and keys have changed places",
    why="Rows of the scores belong to queries. With k @ q the rows belong to keys, and each key "
    "asks instead of answering.",
    section=MATRIX_SECTION,
)
def queries_and_keys_swapped(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(k @ q.mT / math.sqrt(q.size(-1)), v, mask)


@mistake(
    "the weights are transposed before they meet the values",
    why="Row i of the weights says what query i reads. Transposed, row i says by whom value i is "
    "read, and does not even sum to one.",
    section=MATRIX_SECTION,
)
def weights_transposed(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    weights = attend(q @ k.mT / math.sqrt(q.size(-1)), v, mask)[1]
    return weights.mT @ v, weights


@mistake(
    "the two results have changed places",
    why="It returns (weights, output). The promise is (output, weights): the output first.",
    section=MATRIX_SECTION,
)
def results_swapped(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return scaled_dot_product_attention(q, k, v, mask)[::-1]


@mistake(
    "only the output is returned",
    why="Whoever calls wants to look at the weights too: return output, weights.",
    section=MATRIX_SECTION,
)
def output_only(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Tensor:
    return scaled_dot_product_attention(q, k, v, mask)[0]


@mistake(
    "scores are returned in place of weights",
    why="The output is right, but beside it stand the scores from before softmax. The weights are "
    "what softmax makes of them: positive, each row summing to one.",
    section=SOFTMAX_SECTION,
)
def scores_returned(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return attend(scores, v, mask)[0], scores


@mistake(
    "only the first item of the batch is computed",
    why="A return inside the loop over the batch, or q[0], leaves the other items out. Matrix "
    "products treat all leading axes at once, without a loop.",
    section=MATRIX_SECTION,
)
def first_item_only(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    first = q.dim() > 2
    mask = mask[0] if first and mask is not None and mask.dim() == q.dim() else mask
    q, k, v = (q[0], k[0], v[0]) if first else (q, k, v)
    return scaled_dot_product_attention(q, k, v, mask)


@mistake(
    "it changes the caller's tensors",
    why="/= and methods that end in _ write into the tensor you were given, and whoever called "
    "still has it. Make a new one.",
    section=SCALE_SECTION,
)
def changes_queries(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    q /= math.sqrt(q.size(-1))
    return attend(q @ k.mT, v, mask)


PARTS = (
    not_scaled,
    divides_by_d_k,
    multiplies,
    scales_by_keys,
    scales_by_queries,
    scales_by_d_v,
    scales_weights,
    overflows,
    overflows_where_seen,
    hard_maximum,
    plain_mean,
    queries_and_keys_swapped,
    weights_transposed,
    results_swapped,
    output_only,
    scores_returned,
    first_item_only,
    changes_queries,
)
