"""What several exercises on masking share."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Inputs

from ..attention.softmax import softmax

# Keys far apart, and three queries: the first sees neither extreme, the second sees the lowest
# alone, the third sees all.
HEIGHTS = torch.tensor([0.0, 0.0, 300.0, -20_000.0])
SEES = torch.tensor([[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]]) == 1

# Visible scores are near the first of each pair, hidden ones near the second.
DEPTHS = {torch.float32: ((-9e8, 0),), torch.float16: ((-20_000, 0), (-6_000, 60_000))}

PAD = 3
OTHER_PADS = (1, 5, 8)
SIZES = ((2, 4), (3, 5), (3, 2), (4, 3))


def deep(draw: Draw) -> list[Inputs]:
    """Return visible scores far below 0 and far apart, so that one key takes all."""
    cases = []
    for dtype, depths in DEPTHS.items():
        for seen, hidden in depths:
            place, order = (torch.tensor(draw.distinct(4, low=0, high=4)) for _ in range(2))
            mask = place <= torch.arange(3)[:, None]  # one key is seen, then two, then three
            scores = torch.where(mask, seen * (1 + order / 50), hidden + draw.normal(3, 4))
            cases.append(Inputs((scores.to(dtype), mask)))
    return cases


def low(draw: Draw, *shape: int) -> Tensor:
    """Draw scores near -300."""
    return draw.normal(*shape, dtype=torch.float64) - 300


def padding_values(draw: Draw) -> list[Inputs]:
    """Return padded ids with different padding ids, none of them 0, which is a word.

    The last are a text without padding beside one of padding alone, a single token, and large ids.
    """
    by_hand = torch.tensor([[5, 6, PAD], [7, 0, 4]])
    pads = zip(SIZES, (*OTHER_PADS, PAD), strict=True)
    return [
        Inputs((by_hand, PAD)),
        *(Inputs((padded_ids(draw, *size, pad), pad)) for size, pad in pads),
        Inputs((torch.stack([draw.ids(3, high=PAD), torch.full((3,), PAD)]), PAD)),
        Inputs((draw.ids(1, 1, high=PAD), PAD)),
        Inputs((padded_ids(draw, 2, 3) + 100_000, PAD + 100_000)),
    ]


def padding_probes(draw: Draw) -> list[Inputs]:
    """Return squares, and other padding ids."""
    squares = [Inputs((padded_ids(draw, n, n), PAD)) for n in (3, 4, 5)]
    return [*squares, *(Inputs((padded_ids(draw, 3, 4, pad), pad)) for pad in OTHER_PADS)]


def between(draw: Draw, low: int, high: int, count: int = 1) -> list[int]:
    """Draw integers from low to high - 1."""
    return draw.ids(count, low=low, high=high).tolist()


def padded_ids(draw: Draw, rows: int, length: int, pad: int = PAD) -> Tensor:
    """Draw ids of words with padding among them, at least one of each in a row."""
    words = draw.ids(rows, length, high=9)
    words = torch.where(words == pad, pad + 1, words)
    return words.masked_fill(~draw.mask(rows, length), pad)


def real_tokens(draw: Draw, rows: int, length: int) -> Tensor:
    """Draw which places hold tokens: at least one in a row, and not all."""
    return draw.mask(rows, length)


def filled(scores: Tensor, where: Tensor, number: float) -> Tensor:
    """Return softmax after filling scores, without touching the weights afterwards."""
    return softmax(scores.masked_fill(where, number))


def triangle(length: int, past: int = 0, *, ahead: int = 0) -> Tensor:
    """Return a causal mask with the given offset, shifted by `ahead`."""
    return torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past + ahead)


def right(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Return a correct masked softmax, so that only one mistake remains."""
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=dim).masked_fill(~mask, 0.0)
