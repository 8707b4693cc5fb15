"""Wrong answers to the exercise on positions, sixth set, written from its text alone."""

import math

import torch


def angles__faster_and_faster(positions, width, base):
    """Forgets the minus in the exponent, so each hand is faster than the last."""
    even = torch.arange(0, width, 2)
    return positions[..., None] * base ** (even / width)


def angles__two_forgotten(positions, width, base):
    """Counts hands 0, 1, 2 and forgets the 2 in the exponent."""
    i = torch.arange((width + 1) // 2)
    return positions[..., None] * base ** (-i / width)


def angles__half_pair_dropped(positions, width, base):
    """Has no hand for the half pair of an odd width."""
    i = torch.arange(width // 2)
    return positions[..., None] * base ** (-2 * i / width)


def sinusoidal__sines_then_cosines(positions, d_model, base):
    """Puts all sines in front and all cosines behind."""
    a = angles(positions, d_model, base)
    return torch.cat([a.sin(), a.cos()], dim=-1)[..., :d_model]


def sinusoidal__cosine_first(positions, d_model, base):
    """Begins each pair with the cosine."""
    a = angles(positions, d_model, base)
    table = torch.empty(*positions.shape, d_model)
    table[..., 0::2] = a.cos()
    table[..., 1::2] = a.sin()[..., : d_model // 2]
    return table


def loop_table__half_as_fast_a_fall(length, d_model):
    """Halves the exponent once too often: i // 2 over the width."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i // 2 / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__own_speed_for_the_cosine(length, d_model):
    """Gives every column a speed of its own: the cosine's exponent is i + 1."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10_000 ** (i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10_000 ** ((i + 1) / d_model))
    return table


def count_positions__zero_for_padding(real):
    """Gives all padding 0, also behind a sentence."""
    return (real.cumsum(dim=-1) - 1) * real


def count_positions__left_edge(real):
    """Counts from the left edge, padding too."""
    return torch.arange(real.size(-1)).expand(real.shape)


def count_positions__from_one(real):
    """Counts from 1."""
    return real.long().cumsum(dim=-1)


def add_table__last_rows(x, table):
    """Takes the last rows of the table."""
    return x + table[-x.size(1) :]


def add_table__first_row_for_all(x, table):
    """Adds the first row to all tokens."""
    return x + table[0]


def step_matrix__backwards(delta, d_model, base):
    """Has the minus at the other sine, so it goes backwards."""
    turn = angles(torch.tensor([delta]), d_model, base).squeeze(0)
    rows = [torch.tensor([[t.cos(), -t.sin()], [t.sin(), t.cos()]]) for t in turn]
    return torch.block_diag(*rows)


def step_matrix__first_hand_only(delta, d_model, base):
    """Turns every block by the first hand's angle."""
    t = angles(torch.tensor([delta]), d_model, base)[0, 0]
    block = torch.stack([t.cos(), t.sin(), -t.sin(), t.cos()]).view(2, 2)
    return torch.block_diag(*[block] * (d_model // 2))


def rotate_pairs__halves(x, radians):
    """Pairs the first half with the second, as Llama does."""
    a, b = x.chunk(2, dim=-1)
    cos, sin = radians.cos(), radians.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def rotate_pairs__not_put_back(x, radians):
    """Turns neighbours, and then lays all first features before all second ones."""
    a, b = x[..., ::2], x[..., 1::2]
    cos, sin = radians.cos(), radians.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def rotate_pairs__overwritten(x, radians):
    """Works out the second feature from the new first one."""
    out = x.clone()
    out[..., 0::2] = out[..., 0::2] * radians.cos() - out[..., 1::2] * radians.sin()
    out[..., 1::2] = out[..., 0::2] * radians.sin() + out[..., 1::2] * radians.cos()
    return out


def shapes__sentence_in_the_table(B, T, D, H):
    """Gives the table a batch axis."""
    K = D // H
    return (B, T, D), (B, T, D), (T, K // 2), (B, H, T, K), (H, T, T)


def shapes__an_angle_for_each_feature(B, T, D, H):
    """Gives each feature an angle of its own."""
    K = D // H
    return (T, D), (B, T, D), (T, K), (B, H, T, K), (H, T, T)


def alibi_bias__queries_in_front(heads, T, S):
    """Takes the queries for the first T tokens."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    back = torch.arange(T)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * back
    return bias.masked_fill(back < 0, -torch.inf)


def alibi_bias__heads_from_zero(heads, T, S):
    """Counts heads from 0."""
    slopes = 2.0 ** (-8 * torch.arange(heads) / heads)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * back
    return bias.masked_fill(back < 0, -torch.inf)


def alibi_bias__future_allowed(heads, T, S):
    """Counts distance both ways and hides no future."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    back = (torch.arange(S - T, S)[:, None] - torch.arange(S)).abs()
    return -slopes[:, None, None] * back
