"""attention: put the steps together."""

import math

import torch
from torch import Tensor

from transformer_lab.attention import scaled_dot_product_attention
from transformer_lab.grading.exercise import Draw, Exercise, Inputs
from transformer_lab.grading.exercises.attention.parts import (
    GENERAL,
    Pair,
    attend,
    far_apart,
    quarters,
    triple,
)
from transformer_lab.grading.exercises.ready_mades import ATTENTION


def attention(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    """Put the steps together."""
    return scaled_dot_product_attention(q, k, v)


EXERCISE = Exercise(
    __name__,
    attention,
    results={"output": "queries, d_v", "weights": "queries, keys"},
    section="Why divide by √d_k?",
    forbidden=ATTENTION,
)


@EXERCISE.requires("It returns (output, weights) of scaled dot-product attention.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Give everything of a different size, and no mask."""
    sizes = ((2, 3, 4, 2), (3, 3, 2, 4), (3, 2, 5, 3), (4, 5, 3, 2), (1, 1, 3, 2))
    return [Inputs(triple(draw, *size)) for size in sizes]


@EXERCISE.requires("Large scores do no harm.", points=1)
def stable(draw: Draw) -> list[Inputs]:
    """Give scores near 128, exact in float32: their exponential overflows; then keys far apart."""
    cases = []
    for t, s, d_v in ((2, 3, 2), (3, 2, 3), (3, 4, 2)):
        q, k, v = triple(draw, t, s, 4, d_v)
        cases.append(Inputs((8 + q.round() / 8, 8 + (k * 2).round() / 16, v)))
    return [*cases, *(far_apart(draw, places) for places in range(3))]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, float64 and bfloat16."""
    small = quarters(draw, 3, 4), quarters(draw, 5, 4), quarters(draw, 5, 2) / 4
    return [
        Inputs(triple(draw, 3, 4, 5, 2, 2)),
        Inputs(triple(draw, 3, 4, 2, 3, 2, 3)),
        Inputs(triple(draw, 3, 4, 5, 2, 2, dtype=torch.float64)),
        Inputs(tuple(part.bfloat16() for part in small)),
    ]


EXERCISE.untouched()
EXERCISE.trains("output")


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes."""
    squares = [Inputs(triple(draw, n, n, n, n)) for n in (3, 4, 4, 5)]
    return squares + [Inputs(triple(draw, 3, 3, 3, 3, 3)) for _ in range(3)]


@EXERCISE.mistake(
    "there is no scaling",
    why="The scores go into softmax as they are. Dot products of width d_k have variance d_k, so "
    "softmax saturates as d_k grows: divide by the square root of d_k.",
)
def not_scaled(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT, v)


@EXERCISE.mistake(
    "it divides by d_k, not by its square root",
    why="The typical size of a dot product is the square root of d_k. Dividing by d_k makes the "
    "scores too small and the weights nearly equal.",
)
def divides_by_d_k(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT / q.size(-1), v)


@EXERCISE.mistake(
    "it multiplies by the square root of d_k",
    why="The scores are too large already; the square root of d_k has to make them smaller.",
)
def multiplies(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT * math.sqrt(q.size(-1)), v)


@EXERCISE.mistake(
    "it scales by the number of keys",
    why="k.size(-2) is how many keys there are. What makes a dot product large is how many "
    "products it adds up: the width, k.size(-1).",
)
def scales_by_keys(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT / math.sqrt(k.size(-2)), v)


@EXERCISE.mistake(
    "it scales by the number of queries",
    why="q.size(-2) is how many queries there are. What makes a dot product large is how many "
    "products it adds up: the width, q.size(-1).",
)
def scales_by_queries(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT / math.sqrt(q.size(-2)), v)


@EXERCISE.mistake(
    "it scales by the width of the values",
    why="d_v is how wide a value is. The dot products are between queries and keys, whose width is "
    "d_k; the two need not agree.",
)
def scales_by_d_v(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT / math.sqrt(v.size(-1)), v)


@EXERCISE.mistake(
    "the scaling comes after softmax",
    why="Dividing the weights makes rows sum to less than one. The division belongs to the scores, "
    "before softmax.",
)
def scales_weights(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    output, weights = attend(q @ k.mT, v)
    return output / math.sqrt(q.size(-1)), weights / math.sqrt(q.size(-1))


@EXERCISE.mistake(
    "the exponential overflows",
    why="exp(100) is more than float32 can hold, and inf / inf is nan. Subtract each row's maximum "
    "before the exponential.",
    section="The softmax that survives large scores",
)
def overflows(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    e = (q @ k.mT / math.sqrt(q.size(-1))).exp()
    weights = e / e.sum(dim=-1, keepdim=True)
    return weights @ v, weights


@EXERCISE.mistake(
    "it is a maximum, not a soft one",
    why="Each query reads only the key with the largest score. Softmax gives every key a share; "
    "argmax has no gradient to learn from.",
    section="Weights are a softmax of scores",
)
def hard_maximum(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    scores = q @ k.mT
    weights = torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores.dtype)
    return weights @ v, weights


@EXERCISE.mistake(
    "every value counts the same",
    why="The output is the mean of the values a query may read: queries and keys have no say. "
    "Weight each value before adding.",
    section="A dictionary that can be asked anything",
)
def plain_mean(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(q @ k.mT * 0, v)


@EXERCISE.mistake(
    "queries and keys have changed places",
    why="Rows of the scores belong to queries. With k @ q the rows belong to keys, and each key "
    "asks instead of answering.",
    section="Every shape",
)
def queries_and_keys_swapped(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return attend(k @ q.mT / math.sqrt(q.size(-1)), v)


@EXERCISE.mistake(
    "the weights are transposed before they meet the values",
    why="Row i of the weights says what query i reads. Transposed, row i says by whom value i is "
    "read, and does not even sum to one.",
    section="Every shape",
)
def weights_transposed(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    weights = attend(q @ k.mT / math.sqrt(q.size(-1)), v)[1]
    return weights.mT @ v, weights


@EXERCISE.mistake(
    "the two results have changed places",
    why="It returns (weights, output). The promise is (output, weights): the output first.",
    section="Every shape",
)
def results_swapped(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    return scaled_dot_product_attention(q, k, v)[::-1]


@EXERCISE.mistake(
    "only the output is returned",
    why="Whoever calls wants to look at the weights too: return output, weights.",
    section="Every shape",
)
def output_only(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scaled_dot_product_attention(q, k, v)[0]


@EXERCISE.mistake(
    "scores are returned in place of weights",
    why="The output is right, but beside it stand the scores from before softmax. The weights are "
    "what softmax makes of them: positive, each row summing to one.",
    section="Weights are a softmax of scores",
)
def scores_returned(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return attend(scores, v)[0], scores


@EXERCISE.mistake(
    "only the first item of the batch is computed",
    why="A return inside the loop over the batch, or q[0], leaves the other items out. Matrix "
    "products treat all leading axes at once, without a loop.",
    section="Every shape",
)
def first_item_only(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    first = (q[0], k[0], v[0]) if q.dim() > 2 else (q, k, v)
    return scaled_dot_product_attention(*first)


@EXERCISE.mistake(
    "it changes the caller's tensors",
    why="/= and methods that end in _ write into the tensor you were given, and whoever called "
    "still has it. Make a new one.",
)
def changes_queries(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    q /= math.sqrt(q.size(-1))
    return attend(q @ k.mT, v)
