"""Right answers to the exercise on positional encoding, third set, in unusual styles."""

import math

import torch


def angles__hand_by_hand(positions, width, base):
    """Makes one column for each hand and stacks them."""
    columns = [positions * base ** (-2 * i / width) for i in range((width + 1) // 2)]
    return torch.stack(columns, dim=-1).float()


def angles__divided(positions, width, base):
    """Divides by the power instead of multiplying by its inverse."""
    periods = torch.tensor([base ** (two_i / width) for two_i in range(0, width, 2)])
    return positions.unsqueeze(-1) / periods


def angles__exponential(positions, width, base):
    """Uses the exponential of a logarithm, and einsum for the table."""
    speeds = torch.exp(torch.arange(0, width, 2) * (-math.log(base) / width))
    return torch.einsum("...t,h->...th", positions.to(speeds.dtype), speeds)


def sinusoidal__shifted_sine(positions, d_model, base):
    """Takes sines only, a quarter turn ahead for every second feature."""
    a = angles(positions, d_model, base).repeat_interleave(2, dim=-1)[..., :d_model]
    ahead = torch.arange(d_model) % 2 * (math.pi / 2)
    return torch.sin(a + ahead)


def sinusoidal__complex(positions, d_model, base):
    """Takes the hands for complex numbers and reads them as pairs."""
    a = angles(positions, d_model, base)
    z = torch.complex(a.sin(), a.cos())
    return torch.view_as_real(z).flatten(-2)[..., :d_model]


def sinusoidal__feature_by_feature(positions, d_model, base):
    """Takes one feature after the other."""
    a = angles(positions, d_model, base)
    turn = (torch.sin, torch.cos)
    return torch.stack([turn[f % 2](a[..., f // 2]) for f in range(d_model)], dim=-1)


def loop_table__hands_counted(length, d_model):
    """Counts hands instead of features."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range((d_model + 1) // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, 2 * i] = math.sin(angle)
            if 2 * i + 1 < d_model:
                table[t, 2 * i + 1] = math.cos(angle)
    return table


def loop_table__own_function(length, d_model):
    """Calls the function of before."""
    return sinusoidal(torch.arange(length), d_model, 10_000)


def step_matrix__kronecker(delta, d_model, base):
    """Adds Kronecker products of the parts of the block."""
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    same, turned = torch.eye(2), torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
    return torch.kron(theta.cos().diag(), same) + torch.kron(theta.sin().diag(), turned)


def step_matrix__exponential(delta, d_model, base):
    """Takes the exponential of the matrix of speeds."""
    theta = angles(torch.tensor([delta]), d_model, base)[0].double()
    generator = torch.kron(theta.diag(), torch.tensor([[0.0, 1.0], [-1.0, 0.0]]).double())
    return torch.linalg.matrix_exp(generator).float()


def step_matrix__diagonals(delta, d_model, base):
    """Fills the three diagonals."""
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    c = theta.cos().repeat_interleave(2)
    above = torch.zeros(d_model - 1)
    above[0::2] = theta.sin()
    return torch.diag(c) + torch.diag(above, 1) - torch.diag(above, -1)


def count_positions__triangle(real):
    """Counts with a triangle of ones."""
    T = real.size(-1)
    ones = torch.ones(T, T, dtype=torch.float64).triu()
    return (real.double() @ ones - 1).clamp(min=0).round().long()


def count_positions__loop(real):
    """Walks along the sentence with a counter."""
    count = torch.zeros(real.shape[:-1], dtype=torch.long)
    columns = []
    for column in real.unbind(-1):
        count = count + column
        columns.append(torch.maximum(count - 1, torch.zeros_like(count)))
    return torch.stack(columns, dim=-1)


def count_positions__where(real):
    """Takes one off where a token has been seen."""
    seen = real.long().cumsum(-1)
    return torch.where(seen > 0, seen - 1, seen)


def add_learned__one_hot(x, positions, table):
    """Multiplies one-hot vectors by the table."""
    hot = torch.nn.functional.one_hot(positions, table.size(0)).to(table.dtype)
    return x + hot @ table


def add_learned__index_select(x, positions, table):
    """Looks the rows up with index_select and restores the shape."""
    rows = table.index_select(0, positions.reshape(-1))
    return torch.add(rows.reshape(*positions.shape, -1), x)


def add_table__sentence_by_sentence(x, table):
    """Adds the rows to each sentence and stacks."""
    return torch.stack([sentence + table[: len(sentence)] for sentence in x])


def add_table__own_function(x, table):
    """Calls the function of before with all positions."""
    return add_learned(x, torch.arange(x.size(-2)), table)


def rotate_pairs__matrix(x, radians):
    """Makes a matrix of two by two for each pair and multiplies."""
    c, s = radians.cos(), radians.sin()
    R = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
    pairs = x.unflatten(-1, (-1, 2)).unsqueeze(-1)
    return (R @ pairs).squeeze(-1).flatten(-2)


def rotate_pairs__complex(x, radians):
    """Multiplies complex numbers."""
    z = torch.complex(x[..., 0::2].contiguous(), x[..., 1::2].contiguous())
    turned = z * torch.polar(torch.ones_like(radians), radians)
    return torch.view_as_real(turned).flatten(-2)


def rotate_pairs__column_by_column(x, radians):
    """Turns pair by pair into a new tensor."""
    out = torch.empty_like(x)
    for i in range(radians.size(-1)):
        c, s = radians[..., i].cos(), radians[..., i].sin()
        a, b = x[..., 2 * i], x[..., 2 * i + 1]
        out[..., 2 * i] = a * c - b * s
        out[..., 2 * i + 1] = a * s + b * c
    return out


def rotate_halves__through_pairs(x, radians):
    """Brings the halves side by side, turns neighbours, and brings them back."""
    half = x.size(-1) // 2
    neighbours = x.unflatten(-1, (2, half)).mT.flatten(-2)
    turned = rotate_pairs(neighbours, radians)
    return turned.unflatten(-1, (half, 2)).mT.flatten(-2)


def rotate_halves__as_llama(x, radians):
    """Doubles the angles and rolls the halves, as Llama's code does."""
    half = x.size(-1) // 2
    twice = torch.cat((radians, radians), dim=-1)
    sign = torch.ones(x.size(-1), dtype=x.dtype)
    sign[:half] = -1
    return x * twice.cos() + sign * x.roll(half, dims=-1) * twice.sin()


def alibi_bias__triple_loop(heads, T, S):
    """Fills the table number by number."""
    bias = torch.full((heads, T, S), float("-inf"))
    for h in range(1, heads + 1):
        slope = 2 ** (-8 * h / heads)
        for i in range(T):
            t = S - T + i
            for u in range(t + 1):
                bias[h - 1, i, u] = -slope * (t - u)
    return bias


def alibi_bias__all_rows_then_last(heads, T, S):
    """Makes the square table for all tokens and cuts the last rows off."""
    n = torch.arange(S)
    ratio = 2 ** (-8 / heads)
    slopes = torch.tensor([ratio**h for h in range(1, heads + 1)])
    square = torch.where(n[None, :] <= n[:, None], (n[None, :] - n[:, None]).float(), -math.inf)
    return (slopes.view(-1, 1, 1) * square)[:, S - T :]


def shapes__tuples_added(B, T, D, H):
    """Names what is shared and adds tuples."""
    K = D // H
    tokens, square = (B, T), (T, T)
    return ((T, D), tokens + (D,), (T, K // 2), (B, H, T, K), (H,) + square)
