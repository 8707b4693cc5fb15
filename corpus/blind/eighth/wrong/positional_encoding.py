import math

import torch


# angles

def angles__divided_by_hands(positions, width, base):
    """Intended: the exponent is i / hands instead of 2 i / width, which differs for odd widths."""
    hands = (width + 1) // 2
    return positions[..., None] * base ** (-torch.arange(hands) / hands)


def angles__slowest_at_base(positions, width, base):
    """Intended: the exponents run from 0 to 1 inclusive (divided by hands - 1), as in the paper's own code, not in its formula."""
    hands = (width + 1) // 2
    return positions[..., None] * base ** (-torch.arange(hands) / max(hands - 1, 1))


def angles__place_in_the_row(positions, width, base):
    """Intended: numbers the tokens 0, 1, 2 by their place in the row and does not read the positions."""
    t = torch.arange(positions.size(-1)).expand(positions.shape)
    return t[..., None] * base ** (-torch.arange(0, width, 2) / width)


# sinusoidal

def sinusoidal__sines_then_cosines(positions, d_model, base):
    """Intended: all sines first, then all cosines, instead of taking turns."""
    a = angles(positions, d_model, base)
    return torch.cat([a.sin(), a.cos()], dim=-1)[..., :d_model]


def sinusoidal__last_column_empty(positions, d_model, base):
    """Intended: fills whole pairs only, so with an odd width the last column stays 0 instead of a sine."""
    a = angles(positions, d_model, base)[..., : d_model // 2]
    table = torch.zeros(*positions.shape, d_model)
    even = d_model // 2 * 2
    table[..., 0:even:2] = a.sin()
    table[..., 1:even:2] = a.cos()
    return table


# loop_table

def loop_table__exponent_quartered(length, d_model):
    """Intended: halves i but drops the 2, so the exponent is half of what it should be."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i // 2 / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__cosine_of_its_own(length, d_model):
    """Intended: mends the exponent, but gives each cosine the angle of its own column, i + 1."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10_000 ** (i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10_000 ** ((i + 1) / d_model))
    return table


# count_positions

def count_positions__minus_one_in_front(real):
    """Intended: subtracts 1 from the running count and leaves -1 at padding on the left."""
    return real.long().cumsum(dim=-1) - 1


def count_positions__padding_is_one(real):
    """Intended: gives all padding the number 1, as Hugging Face does, instead of the last real token's or 0."""
    at = real.long().cumsum(dim=-1) - 1
    return at.masked_fill(~real, 1)


def count_positions__left_edge_moved(real):
    """Intended: only takes off the padding on the left, so padding in between or behind is counted."""
    first = real.long().argmax(dim=-1, keepdim=True)
    return (torch.arange(real.size(-1)) - first).clamp(min=0)


# add_table

def add_table__written_into_x(x, table):
    """Intended: right numbers, but added into the caller's x."""
    x += table[: x.size(1)]
    return x


def add_table__table_is_constant(x, table):
    """Intended: detaches the table, as if it were not learned."""
    return x + table[: x.size(1)].detach()


# step_matrix

def step_matrix__usual_rotation(delta, d_model, base):
    """Intended: the usual rotation of (cos, sin) pairs, which for (sin, cos) turns backwards."""
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    blocks = [torch.stack([torch.stack([t.cos(), -t.sin()]), torch.stack([t.sin(), t.cos()])]) for t in theta]
    return torch.block_diag(*blocks)


def step_matrix__paper_base(delta, d_model, base):
    """Intended: always takes base 10,000 and never the one that is given."""
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        theta = delta / 10_000 ** (i / d_model)
        matrix[i, i] = matrix[i + 1, i + 1] = math.cos(theta)
        matrix[i, i + 1] = math.sin(theta)
        matrix[i + 1, i] = -math.sin(theta)
    return matrix


# rotate_pairs

def rotate_pairs__first_overwritten(x, radians):
    """Intended: the first features are overwritten before the second ones are worked out from them."""
    out = x.clone()
    cos, sin = radians.cos(), radians.sin()
    out[..., 0::2] = x[..., 0::2] * cos - x[..., 1::2] * sin
    out[..., 1::2] = out[..., 0::2] * sin + x[..., 1::2] * cos
    return out


def rotate_pairs__not_taking_turns(x, radians):
    """Intended: turns neighbours rightly, but gives back all first features and then all second ones."""
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = radians.cos(), radians.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


# shapes

def shapes__bias_for_each_sentence(B, T, D, H):
    """Intended: the ALiBi bias gets an axis for sentences, like the scores."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, H, T, K), (B, H, T, T)


def shapes__angle_for_each_feature(B, T, D, H):
    """Intended: one angle for each feature instead of one for each pair."""
    K = D // H
    return (T, D), (B, T, D), (T, K), (B, H, T, K), (H, T, T)


# sees_only_distance

def sees_only_distance__falls_not_seen(scores, width):
    """Intended: forgets the absolute value, so scores that only fall when the tokens move are not noticed."""
    for _ in range(3):
        for gap in (1, 2, 4):
            x = torch.randn(8, width)
            here = torch.arange(8) * gap
            still = scores(x, here)
            for move in range(1, 32 - int(here[-1])):
                if (scores(x, here + move) - still).max() > 0.001:
                    return False
    return True


def sees_only_distance__round_the_corner(scores, width):
    """Intended: moves places modulo 32, so tokens that wrap round change their distances and good heads are refused."""
    x = torch.randn(8, width)
    here = torch.arange(8)
    still = scores(x, here)
    for move in range(1, 32):
        if (scores(x, (here + move) % 32) - still).abs().max() > 0.001:
            return False
    return True


def sees_only_distance__near_only(scores, width):
    """Intended: tries tokens on neighbouring places only, so a head that differs for far-apart tokens passes."""
    for _ in range(5):
        x = torch.randn(4, width)
        here = torch.arange(4)
        still = scores(x, here)
        for move in range(1, 29):
            if (scores(x, here + move) - still).abs().max() > 0.001:
                return False
    return True


def sees_only_distance__single_move(scores, width):
    """Intended: tries a single move, by 16 places, so most places and clocks that go round in 16 steps are never found out."""
    for _ in range(10):
        x = torch.randn(8, width)
        here = torch.arange(8)
        if (scores(x, here + 16) - scores(x, here)).abs().max() > 0.001:
            return False
    return True


# alibi_bias

def alibi_bias__halves(heads, T, S):
    """Intended: slopes 1/2, 1/4, 1/8 for any number of heads, as in the paper's example of 8 heads."""
    slopes = 2.0 ** -torch.arange(1.0, heads + 1)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * back
    return bias.masked_fill(back < 0, -math.inf)


def alibi_bias__key_places_only(heads, T, S):
    """Intended: adds slope times the key's place, as some libraries do because softmax forgives it, not minus slope times distance."""
    slopes = 2 ** (-8 * torch.arange(1, heads + 1) / heads)
    keys = torch.arange(S)
    bias = (slopes[:, None, None] * keys).expand(heads, T, S)
    return bias.masked_fill(keys > torch.arange(S - T, S)[:, None], -math.inf)


def alibi_bias__first_queries(heads, T, S):
    """Intended: two mistakes: the queries are taken for the first T tokens, and heads are counted from 0."""
    slopes = 2 ** (-8 * torch.arange(heads) / heads)
    back = torch.arange(T)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * back
    return bias.masked_fill(back < 0, -math.inf)


# extrapolate

def extrapolate__window_one_too_long(model, ids, trained):
    """Intended: each window has trained + 1 tokens, so its last one stands at a place that was never trained."""
    guesses = []
    for t in range(len(ids)):
        window = ids[max(0, t - trained) : t + 1]
        logits = model(window, torch.arange(len(window)))
        guesses.append(logits[-1].argmax())
    return torch.stack(guesses)


def extrapolate__overlap_one_short(model, ids, trained):
    """Intended: windows overlap by one token too few, so a guess may have only trained // 2 - 1 tokens before it."""
    before = max(trained // 2 - 1, 0)
    head = ids[:trained]
    guesses = [model(head, torch.arange(len(head))).argmax(dim=-1)]
    done = len(head)
    while done < len(ids):
        window = ids[done - before : done - before + trained]
        found = model(window, torch.arange(len(window))).argmax(dim=-1)[before:]
        guesses.append(found)
        done += len(found)
    return torch.cat(guesses)


def extrapolate__full_windows_only(model, ids, trained):
    """Intended: unfolds the text into windows of exactly `trained` tokens, which fails on texts that are shorter."""
    windows = ids.unfold(0, trained, 1)
    places = torch.arange(trained)
    first = model(windows[0], places).argmax(dim=-1)
    rest = [model(window, places)[-1].argmax() for window in windows[1:]]
    return torch.cat([first, torch.stack(rest)]) if rest else first
