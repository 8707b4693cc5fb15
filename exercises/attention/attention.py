"""attention: scaled dot-product attention from the steps before it."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Exercise, Inputs

from ..ready_made import ATTENTION
from .parts import GENERAL, Pair, far_apart, quarters, scale, triple, weighted_sum, width
from .scores import scores
from .softmax import softmax


def attention(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    """Return the output and the weights of scaled dot-product attention."""
    weights = softmax(scale(scores(q, k), width(k, v)))
    return weighted_sum(weights, v), weights


EXERCISE = Exercise(
    __name__,
    attention,
    results={"output": "queries, d_v", "weights": "queries, keys"},
    section="Why divide by √d_k?",
    forbidden=ATTENTION,
)


@EXERCISE.requires("It returns (output, weights) of scaled dot-product attention.", points=3)
def values(draw: Draw) -> list[Inputs]:
    """Return inputs whose sizes all differ, without a mask."""
    sizes = ((2, 3, 4, 2), (3, 3, 2, 4), (3, 2, 5, 3), (4, 5, 3, 2), (1, 1, 3, 2))
    return [Inputs(triple(draw, *size)) for size in sizes]


@EXERCISE.requires("Large scores do no harm: the weights stay exact.", points=1)
def stable(draw: Draw) -> list[Inputs]:
    """Return exact scores near 128, whose exponentials overflow, and far-apart keys."""
    cases = []
    for t, s, d_v in ((2, 3, 2), (3, 2, 3), (3, 4, 2)):
        q, k, v = triple(draw, t, s, 4, d_v)
        cases.append(Inputs((8 + q.round() / 8, 8 + (k * 2).round() / 16, v)))
    return [*cases, *(far_apart(draw, places) for places in range(3))]


@EXERCISE.requires(GENERAL, points=1)
def general(draw: Draw) -> list[Inputs]:
    """Return batches, one of a single text with values of width 1, heads, float64 and bfloat16."""
    small = quarters(draw, 3, 4), quarters(draw, 5, 4), quarters(draw, 5, 2) / 4
    return [
        Inputs(triple(draw, 3, 4, 5, 2, 2)),
        Inputs(triple(draw, 3, 4, 5, 1, 1)),
        Inputs(triple(draw, 3, 4, 2, 3, 2, 3)),
        Inputs(triple(draw, 3, 4, 5, 2, 2, dtype=torch.float64)),
        Inputs(tuple(part.bfloat16() for part in small)),
    ]


EXERCISE.untouched()
EXERCISE.trains("output")


@EXERCISE.probe
def probes(draw: Draw) -> list[Inputs]:
    """Return squares, cubes, and scores near 512, which stay large when divided by d_k."""
    squares = [Inputs(triple(draw, n, n, n, n)) for n in (3, 4, 4, 5)]
    cubes = [Inputs(triple(draw, 3, 3, 3, 3, 3)) for _ in range(3)]
    q, k, v = triple(draw, 3, 4, 4, 2)
    return [*squares, *cubes, Inputs((16 + q.round() / 8, 8 + (k * 2).round() / 16, v))]


EXERCISE.edit(
    "it scales by the width of the values",
    {"k.size": "v.size"},
    why="d_v is the width of a value.\nThe dot products are between queries and keys, whose width "
    "is d_k; the two widths need not be equal.",
)
EXERCISE.edit(
    "the scaling comes after softmax",
    {"softmax(scale(scores(q, k), width(k, v)))": "scale(softmax(scores(q, k)), k.size(-1))"},
    why="Dividing the weights makes rows sum to less than one.\nThe division belongs to the "
    "scores, before softmax.",
)
EXERCISE.edit(
    "every value counts the same",
    {"(q, k)": "(q, k) * 0"},
    why="The output is the mean of the values a query may read: queries and keys have no effect. "
    "Weight each value before adding.",
    section="A dictionary that can be asked anything",
)
EXERCISE.edit(
    "the two results are swapped",
    {"weighted_sum(weights, v), weights": "(weights, weighted_sum(weights, v))"},
    why="It returns (weights, output).\nReturn (output, weights): the output first.",
    section="The whole thing in one line",
)
EXERCISE.edit(
    "scores are returned instead of weights",
    {", weights": ", scale(scores(q, k), k.size(-1))"},
    why="The output is right, but it is returned with the scores from before softmax. The weights "
    "are what softmax makes of the scores: positive, and each row sums to one.",
    section="Weights are a softmax of scores",
)


@EXERCISE.mistake(
    "the future is hidden, which nobody asked for",
    why="A causal mask is for models that write, and has a chapter of its own. Here every query "
    "reads all keys.",
    section="book/masking#The causal mask",
)
def causal(q: Tensor, k: Tensor, v: Tensor) -> Pair:
    scaled = scale(scores(q, k), k.size(-1))
    past = torch.ones(scaled.shape[-2:], dtype=torch.bool).tril()
    weights = softmax(scaled.masked_fill(~past, -torch.inf))
    return weighted_sum(weights, v), weights


EXERCISE.edit(
    "there is no scaling",
    {"scores / d_k**0.5": "scores"},
    why="The scores are used as they are. Dot products of width d_k have variance d_k, so without "
    "the division softmax saturates as d_k grows.",
)
EXERCISE.edit(
    "it divides by d_k, not by its square root",
    {"**0.5": ""},
    why="The variance of a dot product grows like d_k, its typical size like the square root of "
    "d_k. Dividing by d_k makes the scores too small and the weights nearly equal.",
)
EXERCISE.edit(
    "the width of one example is hard-coded",
    {"d_k**0": "2**0"},
    why="It divides by the same number whatever d_k is. Another head may have another width.\nTake "
    "the root of the d_k that is passed in.",
)
EXERCISE.edit(
    "it multiplies by the square root of d_k",
    {"/ d_k**0": "* d_k ** 0"},
    why="The scores are too large already.\nDivide by the square root of d_k, which makes them "
    "smaller.",
)
EXERCISE.edit(
    "it scales by the number of keys",
    {"d_k**0": "scores.size(-1)**0"},
    why="scores.size(-1) is the number of keys.\nA dot product is large because it adds up many "
    "products, and their number is d_k.",
)
EXERCISE.edit(
    "it scales by the number of queries",
    {"d_k**0": "scores.size(-2)**0"},
    why="scores.size(-2) is the number of queries.\nA dot product is large because it adds up many "
    "products, and their number is d_k.",
)
EXERCISE.edit(
    "the exponent lacks parentheses",
    {"/ d_k**0.5": "* d_k**-1 / 2"},
    why="d_k ** 1/2 means half of d_k, and d_k ** -1/2 means (1 / d_k) / 2.\nPut the exponent in "
    "parentheses, or write 0.5.",
)
EXERCISE.edit(
    "the root is rounded",
    {"d_k**0.5": "math.isqrt(d_k)"},
    why="The root of d_k is not an integer unless d_k is a square.\nUse math.sqrt or ** 0.5, and "
    "do not round.",
)
EXERCISE.edit(
    "the weights are transposed",
    {"weights @ v": "weights.mT @ v"},
    why="Row i of the weights says which keys query i reads. Transposed, row i says which queries "
    "read value i, and the row does not even sum to one.",
    section="The whole thing in one line",
)
EXERCISE.edit(
    "the products are not summed",
    {"@ v": "* v"},
    why="weights * v multiplies entry by entry. Each query mixes all values.\nMultiply each value "
    "row by its weight, then add up the rows.",
    section="The word moves",
)
EXERCISE.edit(
    "only the strongest value is read",
    "hard = torch.nn.functional.one_hot(weights.argmax(dim=-1), v.size(-2)); "
    "return weighted_sum(hard.to(v.dtype), v)",
    why="Taking the value with the largest weight is a hard lookup. Soft lookup uses every value "
    "in proportion to its weight; only this has a useful gradient.",
    section="The word moves",
    of=weighted_sum,
)
EXERCISE.edit(
    "softmax is applied to the weights once more",
    {"weights @ v": "weights.softmax(dim=-1) @ v"},
    why="The weights already sum to one. A second softmax makes them nearly equal.",
    section="Weights are a softmax of scores",
)
EXERCISE.edit(
    "the sum is divided by the number of keys",
    {"@ v": "@ v / v.size(-2)"},
    why="The weights sum to one, so the weighted sum is already an average. Dividing by the number "
    "of keys, as `mean` does, divides twice.",
    section="The word moves",
)


@EXERCISE.mistake(
    "it works for one number of axes only",
    why="Without axes in front the result is right. With batches or heads, tensordot also mixes in "
    "the values of all other items.\n@ pairs each item's weights with its own values.",
    of=weighted_sum,
)
def of_all_pairs(weights: Tensor, v: Tensor) -> Tensor:
    rows, columns = weights.reshape(-1, weights.size(-1)), v.movedim(-2, 0)
    pairs = rows @ columns.reshape(len(columns), -1)  # as tensordot does it
    return pairs.reshape(*weights.shape[:-1], *columns.shape[1:])


EXERCISE.edit(
    "each query reads only its own value",
    {"weights @ v": "(weights.unsqueeze(-1) * v.unsqueeze(-2)).sum(dim=-2)"},
    why="The values are on the axis of the queries, so row i is value i times the sum of its "
    "weights. They belong on the axis of the keys.\nv.unsqueeze(-3).",
    section="The word moves",
)
EXERCISE.edit(
    "the queries are added up, not the keys",
    {"weights @ v": "weights.sum(dim=-2).unsqueeze(-1) * v"},
    why="Each query gets one mixture.\nMultiply its row of weights by the rows of v, and sum over "
    "the keys.",
    section="The word moves",
)
EXERCISE.edit(
    "the last value is left out",
    {"weights @ v": "weighted_sum(weights[..., :-1], v[..., :-1, :])"},
    why="range(n) ends at n - 1 already, and so does a loop over all values. The last value has a "
    "weight, too.",
    section="The word moves",
)
EXERCISE.edit(
    "small weights are left out",
    {"@ v": "* (weights > 0.1) @ v"},
    why="A value with a small weight still counts a little, and many of them count a lot. Only a "
    "weight of 0 means nothing.",
    section="The word moves",
)
