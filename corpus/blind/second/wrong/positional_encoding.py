"""Wrong answers to the exercise on positional encoding, written blind."""

import math

import torch


def angles__rounds_odd_width_up(positions, width, base):
    """Divides by twice the hands, so odd widths get wrong speeds."""
    hands = (width + 1) // 2
    speeds = base ** (-torch.arange(hands) / hands)
    return positions[..., None] * speeds


def sinusoidal__last_hand_is_one_over_base(positions, d_model, base):
    """Spreads the speeds so that the last hand has exactly 1/base."""
    hands = (d_model + 1) // 2
    speeds = torch.exp(
        -math.log(base) * torch.arange(hands) / max(hands - 1, 1)
    )
    turned = positions[..., None] * speeds
    table = torch.zeros(*positions.shape, d_model)
    table[..., 0::2] = turned.sin()
    table[..., 1::2] = turned.cos()[..., : d_model // 2]
    return table


def sinusoidal__row_numbers_and_blocks(positions, d_model, base):
    """Numbers the rows itself instead of using the given positions.
    Puts all sines before all cosines instead of taking turns.
    """
    rows = torch.arange(positions.size(-1)).expand(positions.shape)
    a = angles(rows, d_model, base)
    return torch.cat([torch.sin(a), torch.cos(a)], dim=-1)[..., :d_model]


def loop_table__halves_twice(length, d_model):
    """Halves the even counter, so the exponents are half too small."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** ((i // 2) / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def step_matrix__drops_sign_of_delta(delta, d_model, base):
    """Takes the size of delta, so steps back go forward."""
    matrix = torch.zeros(d_model, d_model)
    # positions count from 0, so the clock is only asked for those
    distance = abs(delta)
    for i in range(d_model // 2):
        theta = distance * base ** (-2 * i / d_model)
        c, s = math.cos(theta), math.sin(theta)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor(
            [[c, s], [-s, c]]
        )
    return matrix


def step_matrix__pairs_are_halves(delta, d_model, base):
    """Pairs row i with row i + d/2 instead of neighbouring rows."""
    half = d_model // 2
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    cos = torch.diag(theta.cos())
    sin = torch.diag(theta.sin())
    top = torch.cat([cos, sin], dim=1)
    bottom = torch.cat([-sin, cos], dim=1)
    R = torch.cat([top, bottom], dim=0)
    assert R.shape == (2 * half, 2 * half)
    return R


def count_positions__padding_counts_all_before(real):
    """Padding gets the count of tokens before it, one too many."""
    real = real.long()
    return real.cumsum(dim=-1) - real


def add_learned__first_sentence_for_all(x, positions, table):
    """Uses the first sentence's positions for all sentences."""
    if positions.dim() == 2:
        positions = positions[0]
    return x + table[positions]


def add_table__still_wrong_axis(x, table):
    """Takes T rows, but still lays them along the sentences' axis."""
    return x + table[: x.size(1), None]


def rotate_pairs__overwrites_as_it_goes(x, radians):
    """Works out the second feature from the first one already turned.
    Overwrites the x that was handed in.
    """
    cos = radians.cos()
    sin = radians.sin()
    a = x[..., 0::2]
    b = x[..., 1::2]
    x[..., 0::2] = a * cos - b * sin
    x[..., 1::2] = a * sin + b * cos
    return x


def rotate_halves__leaves_neighbours(x, radians):
    """Leaves turned pairs as neighbours instead of putting them back."""
    first, second = x.chunk(2, dim=-1)
    # bring the partners together, then it is the exercise before
    together = torch.stack([first, second], dim=-1).flatten(-2)
    return rotate_pairs(together, radians)


def alibi_bias__mask_from_front(heads, T, S):
    """Masks as if the queries were the first tokens, not last."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    queries = torch.arange(S - T, S)
    keys = torch.arange(S)
    distance = queries[:, None] - keys[None, :]
    bias = -slopes[:, None, None] * distance
    future = torch.ones(T, S, dtype=torch.bool).triu(1)
    return bias.masked_fill(future, -torch.inf)


def shapes__angles_for_whole_width(B, T, D, H):
    """Gives angles for the whole width, not for one head."""
    K = D // H
    return (T, D), (B, T, D), (T, D // 2), (B, H, T, K), (H, T, T)
