"""attention: put the steps together."""

import math

import torch
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.grading.exercise import UNTOUCHED, Draw, Exercise, Inputs
from transformer_lab.grading.exercises.attention.parts import (
    HEIGHTS,
    SEES,
    Mask,
    Pair,
    attend,
    quarters,
)
from transformer_lab.grading.exercises.ready_mades import ATTENTION


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Pair:
    """Put the steps together."""
    return scaled_dot_product_attention(q, k, v, mask)


EXERCISE = Exercise(
    __name__,
    attention,
    results={"output": "queries, d_v", "weights": "queries, keys"},
    section="Why divide by √d_k?",
    forbidden=ATTENTION,
)


@EXERCISE.requires(
    "Without a mask it returns (output, weights) of scaled dot-product attention.", points=3
)
def values(draw: Draw) -> list[Inputs]:
    """Give everything of a different size, and no mask."""
    sizes = ((2, 3, 4, 2), (3, 3, 2, 4), (3, 2, 5, 3), (4, 5, 3, 2))
    return [Inputs(_triple(draw, *size)) for size in sizes]


@EXERCISE.requires(
    "Where the mask is False the weight is zero, and each row still sums to one.", points=2
)
def mask(draw: Draw) -> list[Inputs]:
    """Give masks that leave each query something to read, and hide something from it."""
    sizes = ((2, 3, 4, 2), (3, 3, 2, 4), (3, 4, 2, 5), (4, 3, 5, 2))
    return [Inputs(_triple(draw, *size), draw.mask(*size[:2])) for size in sizes]


@EXERCISE.requires("A query that may attend to no key gets weights and output of zero.", points=1)
def masked_rows(draw: Draw) -> list[Inputs]:
    """Give masks that hide every key from some query, or from all."""
    cases = []
    for row, size in enumerate(((2, 3, 4, 2), (3, 2, 3, 4), (3, 4, 2, 3))):
        mask = draw.mask(*size[:2])
        mask[row] = False
        cases.append(Inputs(_triple(draw, *size), mask))
    return [*cases, Inputs(_triple(draw, 2, 3, 2, 2), torch.zeros(2, 3, dtype=torch.bool))]


@EXERCISE.requires("Large scores do no harm.", points=1)
def stable(draw: Draw) -> list[Inputs]:
    """Give scores near 128, exact in float32: their exponential overflows; then keys far apart."""
    cases = []
    for t, s, d_v in ((2, 3, 2), (3, 2, 3), (3, 4, 2)):
        q, k, v = _triple(draw, t, s, 4, d_v)
        cases.append(Inputs((8 + q.round() / 8, 8 + (k * 2).round() / 16, v)))
    return [*cases, *(_far_apart(draw, places) for places in range(3))]


@EXERCISE.requires(
    "It takes any axes before the last two (batch, heads), and keeps the dtype it is given. The "
    "mask broadcasts to the scores.",
    points=1,
)
def general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, masks that broadcast, float64 and bfloat16, which can hold -1e9."""
    small = quarters(draw, 3, 4), quarters(draw, 5, 4), quarters(draw, 5, 2) / 4
    return [
        Inputs(_triple(draw, 3, 4, 5, 2, 2)),
        Inputs(_triple(draw, 3, 4, 2, 3, 2, 3), draw.mask(3, 4)),
        Inputs(_triple(draw, 2, 3, 4, 2, 3), draw.mask(3, 2, 3)),
        Inputs(_triple(draw, 4, 5, 2, 3, 2, 2), draw.mask(2, 1, 1, 5)),
        Inputs(_triple(draw, 3, 4, 5, 2, 2, dtype=torch.float64), draw.mask(3, 4)),
        Inputs(tuple(part.bfloat16() for part in small)),
    ]


@EXERCISE.requires(UNTOUCHED, points=1, unchanged=True)
def untouched(draw: Draw) -> list[Inputs]:
    """Give tensors that the caller still needs."""
    sizes = ((2, 3, 4, 2), (3, 2, 5, 3), (3, 4, 2, 3))
    cases = [_triple(draw, *size) for size in sizes]
    open_masks = [torch.ones(size[:2], dtype=torch.bool) for size in sizes]
    return [Inputs(case) for case in cases] + list(map(Inputs, cases, open_masks))


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes, with and without masks."""
    masked = [Inputs(_triple(draw, 4, 4, 4, 4), draw.mask(4, 4)) for _ in range(6)]
    open_ = [Inputs(_triple(draw, n, n, n, n)) for n in (3, 4, 5)]
    return masked + open_ + [Inputs(_triple(draw, 3, 3, 3, 3, 3)) for _ in range(3)]


def _triple(
    draw: Draw, t: int, s: int, d_k: int, d_v: int, *lead: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a query, a key and a value tensor."""
    q, k = draw.normal(*lead, t, d_k, dtype=dtype), draw.normal(*lead, s, d_k, dtype=dtype)
    return q, k, draw.normal(*lead, s, d_v, dtype=dtype)


def _far_apart(draw: Draw, places: int) -> Inputs:
    """Draw queries and keys whose scores are far apart, with each key moved on so many places."""
    q, k, v = _triple(draw, 3, 4, 5, 2)
    q[:, 0], k[:, 0] = 1.0, HEIGHTS * 2
    return Inputs((q, k.roll(places, dims=0), v), SEES.roll(places, dims=1))


def _scores(q: Tensor, k: Tensor) -> Tensor:
    """Give the scaled scores."""
    return q @ k.mT / math.sqrt(q.size(-1))


def _fill(scores: Tensor, v: Tensor, where: Mask, number: float) -> Pair:
    """Put a number where it says, and leave the weights as softmax gives them."""
    scores = scores if where is None else scores.masked_fill(where, number)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


@EXERCISE.mistake(
    "there is no scaling",
    why="The scores go into softmax as they are. Dot products of width d_k have variance d_k, so "
    "softmax saturates as d_k grows: divide by the square root of d_k.",
)
def not_scaled(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT, v, mask)


@EXERCISE.mistake(
    "it divides by d_k, not by its square root",
    why="The typical size of a dot product is the square root of d_k. Dividing by d_k makes the "
    "scores too small and the weights nearly equal.",
)
def divides_by_d_k(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / q.size(-1), v, mask)


@EXERCISE.mistake(
    "it multiplies by the square root of d_k",
    why="The scores are too large already; the square root of d_k has to make them smaller.",
)
def multiplies(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT * math.sqrt(q.size(-1)), v, mask)


@EXERCISE.mistake(
    "it scales by the number of keys",
    why="k.size(-2) is how many keys there are. What makes a dot product large is how many "
    "products it adds up: the width, k.size(-1).",
)
def scales_by_keys(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(k.size(-2)), v, mask)


@EXERCISE.mistake(
    "it scales by the number of queries",
    why="q.size(-2) is how many queries there are. What makes a dot product large is how many "
    "products it adds up: the width, q.size(-1).",
)
def scales_by_queries(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-2)), v, mask)


@EXERCISE.mistake(
    "it scales by the width of the values",
    why="d_v is how wide a value is. The dot products are between queries and keys, whose width is "
    "d_k; the two need not agree.",
)
def scales_by_d_v(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(v.size(-1)), v, mask)


@EXERCISE.mistake(
    "the scaling comes after softmax",
    why="Dividing the weights makes rows sum to less than one. The division belongs to the scores, "
    "before softmax.",
)
def scales_weights(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    output, weights = attend(q @ k.mT, v, mask)
    return output / math.sqrt(q.size(-1)), weights / math.sqrt(q.size(-1))


@EXERCISE.mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. Subtract each row's maximum "
    "before the exponential.",
    section="The softmax that survives large scores",
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


@EXERCISE.mistake(
    "it is a maximum, not a soft one",
    why="Each query reads only the key with the largest score. Softmax gives every key a share; "
    "argmax has no gradient to learn from.",
    section="Weights are a softmax of scores",
)
def hard_maximum(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    scores = q @ k.mT
    seen = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask
    best = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).argmax(dim=-1)
    weights = torch.nn.functional.one_hot(best, scores.size(-1)).to(scores.dtype) * seen
    return weights @ v, weights


@EXERCISE.mistake(
    "every value counts the same",
    why="The output is the mean of the values a query may read: queries and keys have no say. "
    "Weight each value before adding.",
    section="A dictionary that can be asked anything",
)
def plain_mean(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT * 0, v, mask)


@EXERCISE.mistake(
    "queries and keys have changed places",
    why="Rows of the scores belong to queries. With k @ q the rows belong to keys, and each key "
    "asks instead of answering.",
    section="Every shape",
)
def queries_and_keys_swapped(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(k @ q.mT / math.sqrt(q.size(-1)), v, mask)


@EXERCISE.mistake(
    "the weights are transposed before they meet the values",
    why="Row i of the weights says what query i reads. Transposed, row i says by whom value i is "
    "read, and does not even sum to one.",
    section="Every shape",
)
def weights_transposed(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    weights = attend(q @ k.mT / math.sqrt(q.size(-1)), v, mask)[1]
    return weights.mT @ v, weights


@EXERCISE.mistake(
    "the two results have changed places",
    why="It returns (weights, output). The promise is (output, weights): the output first.",
    section="Every shape",
)
def results_swapped(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return scaled_dot_product_attention(q, k, v, mask)[::-1]


@EXERCISE.mistake(
    "only the output is returned",
    why="Whoever calls wants to look at the weights too: return output, weights.",
    section="Every shape",
)
def output_only(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Tensor:
    return scaled_dot_product_attention(q, k, v, mask)[0]


@EXERCISE.mistake(
    "scores are returned in place of weights",
    why="The output is right, but beside it stand the scores from before softmax. The weights are "
    "what softmax makes of them: positive, each row summing to one.",
    section="Weights are a softmax of scores",
)
def scores_returned(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return attend(scores, v, mask)[0], scores


@EXERCISE.mistake(
    "only the first item of the batch is computed",
    why="A return inside the loop over the batch, or q[0], leaves the other items out. Matrix "
    "products treat all leading axes at once, without a loop.",
    section="Every shape",
)
def first_item_only(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    first = q.dim() > 2
    mask = mask[0] if first and mask is not None and mask.dim() == q.dim() else mask
    q, k, v = (q[0], k[0], v[0]) if first else (q, k, v)
    return scaled_dot_product_attention(q, k, v, mask)


@EXERCISE.mistake(
    "it changes the caller's tensors",
    why="/= and methods that end in _ write into the tensor you were given, and whoever called "
    "still has it. Make a new one.",
)
def changes_queries(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    q /= math.sqrt(q.size(-1))
    return attend(q @ k.mT, v, mask)


@EXERCISE.mistake(
    "softmax runs over the queries, not the keys",
    why="Each query shares out its own attention, so each row of weights has to sum to one. Here "
    "the columns do: take the last axis, dim=-1.",
    section="What goes wrong",
)
def over_queries(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-1)), v, mask, dim=-2)


@EXERCISE.mistake(
    "the axis is counted from the front",
    why="dim=1 is the keys' axis of a matrix, and another one as soon as batch and heads stand "
    "before it. Counted from the back it is the same for all: dim=-1.",
    section="What goes wrong",
)
def axis_one(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-1)), v, mask, dim=1)


@axis_one.also
def axis_nought(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-1)), v, mask, dim=0)


@EXERCISE.mistake(
    "the keys are reshaped, not transposed",
    why="Both give a tensor of the right shape, but reshape only cuts the same row of numbers "
    "elsewhere, so the pieces of different keys get mixed. Turning the axes round is transpose.",
    section="What goes wrong",
)
def reshaped(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    turned = k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))
    return attend(q @ turned / math.sqrt(q.size(-1)), v, mask)


@EXERCISE.mistake(
    "the mask is turned round",
    why="True means: may attend. Here the keys marked True are the ones left out. "
    "masked_fill fills where its mask is True, so it wants ~mask.",
    section="exercises/attention#All of it, with a mask",
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


@EXERCISE.mistake(
    "the mask is ignored",
    why="Every query reads every key, whatever the mask says. Before softmax, give the keys a "
    "query may not attend to a score of minus infinity.",
    section="exercises/attention#All of it, with a mask",
)
def ignored(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(_scores(q, k), v, None)


@EXERCISE.mistake(
    "the mask comes after softmax",
    why="Weights set to zero after softmax leave a row that sums to less than one. Mask the "
    "scores first, so that softmax shares everything out among what is left.",
    section="exercises/attention#All of it, with a mask",
)
def after_softmax(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    weights = _scores(q, k).softmax(dim=-1)
    weights = weights if mask is None else weights * mask
    return weights @ v, weights


@EXERCISE.mistake(
    "the rows are divided by their sums after masking",
    why="Where a hidden score is far above the rest, softmax gives it everything, and nothing is "
    "left to be shared out anew. Mask the scores first: softmax then divides by the right sum.",
    section="exercises/attention#All of it, with a mask",
)
def renormalised(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    weights = _scores(q, k).softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
        weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-30)
    return weights @ v, weights


@EXERCISE.mistake(
    "the mask is added as 0 and 1",
    why="Adding True adds 1 to a score, which only nudges it. An additive mask holds 0 where a "
    "query may attend and minus infinity where it may not.",
    section="exercises/attention#All of it, with a mask",
)
def added(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(_scores(q, k) + (0 if mask is None else mask), v, None)


@EXERCISE.mistake(
    "masked scores are set to 0",
    why="exp(0) is 1, so a score of 0 still gets a share. Only minus infinity, or a number so "
    "negative that its exponential vanishes, gives weight zero.",
    section="exercises/attention#All of it, with a mask",
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


@EXERCISE.mistake(
    "the hidden scores are not low enough",
    why="What is hidden is filled with -100, or -1e4, and a score that may be seen can be lower "
    "still: then softmax gives all to what is hidden. Minus infinity is below every score, and so "
    "is the lowest number of the dtype.",
    section="exercises/attention#All of it, with a mask",
)
def filled_too_high(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    _, weights = _fill(_scores(q, k), v, None if mask is None else ~mask, -100.0)
    weights = weights if mask is None else weights * mask
    return weights @ v, weights


@EXERCISE.mistake(
    "a query with nothing to read gives nan",
    why="When all scores of a row are minus infinity, softmax divides 0 by 0. Nothing to read "
    "means weights of zero: fill those rows with 0 after softmax.",
    section="exercises/attention#All of it, with a mask",
)
def blind_rows_nan(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return _fill(_scores(q, k), v, None if mask is None else ~mask, -torch.inf)


@EXERCISE.mistake(
    "a query with nothing to read reads everything",
    why="When all scores of a row are equally negative, softmax gives each the same share. "
    "Nothing to read means weights of zero: fill what is masked with 0 after softmax.",
    section="exercises/attention#All of it, with a mask",
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


@EXERCISE.mistake(
    "the mask is transposed",
    why="Row i of the mask says what query i may attend to. Turned round, it says by whom key i "
    "may be read. Rows are queries, as in the weights.",
    section="exercises/attention#All of it, with a mask",
)
def transposed(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    return attend(_scores(q, k), v, None if mask is None else mask.mT)


@EXERCISE.mistake(
    "the future is always masked",
    why="A causal mask is laid over every call. Here the caller decides: no mask means that every "
    "query may attend to every key.",
    section="exercises/attention#All of it, with a mask",
)
def always_causal(q: Tensor, k: Tensor, v: Tensor, mask: Mask = None) -> Pair:
    past = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()
    return scaled_dot_product_attention(q, k, v, past if mask is None else past & mask)
