"""What several exercises on masking have in common."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Inputs

from ..attention.softmax import softmax

# Keys far apart, and three queries: the first sees neither extreme, the second sees the lowest
# alone, the third sees all.
HEIGHTS = torch.tensor([0.0, 0.0, 300.0, -20_000.0])
SEES = torch.tensor([[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]]) == 1

# What may be seen is near the first of each pair, what is hidden near the second.
DEPTHS = {torch.float32: ((-200_000, 0),), torch.float16: ((-20_000, 0), (-6_000, 60_000))}

PAD = 3
OTHER_PADS = (1, 5, 8)
SIZES = ((2, 4), (3, 5), (3, 2), (4, 3))


def deep(draw: Draw) -> list[Inputs]:
    """Give scores far below 0 where they may be seen, and far apart, so that one key takes all."""
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
    """Give ids, padded anywhere, where padding is one number or another, not 0; 0 is a word.

    The last are a text without padding beside one of nothing else, a single token, and large ids.
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
    """Give squares, and other numbers for padding."""
    squares = [Inputs((padded_ids(draw, n, n), PAD)) for n in (3, 4, 5)]
    return [*squares, *(Inputs((padded_ids(draw, 3, 4, pad), pad)) for pad in OTHER_PADS)]


def between(draw: Draw, low: int, high: int, count: int = 1) -> list[int]:
    """Draw whole numbers from low to high - 1."""
    return draw.ids(count, low=low, high=high).tolist()


def padded_ids(draw: Draw, rows: int, length: int, pad: int = PAD) -> Tensor:
    """Draw ids of words with padding among them, at least one of each in a row."""
    words = draw.ids(rows, length, high=9)
    words = torch.where(words == pad, pad + 1, words)
    return words.masked_fill(~draw.mask(rows, length), pad)


def real_tokens(draw: Draw, rows: int, length: int) -> Tensor:
    """Draw which tokens are real: at least one in a row, and not all."""
    return draw.mask(rows, length)


def filled(scores: Tensor, where: Tensor, number: float) -> Tensor:
    """Put a number where it says, and leave the weights as softmax gives them."""
    return softmax(scores.masked_fill(where, number))


def triangle(length: int, past: int = 0, *, ahead: int = 0) -> Tensor:
    """Let every token see itself and what came before, and so many tokens more."""
    return torch.ones(length, past + length, dtype=torch.bool).tril(diagonal=past + ahead)


def right(scores: Tensor, mask: Tensor, dim: int = -1) -> Tensor:
    """Mask rightly, so that a mistake stands alone."""
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=dim).masked_fill(~mask, 0.0)
