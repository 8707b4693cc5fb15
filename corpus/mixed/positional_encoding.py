"""Two mistakes at once, by their names. Without a docstring none may be named."""

import math

import torch


def angles__doubled_and_faster(positions, width, base):
    """each hand is faster than the last
    the exponent is doubled
    """
    return positions[..., None] * base ** (2 * torch.arange(0, width, 2) / width)


def sinusoidal__swapped_and_uneven(positions, d_model, base):
    radians = positions[..., None] * base ** (-torch.arange(d_model) / d_model)
    return torch.where(torch.arange(d_model) % 2 == 0, radians.cos(), radians.sin())


def step_matrix__one_step_back(delta, d_model, base):
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        cos, sin = (f(base ** (-i / d_model)) for f in (math.cos, math.sin))
        matrix[i : i + 2, i : i + 2] = torch.tensor([[cos, -sin], [sin, cos]])
    return matrix


def count_positions__padding_along_the_batch(real):
    """it counts along the batch
    padding is counted in place of tokens
    """
    return ((~real).cumsum(dim=0) - 1).clamp(min=0)


def add_table__multiplied_along_the_batch(x, table):
    return x * table[: x.size(0), None]


def loop_table__swapped_and_doubled(length, d_model):
    """sines and cosines have changed places
    the exponent is doubled
    """
    radians = torch.arange(length)[:, None] * 10_000 ** (-2 * torch.arange(0, d_model, 2) / d_model)
    return torch.stack([radians.cos(), radians.sin()], dim=-1).flatten(-2)[:, :d_model]


def rotate_pairs__backwards_and_side_by_side(x, radians):
    """it turns the wrong way round
    the results stand side by side, not interleaved
    """
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = radians.cos(), radians.sin()
    return torch.cat([a * cos + b * sin, b * cos - a * sin], dim=-1)


def alibi_bias__one_slope_and_no_start(heads, T, S):
    back = torch.arange(T)[:, None] - torch.arange(S)
    return (-0.5 * back.expand(heads, T, S)).masked_fill(back < 0, -torch.inf)


def shapes__batched_table_and_one_bias(B, T, D, H):
    """the bias has no axis for the heads
    the encoding has an axis for the batch
    """
    return (B, T, D), (B, T, D), (T, D // H // 2), (B, H, T, D // H), (T, T)
