import math

import torch

from transformer_lab import check


# angles


def angles__odd_padded(positions, width, base):
    """For an odd width the exponent is divided by width + 1, not by width."""
    hands = (width + 1) // 2
    i = torch.arange(hands)
    speeds = base ** (-i / hands)
    return positions.unsqueeze(-1) * speeds


def angles__ends_at_base(positions, width, base):
    """The speeds are spread from 1 down to exactly 1 / base, so the last hand is too slow."""
    hands = math.ceil(width / 2)
    exponents = torch.linspace(0, 1, hands)
    return positions[..., None] / base**exponents


def angles__front_axes_flat(positions, width, base):
    """The axes in front of T are flattened into one and never restored."""
    speeds = base ** (-torch.arange(0, width, 2) / width)
    return torch.einsum("t,i->ti", positions.flatten().float(), speeds)


def angles__whole_speeds(positions, width, base):
    """The speeds are cast to the positions' whole-number dtype, so all but the first become 0."""
    speeds = base ** (-torch.arange(0, width, 2) / width)
    speeds = speeds.to(positions.dtype)
    return (positions[..., None] * speeds).float()


# sinusoidal


def sinusoidal__odd_ends_cosine(positions, d_model, base):
    """An odd width ends with a cosine instead of a sine."""
    radians = angles(positions, d_model, base)
    table = torch.zeros(*positions.shape, d_model)
    half = d_model // 2
    table[..., 0 : 2 * half : 2] = torch.sin(radians[..., :half])
    table[..., 1 : 2 * half : 2] = torch.cos(radians[..., :half])
    if d_model % 2:
        table[..., -1] = torch.cos(radians[..., -1])
    return table


def sinusoidal__paper_base(positions, d_model, base):
    """The base is always the paper's 10,000, whatever is asked."""
    radians = angles(positions, d_model, 10_000)
    table = torch.empty(*positions.shape, d_model)
    table[..., 0::2] = radians.sin()
    table[..., 1::2] = radians[..., : d_model // 2].cos()
    return table


def sinusoidal__own_speed(positions, d_model, base):
    """Each column has a speed of its own, so a cosine is slower than the sine before it."""
    radians = angles(positions, 2 * d_model, base)  # one angle per column
    even = torch.arange(d_model) % 2 == 0
    return torch.where(even, radians.sin(), radians.cos())


def sinusoidal__by_index(positions, d_model, base):
    """Encodes 0, 1, 2, ... up to the number of positions, not the positions that are given."""
    places = torch.arange(positions.shape[-1]).expand(positions.shape)
    radians = angles(places, d_model, base)
    both = torch.stack([radians.sin(), radians.cos()], dim=-1)
    return both.reshape(*positions.shape, -1)[..., :d_model]


# loop_table


def loop_table__half_exponent(length, d_model):
    """The exponent is i // 2 / d_model, half as large as it should be."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i // 2 / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__floor(length, d_model):
    """Whole-number division makes every exponent 0, so all hands are equally fast."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i // d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__odd_column(length, d_model):
    """The inner loop runs over whole pairs only, so the last column of an odd width stays 0."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(d_model // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, 2 * i] = math.sin(angle)
            table[t, 2 * i + 1] = math.cos(angle)
    return table


def loop_table__brackets(length, d_model):
    """The brackets are missing, so the power is divided by d_model and not the exponent."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / (10_000**i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


# count_positions


def count_positions__padding_zero(real):
    """Padding behind real tokens gets 0, not the number of the last real token."""
    count = real.long().cumsum(-1) * real.long()
    return (count - 1).clamp(min=0)


def count_positions__before(real):
    """Padding behind real tokens gets the number of real tokens, one more than the last token's number."""
    ones = real.to(torch.int64)
    return torch.cumsum(ones, dim=-1) - ones


def count_positions__from_first(real):
    """Counts all places from the first real token on, padding behind it included."""
    start = real.int().argmax(dim=-1, keepdim=True)
    return (torch.arange(real.size(-1)) - start).clamp(min=0)


def count_positions__floats(real):
    """The numbers are floats, not integers."""
    return torch.relu(real.float().cumsum(dim=-1) - 1)


# add_table


def add_table__last_rows(x, table):
    """Adds the last T rows of the table, not the first."""
    T = x.shape[1]
    return x + table[-T:]


def add_table__in_place(x, table):
    """Adds in place and so changes the x that was handed in."""
    x += table[: x.size(1)]
    return x


def add_table__one_row(x, table):
    """Without the colon every token gets the same single row, that of the last token."""
    return x + table[x.size(1) - 1]


def add_table__cut(x, table):
    """The rows are taken through NumPy, so no gradient reaches the table."""
    rows = table.detach().numpy()[: x.size(1)]
    return x + torch.from_numpy(rows)


# step_matrix


def step_matrix__arange(delta, d_model, base):
    """Takes the last of the positions 0 to delta, which works for no negative delta."""
    turn = angles(torch.arange(delta + 1), d_model, base)[delta]
    matrix = torch.zeros(d_model, d_model)
    for i, theta in enumerate(turn):
        c, s = theta.cos(), theta.sin()
        matrix[2 * i, 2 * i], matrix[2 * i, 2 * i + 1] = c, s
        matrix[2 * i + 1, 2 * i], matrix[2 * i + 1, 2 * i + 1] = -s, c
    return matrix


def step_matrix__halves(delta, d_model, base):
    """Laid out for all sines first and then all cosines, instead of taking turns."""
    turn = angles(torch.tensor([delta]), d_model, base)[0]
    C, S = torch.diag(turn.cos()), torch.diag(turn.sin())
    upper = torch.cat([C, S], dim=1)
    lower = torch.cat([-S, C], dim=1)
    return torch.cat([upper, lower], dim=0)


def step_matrix__hand_number(delta, d_model, base):
    """The exponent is i / d_model with i the hand's number: the 2 is missing."""
    blocks = []
    for i in range(d_model // 2):
        theta = delta * base ** (-i / d_model)
        c, s = math.cos(theta), math.sin(theta)
        blocks.append(torch.tensor([[c, s], [-s, c]]))
    return torch.block_diag(*blocks)


def step_matrix__same_hand(delta, d_model, base):
    """All blocks turn by the first hand's angle."""
    theta = angles(torch.tensor([delta]), d_model, base)[0, 0]
    block = torch.tensor(
        [[theta.cos(), theta.sin()], [-theta.sin(), theta.cos()]]
    )
    return torch.kron(torch.eye(d_model // 2), block)


# rotate_pairs


def rotate_pairs__overwritten(x, radians):
    """The second feature is worked out from the first one that is already turned."""
    cos, sin = radians.cos(), radians.sin()
    out = x.clone()
    out[..., 0::2] = out[..., 0::2] * cos - out[..., 1::2] * sin
    out[..., 1::2] = out[..., 0::2] * sin + out[..., 1::2] * cos
    return out


def rotate_pairs__repeat(x, radians):
    """The angles are repeated as a block, so a feature does not get the angle of its own pair."""
    cos = radians.cos().repeat(1, 2)
    sin = radians.sin().repeat(1, 2)
    crossed = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * cos + crossed * sin


def rotate_pairs__cat(x, radians):
    """Reads neighbours, but puts all first features before all second ones in the result."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    c, s = torch.cos(radians), torch.sin(radians)
    return torch.cat((a * c - b * s, a * s + b * c), dim=-1)


def rotate_pairs__float32(x, radians):
    """Turns complex float32 numbers and never goes back to the dtype of x."""
    pairs = torch.view_as_complex(
        x.float().unflatten(-1, (-1, 2)).contiguous()
    )
    turn = torch.polar(torch.ones_like(radians).float(), radians.float())
    return torch.view_as_real(pairs * turn).flatten(-2)


# shapes


def shapes__table_batch(B, T, D, H):
    """Gives the table of sines and cosines an axis of length 1 for the batch."""
    K = D // H
    return (1, T, D), (B, T, D), (T, K // 2), (B, H, T, K), (H, T, T)


def shapes__angles_model(B, T, D, H):
    """Gives the angles half the model's width instead of half a head's."""
    K = D // H
    return (T, D), (B, T, D), (T, D // 2), (B, H, T, K), (H, T, T)


def shapes__bias_batch(B, T, D, H):
    """Gives the bias an axis for the batch."""
    k = D // H
    return (T, D), (B, T, D), (T, k // 2), (B, H, T, k), (B, H, T, T)


def shapes__queries_halved(B, T, D, H):
    """Thinks that turned queries are half as wide, as pairs become one number."""
    k = D // H
    return (T, D), (B, T, D), (T, k // 2), (B, H, T, k // 2), (H, T, T)


# sees_only_distance


def sees_only_distance__no_abs(scores, width):
    """Sees only scores that rise, not those that fall."""
    x = torch.randn(8, width)
    here = torch.tensor([0, 1, 2, 4, 7, 12, 19, 23])
    before = scores(x, here)
    for move in range(1, 9):
        if (scores(x, here + move) - before).max() > 0.001:
            return False
    return True


def sees_only_distance__exact(scores, width):
    """Asks for exactly the same scores, so rounding makes a head False."""
    x = torch.randn(8, width)
    here = torch.tensor([0, 1, 2, 4, 7, 12, 19, 23])
    before = scores(x, here)
    return all(
        torch.equal(scores(x, here + move), before) for move in range(1, 9)
    )


def sees_only_distance__new_tokens(scores, width):
    """Draws other tokens for the moved places, so the scores always differ."""
    here = torch.tensor([0, 1, 2, 4, 7, 12, 19, 23])

    def ask(places):
        return scores(torch.randn(len(places), width), places)

    for move in range(1, 9):
        if (ask(here + move) - ask(here)).abs().max() > 0.001:
            return False
    return True


def sees_only_distance__near(scores, width):
    """Tries only tokens that stand side by side, never ones that are far apart."""
    x = torch.randn(8, width)
    here = torch.arange(8)
    before = scores(x, here)
    worst = max(
        (scores(x, here + move) - before).abs().max().item()
        for move in range(1, 25)
    )
    return worst <= 0.001


# alibi_bias


def alibi_bias__eight_heads(heads, T, S):
    """The slopes are 1/2, 1/4, 1/8, ... for any number of heads, which is right for 8 only."""
    slopes = 0.5 ** torch.arange(1, heads + 1)
    queries = torch.arange(S - T, S)
    keys = torch.arange(S)
    back = queries[:, None] - keys[None, :]
    bias = -slopes[:, None, None] * back
    return bias.masked_fill(back < 0, float("-inf"))


def alibi_bias__mask_corner(heads, T, S):
    """The distances know that the queries are the last ones, but the mask lets the first query see the first key only."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    future = torch.ones(T, S, dtype=torch.bool).triu(1)
    bias = -torch.einsum("h,ts->hts", slopes, back.float())
    return bias.masked_fill(future, -torch.inf)


def alibi_bias__hides_itself(heads, T, S):
    """A query's own key is hidden like the future."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = slopes[:, None, None] * -back
    return torch.where(back > 0, bias, torch.tensor(-torch.inf))


def alibi_bias__whole_exponent(heads, T, S):
    """The exponents are rounded down to whole numbers, which is wrong for more than 8 heads."""
    bias = torch.full((heads, T, S), -math.inf)
    for h in range(1, heads + 1):
        slope = 2.0 ** (-8 * h // heads)
        for row in range(T):
            t = S - T + row
            for u in range(t + 1):
                bias[h - 1, row, u] = -slope * (t - u)
    return bias


# extrapolate


def extrapolate__half_window(model, ids, trained):
    """The windows have trained // 2 tokens, the guesser included, so one too few stands before it."""
    guesses = []
    for end in range(1, len(ids) + 1):
        if end <= trained:
            window = ids[:end]
        else:
            window = ids[end - trained // 2 : end]
        logits = model(window, torch.arange(len(window)))
        guesses.append(logits[-1].argmax())
    return torch.stack(guesses)


def extrapolate__one_too_long(model, ids, trained):
    """The windows are one token longer than the model was trained for."""
    out = torch.empty(len(ids), dtype=torch.long)
    for t in range(len(ids)):
        window = ids[max(0, t - trained) : t + 1]
        out[t] = model(window, torch.arange(len(window)))[-1].argmax()
    return out


def extrapolate__right_aligned(model, ids, trained):
    """The places are counted so that the guesser always stands at the last trained place, even at the beginning."""
    guesses = []
    for end in range(1, len(ids) + 1):
        window = ids[max(end - trained, 0) : end]
        places = torch.arange(trained - len(window), trained)
        guesses.append(int(model(window, places)[-1].argmax()))
    return torch.tensor(guesses)


def extrapolate__short_text(model, ids, trained):
    """A text that is shorter than trained is not provided for."""
    places = torch.arange(trained)
    first = model(ids[:trained], places).argmax(dim=-1)
    rest = [
        model(window, places)[-1:].argmax(dim=-1)
        for window in ids.unfold(0, trained, 1)[1:]
    ]
    return torch.cat([first, *rest])
