"""Wrong answers to the exercise on positions, seventh set, written from its text alone."""

import math

import torch


def angles__evenly_to_the_end(positions, width, base):
    """Spreads the exponents from 0 to -1, so the last hand is slower than it should be."""
    hands = (width + 1) // 2
    return positions[..., None] * base ** torch.linspace(0, -1, hands)


def angles__half_pair_dropped(positions, width, base):
    """Has no hand for the half pair of an odd width."""
    hand = torch.arange(width // 2)
    return positions[..., None] * base ** (-2 * hand / width)


def sinusoidal__hand_for_each_feature(positions, d_model, base):
    """Gives each feature a hand of its own: the two of a pair turn at different speeds."""
    table = angles(positions, 2 * d_model, base)
    sines = torch.arange(d_model) % 2 == 0
    return torch.where(sines, table.sin(), table.cos())


def sinusoidal__width_rounded_up(positions, d_model, base):
    """Rounds an odd width up before it makes the angles, so all speeds but the first change."""
    radians = angles(positions, d_model + d_model % 2, base)
    pairs = torch.stack([radians.sin(), radians.cos()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


def loop_table__halved(length, d_model):
    """Halves i, which counts in twos as the formula does, so the exponent is half as large."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i // 2 / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__whole_pairs(length, d_model):
    """Goes through whole pairs only, so the last column of an odd width stays 0."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(d_model // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, 2 * i] = math.sin(angle)
            table[t, 2 * i + 1] = math.cos(angle)
    return table


def count_positions__padding_counts_on(real):
    """Gives padding behind a token the next number, not that of the token."""
    return real.cumsum(dim=-1) - real.long()


def count_positions__padding_on_the_left(real):
    """Takes off all padding at once, which is right only if all of it stands on the left."""
    padding = (~real).sum(dim=-1, keepdim=True)
    return (torch.arange(real.size(-1)) - padding).clamp(min=0)


def add_table__writes_into_x(x, table):
    """Adds the table in place, so the caller's x changes."""
    x += table[: x.size(1)]
    return x


def add_table__rows_only(x, table):
    """Takes the right number of rows, but still lays them along the batch."""
    return x + table[: x.size(1), None]


def step_matrix__stacked_in_front(delta, d_model, base):
    """Stacks the four numbers in front, so a block is made of the numbers of several hands."""
    turn = angles(torch.tensor([delta]), d_model, base)[0]
    cos, sin = turn.cos(), turn.sin()
    blocks = torch.stack([cos, sin, -sin, cos]).reshape(-1, 2, 2)
    return torch.block_diag(*blocks)


def step_matrix__halves(delta, d_model, base):
    """Fits a table whose sines all stand before its cosines."""
    turn = angles(torch.tensor([delta]), d_model, base)[0]
    cos, sin = turn.cos().diag(), turn.sin().diag()
    upper = torch.cat([cos, sin], dim=1)
    lower = torch.cat([-sin, cos], dim=1)
    return torch.cat([upper, lower], dim=0)


def rotate_pairs__new_first(x, radians):
    """Works the second feature out from the first one that is turned already."""
    cos, sin = radians.cos(), radians.sin()
    first, second = x[..., 0::2], x[..., 1::2]
    first = first * cos - second * sin
    second = first * sin + second * cos
    return torch.stack([first, second], dim=-1).flatten(-2)


def rotate_pairs__halves_backwards(x, radians):
    """Pairs feature i with i + K/2 and turns the pairs the other way."""
    cos, sin = radians.cos(), radians.sin()
    first, second = x.chunk(2, dim=-1)
    turned = [first * cos + second * sin, second * cos - first * sin]
    return torch.cat(turned, dim=-1)


def shapes__tokens_before_heads(B, T, D, H):
    """Puts the tokens before the heads in the turned queries."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, T, H, K), (H, T, T)


def shapes__angle_per_feature_and_batch(B, T, D, H):
    """Gives each feature an angle of its own and the bias an axis for the batch."""
    K = D // H
    return (T, D), (B, T, D), (T, K), (B, H, T, K), (B, H, T, T)


def sees_only_distance__moves_of_eight(scores, width):
    """Moves by whole eights only, after which a clock of eight steps shows the same."""
    x = torch.randn(8, width)
    here = torch.arange(8)
    for move in range(8, 25, 8):
        change = scores(x, here + move) - scores(x, here)
        if change.abs().max() > 0.001:
            return False
    return True


def sees_only_distance__like_tokens(scores, width):
    """Compares the scores of like tokens along the diagonals, at the first eight places only."""
    x = torch.randn(1, width).expand(8, width)
    table = scores(x, torch.arange(8))
    for offset in range(-7, 8):
        line = table.diagonal(offset)
        if line.max() - line.min() > 0.001:
            return False
    return True


def alibi_bias__queries_first(heads, T, S):
    """Takes the queries for the first T of the S tokens."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    back = torch.arange(T)[:, None] - torch.arange(S)
    bias = slopes[:, None, None] * -back
    return bias.masked_fill(back < 0, -torch.inf)


def alibi_bias__heads_from_zero(heads, T, S):
    """Counts the heads from 0, so the first slope is 1."""
    slopes = 2.0 ** (-8 * torch.arange(heads) / heads)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = slopes[:, None, None] * -back
    return bias.masked_fill(back < 0, -torch.inf)


def extrapolate__chunks(model, ids, trained):
    """Cuts the text into chunks without overlap, so each one begins with too little before it."""
    guesses = []
    for begin in range(0, len(ids), trained):
        chunk = ids[begin : begin + trained]
        logits = model(chunk, torch.arange(len(chunk)))
        guesses.append(logits.argmax(dim=-1))
    return torch.cat(guesses)


def extrapolate__places_modulo(model, ids, trained):
    """Leaves each window's tokens at their old places modulo trained, so their order breaks."""
    guesses = []
    for end in range(1, len(ids) + 1):
        begin = max(end - trained, 0)
        places = torch.arange(begin, end) % trained
        logits = model(ids[begin:end], places)
        guesses.append(logits[-1].argmax())
    return torch.stack(guesses)
