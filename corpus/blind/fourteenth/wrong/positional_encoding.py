import math

import torch


# One hand for each whole pair only: for an odd width the last hand (of the half
# pair) is missing. Line: torch.arange(width // 2)
def angles__whole_pairs_only(positions, width, base):
    i = torch.arange(width // 2)
    speed = base ** (-2 * i / width)
    return positions[..., None] * speed


# positions.new_zeros makes a table of integers, as positions are: sines and
# cosines are cut to -1, 0 and 1.
def sinusoidal__integer_table(positions, d_model, base):
    a = angles(positions, d_model, base)
    table = positions.new_zeros(*positions.shape, d_model)
    table[..., 0::2] = a.sin()
    table[..., 1::2] = a.cos()[..., : d_model // 2]
    return table


# Counts pairs now, but leaves out the 2 as well: the exponent should be
# 2 * (i // 2) / d_model, or i / d_model. Line: t / 10_000 ** ((i // 2) / d_model)
def loop_table__pair_without_two(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** ((i // 2) / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


# The loop runs over whole pairs, so that 2 * i is right; but for an odd width the
# last column (a sine) stays 0. Line: for i in range(d_model // 2)
def loop_table__odd_column_empty(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(d_model // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, 2 * i] = math.sin(angle)
            table[t, 2 * i + 1] = math.cos(angle)
    return table


# Padding behind real tokens gets the number of real tokens before it (one more
# than the last real token's number). Line: counted - real.long()
def count_positions__real_ones_before(real):
    counted = real.long().cumsum(dim=-1)
    return counted - real.long()


# Takes T rows, but leaves them along the batch axis: (T, 1, D) meets (B, T, D).
# Line: table[: x.size(1), None]
def add_table__still_first_axis(x, table):
    return x + table[: x.size(1), None]


# The block is that of the usual rotation, cos -sin / sin cos, for pairs (cos, sin);
# here the pairs are (sin, cos): the matrix moves on by -delta.
def step_matrix__usual_rotation(delta, d_model, base):
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    R = torch.zeros(d_model, d_model)
    for i, t in enumerate(theta):
        R[2 * i, 2 * i] = t.cos()
        R[2 * i, 2 * i + 1] = -t.sin()
        R[2 * i + 1, 2 * i] = t.sin()
        R[2 * i + 1, 2 * i + 1] = t.cos()
    return R


# Fills the blocks one step apart instead of two (matrix[i : i + 2] for hand i), so
# that they overlap and overwrite each other.
def step_matrix__overlapping_blocks(delta, d_model, base):
    theta = angles(torch.tensor([delta]), d_model, base)[0].tolist()
    matrix = torch.zeros(d_model, d_model)
    for i, a in enumerate(theta):
        block = [[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]
        matrix[i : i + 2, i : i + 2] = torch.tensor(block)
    return matrix


# The second feature of each pair is computed from the first one that has been
# turned already. Line: y[..., 1::2] = y[..., 0::2] * sin + ...
def rotate_pairs__overwritten_first(x, radians):
    cos, sin = radians.cos(), radians.sin()
    y = x.clone()
    y[..., 0::2] = y[..., 0::2] * cos - y[..., 1::2] * sin
    y[..., 1::2] = y[..., 0::2] * sin + y[..., 1::2] * cos
    return y


# Reads neighbours, but puts the turned features back as two halves: the pairs are
# not neighbours in the result. Line: torch.cat(..., dim=-1)
def rotate_pairs__back_in_halves(x, radians):
    a, b = x[..., ::2], x[..., 1::2]
    first = a * radians.cos() - b * radians.sin()
    second = a * radians.sin() + b * radians.cos()
    return torch.cat([first, second], dim=-1)


# All tokens stand at places 0 to 7 and move by 1 to 8 only: what happens at late
# places, or between tokens that are far apart, is not seen.
def sees_only_distance__first_places(scores, width):
    here = torch.arange(8)
    for _ in range(5):
        x = torch.randn(8, width)
        at_first = scores(x, here)
        for move in range(1, 9):
            moved = scores(x, here + move)
            if bool((moved - at_first).abs().max() > 0.001):
                return False
    return True


# Compares exactly instead of to within 0.001: a rotary head, whose scores are
# rounded otherwise after the move, is called False. Line: not torch.equal(...)
def sees_only_distance__exactly_equal(scores, width):
    x = torch.randn(31, width)
    for length in (31, 25, 16, 8, 2):
        here = torch.arange(length)
        for move in range(1, 33 - length):
            before = scores(x[:length], here)
            after = scores(x[:length], here + move)
            if not torch.equal(before, after):
                return False
    return True


# Two mistakes: the heads are counted from 0 (slopes 1, 1/4, ... instead of 1/4, 1/16),
# and the queries are taken for the first T tokens (arange(T)), not the last.
def alibi_bias__from_zero_both(heads, T, S):
    slopes = 2.0 ** (-8 * torch.arange(heads) / heads)
    distance = torch.arange(T)[:, None] - torch.arange(S)[None, :]
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(distance < 0, -torch.inf)


# Cuts the text into windows that do not overlap: the first tokens of each window
# have nothing before them, though they need trained // 2 tokens.
def extrapolate__no_overlap(model, ids, trained):
    guesses = []
    for start in range(0, len(ids), trained):
        part = ids[start : start + trained]
        logits = model(part, torch.arange(len(part)))
        guesses.append(logits.argmax(dim=-1))
    return torch.cat(guesses)


# The window is one token too long: t - trained to t are trained + 1 tokens, and the
# last stands at position `trained`, never trained. Line: max(0, t - trained)
def extrapolate__window_too_long(model, ids, trained):
    guesses = torch.zeros(len(ids), dtype=torch.long)
    for t in range(len(ids)):
        window = ids[max(0, t - trained) : t + 1]
        logits = model(window, torch.arange(len(window)))
        guesses[t] = logits[-1].argmax()
    return guesses


# width // 2 hands: with an odd width the half pair has none.
def angles__no_half_pair(positions, width, base):
    i = torch.arange(width // 2)
    speeds = base ** (-2 * i / width)
    return positions[..., None] * speeds


# torch.outer takes vectors only: positions (B, T) are an error.
def angles__outer_of_vectors(positions, width, base):
    even = torch.arange(0, width, 2, dtype=torch.float32)
    speeds = 1.0 / base ** (even / width)
    return torch.outer(positions.float(), speeds)


# Two mistakes: flatten(1) joins the tokens too where positions are (B, T); and with an
# odd width the last cosine is not cut off.
def sinusoidal__flatten_from_one(positions, d_model, base):
    turned = angles(positions, d_model, base)
    pairs = torch.stack([turned.sin(), turned.cos()], dim=-1)
    return pairs.flatten(1)


# For an odd width the angles are made for d_model + 1 and a column is cut off: then
# all hands but the first turn at another speed.
def sinusoidal__next_even_width(positions, d_model, base):
    even = d_model + d_model % 2
    turned = angles(positions, even, base)
    table = torch.zeros(*positions.shape, even)
    table[..., 0::2] = torch.sin(turned)
    table[..., 1::2] = torch.cos(turned)
    return table[..., :d_model]


# range(d_model // 2) leaves the last column of an odd width at 0.
def loop_table__odd_column_zero(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(d_model // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, 2 * i] = math.sin(angle)
            table[t, 2 * i + 1] = math.cos(angle)
    return table


# Counts places on from the first real token: right for padding on the left, wrong for
# padding in between or behind, and in a row that is padding only.
def count_positions__from_first_real(real):
    first = real.int().argmax(dim=-1, keepdim=True)
    places = torch.arange(real.size(-1))
    return (places - first).clamp(min=0)


# Embedding.from_pretrained freezes its table by default (and makes a new parameter):
# no gradient gets to the table.
def add_table__frozen_embedding(x, table):
    places = torch.arange(x.size(1))
    rows = torch.nn.Embedding.from_pretrained(table[: x.size(1)])
    return x + rows(places)


# `x[:, t] += ...` writes into the caller's x.
def add_table__writes_into_x(x, table):
    for t in range(x.size(1)):
        x[:, t] += table[t]
    return x


# The matrix of one step, multiplied delta times in `for _ in range(delta)`: for a
# negative delta the loop does not run, and the identity comes back.
def step_matrix__negative_does_nothing(delta, d_model, base):
    theta = angles(torch.tensor([1]), d_model, base)[0]
    blocks = []
    for a in theta.tolist():
        c, s = math.cos(a), math.sin(a)
        blocks.append(torch.tensor([[c, s], [-s, c]]))
    one = torch.block_diag(*blocks)
    matrix = torch.eye(d_model)
    for _ in range(delta):
        matrix = one @ matrix
    return matrix


# Llama's way with complex numbers in float32, without the last `.type_as(x)`: float64,
# float16 and bfloat16 come back as float32.
def rotate_pairs__complex_float32(x, radians):
    z = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    turn = torch.polar(torch.ones_like(radians), radians).to(torch.complex64)
    return torch.view_as_real(z * turn).flatten(-2)


# The radians are rounded to x's dtype before cos and sin: in float16 or bfloat16 an angle
# of some hundreds is off by up to 0.25 or more. Line `radians = radians.to(x.dtype)`.
def rotate_pairs__rounded_angles(x, radians):
    radians = radians.to(x.dtype)
    cos, sin = radians.cos(), radians.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], dim=-1).flatten(-2)


# Eight tokens side by side only: distances of 1 to 7. A head that treats tokens that are
# far apart otherwise is not caught.
def sees_only_distance__near_only(scores, width):
    for _ in range(5):
        x = torch.randn(8, width)
        here = torch.arange(8)
        first = scores(x, here)
        for move in range(1, 25):
            if (scores(x, here + move) - first).abs().max().item() > 0.001:
                return False
    return True


# -8 * h // heads rounds the exponent down: right for up to 8 heads, wrong for 16.
def alibi_bias__whole_exponents(heads, T, S):
    slopes = torch.tensor([2.0 ** (-8 * h // heads) for h in range(1, heads + 1)])
    t = torch.arange(S - T, S)[:, None]
    u = torch.arange(S)
    bias = -slopes[:, None, None] * (t - u)
    return bias.masked_fill(u > t, -math.inf)


# The distances are right, but the future is triu(1) of the (T, S) table, as if the
# queries were the first T tokens: wrong where T < S.
def alibi_bias__future_from_front(heads, T, S):
    h = torch.arange(1, heads + 1)
    slopes = 2.0 ** (-8.0 * h / heads)
    distance = torch.arange(S - T, S).unsqueeze(1) - torch.arange(S).unsqueeze(0)
    future = torch.full((T, S), -math.inf).triu(1)
    return -slopes.view(-1, 1, 1) * distance + future


# The first window is read at torch.arange(trained), also where the text is shorter than
# that: then there are more places than tokens.
def extrapolate__short_text(model, ids, trained):
    places = torch.arange(trained)
    guesses = list(model(ids[:trained], places).argmax(dim=-1))
    for t in range(trained, len(ids)):
        window = ids[t - trained + 1 : t + 1]
        guesses.append(model(window, places)[-1].argmax())
    return torch.stack(guesses)


# Windows overlap by trained // 2 - 1 tokens: the first guess that is kept of each has one
# token too few before it.
def extrapolate__overlap_one_short(model, ids, trained):
    overlap = max(trained // 2 - 1, 0)
    kept = []
    start = 0
    while True:
        window = ids[start : start + trained]
        said = model(window, torch.arange(len(window))).argmax(dim=-1)
        kept.append(said if start == 0 else said[overlap:])
        if start + trained >= len(ids):
            break
        start += trained - overlap
    return torch.cat(kept)
