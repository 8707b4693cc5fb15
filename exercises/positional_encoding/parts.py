"""What several exercises on positions share."""

import math

import torch
from torch import Tensor

from tensorgrader.exercise import Draw, Inputs

GENERAL = "It works with any axes in front (batch, heads), and keeps the dtype of its input."


def table_values(draw: Draw) -> list[Inputs]:
    """Return the chapter's four positions, then others, out of order.

    The last lie beyond any buffer: float32 holds the angles at frequency 1, and from 4096 to 8192
    those a quarter turn ahead.
    """
    sizes = ((3, 6, 10_000), (5, 8, 50), (2, 4, 20))
    drawn = [Inputs((some_positions(draw, n, high=40), width, base)) for n, width, base in sizes]
    far = draw.ids(3, low=5_100, high=8_100)
    return [Inputs((torch.arange(4), 4, 100)), *drawn, Inputs((far, 2, 10**8))]


def turn_values(draw: Draw) -> list[Inputs]:
    """Return quarter turns to compute by hand, then several pairs."""
    quarters = torch.tensor([[0.0], [math.pi / 2], [math.pi]])
    by_hand = (torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), quarters)
    sizes = ((3, 4), (2, 6), (5, 8))
    return [Inputs(by_hand), *(Inputs(turn_inputs(draw, t, k)) for t, k in sizes)]


def turn_general(draw: Draw) -> list[Inputs]:
    """Return batches, heads and float64."""
    return [
        Inputs(turn_inputs(draw, 3, 4, 2)),
        Inputs(turn_inputs(draw, 3, 6, 2, 4)),
        Inputs(turn_inputs(draw, 2, 8, 3, dtype=torch.float64)),
    ]


def turn_probes(draw: Draw) -> list[Inputs]:
    """Return squares and cubes."""
    return [Inputs(turn_inputs(draw, 4, 4)), Inputs(turn_inputs(draw, 4, 4, 4))]


def some_positions(draw: Draw, *shape: int, high: int = 10) -> Tensor:
    """Draw positions, out of order, without repeats in a row of the tensor."""
    return draw.weights(*shape[:-1], high).argsort(dim=-1)[..., : shape[-1]]


def turn_inputs(
    draw: Draw, t: int, k: int, *lead: int, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor]:
    """Draw vectors and angles."""
    return draw.normal(*lead, t, k, dtype=dtype), draw.normal(t, k // 2, dtype=dtype)


def rotated(first: Tensor, second: Tensor, radians: Tensor) -> tuple[Tensor, Tensor]:
    """Rotate pairs of features."""
    cos, sin = radians.cos(), radians.sin()
    return first * cos - second * sin, first * sin + second * cos


def neighbours(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the firsts and the seconds of adjacent pairs."""
    return x[..., 0::2], x[..., 1::2]


def interleaved(first: Tensor, second: Tensor) -> Tensor:
    """Interleave the firsts and the seconds of all pairs."""
    return torch.stack([first, second], dim=-1).flatten(-2)


def halves(x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the firsts and the seconds of pairs that lie half the width apart."""
    first, second = x.chunk(2, dim=-1)
    return first, second


def joined(first: Tensor, second: Tensor) -> Tensor:
    """Concatenate all firsts and all seconds."""
    return torch.cat([first, second], dim=-1)


def turned(positions: Tensor, exponents: Tensor, base: int) -> Tensor:
    """Return positions times frequencies, which are base to the power of minus the exponents."""
    return positions[..., None] * base ** (-exponents)
