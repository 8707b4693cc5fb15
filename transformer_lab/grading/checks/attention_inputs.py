"""What the attention exercises are applied to: the small and the telling.

Inputs are where a grader is strict or fooled: lengths differ (T, S), widths differ (d_k, d_v),
softmax is not saturated, batches and heads hold more than one item, masks are not trivial.
Square inputs bring out what only fits when all sizes agree; they tell mistakes apart.
"""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Inputs

F64 = torch.float64
FLAT, STACK, GRID = [(3, 3)] * 3, [(3, 3, 3)] * 3, [(2, 3, 3, 3)] * 3


def scores_values(draw: Draw) -> list[Inputs]:
    """Give one pair to do by hand, then pairs of unequal lengths."""
    q = torch.tensor([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    k = torch.tensor([[1.0, 1.0], [2.0, 0.0], [0.0, 3.0]])
    sizes = ((2, 3, 4), (3, 2, 5), (4, 5, 2))
    return [Inputs((q, k)), *(Inputs((draw.normal(t, d), draw.normal(s, d))) for t, s, d in sizes)]


def scores_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads and float64."""
    kinds = (((2,), torch.float32), ((3, 2), torch.float32), ((2, 3), F64))
    return [
        Inputs((draw.normal(*lead, 3, 4, dtype=dtype), draw.normal(*lead, 5, 4, dtype=dtype)))
        for lead, dtype in kinds
    ]


def scores_probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes."""
    shapes = FLAT + STACK + GRID
    return [Inputs((draw.normal(*shape), draw.normal(*shape))) for shape in shapes]


def scale_values(draw: Draw) -> list[Inputs]:
    """Give d_k that is neither length."""
    sizes = ((2, 3, 4), (3, 2, 16), (3, 5, 7), (4, 2, 9))
    return [Inputs((draw.normal(t, s) * 4, d_k)) for t, s, d_k in sizes]


def scale_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads and float64."""
    return [
        Inputs((draw.normal(2, 3, 5) * 4, 8)),
        Inputs((draw.normal(2, 2, 3, 4) * 4, 64)),
        Inputs((draw.normal(3, 4, dtype=F64) * 4, 6)),
    ]


def softmax_values(draw: Draw) -> list[Inputs]:
    """Give one row to do by hand, then small matrices."""
    drawn = [Inputs((draw.normal(*shape),)) for shape in ((2, 3), (4, 2), (3, 5))]
    return [Inputs((torch.tensor([1.0, 2.0, 3.0]),)), *drawn]


def softmax_stable(draw: Draw) -> list[Inputs]:
    """Give numbers whose exponential overflows, rows far from each other, rows spread wide."""
    far_apart = torch.tensor([[1000.0, 1001.0, 1002.0], [-1000.0, -1001.0, -1002.0]])
    spread = torch.tensor([[0.0, 0.0, 0.0, 400.0], [0.0, 1.0, 0.0, 399.0]])
    far = (
        far_apart[0],
        far_apart,
        far_apart.flip(0) * 2,
        torch.cat([far_apart, draw.normal(2, 3)]),
    )
    return [Inputs((x,)) for x in (*far, spread, spread + 100, spread - 300)]


def softmax_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads and float64."""
    drawn = (draw.normal(2, 3, 4), draw.normal(2, 3, 4, 5), draw.normal(3, 4, dtype=F64))
    return [Inputs((x,)) for x in drawn]


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
    """Give batches, heads and float64."""
    kinds = (((2,), torch.float32), ((3, 2), torch.float32), ((2, 3), F64))
    return [
        Inputs((draw.weights(*lead, 3, 5, dtype=dtype), draw.normal(*lead, 5, 4, dtype=dtype)))
        for lead, dtype in kinds
    ]


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
    """Give scores near 128, exact in float32: their exponential overflows."""
    cases = []
    for t, s, d_v in ((2, 3, 2), (3, 2, 3), (3, 4, 2)):
        q, k, v = _triple(draw, t, s, 4, d_v)
        cases.append(Inputs((8 + q.round() / 8, 8 + (k * 2).round() / 16, v)))
    return cases


def attention_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, masks that broadcast, and float64."""
    return [
        Inputs(_triple(draw, 3, 4, 5, 2, 2)),
        Inputs(_triple(draw, 3, 4, 2, 3, 2, 3), draw.mask(3, 4)),
        Inputs(_triple(draw, 2, 3, 4, 2, 3), draw.mask(3, 2, 3)),
        Inputs(_triple(draw, 4, 5, 2, 3, 2, 2), draw.mask(2, 1, 1, 5)),
        Inputs(_triple(draw, 3, 4, 5, 2, 2, dtype=F64), draw.mask(3, 4)),
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
