"""What the masking exercises are applied to: the small and the telling.

Lengths differ (T, S), batches hold more sentences than one, padding stands at the end, in front and
in between, padding is not 0, some queries have nothing to read. Square inputs bring out what only
fits when all sizes agree; they tell mistakes apart.
"""

import torch
from torch import Tensor

from transformer_lab.grading.checks.attention_inputs import HEIGHTS, SEES
from transformer_lab.grading.exercise import Draw, Inputs

PAD = 3
OTHER_PADS = (1, 5, 8)
DTYPES = (torch.float32, torch.float16, torch.bfloat16, torch.float64)


def causal_values(draw: Draw) -> list[Inputs]:
    """Give lengths, one of them long."""
    return [Inputs((n,)) for n in (3, 1, 2, *_between(draw, 4, 9, 2), *_between(draw, 20, 40))]


def causal_past(draw: Draw) -> list[Inputs]:
    """Give lengths and how many tokens came before, once many."""
    drawn = zip(_between(draw, 2, 6, 3), _between(draw, 2, 9, 3), strict=True)
    longest = (*_between(draw, 2, 6), *_between(draw, 20, 40))
    return [Inputs(sizes) for sizes in ((2, 3), (1, 4), *drawn, longest)]


def window_values(draw: Draw) -> list[Inputs]:
    """Give windows shorter than the text, once a long one, and one that is longer."""
    drawn = zip(_between(draw, 5, 9, 3), _between(draw, 2, 4, 3), strict=True)
    longest = (*_between(draw, 20, 40), *_between(draw, 10, 20))
    return [Inputs(sizes) for sizes in ((4, 2), (3, 1), (3, 5), *drawn, longest)]


def real_values(draw: Draw) -> list[Inputs]:
    """Give lengths of sentences, unsorted, with a full one or none that fills its row."""
    listed = (([2, 4, 1], 4), ([3, 1], 5), ([1, 3, 2, 3], 3))
    sizes = (*_between(draw, 5, 9, 2), *_between(draw, 20, 40))
    drawn = [(draw.ids(4, low=1, high=size), size) for size in sizes]
    return [Inputs((torch.as_tensor(lengths), size)) for lengths, size in (*listed, *drawn)]


def padding_values(draw: Draw) -> list[Inputs]:
    """Give ids, padded anywhere, where padding is one number or another, not 0; 0 is a word."""
    by_hand = torch.tensor([[5, 6, PAD], [7, 0, 4]])
    pads = zip(_SIZES, (*OTHER_PADS, PAD), strict=True)
    return [Inputs((by_hand, PAD)), *(Inputs((_ids(draw, *size, pad), pad)) for size, pad in pads)]


def padding_probes(draw: Draw) -> list[Inputs]:
    """Give squares, and other numbers for padding."""
    squares = [Inputs((_ids(draw, n, n), PAD)) for n in (3, 4, 5)]
    return [*squares, *(Inputs((_ids(draw, 3, 4, pad), pad)) for pad in OTHER_PADS)]


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
    """Give batches, heads, masks that broadcast, other precisions, and scores far apart."""
    half = torch.float16
    far = [draw.normal(3, 4) + HEIGHTS for _ in range(4)]
    return [
        Inputs((draw.normal(2, 3, 4), draw.mask(2, 1, 4))),
        Inputs((draw.normal(3, 2, 3, 4), draw.mask(3, 4))),
        Inputs((draw.normal(2, 4, 3, dtype=torch.float64), draw.mask(4, 3))),
        Inputs((draw.normal(3, 4, dtype=half), draw.mask(3, 4))),
        Inputs((draw.normal(2, 3, 5, dtype=half), draw.mask(2, 3, 5))),
        *(Inputs((x.roll(n, dims=1), SEES.roll(n, dims=1))) for n, x in enumerate(far)),
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


def _between(draw: Draw, low: int, high: int, count: int = 1) -> list[int]:
    """Draw whole numbers from low to high - 1."""
    return draw.ids(count, low=low, high=high).tolist()


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
