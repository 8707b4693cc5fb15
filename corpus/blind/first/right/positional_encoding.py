"""Unusual but right answers on positional encoding, written blind."""

import math

import torch


def angles__hand_by_hand(positions, width, base):
    """one hand after the other, stacked on a new last axis"""
    hands = math.ceil(width / 2)
    turned = [positions * float(base) ** (-2 * i / width) for i in range(hands)]
    return torch.stack(turned, dim=-1)


def angles__by_logarithm(positions, width, base):
    """powers by an own helper called exp, and einsum"""

    def exp(exponents):
        return torch.tensor([math.exp(e) for e in exponents])

    speeds = exp([-math.log(base) * i / width for i in range(0, width, 2)])
    return torch.einsum("...t,h->...th", positions.to(speeds.dtype), speeds)


def sinusoidal__class(positions, d_model, base):
    """a small class with the table's columns filled in place"""

    class PositionalEncoding:
        def __init__(self, width, base):
            self.width, self.base = width, base

        def forward(self, where):
            turned = angles(where, self.width, self.base)
            table = torch.empty(*where.shape, self.width)
            table[..., ::2] = turned.sin()
            table[..., 1::2] = turned[..., : self.width // 2].cos()
            return table

    return PositionalEncoding(d_model, base).forward(positions)


def sinusoidal__where(positions, d_model, base):
    """each hand twice, then where chooses; helpers named sin and cos"""

    def sin(a):
        return torch.sin(a)

    def cos(a):
        return torch.cos(a)

    twice = angles(positions, d_model, base).repeat_interleave(2, dim=-1)
    twice = twice[..., :d_model]
    is_even = torch.arange(d_model) % 2 == 0
    return torch.where(is_even, sin(twice), cos(twice))


def loop_table__lists(length, d_model):
    """plain lists of numbers, with a choice of function by column"""

    def entry(t, column):
        pair, odd = divmod(column, 2)
        angle = t / 10_000 ** (2 * pair / d_model)
        return (math.sin, math.cos)[odd](angle)

    rows = [[entry(t, c) for c in range(d_model)] for t in range(length)]
    return torch.tensor(rows).reshape(length, d_model)


def step_matrix__fancy_index(delta, d_model, base):
    """fills four diagonals at once by index"""
    theta = angles(torch.tensor([delta]), d_model, base).squeeze(0)
    upper = torch.arange(0, d_model, 2)
    lower = upper + 1
    R = torch.zeros(d_model, d_model)
    R[upper, upper] = R[lower, lower] = theta.cos()
    R[upper, lower] = theta.sin()
    R[lower, upper] = -theta.sin()
    return R


def count_positions__triangle(real):
    """counts by a triangle of True instead of a running sum"""
    T = real.size(-1)
    up_to_here = torch.ones(T, T, dtype=torch.bool).tril()
    count = (real.unsqueeze(-2) & up_to_here).sum(dim=-1)
    return (count - 1).clamp(min=0)


def add_learned__one_hot(x, positions, table):
    """looks rows up by a product with one-hot vectors"""
    picks = torch.nn.functional.one_hot(positions.long(), table.size(0))
    return x + picks.to(table.dtype) @ table


def add_table__word_by_word(x, table):
    """zip lets each token meet its row"""
    summed = [token + row for token, row in zip(x.unbind(dim=1), table)]
    return torch.stack(summed, dim=1)


def rotate_pairs__complex(x, radians):
    """turns complex numbers"""
    numbers = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    turns = torch.polar(torch.ones_like(radians), radians)
    return torch.view_as_real(numbers * turns).flatten(-2)


def rotate_halves__matrices(x, radians):
    """a matrix of two by two for each pair, and einsum"""
    c, s = radians.cos(), radians.sin()
    R = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
    pairs = torch.stack(x.chunk(2, dim=-1), dim=-1)
    turned = torch.einsum("tkij,...tkj->...tki", R, pairs)
    return torch.cat(turned.unbind(-1), dim=-1)


def alibi_bias__nested_lists(heads, T, S):
    """numbers in nested lists, worked out one at a time"""

    def bias(h, t, u):
        if u > t:
            return -math.inf
        return -(2.0 ** (-8 * h / heads)) * (t - u)

    numbers = [
        [[bias(h, t, u) for u in range(S)] for t in range(S - T, S)]
        for h in range(1, heads + 1)
    ]
    return torch.tensor(numbers).reshape(heads, T, S)


def shapes__named(B, T, D, H):
    """names for the axes, spelled out as words"""
    size = {"b": B, "t": T, "d": D, "h": H, "k": D // H, "p": D // H // 2}
    words = ["td", "btd", "tp", "bhtk", "htt"]
    return tuple(tuple(size[letter] for letter in word) for word in words)
