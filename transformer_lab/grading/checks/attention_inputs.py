"""What the attention exercises are applied to: the small and the telling.

Inputs are where a grader is strict or fooled: lengths differ (T, S), widths differ (d_k, d_v),
softmax is not saturated, batches and heads hold more than one item, masks are not trivial.
Square inputs bring out what only fits when all sizes agree; they tell mistakes apart.
"""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Inputs

F64, HALF = torch.float64, torch.float16
FLAT, STACK, GRID = [(3, 3)] * 3, [(3, 3, 3)] * 3, [(2, 3, 3, 3)] * 3

# Keys far apart, and three queries: the first sees neither extreme, the second sees the lowest
# alone, the third sees all.
HEIGHTS = torch.tensor([0.0, 0.0, 300.0, -20_000.0])
SEES = torch.tensor([[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]]) == 1


def scores_values(draw: Draw) -> list[Inputs]:
    """Give one pair to do by hand, then pairs of unequal lengths."""
    q = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    k = torch.tensor([[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    sizes = ((2, 3, 4), (3, 2, 5), (4, 5, 2))
    return [Inputs((q, k)), *(Inputs((draw.normal(t, d), draw.normal(s, d))) for t, s, d in sizes)]


def scores_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, float64 and half precision."""
    kinds = (((2,), torch.float32), ((3, 2), torch.float32), ((2, 3), F64))
    drawn = [
        (draw.normal(*lead, 3, 4, dtype=dtype), draw.normal(*lead, 5, 4, dtype=dtype))
        for lead, dtype in kinds
    ]
    return [*map(Inputs, drawn), Inputs((_quarters(draw, 3, 4), _quarters(draw, 5, 4)))]


def scores_probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes."""
    shapes = FLAT + STACK + GRID
    return [Inputs((draw.normal(*shape), draw.normal(*shape))) for shape in shapes]


def scale_values(draw: Draw) -> list[Inputs]:
    """Give d_k that is neither length."""
    sizes = ((2, 3, 4), (3, 2, 16), (3, 5, 7), (4, 2, 9))
    return [Inputs((draw.normal(t, s) * 4, d_k)) for t, s, d_k in sizes]


def scale_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, float64 and half precision."""
    return [
        Inputs((draw.normal(2, 3, 5) * 4, 8)),
        Inputs((draw.normal(2, 2, 3, 4) * 4, 64)),
        Inputs((draw.normal(3, 4, dtype=F64) * 4, 6)),
        Inputs((draw.normal(4, 3, dtype=HALF) * 4, 5)),
    ]


def softmax_values(draw: Draw) -> list[Inputs]:
    """Give one row to do by hand, then small matrices."""
    drawn = [Inputs((draw.normal(*shape),)) for shape in ((2, 3), (4, 2), (3, 5))]
    return [Inputs((torch.tensor([1.0, 2.0, 3.0]),)), *drawn]


def softmax_stable(draw: Draw) -> list[Inputs]:
    """Give numbers whose exponential overflows, rows far from each other, rows spread wide.

    The largest number of a row stands first, last and in between. Rows spread over 100 tell who
    subtracts the mean, which is near enough to the maximum, from who subtracts the minimum.
    """
    far_apart = torch.tensor([[1000.0, 1001.0, 1002.0], [-1000.0, -1001.0, -1002.0]])
    spread = torch.tensor([[0.0, 0.0, 0.0, 400.0], [0.0, 1.0, 0.0, 399.0]])
    far = (
        far_apart[0],
        far_apart,
        far_apart.flip(0) * 2,
        torch.cat([far_apart, draw.normal(2, 3)]),
    )
    wide = (spread, spread.roll(2, dims=1), spread + 100, spread - 300)
    tame = torch.tensor([0.0, 0.0, 0.0, 100.0])
    tamer = (tame, tame.roll(1), tame.roll(1) + tame.roll(2), tame.roll(2) + tame.roll(3))
    batch = draw.normal(2, 2, 3) + torch.tensor([[[0.0], [500.0]], [[-300.0], [9.0]]])
    return [Inputs((x,)) for x in (*far, *wide, *tamer, batch)]


def softmax_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, float64 and half precision."""
    kinds = (torch.float32, (2, 3, 4)), (torch.float32, (2, 3, 4, 5)), (F64, (3, 4)), (HALF, (3, 4))
    return [Inputs((draw.normal(*shape, dtype=dtype),)) for dtype, shape in kinds]


def softmax_probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes."""
    return [Inputs((draw.normal(*shape),)) for shape in FLAT + STACK + GRID]


def sum_values(draw: Draw) -> list[Inputs]:
    """Give one table of weights to do by hand, then unequal sizes."""
    weights = torch.tensor([[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    v = torch.tensor([[1.0, 0.0], [0.0, 2.0], [4.0, 4.0]])
    sizes = ((2, 3, 4), (3, 2, 4), (2, 5, 3))
    drawn = [Inputs((draw.weights(t, s), draw.normal(s, d))) for t, s, d in sizes]
    return [Inputs((weights, v)), *drawn]


def sum_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, float64 and half precision."""
    kinds = (((2,), torch.float32), ((3, 2), torch.float32), ((2, 3), F64))
    drawn = [
        (draw.weights(*lead, 3, 5, dtype=dtype), draw.normal(*lead, 5, 4, dtype=dtype))
        for lead, dtype in kinds
    ]
    half = torch.tensor([[0.5, 0.0, 0.5], [0.25, 0.5, 0.25]], dtype=HALF)
    return [*map(Inputs, drawn), Inputs((half, _quarters(draw, 3, 4)))]


def sum_probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes."""
    return [Inputs((draw.weights(*shape), draw.normal(*shape))) for shape in FLAT + STACK]


def attention_values(draw: Draw) -> list[Inputs]:
    """Give everything of a different size, and no mask."""
    sizes = ((2, 3, 4, 2), (3, 3, 2, 4), (3, 2, 5, 3), (4, 5, 3, 2))
    return [Inputs(_triple(draw, *size)) for size in sizes]


def attention_mask(draw: Draw) -> list[Inputs]:
    """Give masks that leave each query something to read, and hide something from it."""
    sizes = ((2, 3, 4, 2), (3, 3, 2, 4), (3, 4, 2, 5), (4, 3, 5, 2))
    return [Inputs(_triple(draw, *size), draw.mask(*size[:2])) for size in sizes]


def attention_masked_rows(draw: Draw) -> list[Inputs]:
    """Give masks that hide every key from some query, or from all."""
    cases = []
    for row, size in enumerate(((2, 3, 4, 2), (3, 2, 3, 4), (3, 4, 2, 3))):
        mask = draw.mask(*size[:2])
        mask[row] = False
        cases.append(Inputs(_triple(draw, *size), mask))
    return [*cases, Inputs(_triple(draw, 2, 3, 2, 2), torch.zeros(2, 3, dtype=torch.bool))]


def attention_stable(draw: Draw) -> list[Inputs]:
    """Give scores near 128, exact in float32: their exponential overflows; then keys far apart."""
    cases = []
    for t, s, d_v in ((2, 3, 2), (3, 2, 3), (3, 4, 2)):
        q, k, v = _triple(draw, t, s, 4, d_v)
        cases.append(Inputs((8 + q.round() / 8, 8 + (k * 2).round() / 16, v)))
    return [*cases, *(_far_apart(draw, places) for places in range(3))]


def attention_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, masks that broadcast, float64 and bfloat16, which can hold -1e9."""
    small = _quarters(draw, 3, 4), _quarters(draw, 5, 4), _quarters(draw, 5, 2) / 4
    return [
        Inputs(_triple(draw, 3, 4, 5, 2, 2)),
        Inputs(_triple(draw, 3, 4, 2, 3, 2, 3), draw.mask(3, 4)),
        Inputs(_triple(draw, 2, 3, 4, 2, 3), draw.mask(3, 2, 3)),
        Inputs(_triple(draw, 4, 5, 2, 3, 2, 2), draw.mask(2, 1, 1, 5)),
        Inputs(_triple(draw, 3, 4, 5, 2, 2, dtype=F64), draw.mask(3, 4)),
        Inputs(tuple(part.bfloat16() for part in small)),
    ]


def attention_untouched(draw: Draw) -> list[Inputs]:
    """Give tensors that the caller still needs."""
    sizes = ((2, 3, 4, 2), (3, 2, 5, 3), (3, 4, 2, 3))
    cases = [_triple(draw, *size) for size in sizes]
    open_masks = [torch.ones(size[:2], dtype=torch.bool) for size in sizes]
    return [Inputs(case) for case in cases] + list(map(Inputs, cases, open_masks))


def attention_probes(draw: Draw) -> list[Inputs]:
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


def _quarters(draw: Draw, *shape: int) -> Tensor:
    """Draw quarters in half precision: their products and sums are exact, in bfloat16 too."""
    return ((draw.normal(*shape) * 2).round() / 4 + 0.0).to(HALF)
