"""What a lookup, a head and the functions to mend are applied to.

Sizes differ: T and S, the width of words, of keys and of values. Where a mistake needs equal
lengths to run at all, there are some with equal lengths too.
"""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Inputs

F64 = torch.float64


def lookup_values(draw: Draw) -> list[Inputs]:
    """Give the chapter's dictionary, where a query for fruit gets 8, then others."""
    query = torch.tensor([4.0, -4.0])
    keys = torch.tensor([[1.0, 0.0], [0.9, 0.0], [0.0, 1.0]])
    by_hand = Inputs((query, keys, torch.tensor([[10.0], [5.0], [2.0]])))
    sizes = ((3, 4, 2), (4, 2, 3), (5, 3, 2))
    drawn = [(draw.normal(k), draw.normal(s, k), draw.normal(s, v)) for s, k, v in sizes]
    wide = (draw.normal(4, dtype=F64), draw.normal(3, 4, dtype=F64), draw.normal(3, 2, dtype=F64))
    return [by_hand, *map(Inputs, drawn), Inputs(wide)]


def lookup_probes(draw: Draw) -> list[Inputs]:
    """Give keys as many as they are wide, and values as wide as keys."""
    return [Inputs((draw.normal(n), draw.normal(n, n), draw.normal(n, n))) for n in (3, 4, 5)]


def head_self(draw: Draw) -> list[Inputs]:
    """Give one text twice."""
    texts = (draw.normal(3, 4), draw.normal(2, 5, 6), draw.normal(2, 2, 3, 5))
    sizes = ((4, 2, 3), (6, 4, 2), (5, 3, 4))
    return [Inputs((x, x, *_matrices(draw, *size))) for x, size in zip(texts, sizes, strict=True)]


def head_cross(draw: Draw) -> list[Inputs]:
    """Give two texts of unequal lengths."""
    sizes = ((2, 3, 4, 2, 3), (4, 2, 6, 3, 2), (3, 5, 8, 2, 4))
    flat = [
        (draw.normal(t, d), draw.normal(s, d), *_matrices(draw, d, d_k, d_v))
        for t, s, d, d_k, d_v in sizes
    ]
    batch = (draw.normal(2, 3, 4), draw.normal(2, 5, 4), *_matrices(draw, 4, 2, 3))
    x, source = draw.normal(3, 2, 6, dtype=F64), draw.normal(3, 4, 6, dtype=F64)
    wide = (part.to(F64) for part in _matrices(draw, 6, 3, 4))
    return [*map(Inputs, flat), Inputs(batch), Inputs((x, source, *wide))]


def head_probes(draw: Draw) -> list[Inputs]:
    """Give two texts of equal length."""
    return [
        Inputs((draw.normal(n, 6), draw.normal(n, 6), *_matrices(draw, 6, 3, 2))) for n in (3, 4, 5)
    ]


def mend_axis(draw: Draw) -> list[Inputs]:
    """Give queries, keys and values of unequal lengths, alone, in batches and with heads."""
    sizes = ((), (), (2,), (3,), (2, 3), (3, 2), (2, 2))
    lengths = ((3, 3), (2, 4), (3, 4), (4, 3), (3, 5), (4, 2), (3, 4))
    return [
        Inputs((draw.normal(*lead, t, 2), draw.normal(*lead, s, 2), draw.normal(*lead, s, 3)))
        for lead, (t, s) in zip(sizes, lengths, strict=True)
    ]


def mend_width(draw: Draw) -> list[Inputs]:
    """Give words that are much wider than the keys."""
    sizes = ((3, 8, 2), (4, 9, 3), (5, 12, 2))
    drawn = [(draw.normal(t, d), *_matrices(draw, d, k, 1)[:2]) for t, d, k in sizes]
    return [*map(Inputs, drawn), Inputs((draw.normal(2, 3, 16), *_matrices(draw, 16, 4, 1)[:2]))]


def shapes_values(draw: Draw) -> list[Inputs]:
    """Give sizes that are all different, and never the same twice."""
    sizes = (
        (2, 3, 5, 8, 4, 6),
        (32, 100, 60, 512, 64, 48),
        (7, 9, 4, 12, 3, 5),
        (5, 2, 8, 18, 6, 7),
    )
    return [Inputs(size) for size in sizes]


def _matrices(draw: Draw, width: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a head's matrices, small enough for softmax not to saturate."""
    q, k, v = (draw.normal(width, columns) / 2 for columns in (d_k, d_k, d_v))
    return q, k, v
