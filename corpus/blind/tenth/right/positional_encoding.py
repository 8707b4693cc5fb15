"""Right answers to the exercise positional_encoding, written blind."""
import math

import torch

from transformer_lab import check

# ----------------------------------------------------------------- angles
# ambiguous: the dtype of the angles if positions hold whole numbers as
# floats (float64 in, float64 out? "whole numbers" suggests integers).
# ambiguous: how exact far positions must be: float32 speeds lose 1e-7
# relative, float64 ones nothing; at t = 100,000 sines differ by 0.01.


def angles__numpy(positions, width, base):
    import numpy as np

    t = np.asarray(positions, dtype=np.float64)
    speeds = np.power(float(base), -np.arange(0, width, 2) / width)
    return torch.from_numpy(np.multiply.outer(t, speeds).astype(np.float32))


def angles__loops(positions, width, base):
    hands = []
    for i in range((width + 1) // 2):
        hands.append(positions.to(torch.float32) / base ** (2 * i / width))
    return torch.stack(hands, dim=-1)


def angles__einsum(positions, width, base):
    i = torch.arange(math.ceil(width / 2), dtype=torch.float64)
    speeds = torch.exp(-2 * i / width * math.log(base))
    return torch.einsum("...t,h->...th", positions.double(), speeds).float()


def angles__geometric_recursion(positions, width, base):
    ratio = base ** (-2 / width)

    def speeds(speed=1.0, left=(width + 1) // 2):
        return [] if left == 0 else [speed, *speeds(speed * ratio, left - 1)]

    return positions.unsqueeze(-1) * torch.tensor(speeds())


def angles__outer_view(positions, width, base):
    speeds = torch.pow(float(base), -torch.arange(0, width, 2) / width)
    flat = torch.outer(positions.reshape(-1).float(), speeds)
    return flat.view(*positions.shape, -1) if flat.numel() else flat.new_empty(
        *positions.shape, (width + 1) // 2
    )


# ------------------------------------------------------------- sinusoidal


def sinusoidal__polar(positions, d_model, base):
    turn = angles(positions, d_model, base)
    on_circle = torch.polar(torch.ones_like(turn), turn)
    cos_sin = torch.view_as_real(on_circle)
    return cos_sin.flip(-1).flatten(-2).narrow(-1, 0, d_model)


def sinusoidal__columns(positions, d_model, base):
    turn = angles(positions, d_model, base)
    table = torch.empty(*positions.shape, d_model)
    table[..., 0::2] = torch.sin(turn)
    table[..., 1::2] = torch.cos(turn[..., : d_model // 2])
    return table


def sinusoidal__phase(positions, d_model, base):
    turn = angles(positions, d_model, base).double()
    turn = turn.repeat_interleave(2, dim=-1)[..., :d_model]
    quarter = torch.arange(d_model) % 2 * (math.pi / 2)
    return torch.sin(turn + quarter.double()).float()


def sinusoidal__where(positions, d_model, base):
    turn = angles(positions, d_model, base)
    column = torch.arange(d_model)
    mine = turn[..., column // 2]
    return torch.where(column % 2 == 0, mine.sin(), mine.cos())


def sinusoidal__stack_of_columns(positions, d_model, base):
    turn = angles(positions, d_model, base)
    waves = (torch.sin, torch.cos)
    return torch.stack(
        [waves[c % 2](turn[..., c // 2]) for c in range(d_model)], dim=-1
    )


# ------------------------------------------------------------- loop_table


def loop_table__times(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t * 10_000 ** (-i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__pairs(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for pair in range((d_model + 1) // 2):
            angle = t / math.pow(10_000, 2 * pair / d_model)
            i = 2 * pair
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__sinusoidal(length, d_model):
    return sinusoidal(torch.arange(length), d_model, 10_000)


def loop_table__cmath(length, d_model):
    import cmath
    import itertools

    table = torch.zeros(length, d_model)
    for t, i in itertools.product(range(length), range(d_model)):
        z = cmath.exp(1j * t / 10_000 ** ((i - i % 2) / d_model))
        table[t, i] = (z.imag, z.real)[i & 1]
    return table


# -------------------------------------------------------- count_positions
# ambiguous: "as integers" does not say which dtype (int64, int32?).


def count_positions__numpy(real):
    import numpy as np

    counted = np.cumsum(real.numpy(), axis=-1, dtype=np.int64)
    return torch.from_numpy(np.maximum(counted - 1, 0))


def count_positions__loops(real):
    result = torch.zeros(real.shape, dtype=torch.long)
    if real.numel() == 0:
        return result
    flat_in = real.reshape(-1, real.shape[-1])
    flat_out = result.view(-1, real.shape[-1])
    for row_in, row_out in zip(flat_in.tolist(), flat_out):
        seen = 0
        for t, here in enumerate(row_in):
            seen += here
            row_out[t] = max(seen - 1, 0)
    return result


def count_positions__triangle(real):
    length = real.size(-1)
    upper = torch.ones(length, length).triu()
    counted = torch.einsum("...s,st->...t", real.float(), upper).long()
    return torch.where(counted > 0, counted - 1, counted)


def count_positions__int32(real):
    # reading: "as integers" lets me choose which ones
    counted = torch.cumsum(real, -1, dtype=torch.int32)
    return (counted - 1).clamp_(min=0)


def count_positions__accumulate(real):
    from itertools import accumulate

    def count(row):
        if isinstance(row, list) and row and isinstance(row[0], list):
            return [count(inner) for inner in row]
        return [max(c - 1, 0) for c in accumulate(map(int, row))]

    return torch.tensor(count(real.tolist()), dtype=torch.long).view(real.shape)


# -------------------------------------------------------------- add_table


def add_table__broadcast(x, table):
    batch, length, width = x.shape
    return x + table[:length].unsqueeze(0).expand(batch, length, width)


def add_table__embedding(x, table):
    import torch.nn.functional as F

    places = torch.arange(x.shape[1], device=x.device)
    return x + F.embedding(places, table)


def add_table__loops(x, table):
    return torch.stack(
        [
            torch.stack([token + table[t] for t, token in enumerate(text)])
            for text in x
        ]
    )


def add_table__one_hot(x, table):
    pick = torch.eye(x.size(1), table.size(0), dtype=table.dtype)
    return x + torch.einsum("tl,ld->td", pick, table)


def add_table__in_place_on_copy(x, table):
    y = x.clone()
    y += table.narrow(0, 0, x.size(-2))
    return y


# ------------------------------------------------------------ step_matrix


def step_matrix__fill(delta, d_model, base):
    matrix = torch.zeros(d_model, d_model)
    for i in range(0, d_model, 2):
        theta = delta * base ** (-i / d_model)
        c, s = math.cos(theta), math.sin(theta)
        matrix[i, i] = matrix[i + 1, i + 1] = c
        matrix[i, i + 1] = s
        matrix[i + 1, i] = -s
    return matrix


def step_matrix__from_table_row(delta, d_model, base):
    row = sinusoidal(torch.tensor([delta]), d_model, base)[0]
    sin, cos = row[0::2], row[1::2]
    matrix = torch.diag(cos.repeat_interleave(2))
    even = torch.arange(0, d_model, 2)
    matrix[even, even + 1] = sin
    matrix[even + 1, even] = -sin
    return matrix


def step_matrix__matrix_exp(delta, d_model, base):
    even = torch.arange(0, d_model, 2)
    speed = float(base) ** (-even.double() / d_model)
    spin = torch.zeros(d_model, d_model, dtype=torch.float64)
    spin = spin.index_put((even, even + 1), speed)
    spin = spin - spin.T
    return torch.linalg.matrix_exp(delta * spin).float()


def step_matrix__numpy_kron(delta, d_model, base):
    import numpy as np

    matrix = np.zeros((d_model, d_model))
    hands = d_model // 2
    for i in range(hands):
        theta = delta / base ** (2 * i / d_model)
        one = np.zeros((hands, hands))
        one[i, i] = 1
        block = [
            [np.cos(theta), np.sin(theta)],
            [-np.sin(theta), np.cos(theta)],
        ]
        matrix += np.kron(one, block)
    return torch.tensor(matrix, dtype=torch.float32)


def step_matrix__diagonals(delta, d_model, base):
    turn = angles(torch.tensor([delta]), d_model, base).squeeze(0)
    wide = turn.repeat_interleave(2)
    off = torch.stack([turn.sin(), torch.zeros_like(turn)], -1).flatten()[:-1]
    return wide.cos().diag() + off.diag(1) - off.diag(-1)


# ----------------------------------------------------------- rotate_pairs
# ambiguous: the dtype of the result if x and radians have different ones
# (x float16 or float64, radians float32): x's, or PyTorch's promotion?


def rotate_pairs__complex(x, radians):
    wide = torch.promote_types(x.dtype, torch.float32)
    pairs = torch.view_as_complex(x.to(wide).unflatten(-1, (-1, 2)).contiguous())
    theta = radians.to(wide)
    turn = torch.polar(torch.ones_like(theta), theta)
    return torch.view_as_real(pairs * turn).flatten(-2).to(x.dtype)


def rotate_pairs__empty_like(x, radians):
    cos, sin = torch.cos(radians), torch.sin(radians)
    a, b = x[..., ::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., ::2] = a * cos - b * sin
    out[..., 1::2] = a * sin + b * cos
    return out


def rotate_pairs__einsum(x, radians):
    c, s = radians.cos(), radians.sin()
    matrices = torch.stack(
        [torch.stack([c, -s], dim=-1), torch.stack([s, c], dim=-1)], dim=-2
    )
    pairs = x.unflatten(-1, (x.size(-1) // 2, 2))
    return torch.einsum("tkij,...tkj->...tki", matrices, pairs).flatten(-2)


def rotate_pairs__loop_over_pairs(x, radians):
    columns = []
    for i in range(radians.shape[-1]):
        a, b, theta = x[..., 2 * i], x[..., 2 * i + 1], radians[:, i]
        columns.append(a * theta.cos() - b * theta.sin())
        columns.append(a * theta.sin() + b * theta.cos())
    return torch.stack(columns, dim=-1)


def rotate_pairs__rotate_half(x, radians):
    def swap(v):
        a, b = v.unflatten(-1, (-1, 2)).unbind(-1)
        return torch.stack((-b, a), dim=-1).flatten(-2)

    theta = radians.repeat_interleave(2, dim=-1)
    return x * theta.cos() + swap(x) * theta.sin()


def rotate_pairs__double_x_dtype(x, radians):
    # reading: the result has the dtype of x, as in real models
    a, b = x.double()[..., 0::2], x.double()[..., 1::2]
    c, s = radians.double().cos(), radians.double().sin()
    turned = torch.stack((a * c - b * s, a * s + b * c), -1)
    return turned.reshape(x.shape).to(x.dtype)


# ----------------------------------------------------------------- shapes
# ambiguous: what holds the five tuples (a tuple, a list?)


def shapes__plain(B, T, D, H):
    table = (T, D)
    summed = (B, T, D)
    turning = (T, D // H // 2)
    queries = (B, H, T, D // H)
    bias = (H, T, T)
    return table, summed, turning, queries, bias


def shapes__list(B, T, D, H):
    # reading: "give five shapes" may be a list of tuples
    K, rest = divmod(D, H)
    return [(T, D), (B, T, D), (T, K >> 1), (B, H, T, K), (H, T, T)]


def shapes__from_tensors(B, T, D, H):
    # torch.Size is a tuple of whole numbers
    with torch.device("meta"):
        table = torch.empty(T, D)
        x = torch.empty(B, T, D) + table
        q = x.unflatten(-1, (H, D // H)).transpose(1, 2)
        half = q[0, 0, :, 0::2]
        bias = (q @ q.mT)[0]
    return tuple(tuple(z.shape) for z in (table, x, half, q, bias))


def shapes__int(B, T, D, H):
    K = int(D / H)
    return (T, D), (B, T, D), (T, int(K / 2)), (B, H, T, K), (H, T, T)


# ------------------------------------------------------ sees_only_distance
# ambiguous: whether tokens may be float64 (I give float32).


def sees_only_distance__all_places(scores, width):
    for _ in range(3):
        x = torch.randn(32, width)
        for move in range(1, 32):
            some = x[: 32 - move]
            here = torch.arange(32 - move)
            before, after = scores(some, here), scores(some, here + move)
            if (after - before).abs().max() > 1e-3:
                return False
    return True


def sees_only_distance__two_tokens(scores, width):
    x = torch.randn(2, width)

    def at(*places):
        return scores(x, torch.tensor(places))

    for apart in range(1, 32):
        near, far = at(0, apart), at(apart, 0)
        for move in range(1, 32 - apart):
            one = at(move, apart + move) - near
            other = at(apart + move, move) - far
            if max(one.abs().max(), other.abs().max()) > 0.001:
                return False
    return True


def sees_only_distance__random_trials(scores, width):
    def trial():
        x = torch.randn(8, width)
        move = int(torch.randint(1, 9, ()))
        here = torch.randperm(32 - move)[:8]
        change = scores(x, here + move) - scores(x, here)
        return bool((change.abs() <= 0.001).all())

    return all(trial() for _ in range(1500))


def sees_only_distance__steps_of_one(scores, width):
    # one step at a time, from the left edge to the right one; spans of
    # several lengths, the tokens in mixed order
    import itertools

    spans = ([0, 1, 2, 3], [0, 5, 9, 10], [16, 0, 8, 15], [24, 1, 12, 0],
             [0, 27, 13, 28], [30, 0, 1, 15])
    for span, _ in itertools.product(spans, range(2)):
        x = torch.randn(len(span), width)
        first = scores(x, torch.tensor(span))
        for move in range(1, 32 - max(span)):
            moved = scores(x, torch.tensor([p + move for p in span]))
            if torch.any(torch.abs(moved - first) > 0.001):
                return False
    # and each pair of places at least once
    x = torch.randn(32, width)
    for move in range(1, 32):
        n = 32 - move
        there = scores(x[:n], torch.arange(move, 32))
        if not torch.allclose(
            there, scores(x[:n], torch.arange(n)), rtol=0, atol=0.001
        ):
            return False
    return True


# ------------------------------------------------------------- alibi_bias


def alibi_bias__triu(heads, T, S):
    slopes = torch.tensor([2 ** (-8 * h / heads) for h in range(1, heads + 1)])
    t = torch.arange(T).view(-1, 1) + (S - T)
    u = torch.arange(S).view(1, -1)
    future = torch.full((T, S), -torch.inf).triu(S - T + 1)
    return slopes.view(-1, 1, 1) * (u - t).clamp(max=0) + future


def alibi_bias__loops(heads, T, S):
    bias = torch.full((heads, T, S), float("-inf"))
    for h in range(heads):
        slope = 2 ** (-8 * (h + 1) / heads)
        for row in range(T):
            t = S - T + row
            for u in range(t + 1):
                bias[h, row, u] = -slope * (t - u)
    return bias


def alibi_bias__numpy(heads, T, S):
    import numpy as np

    distance = np.subtract.outer(np.arange(S)[S - T:], np.arange(S))
    slope = np.exp2(-8 * np.arange(1, heads + 1) / heads)
    taken = np.where(distance >= 0, distance, np.inf)
    return torch.from_numpy(-np.multiply.outer(slope, taken)).float()


def alibi_bias__full_square_einsum(heads, T, S):
    from itertools import accumulate, repeat
    from operator import mul

    ratio = 2.0 ** (-8 / heads)
    slopes = torch.tensor(list(accumulate(repeat(ratio, heads), mul)))
    ones = torch.ones(S, S)
    steps = ones.tril(-1).cumsum(0)  # t - u below the diagonal
    everyone = torch.einsum("h,tu->htu", -slopes, steps)
    everyone[:, ones.triu(1).bool()] = -torch.inf
    return everyone[:, S - T:]


# ------------------------------------------------------------ extrapolate


def extrapolate__strides(model, ids, trained):
    half = trained // 2
    length = ids.size(0)
    first = ids[:trained]
    guesses = [model(first, torch.arange(first.size(0))).argmax(dim=-1)]
    done = first.size(0)
    while done < length:
        window = ids[done - half : done - half + trained]
        logits = model(window, torch.arange(window.size(0)))
        guesses.append(logits[half:].argmax(dim=-1))
        done += window.size(0) - half
    return torch.cat(guesses)


def extrapolate__unfold(model, ids, trained):
    places = torch.arange(min(trained, len(ids)))
    head = model(ids[:trained], places).argmax(-1)
    if len(ids) <= trained:
        return head
    windows = ids.unfold(0, trained, 1)[1:]
    tail = [model(w, places)[-1].argmax(-1) for w in windows]
    return torch.cat([head, torch.stack(tail)])


def extrapolate__just_enough(model, ids, trained):
    # beyond the first ones: a window of trained // 2 + 1 tokens each
    guesses = torch.empty_like(ids)
    for t in range(len(ids)):
        begin = 0 if t < trained else t - trained // 2
        window = ids[begin : t + 1].clone()
        places = torch.arange(t + 1 - begin)
        guesses[t] = torch.max(model(window, places)[-1], dim=0).indices
    return guesses


def extrapolate__last_window_from_the_end(model, ids, trained):
    length, half = len(ids), trained // 2

    def windows():
        begin = 0
        while begin + trained < length:
            yield begin
            begin += trained - half
        yield max(length - trained, 0)

    guesses = [None] * length
    for begin in windows():
        text = ids[begin : begin + trained]
        said = model(text, torch.arange(len(text))).argmax(-1).tolist()
        for offset, guess in enumerate(said):
            if begin == 0 or offset >= half:
                guesses[begin + offset] = guess
    return torch.tensor(guesses)
