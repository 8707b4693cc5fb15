"""What several exercises on attention share."""

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Inputs

GENERAL = "It works with any axes before the last two (batch, heads), and keeps the dtype."


FLAT, STACK, GRID = [(3, 3)] * 3, [(3, 3, 3)] * 3, [(2, 3, 3, 3)] * 3


Pair = tuple[Tensor, Tensor]


def matrices(draw: Draw, width: int, d_k: int, d_v: int) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a head's matrices, small enough for softmax not to saturate."""
    q, k, v = (draw.normal(width, columns) / 2 for columns in (d_k, d_k, d_v))
    return q, k, v


def quarters(draw: Draw, *shape: int) -> Tensor:
    """Draw multiples of 1/4 in half precision: products and sums are exact, even in bfloat16."""
    return ((draw.normal(*shape) * 2).round() / 4 + 0.0).to(torch.float16)


def attend(scores: Tensor, v: Tensor, dim: int = -1) -> Pair:
    """Complete attention correctly from given scores, so that only one mistake remains."""
    weights = scores.softmax(dim=dim)
    return weights @ v, weights


def scale(scores: Tensor, d_k: int) -> Tensor:
    """Return the scores divided by the square root of the keys' width."""
    return scores / d_k**0.5


def weighted_sum(weights: Tensor, v: Tensor) -> Tensor:
    """Return the weighted sums of the values."""
    return weights @ v


def width(k: Tensor, v: Tensor) -> int:
    """Return d_k, the number of products that each score sums."""
    return k.size(-1)


def triple(
    draw: Draw, t: int, s: int, d_k: int, d_v: int, *lead: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor]:
    """Draw a query, a key and a value tensor."""
    q, k = draw.normal(*lead, t, d_k, dtype=dtype), draw.normal(*lead, s, d_k, dtype=dtype)
    return q, k, draw.normal(*lead, s, d_v, dtype=dtype)


def far_apart(draw: Draw, places: int) -> Inputs:
    """Draw queries and keys with far-apart scores, with the keys rolled by so many places."""
    q, k, v = triple(draw, 3, 4, 5, 2)
    q[:, 0], k[:, 0] = torch.tensor([1.0, -1.0, 0.1]), torch.tensor([0.0, 0.0, 600.0, -600.0])
    return Inputs((q, k.roll(places, dims=0), v))
