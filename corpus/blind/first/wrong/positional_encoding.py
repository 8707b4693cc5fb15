"""Wrong answers to the exercise on positional encoding, written blind."""

import math

import torch


def angles__half_pair_lost(positions, width, base):
    """an odd width loses the hand of its half pair"""
    i = torch.arange(width // 2)
    speeds = base ** (-2 * i / width)
    return positions.unsqueeze(-1) * speeds


def angles__speeds_kept(positions, width, base):
    """speeds are kept by width, so a new base is ignored"""
    global _kept_speeds
    if "_kept_speeds" not in globals():
        _kept_speeds = {}
    if width not in _kept_speeds:
        even = torch.arange(0, width, 2)
        _kept_speeds[width] = base ** (-even / width)
    return positions[..., None] * _kept_speeds[width]


def sinusoidal__sines_then_cosines(positions, d_model, base):
    """all sines come first, then all cosines, instead of taking turns"""
    even = torch.arange(0, d_model, 2)
    turned = positions[..., None] * base ** (-even / d_model)
    return torch.cat([turned.sin(), turned.cos()], dim=-1)[..., :d_model]


def sinusoidal__speed_per_column(positions, d_model, base):
    """each cosine has its own speed instead of its sine's"""
    column = torch.arange(d_model)
    turned = positions[..., None] * base ** (-column / d_model)
    table = torch.empty_like(turned)
    table[..., 0::2] = torch.sin(turned[..., 0::2])
    table[..., 1::2] = torch.cos(turned[..., 1::2])
    return table


def sinusoidal__rounded_up(positions, d_model, base):
    """an odd width is rounded up before the speeds are computed"""
    even_width = d_model + d_model % 2
    hands = angles(positions, even_width, base)
    both = torch.stack([hands.sin(), hands.cos()], dim=-1).flatten(-2)
    return both[..., :d_model]


def sinusoidal__counts_rows(positions, d_model, base):
    """the rows are numbered anew, whatever the positions are
    batch axes are forgotten
    """
    T = positions.shape[0]
    table = torch.zeros(T, d_model)
    for t in range(T):
        for i in range(0, d_model, 2):
            turn = t / base ** (i / d_model)
            table[t, i] = math.sin(turn)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(turn)
    return table


def loop_table__factor_two_lost(length, d_model):
    """the exponent counts pairs without the factor two"""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** ((i // 2) / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def step_matrix__steps_back(delta, d_model, base):
    """the blocks are transposed, so the matrix steps back"""
    R = torch.zeros(d_model, d_model)
    for i in range(d_model // 2):
        theta = delta * base ** (-2 * i / d_model)
        c, s = math.cos(theta), math.sin(theta)
        R[2 * i, 2 * i] = c
        R[2 * i, 2 * i + 1] = -s
        R[2 * i + 1, 2 * i] = s
        R[2 * i + 1, 2 * i + 1] = c
    return R


def step_matrix__in_halves(delta, d_model, base):
    """the pairs are placed in halves instead of as neighbours"""
    even = torch.arange(0, d_model, 2)
    theta = delta * base ** (-even / d_model)
    c, s = torch.diag(theta.cos()), torch.diag(theta.sin())
    upper = torch.cat([c, s], dim=1)
    lower = torch.cat([-s, c], dim=1)
    return torch.cat([upper, lower], dim=0)


def step_matrix__first_hand_only(delta, d_model, base):
    """every hand is turned by the first hand's angle"""
    theta = angles(torch.tensor([delta]), d_model, base)[0, 0]
    c, s = theta.cos().item(), theta.sin().item()
    block = torch.tensor([[c, s], [-s, c]])
    return torch.block_diag(*[block] * (d_model // 2))


def step_matrix__loop_over_delta(delta, d_model, base):
    """a negative delta takes no step at all"""

    def block(theta):
        c, s = math.cos(theta), math.sin(theta)
        return torch.tensor([[c, s], [-s, c]])

    speeds = [base ** (-i / d_model) for i in range(0, d_model, 2)]
    one_step = torch.block_diag(*(block(speed) for speed in speeds))
    matrix = torch.eye(d_model)
    for _ in range(delta):
        matrix = one_step @ matrix
    return matrix


def count_positions__tokens_before(real):
    """padding after a token takes the next number, not the last"""
    real = real.long()
    return real.cumsum(dim=-1) - real


def count_positions__first_axis_float(real):
    """the count runs along the first axis, which may be the batch
    the numbers are not integers
    """
    running = torch.cumsum(real.float(), 0) - 1
    return torch.clamp(running, min=0)


def add_learned__in_place(x, positions, table):
    """x is changed in place instead of making a new tensor"""
    x += table[positions]
    return x


def add_learned__frozen(x, positions, table):
    """the table is frozen, so no position is ever learned"""
    embedding = torch.nn.Embedding.from_pretrained(table)
    return x + embedding(positions)


def add_table__along_the_batch(x, table):
    """the rows still lie along the batch, only their number is mended"""
    return x + table[: x.size(1), None]


def add_table__cut_to_width(x, table):
    """the table is cut to D rows instead of T"""
    rows = table[: x.shape[-1]]
    return x + rows.unsqueeze(0)


def rotate_pairs__overwritten(x, radians):
    """the second feature is computed from the already turned first"""
    out = x.clone()
    a = out[..., 0::2]
    b = out[..., 1::2]
    out[..., 0::2] = a * radians.cos() - b * radians.sin()
    out[..., 1::2] = a * radians.sin() + b * radians.cos()
    return out


def rotate_pairs__angles_in_halves(x, radians):
    """the angles are repeated as for halves, though pairs are neighbours"""

    def quarter_turn(y):
        return torch.stack([-y[..., 1::2], y[..., 0::2]], dim=-1).flatten(-2)

    both = torch.cat([radians, radians], dim=-1)
    return x * both.cos() + quarter_turn(x) * both.sin()


def rotate_pairs__backwards_in_place(x, radians):
    """the pairs are turned in the wrong direction
    x is changed in place instead of making a new tensor
    """
    c, s = radians.cos(), radians.sin()
    first, second = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2] = first * c + second * s
    x[..., 1::2] = second * c - first * s
    return x


def rotate_halves__minus_misplaced(x, radians):
    """the minus stands at the wrong half, so it turns backwards"""
    half = x.size(-1) // 2
    swapped = torch.cat((x[..., half:], -x[..., :half]), dim=-1)
    both = radians.repeat(1, 2)
    return x * both.cos() + swapped * both.sin()


def rotate_halves__left_interleaved(x, radians):
    """the turned features are not put back into their halves"""
    neighbours = torch.stack(x.chunk(2, dim=-1), dim=-1).flatten(-2)
    return rotate_pairs(neighbours, radians)


def alibi_bias__queries_first(heads, T, S):
    """the queries stand at the first keys instead of the last"""
    bias = torch.full((heads, T, S), -math.inf)
    for h in range(heads):
        slope = 2 ** (-8 * (h + 1) / heads)
        for t in range(T):
            for u in range(t + 1):
                bias[h, t, u] = -slope * (t - u)
    return bias


def alibi_bias__heads_from_zero(heads, T, S):
    """the heads are counted from 0 instead of 1"""
    slopes = 2.0 ** (-8 * torch.arange(heads) / heads)
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(distance < 0, -math.inf)


def alibi_bias__zero_times_infinity(heads, T, S):
    """zero times infinity makes NaN wherever nothing is masked"""
    slopes = torch.tensor([2 ** (-8 * h / heads) for h in range(1, heads + 1)])
    queries = torch.arange(S)[-T:]
    keys = torch.arange(S)
    distance = queries[:, None] - keys[None, :]
    future = (distance < 0).float()
    bias = torch.einsum("h,ts->hts", -slopes, distance.float())
    return bias + future * float("-inf")


def alibi_bias__eight_heads_and_self(heads, T, S):
    """the slopes are right for 8 heads only
    a token may not attend to itself
    """
    slopes = 0.5 ** torch.arange(1, heads + 1)
    distance = torch.arange(S - T, S).view(-1, 1) - torch.arange(S).view(1, -1)
    hidden = torch.ones(T, S).triu(diagonal=S - T).bool()
    bias = -slopes.view(-1, 1, 1) * distance
    return bias.masked_fill(hidden, float("-inf"))


def shapes__angle_per_feature(B, T, D, H):
    """each feature has its own angle instead of each pair"""
    K = D // H
    return (T, D), (B, T, D), (T, K), (B, H, T, K), (H, T, T)
