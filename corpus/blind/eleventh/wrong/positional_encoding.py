import math

import torch


# --- angles ----------------------------------------------------------------


# Breaks "t * b^(-2i / width)" for odd widths from 3 on: the width is rounded up to the number of hands times two.
def angles__odd_width_rounded_up(positions, width, base):
    hands = (width + 1) // 2
    speeds = base ** (-torch.arange(hands) / hands)
    return positions[..., None] * speeds


# Breaks "t * b^(-2i / width)" for more than one hand: the slowest hand gets 1 / base, as in tensor2tensor.
def angles__last_hand_at_base(positions, width, base):
    hands = (width + 1) // 2
    speeds = base ** (-torch.arange(hands) / max(hands - 1, 1))
    return positions[..., None] * speeds


# Breaks "hand i has turned by t * b^(-2i / width)" for all angles from a full turn on: they begin at 0 again.
def angles__full_turns_taken_off(positions, width, base):
    speeds = base ** (-torch.arange(0, width, 2) / width)
    return (positions[..., None] * speeds) % (2 * math.pi)


# Breaks "From positions (..., T) come angles (..., T, hands)" for positions of two axes or more: the axes in front are lost.
def angles__positions_flattened(positions, width, base):
    speeds = base ** (-torch.arange(0, width, 2) / width)
    return torch.outer(positions.flatten().to(speeds.dtype), speeds)


# --- sinusoidal ------------------------------------------------------------


# Breaks "An odd width ends with a sine": the column too many is cut off in front, not behind (odd widths).
def sinusoidal__cut_in_front(positions, d_model, base):
    turned = angles(positions, d_model, base)
    table = torch.stack([turned.sin(), turned.cos()], dim=-1).flatten(-2)
    return table[..., -d_model:]


_tables = {}


# Breaks the dependence on base: the table is kept by width alone, so a later call with another base gets the old one.
def sinusoidal__kept_without_base(positions, d_model, base):
    length = int(positions.max()) + 1
    if d_model not in _tables or len(_tables[d_model]) < length:
        turned = angles(torch.arange(length), d_model, base)
        table = torch.stack([turned.sin(), turned.cos()], dim=-1)
        _tables[d_model] = table.flatten(-2)[:, :d_model]
    return _tables[d_model][positions]


# Breaks "p = cos(angle)" wherever the cosine is negative: as a root it has lost its sign (positions from 2 on).
def sinusoidal__cosine_as_a_root(positions, d_model, base):
    sines = angles(positions, d_model, base).sin()
    cosines = (1 - sines.square()).clamp(min=0).sqrt()
    table = torch.stack([sines, cosines], dim=-1).flatten(-2)
    return table[..., :d_model]


# Breaks "positions (..., T) as vectors (..., T, d_model)" for two axes or more: all axes but the first are joined, (B, d_model) comes out.
def sinusoidal__flattened_from_axis_one(positions, d_model, base):
    turned = angles(positions, d_model, base)
    table = torch.stack([turned.sin(), turned.cos()], dim=-1).flatten(1)
    return table[:, :d_model]


# --- loop_table ------------------------------------------------------------


# Breaks "the paper's table": i, which already is 2i, is halved, and not doubled again; wrong for d_model > 2.
def loop_table__halved_and_not_doubled(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** ((i // 2) / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


# Breaks "An odd width ends with a sine": the loop counts whole pairs, so the last column of an odd width stays 0.
def loop_table__whole_pairs_only(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(d_model // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, 2 * i] = math.sin(angle)
            table[t, 2 * i + 1] = math.cos(angle)
    return table


# Breaks "p_(t, 2i+1) = cos(angle_(t, i))": the cosine gets an angle of its own, from i + 1; wrong for all widths from 2 on.
def loop_table__cosine_with_own_speed(length, d_model):
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10_000 ** (i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10_000 ** ((i + 1) / d_model))
    return table


# Breaks "Tables that you make from whole numbers alone must be float32": this one is float64.
def loop_table__float64(length, d_model):
    table = torch.zeros(length, d_model, dtype=torch.float64)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


# --- count_positions -------------------------------------------------------


# Breaks "let padding take the number of the last real token before it": it takes the next number, wherever padding follows a token.
def count_positions__padding_one_ahead(real):
    return real.long().cumsum(dim=-1) - real.long()


# Breaks "count real tokens": counts all places from the first real token on, so padding in the middle or on the right is counted, too.
def count_positions__places_from_first_token(real):
    first = real.int().argmax(dim=-1, keepdim=True)
    return (torch.arange(real.size(-1)) - first).clamp(min=0)


# Breaks "a token's position is how many real tokens stand before it" for more than 128 tokens: int8 runs over.
def count_positions__in_one_byte(real):
    return (real.cumsum(dim=-1, dtype=torch.int8) - 1).clamp(min=0)


# Breaks "the last real token before it, and 0 if there is none": all padding gets 1, as in Hugging Face's generation.
def count_positions__padding_gets_one(real):
    return (real.long().cumsum(dim=-1) - 1).masked_fill(~real, 1)


# --- add_table -------------------------------------------------------------


# Breaks "token t of each sentence is to get row t": B rows are taken, not T; right only if B == T, and for B = 1 all get row 0.
def add_table__as_many_rows_as_sentences(x, table):
    return x + table[: x.size(0)]


# Breaks "do not change what you are given": x[:] is a view and no copy, so the table is added to the caller's x.
def add_table__slice_is_no_copy(x, table):
    result = x[:]
    result += table[: x.size(1)]
    return result


# Breaks "Gradients must flow through it": from_pretrained freezes the table, which never gets a gradient.
def add_table__frozen_embedding(x, table):
    lookup = torch.nn.Embedding.from_pretrained(table)
    return x + lookup(torch.arange(x.size(1)))


# Breaks "Add the first rows of table (L, D) to the tokens of x (B, T, D)" for D = 1, T > 1: squeeze makes (T) of (T, 1), and (B, T, T) comes out.
def add_table__squeezed_rows(x, table):
    rows = [table[t] for t in range(x.size(1))]
    return x + torch.stack(rows).squeeze()


# --- step_matrix -----------------------------------------------------------


# Breaks "delta ... may be negative": one step taken delta times; range(-2) is empty, so the identity comes out.
def step_matrix__step_by_step(delta, d_model, base):
    one = torch.zeros(d_model, d_model)
    for i, theta in enumerate(angles(torch.tensor([1]), d_model, base)[0]):
        sine, cosine = theta.sin(), theta.cos()
        one[2 * i, 2 * i] = one[2 * i + 1, 2 * i + 1] = cosine
        one[2 * i, 2 * i + 1] = sine
        one[2 * i + 1, 2 * i] = -sine
    matrix = torch.eye(d_model)
    for _ in range(delta):
        matrix = one @ matrix
    return matrix


# Breaks "Along its diagonal stands one block of two by two for each hand": made for all sines first, then all cosines; wrong for d_model > 2.
def step_matrix__sines_before_cosines(delta, d_model, base):
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    cosine, sine = theta.cos().diag(), theta.sin().diag()
    upper = torch.cat([cosine, sine], dim=1)
    lower = torch.cat([-sine, cosine], dim=1)
    return torch.cat([upper, lower])


# Breaks "one block of two by two for each hand" along the diagonal: block i begins at i, not at 2i, and they overwrite each other (d_model > 2).
def step_matrix__blocks_overlap(delta, d_model, base):
    matrix = torch.zeros(d_model, d_model)
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    for i, (s, c) in enumerate(zip(theta.sin(), theta.cos())):
        matrix[i : i + 2, i : i + 2] = torch.tensor([[c, s], [-s, c]])
    return matrix


# Breaks "what is the matrix for delta = 0? The identity": a delta of 0 is taken for a missing one, and becomes 1.
def step_matrix__zero_taken_for_missing(delta, d_model, base):
    delta = delta or 1
    theta = angles(torch.tensor([delta]), d_model, base)[0]
    blocks = [
        torch.tensor([[c, s], [-s, c]]) for s, c in zip(theta.sin(), theta.cos())
    ]
    return torch.block_diag(*blocks)


# --- rotate_pairs ----------------------------------------------------------


# Breaks "Numbers that you compute have the dtype of those that you are given": float16 and float64 come out as float32.
def rotate_pairs__complex_float32(x, radians):
    pairs = x.float().reshape(*x.shape[:-1], -1, 2).contiguous()
    turns = torch.polar(torch.ones_like(radians.float()), radians.float())
    return torch.view_as_real(torch.view_as_complex(pairs) * turns).flatten(-2)


# Breaks "column i belongs to pair i": neighbours are paired, but the angles are laid out as for halves; wrong for K > 2.
def rotate_pairs__angles_laid_out_in_halves(x, radians):
    cosine = torch.cat([radians.cos(), radians.cos()], dim=-1)
    sine = torch.cat([radians.sin(), radians.sin()], dim=-1)
    partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * cosine + partner * sine


# Breaks "The pairs are neighbours": turned rightly, but then all first features stand before all second ones (K > 2).
def rotate_pairs__left_in_halves(x, radians):
    a, b = x[..., 0::2], x[..., 1::2]
    cosine, sine = radians.cos(), radians.sin()
    return torch.cat([a * cosine - b * sine, a * sine + b * cosine], dim=-1)


# Breaks "Gradients must flow through it": the angles are read without gradient, so radians never gets one.
def rotate_pairs__angles_without_gradient(x, radians):
    with torch.no_grad():
        cosine, sine = radians.cos(), radians.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    turned = [a * cosine - b * sine, a * sine + b * cosine]
    return torch.stack(turned, dim=-1).flatten(-2)


# --- shapes ----------------------------------------------------------------


# Breaks "each as a tuple of whole numbers": half of a head's width is a float, such as 4.0 (which equals 4).
def shapes__half_as_a_float(B, T, D, H):
    K = D // H
    return (T, D), (B, T, D), (T, K / 2), (B, H, T, K), (H, T, T)


# Breaks "all turned queries": K is halved for the angles, and the halved one is used for the queries.
def shapes__width_halved_before_use(B, T, D, H):
    K = D // H
    table = (T, D)
    words = (B, T, D)
    K = K // 2
    turns = (T, K)
    return table, words, turns, (B, H, T, K), (H, T, T)


# Breaks "ALiBi's bias for all heads": (B * H, 1, T) is how Bloom keeps it in Hugging Face; it is (H, T, T) here.
def shapes__bias_as_in_bloom(B, T, D, H):
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, H, T, K), (B * H, 1, T)


# Breaks "batch, heads, tokens, features" and "bias for all heads" for H = 1: the axis of the heads is left out.
def shapes__one_head_without_axis(B, T, D, H):
    K = D // H
    front = (H,) if H > 1 else ()
    return (T, D), (B, T, D), (T, K // 2), (B, *front, T, K), (*front, T, T)


# --- sees_only_distance ----------------------------------------------------


def _kept_and_moved(scores, width):
    for step in range(1, 32):
        for _ in range(4):
            here = torch.arange(32 - step)
            x = torch.randn(32 - step, width)
            yield scores(x, here), scores(x, here + step)


# Breaks "no score rises or falls by more than 0.001": compares softmaxes, so what a query's place adds to its whole row is not seen.
def sees_only_distance__compares_weights(scores, width):
    for kept, moved in _kept_and_moved(scores, width):
        change = kept.softmax(dim=-1) - moved.softmax(dim=-1)
        if change.abs().max() > 0.001:
            return False
    return True


# Breaks "rises or falls": without the absolute value, a head whose scores only fall with the places counts as True.
def sees_only_distance__rises_only(scores, width):
    for kept, moved in _kept_and_moved(scores, width):
        if (moved - kept).max() > 0.001:
            return False
    return True


# Breaks "if no score rises or falls": looks at the scores of the past only; a head that sees places in the future counts as True.
def sees_only_distance__past_only(scores, width):
    for kept, moved in _kept_and_moved(scores, width):
        if (moved - kept).tril().abs().max() > 0.001:
            return False
    return True


# Breaks "by more than 0.001": large scores may change by a hundredth of themselves, and the head still counts as True.
def sees_only_distance__relative_tolerance(scores, width):
    return all(
        torch.allclose(kept, moved, rtol=0.01, atol=0.001)
        for kept, moved in _kept_and_moved(scores, width)
    )


# --- alibi_bias ------------------------------------------------------------


# Breaks "the slope 2^(-8h / H)" for 16 heads and more: // makes whole numbers of the exponents.
def alibi_bias__whole_exponents(heads, T, S):
    slopes = torch.tensor([2.0 ** (-8 * h // heads) for h in range(1, heads + 1)])
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(distance < 0, -math.inf)


# Breaks "-slope * (t - u)": gives slope * u, as Bloom does, which differs by a number for each row (and not after softmax); all inputs with S > 1.
def alibi_bias__from_the_keys_alone(heads, T, S):
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    keys, queries = torch.arange(S), torch.arange(S - T, S)[:, None]
    bias = (slopes[:, None, None] * keys).expand(heads, T, S)
    return bias.masked_fill(keys > queries, -math.inf)


# Breaks "-inf if u > t" for T < S: the distances know that the queries are the last, the triangle does not.
def alibi_bias__triangle_not_moved(heads, T, S):
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)
    future = torch.ones(T, S, dtype=torch.bool).triu(1)
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(future, -math.inf)


# Breaks "-inf if u > t": gives the lowest finite number of float32 (all inputs with T > 1).
def alibi_bias__lowest_finite_number(heads, T, S):
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    distance = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distance
    return bias.masked_fill(distance < 0, torch.finfo(bias.dtype).min)


# --- extrapolate -----------------------------------------------------------


# Breaks "guesses at what follows each token of ids": behind `trained` it reads its own guesses, not the text.
def extrapolate__reads_its_own_guesses(model, ids, trained):
    start = ids[:trained]
    guesses = model(start, torch.arange(len(start))).argmax(dim=-1).tolist()
    read = start.tolist()
    for _ in range(trained, len(ids)):
        read.append(guesses[-1])
        window = torch.tensor(read[-trained:])
        guesses.append(int(model(window, torch.arange(trained))[-1].argmax()))
    return torch.tensor(guesses)


# Breaks "guesses at what follows each token": only whole windows are read; tokens behind the last whole one keep the guess 0.
def extrapolate__whole_windows_only(model, ids, trained):
    half = trained // 2
    step = trained - half
    guesses = torch.zeros(len(ids), dtype=torch.long)
    start = ids[:trained]
    guesses[:trained] = model(start, torch.arange(len(start))).argmax(dim=-1)
    for begin in range(step, len(ids) - trained + 1, step):
        logits = model(ids[begin : begin + trained], torch.arange(trained))
        guesses[begin + half : begin + trained] = logits[half:].argmax(dim=-1)
    return guesses


# Breaks "needs at most the trained // 2 tokens before it" for even `trained`: the first guess of each window has one token too few before it.
def extrapolate__even_windows_overlap_too_little(model, ids, trained):
    step = trained // 2 + 1
    overlap = trained - step
    start = ids[:trained]
    guesses = [model(start, torch.arange(len(start))).argmax(dim=-1)]
    for first in range(trained, len(ids), step):
        window = ids[first - overlap : first + step]
        logits = model(window, torch.arange(len(window)))
        guesses.append(logits[overlap:].argmax(dim=-1))
    return torch.cat(guesses)


# Breaks "The first `trained` of them are what the model says if it reads from the beginning": zeros are put in front of them as tokens.
def extrapolate__zeros_in_front(model, ids, trained):
    padded = torch.cat([ids.new_zeros(trained - 1), ids])
    places = torch.arange(trained)
    windows = padded.unfold(0, trained, 1)
    return torch.stack([model(w, places)[-1].argmax() for w in windows])
