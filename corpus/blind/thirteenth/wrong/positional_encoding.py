import math

import torch


# Exponent is i / hands instead of 2i / width: the same for an even width,
# but wrong for an odd one, where hands = (width + 1) / 2. Line: speeds = ...
def angles__hands_for_width(positions, width, base):
    hands = (width + 1) // 2
    i = torch.arange(hands)
    speeds = base ** (-i / hands)
    return positions[..., None] * speeds


# Flattens the positions before the outer product, so the axes in front of T
# are lost: (B, T) gives (B * T, hands). Line: return torch.outer(...)
def angles__outer_loses_axes(positions, width, base):
    even = torch.arange(0, width, 2).float()
    speeds = torch.exp(-even / width * math.log(base))
    return torch.outer(positions.flatten().float(), speeds)


# For an odd width there is one cosine too many, and the FIRST one is dropped
# instead of the last: column 1 gets the cosine of hand 1, and so on.
# Line: table[..., 1::2] = ...
def sinusoidal__drops_first_cosine(positions, d_model, base):
    turned = angles(positions, d_model, base)
    table = torch.zeros(*positions.shape, d_model)
    table[..., 0::2] = turned.sin()
    table[..., 1::2] = turned.cos()[..., -(d_model // 2) :]
    return table


# Stacks on axis -2 instead of -1 before flattening: first all sines, then all
# cosines, instead of taking turns.
def sinusoidal__stack_axis(positions, d_model, base):
    a = angles(positions, d_model, base)
    both = torch.stack((a.sin(), a.cos()), dim=-2)
    return both.flatten(-2)[..., :d_model]


# The exponent is now right for a loop over hands (2 * i, i = 0, 1, 2 ...), and
# the loop was changed to that, but the columns are still i and i + 1 instead
# of 2 * i and 2 * i + 1: they overwrite each other, the right half stays 0.
def loop_table__columns_of_hands(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range((d_model + 1) // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


# Halves i (makes it the number of the hand) but forgets the 2 in the formula:
# exponent (i // 2) / d_model instead of i / d_model. Line: angle = ...
def loop_table__exponent_halved(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** ((i // 2) / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


# Counts the real tokens before each place also for padding: padding behind n
# real tokens gets n, not n - 1, the number of the last real token before it.
def count_positions__strictly_before(real):
    return real.cumsum(dim=-1) - real.long()


# Sets all padding to 0, also padding behind real tokens, which should take
# the number of the last real token before it. (The factor `* real`.)
def count_positions__padding_zero(real):
    return (real.cumsum(dim=-1) - 1) * real


# Only the number of rows was mended; the table still has its new axis in the
# middle, (T, 1, D), so its rows lie along the batch. Should be without None.
def add_table__axis_left(x, table):
    return x + table[: x.size(1), None]


# Rows and axis are right, but it adds in place: writes into the x handed in,
# and fails if x is a leaf that wants gradients. Line: x += ...
def add_table__in_place(x, table):
    x += table[: x.size(1)]
    return x


# The block is the rotation matrix known from school, cos -sin / sin cos, which
# turns pairs (cos, sin); for the pair (sin, cos) it goes back instead of on.
def step_matrix__school_rotation(delta, d_model, base):
    matrix = torch.zeros(d_model, d_model)
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    for i, angle in enumerate(theta):
        c, s = torch.cos(angle), torch.sin(angle)
        matrix[2 * i, 2 * i] = c
        matrix[2 * i, 2 * i + 1] = -s
        matrix[2 * i + 1, 2 * i] = s
        matrix[2 * i + 1, 2 * i + 1] = c
    return matrix


# Lays the matrix out for a table with all sines first and then all cosines
# (four diagonal quarters), not for sines and cosines that take turns.
def step_matrix__quarters(delta, d_model, base):
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    c, s = torch.diag(theta.cos()), torch.diag(theta.sin())
    upper = torch.cat([c, s], dim=1)
    lower = torch.cat([-s, c], dim=1)
    return torch.cat([upper, lower], dim=0)


# torch.polar(abs, angle) gets its arguments in the wrong order: every pair is
# turned by 1 radian and stretched by its angle.
def rotate_pairs__polar_swapped(x, radians):
    pairs = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous())
    turn = torch.polar(radians, torch.ones_like(radians))
    return torch.view_as_real(pairs * turn).flatten(-2)


# a is overwritten before b is worked out, so the new second feature is made of
# the NEW first one. Line: b = a * sin + b * cos.
def rotate_pairs__new_first_used(x, radians):
    cos, sin = radians.cos(), radians.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    a = a * cos - b * sin
    b = a * sin + b * cos
    return torch.stack([a, b], dim=-1).flatten(-2)


# Draws new tokens for every move, so the scores change even for a head that
# sees distances only: the tokens have to be kept. Line: x = torch.randn(...)
def sees_only_distance__new_tokens(scores, width):
    here = torch.arange(20)

    def ask(move):
        x = torch.randn(20, width)
        return scores(x, here + move)

    start = ask(0)
    for move in range(1, 12):
        if bool((ask(move) - start).abs().max() > 0.001):
            return False
    return True


# Tries 8 neighbouring positions only (though at all places): a head that
# treats tokens more than 7 apart otherwise is not found.
def sees_only_distance__near_only(scores, width):
    x = torch.randn(8, width)
    here = torch.arange(8)
    start = scores(x, here)
    for move in range(1, 25):
        moved = scores(x, here + move)
        if bool(((moved - start).abs() > 0.001).any()):
            return False
    return True


# Slopes 1/2, 1/4, 1/8 ... for any number of heads: right for 8 heads only,
# 2 ** (-8 h / H) is needed. Line: slopes = ...
def alibi_bias__slopes_of_eight(heads, T, S):
    slopes = 0.5 ** torch.arange(1, heads + 1)
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(distance < 0, -torch.inf)


# Two mistakes: heads are counted from 0 in the slope (2 ** (-8 * h / heads)),
# and the queries stand at 0 to T - 1 instead of at the last T of S places.
def alibi_bias__from_zero_twice(heads, T, S):
    bias = torch.full((heads, T, S), -math.inf)
    for h in range(heads):
        slope = 2 ** (-8 * h / heads)
        for t in range(T):
            for u in range(t + 1):
                bias[h, t, u] = -slope * (t - u)
    return bias


# Cuts the text into blocks of `trained` tokens that do not overlap: the first
# tokens of each later block have too little or nothing before them.
def extrapolate__no_overlap(model, ids, trained):
    guesses = []
    for start in range(0, len(ids), trained):
        window = ids[start : start + trained]
        logits = model(window, torch.arange(len(window)))
        guesses.append(logits.argmax(dim=-1))
    return torch.cat(guesses)


# The window has trained // 2 tokens with the token itself, so only
# trained // 2 - 1 before it: one too few. Line: window = ids[t - half + 1 ...
def extrapolate__one_too_few(model, ids, trained):
    half = trained // 2
    begin = ids[:trained]
    guesses = model(begin, torch.arange(len(begin))).argmax(dim=-1).tolist()
    for t in range(trained, len(ids)):
        window = ids[t - half + 1 : t + 1]
        logits = model(window, torch.arange(len(window)))
        guesses.append(logits[-1].argmax().item())
    return torch.tensor(guesses)


import math

import torch


# For an odd width the exponent is i / hands, that is 2i / (width + 1), not
# 2i / width (line `exponent = ...`). Even widths are right.
def angles__odd_width_rounded_up(positions, width, base):
    """Turn positions (..., T) into angles (..., T, hands), in radians."""
    hands = (width + 1) // 2
    exponent = torch.arange(hands) / hands
    speeds = float(base) ** -exponent
    return positions[..., None] * speeds


# The angles are taken modulo a full turn (last line): the sine is the same, but
# the angle in radians is not t * speed once it is above 2 pi.
def angles__modulo_turn(positions, width, base):
    """Turn positions (..., T) into angles (..., T, hands), in radians."""
    even = torch.arange(0, width, 2)
    speeds = base ** (-even / width)
    turned = positions.unsqueeze(-1) * speeds
    return turned % (2 * math.pi)


# Cuts off at d_model along axis 1 (`[:, :d_model]`), not along the last axis:
# right for positions (T), but for (B, T) the tokens are cut (if T > d_model),
# and an odd width keeps its extra cosine.
def sinusoidal__cut_second_axis(positions, d_model, base):
    """Encode positions (..., T) as vectors (..., T, d_model)."""
    radians = angles(positions, d_model, base)
    both = torch.stack([radians.sin(), radians.cos()], dim=-1)
    return both.flatten(-2)[:, :d_model]


# For an odd d_model it asks for the angles of d_model + 1 features and drops the
# last column: then all exponents are 2i / (d_model + 1). Line `even = ...`.
def sinusoidal__next_even_width(positions, d_model, base):
    """Encode positions (..., T) as vectors (..., T, d_model)."""
    even = d_model + d_model % 2
    radians = angles(positions, even, base)
    table = torch.zeros(*positions.shape, even)
    table[..., 0::2] = radians.sin()
    table[..., 1::2] = radians.cos()
    return table[..., :d_model]


# The exponent is hand / (d_model // 2), which is 2 * hand / d_model for an even
# d_model only; for 5 it is hand / 2 and should be hand / 2.5. Line `angle = ...`.
def loop_table__half_width_floor(length, d_model):
    """Encode positions 0 to length - 1, with base 10,000."""
    table = torch.zeros(length, d_model)
    half = max(d_model // 2, 1)
    for t in range(length):
        for hand, i in enumerate(range(0, d_model, 2)):
            angle = t / 10_000 ** (hand / half)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


# The inner loop runs over whole pairs only (`range(d_model // 2)`), so the last
# column of an odd width, a sine, stays zero.
def loop_table__odd_last_zero(length, d_model):
    """Encode positions 0 to length - 1, with base 10,000."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(d_model // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, 2 * i] = math.sin(angle)
            table[t, 2 * i + 1] = math.cos(angle)
    return table


# Counts from the first real token on, as if all padding stood on the left:
# padding in the middle or on the right is counted like tokens (and a row of
# padding alone gets 0, 1, 2, ...).
def count_positions__left_padding_only(real):
    """Number the real tokens of real (..., T) from 0, as integers."""
    first = real.int().argmax(dim=-1, keepdim=True)
    places = torch.arange(real.size(-1)) - first
    return places.clamp(min=0)


# Subtracts 1 at real tokens only (`- real.long()`), so padding behind a real token
# takes the number of real tokens before it, one more than the last one's number.
def count_positions__padding_one_more(real):
    """Number the real tokens of real (..., T) from 0, as integers."""
    return real.cumsum(dim=-1) - real.long()


# The rows come from `table.data`, so no gradient gets back to the learned table.
def add_table__table_without_gradient(x, table):
    """Add the first rows of table (L, D) to the tokens of x (B, T, D)."""
    rows = table.data[: x.size(1)]
    return x + rows.unsqueeze(0)


# Adds into x itself (`x += ...`): x is changed, and an x that wants gradients (a
# leaf) raises an error.
def add_table__in_place_too(x, table):
    """Add the first rows of table (L, D) to the tokens of x (B, T, D)."""
    B, T, D = x.shape
    x += table[:T].view(1, T, D)
    return x


# Multiplies the matrix of one step `delta` times in a loop over range(delta): for
# a negative delta the loop does not run, and the identity comes back.
def step_matrix__negative_identity(delta, d_model, base):
    """Make the matrix that moves any encoding on by delta positions."""
    one = torch.zeros(d_model, d_model)
    theta = angles(torch.tensor([1]), d_model, base)[0]
    for i, turn in enumerate(theta.tolist()):
        sin, cos = math.sin(turn), math.cos(turn)
        block = torch.tensor([[cos, sin], [-sin, cos]])
        one[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block
    matrix = torch.eye(d_model)
    for _ in range(delta):
        matrix = one @ matrix
    return matrix


# Solves a system of equations for the matrix, from d_model rows of the table
# (last line). In float32 these rows are nearly dependent as soon as there are
# some slow hands, and the solution is far from the right matrix.
def step_matrix__solved_from_rows(delta, d_model, base):
    """Make the matrix that moves any encoding on by delta positions."""
    t = torch.arange(d_model)
    before = sinusoidal(t, d_model, base)
    after = sinusoidal(t + delta, d_model, base)
    return torch.linalg.solve(before, after).T


# Gives the angles an axis of length 1 in front (`[None]`): an x of two axes (T, K)
# comes back with three, (1, T, K).
def rotate_pairs__extra_axis(x, radians):
    """Turn neighbouring features of x (..., T, K) by radians (T, K/2)."""
    cos, sin = radians.cos()[None], radians.sin()[None]
    a, b = x[..., 0::2], x[..., 1::2]
    new_first = a * cos - b * sin
    new_second = a * sin + b * cos
    return torch.stack([new_first, new_second], dim=-1).flatten(-2)


# The new tensor is made with `x.detach().clone()`, and a and b are read from it, so
# no gradients flow back to x.
def rotate_pairs__detached_copy(x, radians):
    """Turn neighbouring features of x (..., T, K) by radians (T, K/2)."""
    turned = x.detach().clone()
    for i in range(radians.size(-1)):
        a, b = turned[..., 2 * i].clone(), turned[..., 2 * i + 1].clone()
        cos, sin = torch.cos(radians[:, i]), torch.sin(radians[:, i])
        turned[..., 2 * i] = a * cos - b * sin
        turned[..., 2 * i + 1] = a * sin + b * cos
    return turned


# Moves a window of 8 tokens at places side by side over all positions: no two
# tokens are ever more than 7 apart, so a head that changes only between far tokens
# counts as True.
def sees_only_distance__near_only_too(scores, width):
    """Return whether a head's scores depend on distances alone."""
    here = torch.arange(8)
    for _ in range(3):
        x = torch.randn(8, width)
        first = scores(x, here)
        for move in range(1, 25):
            change = scores(x, here + move) - first
            if change.abs().max() > 0.001:
                return False
    return True


# Looks for scores that rise only (no abs in `change.max() > 0.001`): a head whose
# scores only fall when the tokens move on counts as True.
def sees_only_distance__falls_unseen(scores, width):
    """Return whether a head's scores depend on distances alone."""
    for move in (1, 2, 3, 5, 8, 13, 16, 21, 27):
        here = torch.arange(32 - move)
        x = torch.randn(32 - move, width)
        change = scores(x, here + move) - scores(x, here)
        if bool(change.max() > 0.001):
            return False
    return True


# The exponent uses integer division (`8 // heads`): right for 1, 2, 4 and 8 heads,
# but for 16 or more it is 0 and all slopes are 1.
def alibi_bias__integer_division(heads, T, S):
    """Make the bias (heads, T, S) of causal attention with ALiBi."""
    step = 8 // heads
    slopes = torch.tensor([2.0 ** -(step * h) for h in range(1, heads + 1)])
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(distance < 0, -torch.inf)


# Masks the future only if T == S. With a past there is no mask, which is right for
# one new token alone: of several new ones the first read those after them.
def alibi_bias__no_mask_with_past(heads, T, S):
    """Make the bias (heads, T, S) of causal attention with ALiBi."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    query = torch.arange(T).view(T, 1) + S - T
    key = torch.arange(S).view(1, S)
    bias = -slopes.view(heads, 1, 1) * (query - key)
    if T == S:
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        bias = bias.masked_fill(future, -torch.inf)
    return bias


# The first call always has `trained` places, so a text that is shorter than
# `trained` does not fit them (`model(ids[:trained], places)`).
def extrapolate__short_text(model, ids, trained):
    """Guess what follows each token of ids (T,): integers (T,)."""
    places = torch.arange(trained)
    guesses = model(ids[:trained], places).argmax(dim=-1).tolist()
    for t in range(trained, len(ids)):
        window = ids[t - trained + 1 : t + 1]
        guesses.append(model(window, places)[-1].argmax().item())
    return torch.tensor(guesses)


# Behind the first `trained` tokens each window holds trained // 2 tokens with the
# token itself, so only trained // 2 - 1 stand before it: one too few.
def extrapolate__window_one_short(model, ids, trained):
    """Guess what follows each token of ids (T,): integers (T,)."""
    half = trained // 2
    head = ids[:trained]
    guesses = [model(head, torch.arange(len(head))).argmax(dim=-1)]
    for end in range(trained + 1, ids.numel() + 1):
        window = ids[end - half : end]
        logits = model(window, torch.arange(half))
        guesses.append(logits[-1:].argmax(dim=-1))
    return torch.cat(guesses)
