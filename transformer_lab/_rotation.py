"""Angles by position, and the complex numbers by which features turn.

To turn a pair of numbers is to multiply them, as one complex number, by another of length 1.
"""

from functools import lru_cache

import torch
from jaxtyping import Complex, Float, Int
from torch import Tensor

from transformer_lab._checks import check_integers, check_kind, check_positive, is_plain
from transformer_lab._position_checks import check_numbers


def position_angles(
    positions: Int[Tensor, "*B T"],
    width: int,
    base: float,
    dtype: torch.dtype,
) -> Float[Tensor, "*B T pairs"]:
    """Turn each position into radians: one hand per pair of features, each slower than the last.

    Pair i turns by base^(-2i / width) a step. Half precision is computed in float32. Raises
    ValueError for a base or width that is not positive, TypeError for what are no positions and
    for a dtype that is not one of floats.
    """
    check_numbers(positions)
    check_integers(width=width)
    check_positive(base=base)
    check_kind(dtype)
    exact = torch.promote_types(dtype, torch.float32)
    even = torch.arange(0, width, 2, device=positions.device, dtype=exact)
    return positions.unsqueeze(-1) * base ** (-even / width)


def turns_for(
    x: Float[Tensor, "*B H T K"], start: int | Int[Tensor, "*#B T"], base: float
) -> Complex[Tensor, "*_ T pairs"]:
    """Return the turn of each pair of x, from position `start` on or at the positions given."""
    T, K = x.shape[-2:]
    if is_plain(x) and not isinstance(start, Tensor):
        return _kept_turns(start, T, K, base, x.dtype, x.device)
    if not isinstance(start, Tensor):
        start = torch.arange(start, start + T, device=x.device)
    return _turns(start.unsqueeze(-2), K, base, x.dtype)  # the same for all heads


def turn_pairs(
    x: Float[Tensor, "*B T K"], turns: Complex[Tensor, "*#B T pairs"]
) -> Float[Tensor, "*B T K"]:
    """Turn features 2i and 2i + 1 together, as `rotate_pairs` does."""
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)))
    return torch.view_as_real(pairs * turns).flatten(-2)


def turn_halves(
    x: Float[Tensor, "*B T K"], turns: Complex[Tensor, "*#B T pairs"]
) -> Float[Tensor, "*B T K"]:
    """Turn features i and i + K/2 together, as `rotate_halves` does."""
    turned = torch.complex(*x.chunk(2, dim=-1)) * turns
    return torch.cat([turned.real, turned.imag], dim=-1)


def _turns(positions: Tensor, width: int, base: float, dtype: torch.dtype) -> Tensor:
    """Return the complex number of length 1 that turns each pair at each position."""
    radians = position_angles(positions, width, base, dtype)
    return torch.polar(torch.ones_like(radians), radians)


@lru_cache(maxsize=1)  # every layer of a model asks for the same
def _kept_turns(
    start: int, length: int, width: int, base: float, dtype: torch.dtype, device: torch.device
) -> Tensor:
    """Return the turns of positions from `start` on, and keep them until others are asked for."""
    with torch.inference_mode(False):  # so that who learns can take what was kept
        positions = torch.arange(start, start + length, device=device)
        return _turns(positions, width, base, dtype)
