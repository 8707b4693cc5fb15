"""Right answers, written in many ways: none may lose a point. Before __ stands the function."""

import math
import sys
import warnings

import torch
import torch.nn.functional as F


def angles__exp_log(positions, width, base):
    even = torch.arange(0, width, 2).float()
    speeds = torch.exp(-even * math.log(base) / width)
    return positions.unsqueeze(-1) * speeds


def angles__divided(positions, width, base):
    hands = (width + 1) // 2
    return positions[..., None] / torch.tensor([base ** (2 * i / width) for i in range(hands)])


def angles__loop_over_hands(positions, width, base):
    hands = [positions * base ** (-i / width) for i in range(0, width, 2)]
    return torch.stack(hands, dim=-1)


def angles__float64_inside(positions, width, base):
    even = torch.arange(0, width, 2, dtype=torch.float64)
    return torch.einsum("...t,i->...ti", positions.double(), base ** (-even / width)).float()


def angles__noisy(positions, width, base):
    print("positions", positions.shape)
    print("to stderr", file=sys.stderr)
    warnings.warn("a warning", stacklevel=1)
    speeds = torch.pow(torch.tensor(float(base)), -torch.arange(0, width, 2) / width)
    return torch.mul(positions.float().unsqueeze(-1), speeds)


def angles__step_by_step(positions, width, base):
    slower, speed, hands = base ** (-2 / width), 1.0, []
    for _ in range(math.ceil(width / 2)):
        hands.append(positions.float() * speed)
        speed *= slower
    return torch.stack(hands, -1)


def _angles(positions, width, base):
    return positions[..., None] * base ** (-torch.arange(0, width, 2) / width)


def sinusoidal__columns(positions, d_model, base):
    radians = _angles(positions, d_model, base)
    table = torch.zeros(*positions.shape, d_model)
    table[..., 0::2] = radians.sin()
    table[..., 1::2] = radians[..., : d_model // 2].cos()
    return table


def sinusoidal__where(positions, d_model, base):
    radians = _angles(positions, d_model, base).repeat_interleave(2, -1)[..., :d_model]
    return torch.where(torch.arange(d_model) % 2 == 0, radians.sin(), radians.cos())


def sinusoidal__shifted_sine(positions, d_model, base):
    features = torch.arange(d_model, dtype=torch.float64)
    radians = positions[..., None] * base ** (-(features - features % 2) / d_model)
    return torch.sin(radians + features % 2 * math.pi / 2).float()


def sinusoidal__loops(positions, d_model, base):
    def row(t):
        waves = (math.sin, math.cos)
        return [waves[i % 2](t * base ** (-(i - i % 2) / d_model)) for i in range(d_model)]

    rows = [row(t) for t in positions.flatten().tolist()]
    return torch.tensor(rows).reshape(*positions.shape, d_model)


def sinusoidal__complex(positions, d_model, base):
    turned = torch.exp(1j * _angles(positions, d_model, base))
    return torch.view_as_real(turned).flip(-1).flatten(-2)[..., :d_model].contiguous()


def sinusoidal__own_angles_padded(positions, d_model, base):
    radians = _angles(positions, d_model, base)
    table = torch.cat([radians.sin()[..., None], radians.cos()[..., None]], dim=-1)
    return table.reshape(*positions.shape, -1).narrow(-1, 0, d_model)


def loop_table__written_as_power(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t * 10_000 ** (-i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__hands(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range((d_model + 1) // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, 2 * i : 2 * i + 2] = torch.tensor([math.sin(angle), math.cos(angle)])[
                : d_model - 2 * i
            ]
    return table


def loop_table__halved_twice(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (2 * (i // 2) / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__no_loops(length, d_model):
    return sinusoidal__where(torch.arange(length), d_model, 10_000)


def loop_table__exp(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(d_model):
            angle = t * math.exp(-(i - i % 2) / d_model * math.log(10_000))
            table[t, i] = math.cos(angle) if i % 2 else math.sin(angle)
    return table


def loop_table__float64_inside(length, d_model):
    return sinusoidal__shifted_sine(torch.arange(length), d_model, 10_000)


def step_matrix__filled_blocks(delta, d_model, base):
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        cos, sin = (f(delta * base ** (-i / d_model)) for f in (math.cos, math.sin))
        matrix[i : i + 2, i : i + 2] = torch.tensor([[cos, sin], [-sin, cos]])
    return matrix


def step_matrix__transposed_back_step(delta, d_model, base):
    back = -_angles(torch.tensor(delta), d_model, base)
    blocks = [torch.tensor([[a.cos(), a.sin()], [-a.sin(), a.cos()]]) for a in back]
    return torch.block_diag(*blocks).T


def step_matrix__diagonals(delta, d_model, base):
    turn = _angles(torch.tensor(delta), d_model, base)
    beside = torch.stack([turn.sin(), torch.zeros_like(turn)], -1).flatten()[:-1]
    return turn.cos().repeat_interleave(2).diag() + beside.diag(1) - beside.diag(-1)


def step_matrix__power_of_one_step(delta, d_model, base):
    turn = _angles(torch.tensor(1), d_model, base).double()
    blocks = torch.stack([turn.cos(), turn.sin(), -turn.sin(), turn.cos()], -1).view(-1, 2, 2)
    return torch.linalg.matrix_power(torch.block_diag(*blocks), delta).float()


def step_matrix__exponential(delta, d_model, base):
    turn = _angles(torch.tensor(delta), d_model, base)
    blocks = [torch.tensor([[0.0, a], [-a, 0.0]]) for a in turn.tolist()]
    return torch.linalg.matrix_exp(torch.block_diag(*blocks))


def step_matrix__assigned_in_strides(delta, d_model, base):
    turn = delta * float(base) ** (-torch.arange(0, d_model, 2) / d_model)
    matrix, even = torch.zeros(d_model, d_model), torch.arange(0, d_model, 2)
    matrix[even, even] = matrix[even + 1, even + 1] = turn.cos()
    matrix[even, even + 1], matrix[even + 1, even] = turn.sin(), -turn.sin()
    return matrix


def count_positions__relu(real):
    return F.relu(real.long().cumsum(-1) - 1)


def count_positions__maximum(real):
    count = torch.cumsum(real, dim=real.dim() - 1)
    return torch.maximum(count - 1, torch.zeros_like(count))


def count_positions__loop(real):
    numbers = torch.zeros(real.shape, dtype=torch.long)
    for t in range(real.size(-1)):
        numbers[..., t] = (real[..., : t + 1].sum(dim=-1) - 1).clamp(min=0)
    return numbers


def count_positions__triangle(real):
    upper = torch.ones(real.size(-1), real.size(-1)).triu()
    return (real.float() @ upper - 1).clamp(min=0).long()


def count_positions__where(real):
    count = real.int().cumsum(dim=-1)
    return torch.where(count > 0, count - 1, 0)


def count_positions__in_place_on_its_own(real):
    count = real.cumsum(-1)
    count -= 1
    count[count < 0] = 0
    return count


def add_table__unsqueezed(x, table):
    return x + table[: x.size(1)].unsqueeze(0)


def add_table__arange(x, table):
    return x + table[torch.arange(x.shape[1])]


def add_table__unpacked(x, table):
    _, T, _ = x.shape
    return table[None, :T, :] + x


def add_table__loop(x, table):
    return torch.stack([x[:, t] + table[t] for t in range(x.size(1))], dim=1)


def add_table__expanded(x, table):
    return x + table[: x.size(-2)].expand_as(x)


def add_table__transposed(x, table):
    return (x.transpose(0, 1) + table[: x.size(1), None]).transpose(0, 1)


def rotate_pairs__complex(x, radians):
    z = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
    turned = z * torch.polar(torch.ones_like(radians), radians)
    return torch.view_as_real(turned).flatten(-2)


def rotate_pairs__repeat_interleave(x, radians):
    cos, sin = (f(radians).repeat_interleave(2, dim=-1) for f in (torch.cos, torch.sin))
    across = torch.stack([-x[..., 1::2], x[..., ::2]], dim=-1).reshape(x.shape)
    return x * cos + across * sin


def rotate_pairs__written_into_a_clone(x, radians):
    turned = x.clone()
    a, b = x[..., 0::2], x[..., 1::2]
    turned[..., 0::2] = a * radians.cos() - b * radians.sin()
    turned[..., 1::2] = a * radians.sin() + b * radians.cos()
    return turned


def rotate_pairs__matrices(x, radians):
    cos, sin = radians.cos(), radians.sin()
    turn = torch.stack([cos, -sin, sin, cos], dim=-1).unflatten(-1, (2, 2))
    pairs = x.unflatten(-1, (-1, 2)).unsqueeze(-1)
    return (turn @ pairs).flatten(-3)


def rotate_pairs__einsum_float64_inside(x, radians):
    cos, sin = radians.double().cos(), radians.double().sin()
    turn = torch.stack([torch.stack([cos, -sin], -1), torch.stack([sin, cos], -1)], -2)
    pairs = x.double().reshape(*x.shape[:-1], -1, 2)
    return torch.einsum("tpij,...tpj->...tpi", turn, pairs).flatten(-2).to(x.dtype)


def rotate_pairs__loop(x, radians):
    columns = []
    for i in range(radians.size(-1)):
        a, b, angle = x[..., 2 * i], x[..., 2 * i + 1], radians[..., i]
        columns += [a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()]
    return torch.stack(columns, dim=-1)


def alibi_bias__loops(heads, T, S):
    bias = torch.full((heads, T, S), -torch.inf)
    for h in range(heads):
        for i in range(T):
            for u in range(S - T + i + 1):
                bias[h, i, u] = -(2 ** (-8 * (h + 1) / heads)) * (S - T + i - u)
    return bias


def alibi_bias__triu(heads, T, S):
    slopes = torch.tensor([2 ** (-8 * h / heads) for h in range(1, heads + 1)])
    positions = torch.arange(S)
    ahead = (positions - positions[:, None])[S - T :]
    hidden = torch.full((T, S), -torch.inf).triu(S - T + 1)
    return torch.einsum("h,ts->hts", slopes, ahead.float()) + hidden


def alibi_bias__where(heads, T, S):
    back = torch.arange(S - T, S).view(-1, 1) - torch.arange(S).view(1, -1)
    slopes = (2 ** (-8 / heads)) ** torch.arange(1, heads + 1).view(-1, 1, 1)
    return torch.where(back >= 0, -slopes * back, -torch.inf)


def alibi_bias__cumulated(heads, T, S):
    slopes = torch.full((heads,), 2 ** (-8 / heads)).cumprod(0)
    back = torch.arange(T)[:, None] + S - T - torch.arange(S)
    return -slopes[:, None, None] * back.where(back >= 0, torch.inf)


def alibi_bias__cut_from_the_square(heads, T, S):
    square = torch.arange(S)[None, :] - torch.arange(S)[:, None]
    fading = torch.where(square <= 0, square.double(), -math.inf)
    slopes = torch.exp2(-8 * torch.arange(1, heads + 1).double() / heads)
    return (slopes.reshape(-1, 1, 1) * fading)[:, -T:].float()


def alibi_bias__stacked(heads, T, S):
    back = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = torch.stack([-back * 2.0 ** (-8 * (h + 1) / heads) for h in range(heads)])
    bias[:, back < 0] = float("-inf")
    return bias


def sees_only_distance__one_step_for_all(scores, width):
    x, here = torch.randn(31, width), torch.arange(31)
    return bool((scores(x, here) - scores(x, here + 1)).abs().max() < 1e-3)


def sees_only_distance__many_tokens(scores, width):
    for seed in range(3):
        torch.manual_seed(seed)
        x = torch.randn(4, width)
        places = torch.tensor([0, 2, 3, 7])
        for move in range(25):
            one, other = scores(x, places), scores(x, places + move)
            if not torch.allclose(one, other, rtol=0, atol=1e-3):
                return False
    return True


def sees_only_distance__from_step_to_step(scores, width):
    x, places = torch.rand(6, width, dtype=torch.float64), torch.tensor([9, 0, 3, 4, 1, 6])
    tables = torch.stack([scores(x, places + n) for n in range(23)])
    return tables.diff(dim=0).abs().amax().item() < 1e-3


def sees_only_distance__any(scores, width):
    x, here = torch.randn(16, width), torch.arange(16)
    moved = (scores(x, here + n) for n in (5, 11, 16))
    return not any((scores(x, here) - m).abs().gt(1e-3).any() for m in moved)


def extrapolate__every_token_for_itself(model, ids, trained):
    guesses = []
    for end in range(len(ids)):
        window = ids[max(0, end + 1 - trained) : end + 1]
        guesses += [model(window, torch.arange(len(window))).argmax(-1)[-1].item()]
    return torch.tensor(guesses)


def extrapolate__overlapping(model, ids, trained):
    step, found = trained - trained // 2, []
    for start in range(0, max(len(ids) - trained // 2, 1), step):
        window = ids[start : start + trained]
        guesses = model(window, torch.arange(len(window))).argmax(-1)
        found.append(guesses if start == 0 else guesses[trained // 2 :])
    return torch.cat(found)


def extrapolate__recursive(model, ids, trained):
    if len(ids) <= trained:
        return model(ids, torch.arange(len(ids))).argmax(-1)
    last = model(ids[-trained:], torch.arange(trained))[-1:].argmax(-1)
    return torch.cat([extrapolate__recursive(model, ids[:-1], trained), last])


def extrapolate__into_a_table(model, ids, trained):
    found = torch.empty(len(ids), dtype=torch.long)
    for start in reversed(range(max(len(ids) - trained, 0) + 1)):
        window = ids[start : start + trained]
        guesses = model(window, torch.arange(len(window))).argmax(-1)
        if start == 0:
            found[: len(window)] = guesses
        else:
            found[start + trained - 1] = guesses[-1]
    return found
