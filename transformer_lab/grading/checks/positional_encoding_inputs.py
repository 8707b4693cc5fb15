"""What the exercises on positions are applied to: the small and the telling.

Positions are unsorted, begin elsewhere than at 0 and have gaps; widths are odd and even and never
the length; there is more than one sentence, and padding stands left, right and in between.
"""

import math

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Inputs

F64 = torch.float64


def angles_values(draw: Draw) -> list[Inputs]:
    """Give what the table is made from, then positions in a long text."""
    width, base = draw.ids(2, low=10, high=100).tolist()
    return [*table_values(draw), Inputs((_positions(draw, 4, high=5000), 2 * width, 100 * base))]


def angles_general(draw: Draw) -> list[Inputs]:
    """Give odd widths, and the positions of a batch."""
    return [
        Inputs((_positions(draw, 4, high=1000), 5, 100)),
        Inputs((_positions(draw, 2, 3), 7, 10_000)),
        Inputs((_positions(draw, 3, 5), 3, 50)),
        Inputs((_positions(draw, 2, 3, 4), 6, 1000)),
    ]


def angles_probes(draw: Draw) -> list[Inputs]:
    """Give as many positions as hands."""
    return [Inputs((_positions(draw, n), 2 * n, 100)) for n in (2, 3, 4)]


def table_values(draw: Draw) -> list[Inputs]:
    """Give the chapter's four positions, then others, out of order."""
    sizes = ((3, 6, 10_000), (5, 8, 50), (2, 4, 20))
    drawn = [Inputs((_positions(draw, n, high=40), width, base)) for n, width, base in sizes]
    return [Inputs((torch.arange(4), 4, 100)), *drawn]


def table_odd(draw: Draw) -> list[Inputs]:
    """Give odd widths."""
    sizes = ((4, 5, 100), (3, 7, 10_000), (5, 3, 50))
    return [Inputs((_positions(draw, n, high=40), width, base)) for n, width, base in sizes]


def table_general(draw: Draw) -> list[Inputs]:
    """Give the positions of a batch, each sentence its own."""
    sizes = (((2, 3), 4, 100), ((3, 2), 6, 10_000), ((2, 2, 3), 8, 50))
    return [Inputs((_positions(draw, *shape), width, base)) for shape, width, base in sizes]


def table_probes(draw: Draw) -> list[Inputs]:
    """Give as many positions as features."""
    return [Inputs((_positions(draw, n), n, 100)) for n in (4, 6, 8)]


def step_values(draw: Draw) -> list[Inputs]:
    """Give steps forward, the first with a single hand."""
    far = draw.ids(1, low=4, high=9).item()
    cases = ((1, 2, 100), (1, 4, 100), (2, 6, 50), (far, 8, 20), (3, 4, 1000))
    return [Inputs(case) for case in cases]


def step_back(draw: Draw) -> list[Inputs]:
    """Give steps backward, and the step of 0 that is none."""
    back = -draw.ids(1, low=4, high=9).item()
    cases = ((-1, 4, 100), (-2, 6, 50), (back, 8, 20), (0, 4, 100))
    return [Inputs(case) for case in cases]


def no_probes(draw: Draw) -> list[Inputs]:
    """Give nothing more."""
    return []


def count_left(draw: Draw) -> list[Inputs]:
    """Give sentences that are padded on the left, as much as the longest asks."""
    by_hand = torch.tensor([[0, 0, 0, 1, 1, 1], [1, 1, 1, 1, 1, 1]]).bool()
    pads = [draw.ids(b, 1, low=1, high=t) for b, t in ((3, 5), (2, 4), (4, 6))]
    drawn = [torch.arange(t) >= pad for t, pad in zip((5, 4, 6), pads, strict=True)]
    return [Inputs((by_hand,)), *(Inputs((real,)) for real in drawn)]


def count_anywhere(draw: Draw) -> list[Inputs]:
    """Give padding right, in between and everywhere, in one sentence or in batches of batches."""
    right = torch.tensor([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 0]]).bool()
    between = torch.tensor([[0, 1, 0, 1, 1], [1, 0, 0, 1, 0]]).bool()
    return [
        Inputs((right,)),
        Inputs((between,)),
        Inputs((torch.tensor([0, 1, 1, 0, 1]).bool(),)),
        Inputs((draw.ids(2, 3, 6, high=2).bool(),)),
    ]


def learned_values(draw: Draw) -> list[Inputs]:
    """Give each sentence positions of its own, as padding on the left makes them."""
    table = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    by_hand = (torch.ones(2, 2, 2) * 10, torch.tensor([[0, 1], [0, 0]]), table)
    sizes = ((2, 3, 4, 6), (3, 2, 5, 4), (2, 4, 3, 7))
    return [Inputs(by_hand), *(Inputs(_placed(draw, *size)) for size in sizes)]


def learned_general(draw: Draw) -> list[Inputs]:
    """Give the same positions to all sentences, one sentence without a batch, and float64."""
    return [
        Inputs((draw.normal(3, 4, 2), _positions(draw, 4, high=5), draw.normal(5, 2))),
        Inputs((draw.normal(4, 3), _positions(draw, 4, high=6), draw.normal(6, 3))),
        Inputs(_placed(draw, 2, 3, 4, 5, dtype=F64)),
    ]


def turn_values(draw: Draw) -> list[Inputs]:
    """Give quarter turns to do by hand, then several pairs."""
    quarters = torch.tensor([[0.0], [math.pi / 2], [math.pi]])
    by_hand = (torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), quarters)
    sizes = ((3, 4), (2, 6), (5, 8))
    return [Inputs(by_hand), *(Inputs(_turned(draw, t, k)) for t, k in sizes)]


def turn_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads and float64."""
    return [
        Inputs(_turned(draw, 3, 4, 2)),
        Inputs(_turned(draw, 3, 6, 2, 4)),
        Inputs(_turned(draw, 2, 8, 3, dtype=F64)),
    ]


def turn_probes(draw: Draw) -> list[Inputs]:
    """Give squares and cubes."""
    return [Inputs(_turned(draw, 4, 4)), Inputs(_turned(draw, 4, 4, 4))]


def alibi_values(draw: Draw) -> list[Inputs]:
    """Give as many queries as keys."""
    n = draw.ids(1, low=5, high=20).item()
    return [Inputs(case) for case in ((2, 3, 3), (4, 4, 4), (8, 5, 5), (16, n, n))]


def alibi_general(draw: Draw) -> list[Inputs]:
    """Give a few queries at the end of many keys."""
    more = draw.ids(1, low=4, high=20).item()
    return [Inputs(case) for case in ((2, 1, 3), (4, 2, 5), (8, 3, 3 + more), (1, 2, 4))]


def alibi_probes(draw: Draw) -> list[Inputs]:
    """Give as many heads as tokens."""
    return [Inputs((n, n, n)) for n in (2, 4, 8)]


def add_bug_values(draw: Draw) -> list[Inputs]:
    """Give sentences that are longer or shorter than the batch."""
    sizes = ((2, 3, 4, 7), (3, 2, 2, 6), (4, 5, 3, 9))
    return [Inputs((draw.normal(b, t, d), draw.normal(n, d))) for b, t, d, n in sizes]


def add_bug_probes(draw: Draw) -> list[Inputs]:
    """Give batches of one, and as many sentences as tokens."""
    sizes = ((1, 3, 4), (1, 4, 2), (1, 5, 3), (3, 3, 2), (4, 4, 3), (2, 2, 5))
    return [Inputs((draw.normal(b, t, d), draw.normal(t + 2, d))) for b, t, d in sizes]


def loop_bug_values(draw: Draw) -> list[Inputs]:
    """Give widths of two hands or more: with one there is nothing to see."""
    length = draw.ids(1, low=6, high=9).item()
    return [Inputs(case) for case in ((2, 4), (4, 5), (3, 6), (5, 3), (length, 8))]


def shapes_values(draw: Draw) -> list[Inputs]:
    """Give the sizes of the chapter's small example, then others."""
    sizes = ((1, 3, 4, 1), (2, 5, 12, 3), (3, 7, 32, 4), (5, 6, 512, 8))
    batch, length, heads, pairs = draw.ids(4, low=2, high=100).tolist()
    return [*map(Inputs, sizes), Inputs((batch, length, heads * 2 * pairs, heads))]


def _positions(draw: Draw, *shape: int, high: int = 10) -> Tensor:
    """Draw positions, out of order, none of them twice in a row of the tensor."""
    return draw.weights(*shape[:-1], high).argsort(dim=-1)[..., : shape[-1]]


def _placed(
    draw: Draw, b: int, t: int, d: int, rows: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw words, their positions and a table."""
    x, table = draw.normal(b, t, d, dtype=dtype), draw.normal(rows, d, dtype=dtype)
    return x, _positions(draw, b, t, high=rows), table


def _turned(
    draw: Draw, t: int, k: int, *lead: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor]:
    """Draw vectors and angles."""
    return draw.normal(*lead, t, k, dtype=dtype), draw.normal(t, k // 2, dtype=dtype)
