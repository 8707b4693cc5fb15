"""Wrong answers to the exercise on positional encoding, third set, written from its text alone."""

import math

import torch


def angles__two_forgotten(positions, width, base):
    """Counts the hands 0, 1, 2 and forgets the two in the exponent."""
    hands = (width + 1) // 2
    speeds = base ** (-torch.arange(hands) / width)
    return positions.unsqueeze(-1) * speeds


def angles__two_twice(positions, width, base):
    """Has the two in the exponent twice."""
    even = torch.arange(0, width, 2)
    return positions[..., None] * base ** (-2 * even / width)


def angles__hands_get_faster(positions, width, base):
    """Has the wrong sign in the exponent, so each hand is faster than the last."""
    even = torch.arange(0, width, 2)
    return positions[..., None] * torch.pow(float(base), even / width)


def angles__half_pair_lost(positions, width, base):
    """Gives an odd width one hand too few."""
    speeds = torch.tensor([base ** (-2 * i / width) for i in range(width // 2)])
    return positions[..., None] * speeds


def angles__one_sentence_only(positions, width, base):
    """Adds the axis at place 1, so copes with one row of positions only."""
    even = torch.arange(0, width, 2)
    return positions.unsqueeze(1) * base ** (-even / width)


def angles__counted_from_one(positions, width, base):
    """Counts the hands from one, so the first is too slow."""
    i = torch.arange(1, (width + 1) // 2 + 1)
    return positions[..., None] * base ** (-2 * i / width)


def angles__full_turns(positions, width, base):
    """Takes the numbers for turns and multiplies by two pi."""
    even = torch.arange(0, width, 2)
    return 2 * math.pi * positions[..., None] * base ** (-even / width)


def angles__numbers_anew(positions, width, base):
    """Numbers the places anew from 0 instead of taking the positions given."""
    t = torch.arange(positions.size(-1)).expand(positions.shape)
    return t[..., None] * base ** (-torch.arange(0, width, 2) / width)


def angles__papers_base(positions, width, base):
    """Uses the paper's base whatever base was given."""
    even = torch.arange(0, width, 2)
    return positions[..., None] * torch.exp(-math.log(10_000) * even / width)


def angles__spread_to_the_end(positions, width, base):
    """Spreads the exponents evenly from 0 to 1, so that the last hand has exactly the base's speed."""
    exponents = torch.linspace(0, 1, math.ceil(width / 2))
    return torch.einsum("...t,h->...th", positions.float(), base**-exponents)


def angles__wrong_width_and_from_one(positions, width, base):
    """Divides the exponent by the number of hands, not by the width.
    Counts the positions from one.
    """
    even = torch.arange(0, width, 2)
    return (positions[..., None] + 1) * base ** (-even / len(even))


def sinusoidal__halves(positions, d_model, base):
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


def sinusoidal__odd_fails(positions, d_model, base):
    """Has one cosine too many for an odd width."""
    a = angles(positions, d_model, base)
    return torch.stack([a.sin(), a.cos()], dim=-1).flatten(-2)


def sinusoidal__own_speed_for_each_feature(positions, d_model, base):
    """Gives the cosine of a pair a speed of its own."""
    feature = torch.arange(d_model)
    a = positions[..., None] * base ** (-feature / d_model)
    return torch.where(feature % 2 == 0, a.sin(), a.cos())


def sinusoidal__sines_only(positions, d_model, base):
    """Fills both places of a pair with the sine."""
    a = angles(positions, d_model, base)
    return a.sin().repeat_interleave(2, dim=-1)[..., :d_model]


def sinusoidal__cosine_halves(positions, d_model, base):
    """Puts cosines before sines.
    Puts them in halves instead of in turns.
    """
    a = angles(positions, d_model, base)
    return torch.cat([a.cos(), a.sin()], -1)[..., :d_model]


def loop_table__halved_too_much(length, d_model):
    """Halves the exponent instead of leaving out the two."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i / 2 / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__parentheses_lost(length, d_model):
    """Loses the parentheses of the exponent."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000**i / d_model
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__from_one(length, d_model):
    """Mends the exponent but counts the positions from one."""
    rows = []
    for t in range(1, length + 1):
        row = []
        for i in range(0, d_model, 2):
            a = t * 10_000 ** (-i / d_model)
            row += [math.sin(a), math.cos(a)]
        rows.append(row[:d_model])
    return torch.tensor(rows)


def loop_table__multiplied(length, d_model):
    """Multiplies by the power instead of dividing, and so turns slow hands into fast ones."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t * 10_000 ** (i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def step_matrix__backwards(delta, d_model, base):
    """Has the matrix transposed, so it steps back."""
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    blocks = [
        torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        for a in theta.tolist()
    ]
    return torch.block_diag(*blocks)


def step_matrix__sign_lost(delta, d_model, base):
    """Has plus in the theorem of the cosine."""
    matrix = torch.zeros(d_model, d_model)
    for i, a in enumerate(angles(torch.tensor([delta]), d_model, base)[0]):
        s, c = a.sin(), a.cos()
        matrix[2 * i, 2 * i] = matrix[2 * i + 1, 2 * i + 1] = c
        matrix[2 * i, 2 * i + 1] = matrix[2 * i + 1, 2 * i] = s
    return matrix


def step_matrix__for_halves(delta, d_model, base):
    """Places the numbers as if the sines stood in one half and the cosines in the other."""
    a = angles(torch.tensor([delta]), d_model, base)[0]
    c, s = a.cos().diag(), a.sin().diag()
    return torch.cat([torch.cat([c, s], 1), torch.cat([-s, c], 1)])


def step_matrix__never_back(delta, d_model, base):
    """Takes the size of the step without its sign."""
    theta = angles(torch.tensor([abs(delta)]), d_model, base)[0]
    return torch.block_diag(*[torch.stack([torch.stack([t.cos(), t.sin()]), torch.stack([-t.sin(), t.cos()])]) for t in theta])


def step_matrix__one_angle(delta, d_model, base):
    """Turns all hands by the same angle, that of the first.
    Steps back instead of on.
    """
    s, c = math.sin(delta), math.cos(delta)
    return torch.block_diag(*[torch.tensor([[c, -s], [s, c]])] * (d_model // 2))


def count_positions__from_one(real):
    """Counts the token itself, so starts at one."""
    return real.long().cumsum(dim=-1)


def count_positions__minus_one(real):
    """Leaves -1 for padding in front."""
    return torch.cumsum(real.int(), -1).long() - 1


def count_positions__padding_zero(real):
    """Gives all padding 0, wherever it stands."""
    return (real.cumsum(-1) - 1) * real


def count_positions__down_the_batch(real):
    """Counts down the batch instead of along the sentence."""
    return (real.long().cumsum(0) - 1).clamp(min=0)


def count_positions__from_first_real(real):
    """Counts from the first token on, and counts padding in between."""
    first = real.long().argmax(-1, keepdim=True)
    return (torch.arange(real.size(-1)) - first).clamp(min=0)


def count_positions__padding_takes_next(real):
    """Lets padding take the next number instead of the last."""
    ones = real.long()
    return ones.cumsum(-1) - ones


def count_positions__floats(real):
    """Gives the positions as floating-point numbers."""
    return (real.float().cumsum(-1) - 1).clamp(min=0)


def count_positions__padding_counted(real):
    """Counts the padding instead of the tokens.
    Leaves negative numbers standing.
    """
    return (~real).long().cumsum(-1) - 1


def add_learned__first_rows(x, positions, table):
    """Takes the first rows of the table whatever the positions are."""
    return x + table[: x.size(-2)]


def add_learned__in_place(x, positions, table):
    """Adds into the caller's tensor."""
    return x.add_(table[positions])


def add_learned__multiplied(x, positions, table):
    """Multiplies instead of adding."""
    return torch.mul(x, table[positions])


def add_learned__glued(x, positions, table):
    """Lays the position's vector behind the word instead of adding it."""
    rows = table[positions].expand_as(x)
    return torch.cat([x, rows], dim=-1)


def add_learned__first_sentence(x, positions, table):
    """Gives all sentences the positions of the first."""
    p = positions if positions.dim() == 1 else positions[0]
    return x + torch.stack([table[i] for i in p.tolist()])


def add_learned__row_before(x, positions, table):
    """Counts positions from one, so takes the row before."""
    return x + torch.nn.functional.embedding((positions - 1) % len(table), table)


def add_table__axis_left(x, table):
    """Takes the right number of rows, but still lays them along the batch."""
    return x + table[: x.size(1), None]


def add_table__count_left(x, table):
    """Lays the rows along the tokens, but still takes as many as there are sentences."""
    return x + table[: x.size(0)]


def add_table__as_many_as_wide(x, table):
    """Takes as many rows as the vectors are wide."""
    return x + table[: x.size(-1)]


def add_table__begins_at_one(x, table):
    """Begins with row 1 instead of row 0."""
    T = x.shape[1]
    return x + table.roll(-1, 0)[:T].unsqueeze(0)


def add_table__last_rows(x, table):
    """Takes the last rows of the table instead of the first."""
    return x + table[-x.size(1) :]


def rotate_pairs__backwards(x, radians):
    """Has the signs swapped, so turns the other way."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    c, s = radians.cos(), radians.sin()
    return torch.stack([a * c + b * s, b * c - a * s], -1).flatten(-2)


def rotate_pairs__overwrites_too_early(x, radians):
    """Uses the new first feature to work out the second."""
    out = x.clone()
    c, s = radians.cos(), radians.sin()
    out[..., 0::2] = out[..., 0::2] * c - out[..., 1::2] * s
    out[..., 1::2] = out[..., 0::2] * s + out[..., 1::2] * c
    return out


def rotate_pairs__not_interleaved(x, radians):
    """Takes neighbours apart but lays the results one behind the other."""
    a, b = x[..., ::2], x[..., 1::2]
    c, s = torch.cos(radians), torch.sin(radians)
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


def rotate_pairs__in_place(x, radians):
    """Writes the result into the caller's tensor."""
    a, b = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2] = a * radians.cos() - b * radians.sin()
    x[..., 1::2] = a * radians.sin() + b * radians.cos()
    return x


def rotate_pairs__angles_tiled(x, radians):
    """Tiles the angles, so features of one pair get different angles."""
    twice = torch.cat([radians, radians], dim=-1)
    turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * twice.cos() + turned * twice.sin()


def rotate_pairs__mirror(x, radians):
    """Has a minus in the second feature too, which mirrors instead of turning."""
    c, s = radians.cos(), radians.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., 0::2] = a * c - b * s
    out[..., 1::2] = a * s - b * c
    return out


def rotate_pairs__halves_backwards(x, radians):
    """Pairs the halves instead of neighbours.
    Turns the other way.
    """
    a, b = x.chunk(2, -1)
    c, s = radians.cos(), radians.sin()
    return torch.cat([a * c + b * s, b * c - a * s], -1)


def rotate_halves__interleaved(x, radians):
    """Interleaves the results instead of leaving each half in its place."""
    a, b = x.chunk(2, dim=-1)
    c, s = radians.cos(), radians.sin()
    return torch.stack([a * c - b * s, a * s + b * c], dim=-1).flatten(-2)


def rotate_halves__angles_for_neighbours(x, radians):
    """Repeats each angle for two neighbours, as in the other fashion."""
    twice = radians.repeat_interleave(2, dim=-1)
    a, b = x.chunk(2, dim=-1)
    return x * twice.cos() + torch.cat([-b, a], -1) * twice.sin()


def rotate_halves__backwards(x, radians):
    """Puts the minus before the wrong half, so turns the other way."""
    half = x.size(-1) // 2
    a, b = x[..., :half], x[..., half:]
    twice = torch.cat([radians, radians], -1)
    return x * twice.cos() + torch.cat([b, -a], dim=-1) * twice.sin()


def rotate_halves__neighbours(x, radians):
    """Pairs neighbours as before."""
    return torch.view_as_real(
        torch.view_as_complex(x.float().contiguous().unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(radians), radians)
    ).flatten(-2)


def rotate_halves__swapped_and_sign(x, radians):
    """Lays the two results down in the wrong order.
    Has plus instead of minus in the first.
    """
    a, b = x.chunk(2, dim=-1)
    c, s = radians.cos(), radians.sin()
    return torch.cat([a * s + b * c, a * c + b * s], dim=-1)


def alibi_bias__heads_from_zero(heads, T, S):
    """Counts the heads from 0, so the first slope is one."""
    slopes = 2.0 ** (-8 * torch.arange(heads) / heads)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    return (-slopes[:, None, None] * back).masked_fill(back < 0, -math.inf)


def alibi_bias__queries_first(heads, T, S):
    """Takes the queries for the first of the tokens."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    back = torch.arange(T)[:, None] - torch.arange(S)
    return (-slopes[:, None, None] * back).masked_fill(back < 0, -math.inf)


def alibi_bias__rewards_distance(heads, T, S):
    """Adds with the distance instead of taking off."""
    slopes = torch.tensor([2 ** (-8 * h / heads) for h in range(1, heads + 1)])
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    return (slopes[:, None, None] * back).masked_fill(back < 0, -math.inf)


def alibi_bias__no_mask(heads, T, S):
    """Forgets the causal mask and takes off for the future as for the past."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    apart = (torch.arange(S - T, S)[:, None] - torch.arange(S)).abs()
    return -torch.einsum("h,ts->hts", slopes, apart.float())


def alibi_bias__not_itself(heads, T, S):
    """Hides the token itself too."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    return (-slopes[:, None, None] * back).masked_fill(back <= 0, -math.inf)


def alibi_bias__slopes_without_heads(heads, T, S):
    """Halves from head to head whatever their number."""
    bias = torch.full((heads, T, S), -math.inf)
    for h in range(heads):
        for t in range(T):
            for u in range(S - T + t + 1):
                bias[h, t, u] = -(2.0 ** -(h + 1)) * (S - T + t - u)
    return bias


def alibi_bias__future_for_nothing(heads, T, S):
    """Gives the future a bias of 0 instead of minus infinity."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    return -slopes[:, None, None] * back.clamp(min=0)


def alibi_bias__reversed_and_square_distance(heads, T, S):
    """Gives the steepest slope to the last head.
    Takes off the square of the distance.
    """
    slopes = 2.0 ** (-8 * torch.arange(heads, 0, -1) / heads)
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    return (-slopes[:, None, None] * back**2).masked_fill(back < 0, -math.inf)


def shapes__table_for_each_sentence(B, T, D, H):
    """Gives each sentence a table of its own."""
    K = D // H
    return (B, T, D), (B, T, D), (T, K // 2), (B, H, T, K), (H, T, T)


def shapes__an_angle_for_each_feature(B, T, D, H):
    """Gives each feature an angle instead of each pair."""
    K = D // H
    return (T, D), (B, T, D), (T, K), (B, H, T, K), (H, T, T)


def shapes__tokens_before_heads(B, T, D, H):
    """Puts tokens before heads."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, T, H, K), (H, T, T)


def shapes__angles_of_whole_width(B, T, D, H):
    """Takes the angles for the whole width, not for one head.
    Gives each sentence a bias of its own.
    """
    return (T, D), (B, T, D), (T, D // 2), (B, H, T, D // H), (B, H, T, T)
