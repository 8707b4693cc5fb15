"""What several exercises on attention have in common."""

import torch
from torch import Tensor

from transformer_lab.grading.exercise import Draw

GENERAL = "It takes any axes before the last two (batch, heads), and keeps the dtype it is given."


FLAT, STACK, GRID = [(3, 3)] * 3, [(3, 3, 3)] * 3, [(2, 3, 3, 3)] * 3


FLAT, STACK, GRID = [(3, 3)] * 3, [(3, 3, 3)] * 3, [(2, 3, 3, 3)] * 3


FLAT, STACK, GRID = [(3, 3)] * 3, [(3, 3, 3)] * 3, [(2, 3, 3, 3)] * 3


# Keys far apart, and three queries: the first sees neither extreme, the second sees the lowest
# alone, the third sees all.
HEIGHTS = torch.tensor([0.0, 0.0, 300.0, -20_000.0])


SEES = torch.tensor([[1, 1, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]]) == 1


Mask = Tensor | None


Pair = tuple[Tensor, Tensor]


def matrices(draw: Draw, width: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a head's matrices, small enough for softmax not to saturate."""
    q, k, v = (draw.normal(width, columns) / 2 for columns in (d_k, d_k, d_v))
    return q, k, v


def quarters(draw: Draw, *shape: int) -> Tensor:
    """Draw quarters in half precision: their products and sums are exact, in bfloat16 too."""
    return ((draw.normal(*shape) * 2).round() / 4 + 0.0).to(torch.float16)


def attend(scores: Tensor, v: Tensor, mask: Mask, dim: int = -1) -> Pair:
    """Finish attention rightly from given scores, so that a mistake stands alone."""
    blocked = torch.zeros_like(scores, dtype=torch.bool) if mask is None else ~mask
    weights = scores.masked_fill(blocked, torch.finfo(scores.dtype).min).softmax(dim=dim)
    weights = weights.masked_fill(blocked, 0.0)
    return weights @ v, weights
