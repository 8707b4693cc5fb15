"""What the exercises on several heads are applied to: the small and the telling.

Sizes differ wherever they may: the number of heads is not the width of a head, nor the length, nor
the size of the batch. Where a mistake needs equal sizes to run at all, there are some with equal
sizes too: as many sentences as heads, a square matrix, one head of keys.
"""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Inputs

F64 = torch.float64


def split_values(draw: Draw) -> list[Inputs]:
    """Give "The cat sat" with four numbers a word, then batches."""
    by_hand = torch.arange(12.0).view(1, 3, 4)
    sizes = ((2, 3, 8, 2), (3, 2, 12, 4), (2, 5, 6, 3))
    return [Inputs((by_hand, 2)), *(Inputs((draw.normal(*size[:3]), size[3])) for size in sizes)]


def split_general(draw: Draw) -> list[Inputs]:
    """Give no batch, two axes in front, a single head, float64."""
    return [
        Inputs((draw.normal(3, 8), 2)),
        Inputs((draw.normal(4, 6), 3)),
        Inputs((draw.normal(2, 3, 4, 6), 2)),
        Inputs((draw.normal(3, 2, 5, 8), 4)),
        Inputs((draw.normal(2, 3, 5), 1)),
        Inputs((draw.normal(2, 3, 12, dtype=F64), 4)),
    ]


def merge_values(draw: Draw) -> list[Inputs]:
    """Give two heads of "The cat sat", then batches."""
    by_hand = torch.arange(12.0).view(1, 2, 3, 2)
    sizes = ((2, 4, 3, 2), (3, 2, 5, 4), (2, 3, 4, 5))
    return [Inputs((by_hand,)), *(Inputs((draw.normal(*size),)) for size in sizes)]


def merge_general(draw: Draw) -> list[Inputs]:
    """Give no batch, two axes in front, float64."""
    return [
        Inputs((draw.normal(2, 3, 4),)),
        Inputs((draw.normal(4, 2, 3),)),
        Inputs((draw.normal(2, 3, 4, 5, 2),)),
        Inputs((draw.normal(3, 2, 3, 2, 4),)),
        Inputs((draw.normal(2, 4, 3, 5, dtype=F64),)),
    ]


def packed_values(draw: Draw) -> list[Inputs]:
    """Give one word to do by hand, then sentences."""
    x = torch.tensor([[1.0, 2.0]])
    W = torch.tensor([[1.0, 0.0, 2.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 2.0, 1.0, -1.0]])
    sizes = ((3, 4, 4), (2, 3, 3), (5, 4, 4))
    drawn = [Inputs((draw.normal(t, d), draw.normal(d, 3 * m))) for t, d, m in sizes]
    return [Inputs((x, W)), *drawn]


def packed_general(draw: Draw) -> list[Inputs]:
    """Give batches, vectors narrower than the word, float64."""
    return [
        Inputs((draw.normal(2, 3, 4), draw.normal(4, 12))),
        Inputs((draw.normal(2, 2, 6, 5), draw.normal(5, 6))),
        Inputs((draw.normal(2, 4, 3, dtype=F64), draw.normal(3, 9, dtype=F64))),
    ]


def packed_probes(draw: Draw) -> list[Inputs]:
    """Give square matrices."""
    return [Inputs((draw.normal(2, t, d), draw.normal(d, d))) for t, d in ((4, 3), (3, 6), (5, 9))]


def layer_values(draw: Draw) -> list[Inputs]:
    """Give batches of sentences, and no mask."""
    sizes = ((1, 3, 4, 2), (2, 3, 8, 4), (3, 4, 6, 2), (2, 5, 6, 3))
    return [Inputs(_layer(draw, *size)) for size in sizes]


def layer_masks(draw: Draw) -> list[Inputs]:
    """Give masks for every sentence alike, one for each, rows for all queries, and no batch."""
    masks = {(2, 4, 6, 2): (2, 1, 4), (3, 3, 6, 3): (3, 3, 3), (4, 3, 8, 4): (4, 1, 3)}
    one_each = [Inputs(_layer(draw, *size), draw.mask(*mask)) for size, mask in masks.items()]
    for_all = Inputs(_layer(draw, 2, 3, 6, 2), torch.ones(3, 3, dtype=torch.bool).tril())
    other_sizes = Inputs(_layer(draw, 3, 4, 4, 2), draw.mask(3, 4, 4))
    x, *rest = _layer(draw, 1, 4, 6, 3)
    return [for_all, *one_each, other_sizes, Inputs((x[0], *rest), draw.mask(4, 4))]


def layer_general(draw: Draw) -> list[Inputs]:
    """Give no batch, one head, heads of one number, float64."""
    x, *rest = _layer(draw, 1, 4, 6, 3)
    return [
        Inputs(_layer(draw, 2, 3, 4, 1)),
        Inputs(_layer(draw, 2, 4, 3, 3)),
        Inputs(_layer(draw, 2, 3, 6, 2, dtype=F64), draw.mask(2, 3, 3)),
        Inputs((x[0], *rest)),
    ]


def grouped_values(draw: Draw) -> list[Inputs]:
    """Give several heads of keys and values, and more heads of queries."""
    by_hand = (
        torch.tensor([[[[1.0]], [[1.0]], [[-1.0]], [[-1.0]]]]),
        torch.tensor([[[[0.0], [1.0]], [[1.0], [3.0]]]]),
        torch.tensor([[[[10.0], [0.0]], [[0.0], [20.0]]]]),
    )
    sizes = ((2, 4, 2, 3, 5), (2, 6, 2, 4, 3), (3, 6, 3, 2, 4), (2, 8, 2, 3, 2))
    return [Inputs(by_hand), *(Inputs(_grouped(draw, *size)) for size in sizes)]


def grouped_extremes(draw: Draw) -> list[Inputs]:
    """Give one head of keys and values for all, and one for each; no batch, float64."""
    many = [_grouped(draw, 2, 4, 1, 3, 5), _grouped(draw, 3, 3, 1, 2, 4)]
    each = [_grouped(draw, 2, 4, 4, 3, 2), _grouped(draw, 2, 3, 3, 2, 5, dtype=F64)]
    no_batch = tuple(part[0] for part in _grouped(draw, 1, 6, 1, 3, 4))
    return [Inputs(case) for case in (*many, *each, no_batch)]


def count_values(draw: Draw) -> list[Inputs]:
    """Give as many heads of keys and values as heads, without biases and with them."""
    d_model, heads, _ = _grouped_sizes(draw)
    sizes = ((512, 8), (4, 2), (64, 1), (d_model, heads))
    return [Inputs((d, h, h, bias)) for d, h in sizes for bias in (False, True)]


def count_grouped(draw: Draw) -> list[Inputs]:
    """Give fewer heads of keys and values than heads."""
    sizes = ((512, 8, 2), (64, 8, 1), (576, 9, 3), _grouped_sizes(draw))
    return [Inputs((*size, bias)) for size in sizes for bias in (False, True)]


def mend_layout(draw: Draw) -> list[Inputs]:
    """Give batches of sentences in which neither length, heads nor width of a head agree."""
    sizes = ((1, 3, 4, 2), (2, 5, 6, 2), (3, 4, 6, 3), (2, 3, 8, 4))
    return [Inputs((draw.normal(*size[:3]), size[3])) for size in sizes]


def mend_mask(draw: Draw) -> list[Inputs]:
    """Give as many padded sentences as heads, and other numbers of them."""
    sizes = ((2, 2, 3, 3), (3, 3, 4, 4), (4, 4, 3, 3), (2, 2, 2, 4), (3, 2, 4, 4), (2, 4, 3, 5))
    return [Inputs(_padded(draw, *size)) for size in sizes]


def mend_mask_probes(draw: Draw) -> list[Inputs]:
    """Give as many queries as sentences."""
    return [Inputs(_padded(draw, n, heads, n, n)) for n, heads in ((3, 2), (4, 2), (3, 4))]


def shapes_values(draw: Draw) -> list[Inputs]:
    """Give sizes that are all different, and any others."""
    sizes = ((2, 3, 5, 8, 4), (32, 100, 60, 512, 8), (7, 9, 4, 12, 3))
    batch, queries, keys, heads, width = draw.ids(5, low=2, high=100).tolist()
    return [*map(Inputs, sizes), Inputs((batch, queries, keys, heads * width, heads))]


def _layer(
    draw: Draw, batch: int, length: int, width: int, heads: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor, int]:
    """Draw sentences, and the matrices of a layer that keeps softmax unsaturated."""
    x = draw.normal(batch, length, width, dtype=dtype)
    packed = draw.normal(width, 3 * width, dtype=dtype) / 2
    return x, packed, draw.normal(width, width, dtype=dtype), heads


def _grouped_sizes(draw: Draw) -> tuple[int, int, int]:
    """Draw the width of a model, its heads, and how many of them have keys and values."""
    kv_heads, group, width = draw.ids(3, low=2, high=16).tolist()
    return kv_heads * group * width, kv_heads * group, kv_heads


def _grouped(
    draw: Draw,
    batch: int,
    heads: int,
    kv_heads: int,
    queries: int,
    keys: int,
    dtype: torch.dtype = torch.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw queries of some heads, keys and values of fewer."""
    q = draw.normal(batch, heads, queries, 3, dtype=dtype)
    k = draw.normal(batch, kv_heads, keys, 3, dtype=dtype)
    return q, k, draw.normal(batch, kv_heads, keys, 2, dtype=dtype)


def _padded(
    draw: Draw, batch: int, heads: int, queries: int, keys: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw what some heads attend with, and which keys are real: no two sentences alike."""
    q = draw.normal(batch, heads, queries, 3)
    k, v = draw.normal(batch, heads, keys, 3), draw.normal(batch, heads, keys, 2)
    real = torch.ones(batch, keys, dtype=torch.bool)
    for sentence in range(batch):
        real[sentence, (sentence + 1) % keys] = False
    return q, k, v, real
