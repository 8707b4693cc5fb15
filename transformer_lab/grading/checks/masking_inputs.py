"""What the masking exercises are applied to: the small and the telling.

Lengths differ (T, S), batches hold more sentences than one, padding stands at the end, in front and
in between, padding is not 0, some queries have nothing to read. Square inputs bring out what only
fits when all sizes agree; they tell mistakes apart.
"""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw, Inputs

PAD = 3
DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


def causal_values(draw: Draw) -> list[Inputs]:
    """Give lengths."""
    return [Inputs((n,)) for n in (3, 1, 2, 4, 5)]


def causal_past(draw: Draw) -> list[Inputs]:
    """Give lengths and how many tokens came before."""
    return [Inputs(sizes) for sizes in ((2, 3), (1, 4), (3, 1), (3, 5), (4, 4))]


def window_values(draw: Draw) -> list[Inputs]:
    """Give windows shorter than the text, and one that is longer."""
    return [Inputs(sizes) for sizes in ((4, 2), (5, 3), (3, 1), (6, 2), (3, 5), (5, 2))]


def real_values(draw: Draw) -> list[Inputs]:
    """Give lengths of sentences, unsorted, with a full one or none that fills its row."""
    listed = (([2, 4, 1], 4), ([3, 1], 5), ([1, 3, 2, 3], 3), ([4, 2, 6], 6))
    return [Inputs((torch.tensor(lengths), size)) for lengths, size in listed]


def padding_values(draw: Draw) -> list[Inputs]:
    """Give ids, padded anywhere, where padding is not 0 and 0 is a word."""
    by_hand = torch.tensor([[5, 6, PAD], [7, 0, 4]])
    return [Inputs((by_hand, PAD)), *(Inputs((_ids(draw, *size), PAD)) for size in _SIZES)]


def padding_probes(draw: Draw) -> list[Inputs]:
    """Give squares, and other numbers for padding."""
    squares = [Inputs((_ids(draw, n, n), PAD)) for n in (3, 4, 5)]
    return [*squares, *(Inputs((_ids(draw, 3, 4, pad), pad)) for pad in (1, 5, 8))]


def cross_values(draw: Draw) -> list[Inputs]:
    """Give which tokens of two texts are real."""
    by_hand = torch.tensor([[True, True, False]]), torch.tensor([[True, True, False, True]])
    sizes = ((2, 3, 4), (3, 4, 2), (2, 5, 3))
    return [Inputs(by_hand), *(Inputs((_real(draw, b, t), _real(draw, b, s))) for b, t, s in sizes)]


def cross_probes(draw: Draw) -> list[Inputs]:
    """Give squares."""
    return [Inputs((_real(draw, n, n), _real(draw, n, n))) for n in (3, 4, 4)]


def additive_values(draw: Draw) -> list[Inputs]:
    """Give masks of all kinds in float32."""
    return [Inputs((mask, torch.float32)) for mask in _masks(draw)]


def additive_dtypes(draw: Draw) -> list[Inputs]:
    """Give masks, and other dtypes to put them in."""
    masks = _masks(draw)
    return [
        Inputs((mask, dtype)) for mask, dtype in zip(masks, (*DTYPES[1:], DTYPES[1]), strict=True)
    ]


def softmax_values(draw: Draw) -> list[Inputs]:
    """Give scores, and masks that leave each query something to read."""
    by_hand = torch.tensor([[1.0, 2.0, 3.0]]), torch.tensor([[True, True, False]])
    sizes = ((2, 3), (3, 2), (3, 5), (2, 4))
    return [Inputs(by_hand), *(Inputs((draw.normal(*s), draw.mask(*s))) for s in sizes)]


def softmax_nothing(draw: Draw) -> list[Inputs]:
    """Give masks that hide every key from some query, or from all."""
    cases = []
    for row, sizes in enumerate(((2, 3), (3, 2), (3, 4))):
        mask = draw.mask(*sizes)
        mask[row] = False
        cases.append(Inputs((draw.normal(*sizes), mask)))
    return [*cases, Inputs((draw.normal(2, 3), torch.zeros(2, 3, dtype=torch.bool)))]


def softmax_general(draw: Draw) -> list[Inputs]:
    """Give batches, heads, masks that broadcast, float64 and half precision."""
    half = torch.float16
    return [
        Inputs((draw.normal(2, 3, 4), draw.mask(2, 1, 4))),
        Inputs((draw.normal(3, 2, 3, 4), draw.mask(3, 4))),
        Inputs((draw.normal(2, 4, 3, dtype=torch.float64), draw.mask(4, 3))),
        Inputs((draw.normal(3, 4, dtype=half), draw.mask(3, 4))),
        Inputs((draw.normal(2, 3, 5, dtype=half), draw.mask(2, 3, 5))),
    ]


def softmax_probes(draw: Draw) -> list[Inputs]:
    """Give squares."""
    return [Inputs((draw.normal(n, n), draw.mask(n, n))) for n in (3, 4, 4)]


def mend_causal(draw: Draw) -> list[Inputs]:
    """Give scores of sentences, alone, in batches and with heads."""
    by_hand = torch.tensor([[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    shapes = ((4, 4), (2, 3, 3), (5, 5), (2, 2, 4, 4))
    return [Inputs((by_hand,)), *(Inputs((draw.normal(*shape),)) for shape in shapes)]


def mend_padded(draw: Draw) -> list[Inputs]:
    """Give scores of batches, and which of their tokens are real; batch and length differ."""
    by_hand = torch.tensor([[[1.0, 2.0, 0.0]] * 3]), torch.tensor([[True, True, False]])
    sizes = ((2, 3), (3, 4), (3, 5), (2, 4))
    drawn = [(draw.normal(b, n, n), _real(draw, b, n)) for b, n in sizes]
    return [Inputs(case) for case in (by_hand, *drawn)]


def shapes_values(draw: Draw) -> list[Inputs]:
    """Give sizes that are all different, and never the same twice."""
    return [
        Inputs(sizes) for sizes in ((2, 4, 3, 5), (32, 8, 100, 60), (7, 6, 9, 11), (5, 3, 8, 2))
    ]


_SIZES = ((2, 4), (3, 5), (3, 2), (4, 3))


def _ids(draw: Draw, rows: int, length: int, pad: int = PAD) -> Tensor:
    """Draw ids of words with padding among them, at least one of each in a row."""
    words = draw.ids(rows, length, high=9)
    words = torch.where(words == pad, pad + 1, words)
    return words.masked_fill(~draw.mask(rows, length), pad)


def _real(draw: Draw, rows: int, length: int) -> Tensor:
    """Draw which tokens are real: at least one in a row, and not all."""
    return draw.mask(rows, length)


def _masks(draw: Draw) -> list[Tensor]:
    """Draw masks of different shapes."""
    by_hand = torch.tensor([[True, False], [True, True]])
    return [by_hand, draw.mask(3, 4), draw.mask(2, 1, 3), draw.mask(2, 3, 2)]
