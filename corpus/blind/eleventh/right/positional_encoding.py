import math

import torch


# --- angles ----------------------------------------------------------------


# ambiguous: positions "come as a tensor of whole numbers", so the result is float32 whatever their kind.
def angles__column_by_column(positions, width, base):
    hands = []
    for even in range(0, width, 2):
        hands.append(positions.double() / float(base) ** (even / width))
    return torch.stack(hands, dim=-1).float()


def angles__exponential(positions, width, base):
    even = torch.arange(0, width, 2, dtype=torch.float64)
    speeds = torch.exp(even * (-math.log(base) / width))
    table = torch.einsum("...t,h->...th", positions.to(torch.float64), speeds)
    return table.to(torch.float32)


# --- sinusoidal ------------------------------------------------------------


def sinusoidal__complex(positions, d_model, base):
    turned = angles(positions, d_model, base)
    hands = torch.polar(torch.ones_like(turned), turned)
    return torch.view_as_real(hands).flip(-1).flatten(-2)[..., :d_model]


def sinusoidal__column_by_column(positions, d_model, base):
    turned = angles(positions, d_model, base)
    columns = [
        (torch.cos if f % 2 else torch.sin)(turned[..., f // 2])
        for f in range(d_model)
    ]
    return torch.stack(columns, dim=-1)


# --- loop_table ------------------------------------------------------------


def loop_table__each_slower_than_the_last(length, d_model):
    table = torch.zeros(length, d_model)
    slower = 10_000 ** (2 / d_model)
    for t in range(length):
        angle = float(t)
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
            angle /= slower
    return table


def loop_table__one_number_after_the_other(length, d_model):
    numbers = []
    for place in range(length * d_model):
        t, f = divmod(place, d_model)
        turn = math.cos if f % 2 else math.sin
        numbers.append(turn(t * 10_000 ** (-(f - f % 2) / d_model)))
    return torch.tensor(numbers).reshape(length, d_model)


# --- count_positions -------------------------------------------------------


def count_positions__triangle(real):
    T = real.size(-1)
    earlier = torch.ones(T, T, dtype=torch.bool).tril(-1)
    before = (real.unsqueeze(-2) & earlier).sum(dim=-1)
    return torch.where(real, before, before - 1).clamp(min=0)


def count_positions__walk(real):
    number = torch.zeros(real.shape[:-1], dtype=torch.long)
    coming = torch.zeros_like(number)
    result = torch.zeros(real.shape, dtype=torch.long)
    for t in range(real.size(-1)):
        token = real[..., t]
        number = torch.where(token, coming, number)
        coming = coming + token.long()
        result[..., t] = number
    return result


# --- add_table -------------------------------------------------------------


def add_table__token_by_token(x, table):
    return torch.stack([w + row for w, row in zip(x.unbind(1), table)], dim=1)


def add_table__lookup(x, table):
    places = torch.arange(x.size(1)).expand(x.size(0), -1)
    return torch.nn.functional.embedding(places, table) + x


# --- step_matrix -----------------------------------------------------------


def step_matrix__by_index(delta, d_model, base):
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    first = torch.arange(0, d_model, 2)
    matrix = torch.zeros(d_model, d_model)
    matrix[first, first] = matrix[first + 1, first + 1] = theta.cos()
    matrix[first, first + 1] = theta.sin()
    matrix[first + 1, first] = -theta.sin()
    return matrix


def step_matrix__exponential(delta, d_model, base):
    theta = angles(torch.tensor([delta]), d_model, base)[0].double()
    quarter = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
    # the exponential of theta * quarter is the block that turns by theta
    return torch.matrix_exp(torch.kron(theta.diag(), quarter)).float()


# --- rotate_pairs ----------------------------------------------------------


# ambiguous: should x and radians have different dtypes, the result has that of x.
def rotate_pairs__einsum(x, radians):
    cosine, sine = radians.cos(), radians.sin()
    upper = torch.stack([cosine, -sine], dim=-1)
    lower = torch.stack([sine, cosine], dim=-1)
    turn = torch.stack([upper, lower], dim=-2).to(x.dtype)
    pairs = x.unflatten(-1, (-1, 2))
    return torch.einsum("tpij,...tpj->...tpi", turn, pairs).flatten(-2)


def rotate_pairs__partner(x, radians):
    K = x.size(-1)
    partner = x[..., torch.arange(K).bitwise_xor(1)]
    sign = torch.tensor([-1.0, 1.0], dtype=x.dtype).repeat(K // 2)
    cosine = radians.cos().to(x.dtype).repeat_interleave(2, dim=-1)
    sine = radians.sin().to(x.dtype).repeat_interleave(2, dim=-1)
    return x * cosine + partner * sign * sine


# --- shapes ----------------------------------------------------------------


# ambiguous: an odd K is taken to be excluded, as for rotate_pairs; and the five may stand in a tuple or a list.
def shapes__letters(B, T, D, H):
    sizes = {"b": B, "t": T, "d": D, "h": H, "k": D // H, "p": D // (2 * H)}
    names = ("td", "btd", "tp", "bhtk", "htt")
    return tuple(tuple(sizes[letter] for letter in name) for name in names)


def shapes__tensors_without_numbers(B, T, D, H):
    table = torch.empty(T, D, device="meta")
    both = torch.empty(B, T, D, device="meta") + table
    queries = both.unflatten(-1, (H, D // H)).transpose(1, 2)
    turns = queries[0, 0, :, 0::2]
    bias = (queries @ queries.transpose(-2, -1))[0]
    return [tuple(x.shape) for x in (table, both, turns, queries, bias)]


# --- sees_only_distance ----------------------------------------------------


def sees_only_distance__all_moves_of_all_places(scores, width):
    for step in range(1, 32):
        here = torch.arange(32 - step)
        for _ in range(8):
            x = torch.randn(32 - step, width)
            change = scores(x, here + step) - scores(x, here)
            if bool((change.abs() > 0.001).any()):
                return False
    return True


def sees_only_distance__pair_after_pair(scores, width):
    for distance in range(31):
        pair = torch.tensor([0, distance] if distance else [0])
        for _ in range(8):
            x = torch.randn(len(pair), width)
            tables = torch.stack(
                [scores(x, pair + start) for start in range(32 - distance)]
            )
            if (tables.amax(dim=0) - tables.amin(dim=0)).max().item() > 0.001:
                return False
    return True


# --- alibi_bias ------------------------------------------------------------


def alibi_bias__number_by_number(heads, T, S):
    numbers = [
        (u - t) * 2.0 ** (-8 * h / heads) if u <= t else -math.inf
        for h in range(1, heads + 1)
        for t in range(S - T, S)
        for u in range(S)
    ]
    return torch.tensor(numbers).reshape(heads, T, S)


def alibi_bias__last_rows_of_the_square(heads, T, S):
    places = torch.arange(S, dtype=torch.float32)
    square = places - places[:, None]
    future = torch.full((S, S), -math.inf).triu(1)
    slopes = torch.exp2(-8.0 / heads * torch.arange(1, heads + 1))
    whole = torch.einsum("h,tu->htu", slopes, square) + future
    return whole[:, S - T :].clone()


# --- extrapolate -----------------------------------------------------------


def extrapolate__short_window_for_each(model, ids, trained):
    guesses = torch.zeros(len(ids), dtype=torch.long)
    for n in range(len(ids)):
        begin = 0 if n < trained else n - trained // 2
        window = ids[begin : n + 1]
        logits = model(window, torch.arange(len(window)))
        guesses[n] = logits[-1].argmax()
    return guesses


def extrapolate__windows_that_overlap(model, ids, trained):
    half = trained // 2

    def read(begin):
        window = ids[begin : begin + trained]
        return model(window, torch.arange(len(window))).argmax(dim=-1)

    guesses = read(0)
    while len(guesses) < len(ids):
        new = read(len(guesses) - half)[half:]
        guesses = torch.cat([guesses, new])
    return guesses
