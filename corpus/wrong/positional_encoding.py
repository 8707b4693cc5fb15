"""Wrong answers, in other words than the bank's. The docstring is the name they must be given."""

import math

import torch
import torch.nn.functional as F


def _speeds(width, base, step=2):
    return torch.exp(torch.arange(0, width, step).float() * (-math.log(base) / width))


def angles__two_once_more(positions, width, base):
    """the exponent is doubled"""
    return positions.unsqueeze(-1) * _speeds(width, base) ** 2


def angles__counted_in_pairs(positions, width, base):
    """the exponent is halved"""
    return positions.unsqueeze(-1) * _speeds(width, base).sqrt()


def angles__no_pairs(positions, width, base):
    """there is a hand for every feature, not for every pair"""
    return torch.stack([positions * base ** (-i / width) for i in range(width)], dim=-1)


def angles__no_minus(positions, width, base):
    """each hand is faster than the last"""
    return positions.unsqueeze(-1) / _speeds(width, base)


def angles__floor_division(positions, width, base):
    """every hand has the same speed"""
    return positions[..., None] / torch.pow(base, torch.arange(0, width, 2) // width)


def angles__from_one(positions, width, base):
    """positions are counted from 1"""
    return torch.stack([(1 + positions) * s for s in _speeds(width, base)], dim=-1)


def angles__papers_base(positions, width, base):
    """the base is always 10,000"""
    return positions.unsqueeze(-1) * _speeds(width, 10_000)


def angles__numbered(positions, width, base):
    """the given positions are not looked at"""
    numbers = torch.ones_like(positions).cumsum(dim=-1) - 1
    return numbers.unsqueeze(-1) * _speeds(width, base)


def angles__hands_first(positions, width, base):
    """positions and hands have changed places"""
    return torch.stack([positions * s for s in _speeds(width, base)], dim=-2)


def angles__whole_pairs(positions, width, base):
    """an odd width loses its last hand"""
    hands = [positions * base ** (-2 * i / width) for i in range(width // 2)]
    return torch.stack(hands, dim=-1)


def _columns(even, odd, d_model):
    table = torch.zeros(*even.shape[:-1], d_model)
    table[..., 0::2] = even
    table[..., 1::2] = odd[..., : d_model // 2]
    return table


def _radians(positions, d_model, base):
    return positions.unsqueeze(-1) * _speeds(d_model, base)


def sinusoidal__cosines_in_even_columns(positions, d_model, base):
    """sines and cosines have changed places"""
    radians = _radians(positions, d_model, base)
    return _columns(radians.cos(), radians.sin(), d_model)


def sinusoidal__concatenated(positions, d_model, base):
    """all sines come first, then all cosines"""
    radians = _radians(positions, d_model, base)
    half = (d_model + 1) // 2
    table = torch.zeros(*positions.shape, d_model)
    table[..., :half] = radians.sin()
    table[..., half:] = radians.cos()[..., : d_model - half]
    return table


def sinusoidal__sines(positions, d_model, base):
    """there are sines and no cosines"""
    return torch.sin(positions.unsqueeze(-1) * _speeds(d_model, base, 1))


def sinusoidal__by_feature(positions, d_model, base):
    """sine and cosine of a pair turn at different speeds"""
    radians = positions.unsqueeze(-1) * _speeds(d_model, base, 1)
    return _columns(radians[..., 0::2].sin(), radians[..., 1::2].cos(), d_model)


def sinusoidal__half_the_width(positions, d_model, base):
    """with an odd width the last column stays 0"""
    table = torch.zeros(*positions.shape, d_model)
    for i in range(d_model // 2):
        table[..., 2 * i] = torch.sin(positions * base ** (-2 * i / d_model))
        table[..., 2 * i + 1] = torch.cos(positions * base ** (-2 * i / d_model))
    return table


def sinusoidal__not_cut(positions, d_model, base):
    """with an odd width there is a column too many"""
    radians = _radians(positions, d_model, base)
    return torch.view_as_real(torch.polar(torch.ones_like(radians), radians)).flip(-1).flatten(-2)


def sinusoidal__small_swings(positions, d_model, base):
    """the speed stands outside the sine"""
    speeds, t = _speeds(d_model, base), positions.unsqueeze(-1).float()
    return _columns(torch.sin(t) * speeds, torch.cos(t) * speeds, d_model)


def sinusoidal__own_angles(positions, d_model, base):
    """the exponent is doubled"""
    radians = positions.unsqueeze(-1) * _speeds(d_model, base) ** 2
    return _columns(radians.sin(), radians.cos(), d_model)


def _blocks(delta, d_model, base, block):
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        angle = delta * base ** (-i / d_model)
        matrix[i : i + 2, i : i + 2] = torch.tensor(block(math.cos(angle), math.sin(angle)))
    return matrix


def step_matrix__as_rotary(delta, d_model, base):
    """it turns the wrong way round"""
    return _blocks(delta, d_model, base, lambda c, s: [[c, -s], [s, c]])


def step_matrix__all_plus(delta, d_model, base):
    """the minus is missing"""
    return _blocks(delta, d_model, base, lambda c, s: [[c, s], [s, c]])


def step_matrix__reflection(delta, d_model, base):
    """the minus stands at a cosine: it mirrors"""
    return _blocks(delta, d_model, base, lambda c, s: [[c, s], [s, -c]])


def step_matrix__halves(delta, d_model, base):
    """the pairs are features i and i + d_model / 2"""
    matrix, half = torch.zeros(d_model, d_model), d_model // 2
    for i in range(half):
        angle = delta * base ** (-2 * i / d_model)
        matrix[i, i] = matrix[half + i, half + i] = math.cos(angle)
        matrix[i, half + i], matrix[half + i, i] = math.sin(angle), -math.sin(angle)
    return matrix


def step_matrix__kronecker(delta, d_model, base):
    """every hand turns as far as the first"""
    c, s = math.cos(delta), math.sin(delta)
    return torch.kron(torch.eye(d_model // 2), torch.tensor([[c, s], [-s, c]]))


def step_matrix__speeds_only(delta, d_model, base):
    """it always takes one step"""
    return _blocks(1, d_model, base, lambda c, s: [[c, s], [-s, c]])


def step_matrix__distance(delta, d_model, base):
    """a step back is taken forwards"""
    return _blocks(max(delta, -delta), d_model, base, lambda c, s: [[c, s], [-s, c]])


def step_matrix__list_of_blocks(delta, d_model, base):
    """the blocks are stacked, not put into one matrix"""
    turn = delta * _speeds(d_model, base)
    upper = torch.stack([turn.cos(), turn.sin()], dim=-1)
    lower = torch.stack([-turn.sin(), turn.cos()], dim=-1)
    return torch.stack([upper, lower], dim=1)


def count_positions__edge(real):
    """positions are counted from the left edge"""
    return torch.ones_like(real).cumsum(dim=-1) - 1


def count_positions__running(real):
    """the first token has number 1"""
    return torch.cumsum(real.long(), -1)


def count_positions__minus_one(real):
    """padding on the left gets -1"""
    return torch.cumsum(real.long(), -1) - torch.ones(real.shape, dtype=torch.long)


def count_positions__zero(real):
    """all padding is set to 0"""
    return (torch.cumsum(real.long(), -1) - 1).masked_fill(~real, 0)


def count_positions__moved_row(real):
    """each row is moved by all of its padding"""
    missing = real.size(-1) - real.sum(dim=-1, keepdim=True)
    return torch.relu(torch.arange(real.size(-1)) - missing)


def count_positions__down(real):
    """it counts along the batch"""
    return torch.relu(real.long().cumsum(0) - 1)


def count_positions__turned_round(real):
    """padding is counted in place of tokens"""
    return torch.relu(real.logical_not().long().cumsum(-1) - 1)


def add_table__as_it_was(x, table):
    """the mistake is still in it"""
    return torch.stack([sentence + table[b] for b, sentence in enumerate(x)])


def add_table__one_row(x, table):
    """every token gets the same vector"""
    return x + table[x.shape[1]].view(1, 1, -1)


def add_table__end(x, table):
    """the last rows are added, not the first"""
    return x + table[len(table) - x.shape[1] :]


def add_table__rows_of_batch(x, table):
    """the batch still says how many rows are taken"""
    return x + table[: len(x)].unsqueeze(0)


def add_table__unsqueezed(x, table):
    """the right rows still lie along the batch"""
    return x + table[: x.shape[1]].unsqueeze(1)


def _loop(length, d_model, sine, cosine, waves=(math.sin, math.cos)):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(d_model):
            exponent = (cosine if i % 2 else sine)(i - i % 2)
            table[t, i] = waves[i % 2](t * 10_000 ** (-exponent / d_model))
    return table


def loop_table__as_it_was(length, d_model):
    """the mistake is still in it"""
    return _loop(length, d_model, lambda i: i + i, lambda i: i + i)


def loop_table__whole_half(length, d_model):
    """now the exponent is too small"""
    return _loop(length, d_model, lambda i: i // 2, lambda i: i // 2)


def loop_table__sine_mended(length, d_model):
    """only one of the two exponents is mended"""
    return _loop(length, d_model, lambda i: i, lambda i: i + i)


def loop_table__next_feature(length, d_model):
    """the cosine has a speed of its own"""
    return _loop(length, d_model, lambda i: i, lambda i: i + 1)


def loop_table__swapped(length, d_model):
    """sines and cosines have changed places"""
    return _loop(length, d_model, lambda i: i, lambda i: i, (math.cos, math.sin))


def _turn(a, b, radians):
    return a * radians.cos() - b * radians.sin(), a * radians.sin() + b * radians.cos()


def _complex(x, factor):
    z = torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * factor
    return torch.view_as_real(z).flatten(-2)


def rotate_pairs__chunks(x, radians):
    """it pairs features i and i + K / 2"""
    half = x.size(-1) // 2
    return torch.cat(_turn(x[..., :half], x[..., half:], radians), dim=-1)


def rotate_pairs__conjugate(x, radians):
    """it turns the wrong way round"""
    return _complex(x, torch.exp(-1j * radians))


def rotate_pairs__plus(x, radians):
    """the minus is missing"""
    cos, sin = (f(radians).repeat_interleave(2, -1) for f in (torch.cos, torch.sin))
    swapped = x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2)
    return x * cos + swapped * sin


def rotate_pairs__overwritten(x, radians):
    """the second of a pair reads what the first has become"""
    a, b = x[..., 0::2].clone(), x[..., 1::2].clone()
    a = a * radians.cos() - b * radians.sin()
    b = a * radians.sin() + b * radians.cos()
    return torch.stack([a, b], dim=-1).flatten(-2)


def rotate_pairs__concatenated(x, radians):
    """the results stand side by side, not interleaved"""
    return torch.cat(_turn(x[..., ::2], x[..., 1::2], radians), dim=-1)


def rotate_pairs__repeated(x, radians):
    """the angles are laid out for the other pairing"""
    cos, sin = radians.cos().repeat(1, 2), radians.sin().repeat(1, 2)
    across = torch.zeros_like(x)
    across[..., ::2], across[..., 1::2] = -x[..., 1::2], x[..., ::2]
    return x * cos + across * sin


def rotate_pairs__first_only(x, radians):
    """the second feature of each pair stays as it was"""
    turned = x.clone()
    turned[..., ::2] = x[..., ::2] * radians.cos() - x[..., 1::2] * radians.sin()
    return turned


def rotate_pairs__in_place(x, radians):
    """it changes what it was given"""
    x[..., ::2], x[..., 1::2] = _turn(x[..., ::2].clone(), x[..., 1::2].clone(), radians)
    return x


def _bias(heads, T, S, slope, distance, hidden=lambda back: back < 0):
    back = torch.tensor([[S - T + i - u for u in range(S)] for i in range(T)])
    tables = [-slope(h) * distance(back) for h in range(1, heads + 1)]
    return torch.where(hidden(back), -torch.inf, torch.stack(tables).float())


def _slope(heads):
    return lambda h: 2 ** (-8 * h / heads)


def alibi_bias__plus(heads, T, S):
    """the bias grows with the distance"""
    return _bias(heads, T, S, lambda h: -(2 ** (-8 * h / heads)), lambda back: back)


def alibi_bias__range(heads, T, S):
    """the slopes begin at 1"""
    return _bias(heads, T, S, lambda h: 2 ** (-8 / heads * (h - 1)), lambda back: back)


def alibi_bias__halving(heads, T, S):
    """the slopes are 1/2, 1/4, 1/8, … for any number of heads"""
    return _bias(heads, T, S, lambda h: 0.5**h, lambda back: back)


def alibi_bias__first_slope(heads, T, S):
    """every head has the same slope"""
    return _bias(heads, T, S, lambda h: 2 ** (-8 / heads), lambda back: back)


def alibi_bias__index(heads, T, S):
    """the queries are counted from 0, whatever came before"""
    back = torch.tensor([[i - u for u in range(S)] for i in range(T)])
    bias = torch.stack([-(2 ** (-8 * h / heads)) * back for h in range(1, heads + 1)])
    return bias.masked_fill(back < 0, -torch.inf)


def alibi_bias__bidirectional(heads, T, S):
    """the future is not hidden"""
    return _bias(heads, T, S, _slope(heads), torch.abs, lambda back: back > S)


def alibi_bias__lower_triangle(heads, T, S):
    """the past is hidden, not the future"""
    return _bias(heads, T, S, _slope(heads), lambda back: back, lambda back: back >= 1)


def alibi_bias__strict(heads, T, S):
    """a token is hidden from itself"""
    return _bias(heads, T, S, _slope(heads), lambda back: back, lambda back: back < 1)


def alibi_bias__last_axis(heads, T, S):
    """the heads are the last axis"""
    bias = _bias(heads, T, S, _slope(heads), lambda back: back)
    return torch.stack(list(bias), dim=-1)


def shapes__batched_table(B, T, D, H):
    """the encoding has an axis for the batch"""
    return (B, T, D), (B, T, D), (T, D // H // 2), (B, H, T, D // H), (H, T, T)


def shapes__angle_each(B, T, D, H):
    """there is an angle for each feature"""
    return (T, D), (B, T, D), (T, D // H), (B, H, T, D // H), (H, T, T)


def shapes__d_over_two(B, T, D, H):
    """the angles are those of the whole width"""
    return [T, D], [B, T, D], [T, D // 2], [B, H, T, D // H], [H, T, T]


def shapes__before_split(B, T, D, H):
    """the queries are turned before they are split into heads"""
    return (T, D), (B, T, D), (T, D // H // 2), (B, T, D), (H, T, T)


def shapes__narrowed(B, T, D, H):
    """turning halves the queries' width"""
    pairs = D // (2 * H)
    return (T, D), (B, T, D), (T, pairs), (B, H, T, pairs), (H, T, T)


def shapes__one_table(B, T, D, H):
    """the bias has no axis for the heads"""
    return (T, D), (B, T, D), (T, D // H // 2), (B, H, T, D // H), (T, T)


def shapes__slash(B, T, D, H):
    """it holds numbers with a point, not whole ones"""
    K = D / H
    return (T, D), (B, T, D), (T, K / 2), (B, H, T, K), (H, T, T)


def sees_only_distance__isclose_defaults(scores, width):
    """rounding is taken for a difference"""
    x, here = torch.randn(6, width), torch.arange(6)
    tables = torch.stack([scores(x, here + n) for n in range(27)])
    return (tables - tables[0]).abs().sum().item() == 0


def sees_only_distance__new_zeros(scores, width):
    """the tokens are all zeros"""
    x, here = torch.zeros(24, width), torch.arange(24)
    first, *others = [scores(x, here + n) for n in range(9)]
    return all((other - first).abs().max() < 1e-3 for other in others)


def sees_only_distance__twice_as_far(scores, width):
    """the distances change too"""
    x = torch.randn(5, width)
    return torch.allclose(scores(x, torch.arange(5)), scores(x, torch.arange(0, 10, 2)), atol=1e-3)


def sees_only_distance__same_places(scores, width):
    """nothing is moved"""
    x = torch.randn(5, width)
    return torch.allclose(scores(x, torch.arange(5) + 3), scores(x, torch.arange(5) + 3))


def sees_only_distance__along_the_diagonal(scores, width):
    """it compares scores of different tokens"""
    diagonal = scores(torch.randn(5, width), torch.arange(5)).diagonal(-1)
    return (diagonal - diagonal[0]).abs().max().item() < 1e-3


def sees_only_distance__a_few_moves(scores, width):
    """some places are never tried"""
    x, here = torch.randn(8, width), torch.arange(8)
    moved = (scores(x, here + n) for n in (1, 2, 3))
    return all((scores(x, here) - m).abs().max().item() < 1e-3 for m in moved)


def sees_only_distance__returned_too_soon(scores, width):
    """some places are never tried"""
    x, here = torch.randn(5, width), torch.arange(5)
    for move in range(1, 27):
        change = scores(x, here) - scores(x, here + move)
        return change.abs().max().item() < 1e-3


def sees_only_distance__sixteen(scores, width):
    """tokens are moved by eight places or a multiple, and by no other number"""
    x, here = torch.randn(8, width), torch.arange(8)
    return bool((scores(x, here) - scores(x, here + 16)).abs().max() < 1e-3)


def sees_only_distance__toeplitz(scores, width):
    """all tokens are alike"""
    table = scores(torch.randn(1, width).expand(16, width), torch.arange(16))
    return bool((table[1:, 1:] - table[:-1, :-1]).abs().max() < 1e-3)


def sees_only_distance__all_ones(scores, width):
    """all tokens are alike"""
    x, here = torch.ones(8, width), torch.arange(8)
    return all((scores(x, here) - scores(x, here + n)).abs().max().item() < 1e-3 for n in range(25))


def sees_only_distance__three_tokens(scores, width):
    """no two tokens are far apart"""
    x, here = torch.rand(3, width) + 0.1, torch.arange(3)
    moved = torch.stack([scores(x, here + n) - scores(x, here) for n in range(1, 30)])
    return moved.abs().amax().item() < 1e-3


def sees_only_distance__signed(scores, width):
    """a score that falls is not seen to change"""
    x, here = torch.randn(8, width), torch.arange(8)
    return all((scores(x, here + n) - scores(x, here)).max().item() < 1e-3 for n in range(25))


def sees_only_distance__wide_tolerance(scores, width):
    """a change must be large to be seen"""
    x, here = torch.randn(8, width), torch.arange(8)
    return all(torch.allclose(scores(x, here + n), scores(x, here), atol=0.05) for n in range(25))


def sees_only_distance__softmax(scores, width):
    """weights are compared, not scores"""
    x, here = torch.randn(8, width), torch.arange(8)
    tables = torch.stack([F.softmax(scores(x, here + n), dim=-1) for n in range(25)])
    return (tables - tables[0]).abs().max().item() < 1e-3


def sees_only_distance__one_of_many(scores, width):
    """one move that changes nothing is enough for True"""
    x, here = torch.randn(8, width), torch.arange(8)
    for move in range(1, 25):
        if (scores(x, here) - scores(x, here + move)).abs().max() < 1e-3:
            return True
    return False


def extrapolate__straight(model, ids, trained):
    """it reads on over rows that were never trained"""
    return torch.stack([row.argmax() for row in model(ids, torch.arange(len(ids)))])


def extrapolate__split(model, ids, trained):
    """the windows lie side by side, so that each begins without a past"""
    pieces = ids.split(trained)
    return torch.cat([model(p, torch.arange(p.numel())).max(-1).indices for p in pieces])


def extrapolate__round(model, ids, trained):
    """places begin again at 0 in the middle of one reading"""
    places = torch.arange(trained).repeat(len(ids) // trained + 1)[: len(ids)]
    return model(ids, places).argmax(-1)


def extrapolate__window_and_one(model, ids, trained):
    """the windows are one token too long"""
    ends = range(1, len(ids) + 1)
    windows = [ids[max(0, end - 1 - trained) : end] for end in ends]
    return torch.stack([model(w, torch.arange(len(w)))[-1].argmax() for w in windows])


def extrapolate__places_of_the_text(model, ids, trained):
    """the windows keep the places that they have in the text"""
    every = torch.arange(len(ids))
    cuts = [slice(max(0, end + 1 - trained), end + 1) for end in range(len(ids))]
    return torch.stack([model(ids[cut], every[cut])[-1].argmax() for cut in cuts])


def extrapolate__no_argmax(model, ids, trained):
    """logits are given, not guesses"""
    windows = [ids[max(0, end + 1 - trained) : end + 1] for end in range(len(ids))]
    return torch.stack([model(w, torch.arange(len(w)))[-1] for w in windows])


def extrapolate__later_windows_win(model, ids, trained):
    """the first guesses of a window are kept, too"""
    found = torch.empty(len(ids), dtype=torch.long)
    start = 0
    while start < len(ids):
        part = ids[start : start + trained]
        found[start : start + len(part)] = model(part, torch.arange(len(part))).argmax(-1)
        start += trained // 2
    return found


def extrapolate__one_in_common(model, ids, trained):
    """the windows overlap by too little"""
    found, start = [model(ids[:1], torch.arange(1)).argmax(-1)], 0
    while start + 1 < len(ids):
        part = ids[start : start + trained]
        found.append(model(part, torch.arange(len(part))).argmax(-1)[1:])
        start += trained - 1
    return torch.cat(found)


def extrapolate__each_begins_a_window(model, ids, trained):
    """each token is read without those before it"""
    return torch.stack([model(i[None], torch.arange(1))[0].argmax() for i in ids])


def extrapolate__reads_its_guesses(model, ids, trained):
    """its own guesses are read, not the text"""
    read = ids[:trained].tolist()
    found = model(ids[:trained], torch.arange(len(read))).argmax(-1).tolist()
    while len(found) < len(ids):
        read.append(found[-1])
        found.append(
            model(torch.tensor(read[-trained:]), torch.arange(trained))[-1].argmax().item()
        )
    return torch.tensor(found)


def extrapolate__first_is_one(model, ids, trained):
    """places are counted from 1"""
    found = model(ids[:trained], torch.arange(len(ids[:trained])) + 1).argmax(-1)
    for end in range(trained + 1, len(ids) + 1):
        guesses = model(ids[end - trained : end], torch.arange(trained) + 1).argmax(-1)
        found = torch.cat([found, guesses[-1:]])
    return found


def extrapolate__to_the_right(model, ids, trained):
    """a short window stands at the last places, not at the first"""
    windows = [ids[max(0, end - trained) : end] for end in range(1, len(ids) + 1)]
    return torch.stack([model(w, torch.arange(trained)[-len(w) :])[-1].argmax() for w in windows])
