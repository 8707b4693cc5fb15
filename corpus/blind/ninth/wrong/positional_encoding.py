import math

import torch


# angles
def angles__floor_hands(positions, width, base):
    """Intended: counts width // 2 hands, so for an odd width the hand of the half pair is missing."""
    i = torch.arange(width // 2)
    return positions[..., None] * base ** (-2 * i / width)


def angles__two_twice(positions, width, base):
    """Intended: counts 0, 2, 4, ... and multiplies by two again, so every hand but the first is far too slow."""
    even = torch.arange(0, width, 2)
    return positions[..., None] * base ** (-2 * even / width)


def angles__own_positions(positions, width, base):
    """Intended: counts 0 to T - 1 itself instead of using the given positions, so gaps and other orders are lost."""
    counted = torch.arange(positions.shape[-1]).expand(positions.shape)
    even = torch.arange(0, width, 2)
    return counted[..., None] * base ** (-even / width)


def angles__exponent_by_hands(positions, width, base):
    """Intended: takes i / hands as the exponent instead of 2i / width, which differs as soon as the width is odd (3 or more)."""
    hands = (width + 1) // 2
    return positions[..., None] * base ** (-torch.arange(hands) / hands)


def angles__outer_flattens(positions, width, base):
    """Intended: uses torch.outer on flattened positions, so axes in front of T are run together into one."""
    even = torch.arange(0, width, 2)
    return torch.outer(positions.flatten().float(), base ** (-even / width))


def angles__whole_turns_removed(positions, width, base):
    """Intended: extra step, takes the angles modulo a full turn, so every angle above 2 pi is not the one of the formula."""
    even = torch.arange(0, width, 2)
    return (positions[..., None] * base ** (-even / width)) % (2 * math.pi)


def angles__linspace_and_floor(positions, width, base):
    """Intended: two mistakes: spreads the exponents from 0 to 1 with the end included, so the last hand has speed 1 / base, and leaves out the half pair's hand."""
    hands = width // 2
    speeds = base ** -torch.linspace(0, 1, hands)
    return positions[..., None] * speeds


# sinusoidal
def sinusoidal__halves(positions, d_model, base):
    """Intended: puts all sines first and all cosines behind them instead of letting them take turns."""
    turned = angles(positions, d_model, base)
    return torch.cat([turned.sin(), turned.cos()], dim=-1)[..., :d_model]


def sinusoidal__integer_table(positions, d_model, base):
    """Intended: makes the empty table with the positions' own integer type, so sines and cosines are cut to whole numbers."""
    turned = angles(positions, d_model, base)
    table = positions.new_zeros(*positions.shape, d_model)
    table[..., 0::2] = turned.sin()
    table[..., 1::2] = turned.cos()[..., : d_model // 2]
    return table


def sinusoidal__odd_end_empty(positions, d_model, base):
    """Intended: loops over whole pairs only, so with an odd width the last column stays 0 instead of holding a sine."""
    turned = angles(positions, d_model, base)
    table = torch.zeros(*positions.shape, d_model)
    for i in range(d_model // 2):
        table[..., 2 * i] = turned[..., i].sin()
        table[..., 2 * i + 1] = turned[..., i].cos()
    return table


def sinusoidal__speed_per_column(positions, d_model, base):
    """Intended: gives every column its own speed base ** (-column / d_model), so the cosine of a pair has another angle than its sine."""
    turned = angles(positions, 2 * d_model, base)
    table = torch.zeros(*positions.shape, d_model)
    table[..., 0::2] = turned[..., 0::2].sin()
    table[..., 1::2] = turned[..., 1::2].cos()
    return table


def sinusoidal__width_rounded_up(positions, d_model, base):
    """Intended: makes the table for the next even width and cuts it off, so with an odd width all speeds but the first are wrong."""
    even_width = d_model + d_model % 2
    turned = angles(positions, even_width, base)
    pairs = torch.stack([turned.sin(), turned.cos()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


def sinusoidal__odd_drops_first(positions, d_model, base):
    """Intended: with an odd width throws away the first column instead of the last, so the row begins and ends with a cosine."""
    turned = angles(positions, d_model, base)
    pairs = torch.stack([turned.sin(), turned.cos()], dim=-1).flatten(-2)
    return pairs[..., pairs.shape[-1] - d_model :]


def sinusoidal__cosine_first_paper_base(positions, d_model, base):
    """Intended: two mistakes: cosines stand in the even columns and sines in the odd ones, and the base is always 10,000."""
    turned = angles(positions, d_model, 10_000)
    pairs = torch.stack([turned.cos(), turned.sin()], dim=-1)
    return pairs.flatten(-2)[..., :d_model]


# loop_table
def loop_table__halved_exponent(length, d_model):
    """Intended: corrects too much, takes i // 2 over d_model as the exponent, half of what it should be."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i // 2 / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__pairs_overlap(length, d_model):
    """Intended: lets i count pairs so that the exponent is right, but still writes to columns i and i + 1, so pairs overwrite each other and the right half stays empty."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range((d_model + 1) // 2):
            angle = t / 10_000 ** (2 * i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__odd_end_lost(length, d_model):
    """Intended: corrects the exponent but stops the loop at d_model - 1, so an odd width's last sine is missing."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model - 1, 2):
            angle = t / 10_000 ** (i / d_model)
            table[t, i] = math.sin(angle)
            table[t, i + 1] = math.cos(angle)
    return table


def loop_table__cosine_own_angle(length, d_model):
    """Intended: gives the cosine the exponent (i + 1) / d_model of its own column instead of its pair's angle."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            table[t, i] = math.sin(t / 10_000 ** (i / d_model))
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(t / 10_000 ** ((i + 1) / d_model))
    return table


def loop_table__row_zero_skipped(length, d_model):
    """Intended: corrects the exponent but begins at position 1 because angle 0 'gives zeros', so row 0 lacks its cosines of 1."""
    table = torch.zeros(length, d_model)
    for t in range(1, length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** (i / d_model)
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


def loop_table__parentheses_lost(length, d_model):
    """Intended: takes the two away together with the parentheses, so it divides by 10,000 to the i and then by d_model."""
    table = torch.zeros(length, d_model)
    for t in range(length):
        for i in range(0, d_model, 2):
            angle = t / 10_000 ** i / d_model
            table[t, i] = math.sin(angle)
            if i + 1 < d_model:
                table[t, i + 1] = math.cos(angle)
    return table


# count_positions
def count_positions__no_floor(real):
    """Intended: takes one off the running count and leaves it at that, so padding on the left gets -1 instead of 0."""
    return real.long().cumsum(dim=-1) - 1


def count_positions__strictly_before(real):
    """Intended: counts the real tokens before each place for padding too, so padding behind n tokens gets n instead of n - 1."""
    whole = real.long()
    return whole.cumsum(dim=-1) - whole


def count_positions__padding_zero(real):
    """Intended: sets all padding to 0, although padding behind a real token should take that token's number."""
    return (real.long().cumsum(dim=-1) - 1) * real.long()


def count_positions__first_axis(real):
    """Intended: counts along the first axis instead of the last, which is right for a single sentence only."""
    return (real.long().cumsum(dim=0) - 1).clamp(min=0)


def count_positions__only_left_edge(real):
    """Intended: subtracts the place of the first real token from 0, 1, 2, ..., so padding on the right or in the middle is counted as tokens."""
    first = real.long().argmax(dim=-1, keepdim=True)
    return (torch.arange(real.shape[-1]) - first).clamp(min=0)


def count_positions__small_integers(real):
    """Intended: counts in int8, which overflows to negative numbers (then clamped to 0) in sentences of more than 127 tokens."""
    counted = real.cumsum(dim=-1, dtype=torch.int8)
    return (counted - 1).clamp(min=0).long()


def count_positions__no_floor_first_axis(real):
    """Intended: two mistakes: counts down the batch instead of along the tokens, and leaves -1 where nothing real stood before."""
    return real.long().cumsum(dim=0) - 1


# add_table
def add_table__axis_only(x, table):
    """Intended: moves the table to the right axis but still takes as many rows as there are sentences, which fails (or repeats row 0 if B is 1) unless B equals T."""
    return x + table[: x.size(0)]


def add_table__last_rows(x, table):
    """Intended: takes the last T rows of the table, so token t gets row L - T + t, right only if L equals T."""
    return x + table[table.size(0) - x.size(1) :]


def add_table__in_place(x, table):
    """Intended: adds the right rows in place, so the x that the caller gave is changed."""
    x += table[: x.size(1)]
    return x


def add_table__table_detached(x, table):
    """Intended: right numbers, but detaches the table as if it were constant, so the learned positions get no gradient."""
    return x + table[: x.size(1)].detach()


def add_table__counts_through_batch(x, table):
    """Intended: goes on counting from one sentence to the next, so only the first sentence gets rows 0 to T - 1."""
    places = torch.arange(x.size(0) * x.size(1)).view(x.size(0), x.size(1))
    return x + table[places % table.size(0)]


def add_table__first_sentence(x, table):
    """Intended: adds the rows to the first sentence only, all others stay without positions."""
    out = x.clone()
    out[0] = out[0] + table[: x.size(1)]
    return out


def add_table__scaled_words(x, table):
    """Intended: extra step, multiplies the words by the root of the width first, as the paper does with its embeddings."""
    return x * math.sqrt(x.size(-1)) + table[: x.size(1)]


# step_matrix
def step_matrix__rotary_block(delta, d_model, base):
    """Intended: uses the usual rotation block (cos, -sin; sin, cos) for pairs (cos, sin), so it moves back by delta instead of on."""
    blocks = []
    for theta in angles(torch.tensor([delta]), d_model, base)[0]:
        c, s = theta.cos().item(), theta.sin().item()
        blocks.append(torch.tensor([[c, -s], [s, c]]))
    return torch.block_diag(*blocks)


def step_matrix__halves_layout(delta, d_model, base):
    """Intended: builds four diagonal quarters, as if all sines stood before all cosines, right only for d_model 2."""
    thetas = angles(torch.tensor([delta]), d_model, base)[0]
    c, s = torch.diag(thetas.cos()), torch.diag(thetas.sin())
    return torch.cat([torch.cat([c, s], dim=1), torch.cat([-s, c], dim=1)], dim=0)


def step_matrix__no_way_back(delta, d_model, base):
    """Intended: multiplies the matrix of one step delta times in a loop, which runs zero times for a negative delta and gives the identity."""
    blocks = []
    for theta in angles(torch.tensor([1]), d_model, base)[0]:
        c, s = theta.cos().item(), theta.sin().item()
        blocks.append(torch.tensor([[c, s], [-s, c]]))
    one = torch.block_diag(*blocks)
    matrix = torch.eye(d_model)
    for _ in range(int(delta)):
        matrix = one @ matrix
    return matrix


def step_matrix__one_angle(delta, d_model, base):
    """Intended: turns every pair by the angle of the first hand, right only for d_model 2."""
    theta = angles(torch.tensor([delta]), d_model, base)[0, 0]
    c, s = theta.cos().item(), theta.sin().item()
    block = torch.tensor([[c, s], [-s, c]])
    return torch.block_diag(*[block] * (d_model // 2))


def step_matrix__blocks_overlap(delta, d_model, base):
    """Intended: fills block i at row and column i instead of 2i, so blocks overwrite each other and the rest of the diagonal is empty."""
    matrix = torch.zeros(d_model, d_model)
    for i, theta in enumerate(angles(torch.tensor([delta]), d_model, base)[0]):
        c, s = theta.cos().item(), theta.sin().item()
        matrix[i : i + 2, i : i + 2] = torch.tensor([[c, s], [-s, c]])
    return matrix


def step_matrix__only_from_start(delta, d_model, base):
    """Intended: makes a matrix of rank one that takes the row of position 0 to that of position delta, but moves no other position rightly."""
    start, there = sinusoidal(torch.tensor([0, delta]), d_model, base)
    return torch.outer(there, start) / (start @ start)


def step_matrix__no_minus_paper_base(delta, d_model, base):
    """Intended: two mistakes: forgets the minus before the sine in the lower row, and always uses base 10,000."""
    blocks = []
    for theta in angles(torch.tensor([delta]), d_model, 10_000)[0]:
        c, s = theta.cos().item(), theta.sin().item()
        blocks.append(torch.tensor([[c, s], [s, c]]))
    return torch.block_diag(*blocks)


# rotate_pairs
def rotate_pairs__half_pairs(x, radians):
    """Intended: pairs feature i with feature i + K/2, as Llama in Hugging Face does, instead of neighbours."""
    a, b = x.chunk(2, dim=-1)
    c, s = radians.cos(), radians.sin()
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


def rotate_pairs__not_put_back(x, radians):
    """Intended: turns neighbours rightly but puts all first features before all second ones instead of letting them take turns."""
    a, b = x[..., 0::2], x[..., 1::2]
    c, s = radians.cos(), radians.sin()
    return torch.cat([a * c - b * s, a * s + b * c], dim=-1)


def rotate_pairs__old_one_lost(x, radians):
    """Intended: overwrites the first feature before computing the second, which is then made from the new first one."""
    a, b = x[..., 0::2], x[..., 1::2]
    c, s = radians.cos(), radians.sin()
    a = a * c - b * s
    b = a * s + b * c
    return torch.stack([a, b], dim=-1).flatten(-2)


def rotate_pairs__other_way_round(x, radians):
    """Intended: turns by minus theta, as if the clock's (sine, cosine) matrix applied, so (1, 0) by a quarter points to (0, -1)."""
    a, b = x[..., 0::2], x[..., 1::2]
    c, s = radians.cos(), radians.sin()
    return torch.stack([a * c + b * s, b * c - a * s], dim=-1).flatten(-2)


def rotate_pairs__angles_repeated_whole(x, radians):
    """Intended: widens the angles with repeat instead of repeat_interleave, so the features of a pair get the angles of other pairs, right only for K = 2."""
    c, s = radians.cos().repeat(1, 2), radians.sin().repeat(1, 2)
    partner = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * c + partner * s


def rotate_pairs__writes_into_x(x, radians):
    """Intended: computes both features from the old ones but writes them back into the given x instead of a new tensor."""
    a, b = x[..., 0::2].clone(), x[..., 1::2].clone()
    c, s = radians.cos(), radians.sin()
    x[..., 0::2] = a * c - b * s
    x[..., 1::2] = a * s + b * c
    return x


def rotate_pairs__partner_detached(x, radians):
    """Intended: right numbers, but makes the swapped partner from x.detach(), so half of the gradient is cut."""
    c = radians.cos().repeat_interleave(2, dim=-1)
    s = radians.sin().repeat_interleave(2, dim=-1)
    old = x.detach()
    partner = torch.stack([-old[..., 1::2], old[..., 0::2]], dim=-1).flatten(-2)
    return x * c + partner * s


# shapes
def shapes__table_per_sentence(B, T, D, H):
    """Intended: gives the table an axis for the sentences, although positions are the same for all."""
    K = D // H
    return (B, T, D), (B, T, D), (T, K // 2), (B, H, T, K), (H, T, T)


def shapes__positions_appended(B, T, D, H):
    """Intended: thinks that positions are put behind the words, so that the first layer reads 2 D features."""
    K = D // H
    return (T, D), (B, T, 2 * D), (T, K // 2), (B, H, T, K), (H, T, T)


def shapes__angle_per_feature(B, T, D, H):
    """Intended: gives every feature of the head its own angle, K instead of K / 2."""
    K = D // H
    return (T, D), (B, T, D), (T, K), (B, H, T, K), (H, T, T)


def shapes__angles_of_whole_model(B, T, D, H):
    """Intended: takes half of the model's width for the angles instead of half of a head's, right only for one head."""
    K = D // H
    return (T, D), (B, T, D), (T, D // 2), (B, H, T, K), (H, T, T)


def shapes__bias_per_sentence(B, T, D, H):
    """Intended: gives ALiBi's bias an axis for the sentences, although it is the same for all."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, H, T, K), (B, H, T, T)


def shapes__bias_is_one_row(B, T, D, H):
    """Intended: thinks that ALiBi's bias is one number per head and token like a position, so the axis of keys is missing."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, H, T, K), (H, T)


def shapes__heads_late_and_shared(B, T, D, H):
    """Intended: two mistakes: the turned queries have tokens before heads, and the bias has no axis for the heads."""
    K = D // H
    return (T, D), (B, T, D), (T, K // 2), (B, T, H, K), (T, T)


# sees_only_distance
def sees_only_distance__moves_by_eight(scores, width):
    """Intended: tries near and far places but only the one move by eight, so a clock that goes round in eight steps (or a change at places 30 and 31) is missed."""
    for here in (torch.arange(8), torch.arange(0, 24, 3)):
        x = torch.randn(8, width)
        change = (scores(x, here) - scores(x, here + 8)).abs().max()
        if change > 0.001:
            return False
    return True


def sees_only_distance__near_only(scores, width):
    """Intended: makes all moves with eight tokens side by side, so a head that sees places only for tokens far apart counts as True."""
    x = torch.randn(8, width)
    here = torch.arange(8)
    first = scores(x, here)
    for move in range(1, 25):
        if (scores(x, here + move) - first).abs().max() > 0.001:
            return False
    return True


def sees_only_distance__rises_only(scores, width):
    """Intended: looks for scores that rise and forgets the absolute value, so a head whose scores only fall when all tokens move on counts as True."""
    for gap in range(1, 32):
        x = torch.randn(2, width)
        here = torch.tensor([0, gap])
        first = scores(x, here)
        for move in range(1, 32 - gap):
            if (scores(x, here + move) - first).max() > 0.001:
                return False
    return True


def sees_only_distance__exactly_equal(scores, width):
    """Intended: wants the scores bit by bit equal instead of within 0.001, so a rotary head is called False because of rounding."""
    for gap in range(1, 32):
        x = torch.randn(2, width)
        here = torch.tensor([0, gap])
        first = scores(x, here)
        for move in range(1, 32 - gap):
            if not torch.equal(scores(x, here + move), first):
                return False
    return True


def sees_only_distance__first_move_decides(scores, width):
    """Intended: return True stands inside the loop, so the very first comparison (places 0 and 1 against 1 and 2) decides all."""
    for gap in range(1, 32):
        x = torch.randn(2, width)
        here = torch.tensor([0, gap])
        first = scores(x, here)
        for move in range(1, 32 - gap):
            if (scores(x, here + move) - first).abs().max() > 0.001:
                return False
            return True


def sees_only_distance__last_place_missed(scores, width):
    """Intended: stops one move too early, so no moved token ever stands at place 31 and a head that is different only there counts as True."""
    for gap in range(1, 31):
        x = torch.randn(2, width)
        here = torch.tensor([0, gap])
        first = scores(x, here)
        for move in range(1, 31 - gap):
            if (scores(x, here + move) - first).abs().max() > 0.001:
                return False
    return True


def sees_only_distance__zero_tokens(scores, width):
    """Intended: tries all moves and distances, but on tokens of zeros, which stay zero however they are turned, so a head that turns its queries only counts as True."""
    x = torch.zeros(2, width)
    for gap in range(1, 32):
        here = torch.tensor([0, gap])
        first = scores(x, here)
        for move in range(1, 32 - gap):
            if (scores(x, here + move) - first).abs().max() > 0.001:
                return False
    return True


# alibi_bias
def alibi_bias__first_queries(heads, T, S):
    """Intended: lets the queries be the first T of the S tokens instead of the last, right only if T equals S."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    distances = torch.arange(T)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distances
    return bias.masked_fill(distances < 0, -math.inf)


def alibi_bias__halving_slopes(heads, T, S):
    """Intended: takes the slopes 1/2, 1/4, 1/8, ... for any number of heads, which is right only for 8 heads."""
    slopes = 0.5 ** torch.arange(1, heads + 1)
    distances = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distances
    return bias.masked_fill(distances < 0, -math.inf)


def alibi_bias__nan_mask(heads, T, S):
    """Intended: adds the mask as 0 or 1 times minus infinity, and 0 times infinity is nan, so all allowed places are nan."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    distances = torch.arange(S - T, S)[:, None] - torch.arange(S)
    future = (distances < 0).float()
    return -slopes[:, None, None] * distances + future * -math.inf


def alibi_bias__self_masked(heads, T, S):
    """Intended: masks distance 0 too, so no token may look at itself and the first one at nothing."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    distances = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distances
    return bias.masked_fill(distances <= 0, -math.inf)


def alibi_bias__future_by_distance(heads, T, S):
    """Intended: forgets the causal mask and takes off the absolute distance in the future as well."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    distances = torch.arange(S - T, S)[:, None] - torch.arange(S)
    return -slopes[:, None, None] * distances.abs()


def alibi_bias__far_is_better(heads, T, S):
    """Intended: forgets the minus sign, so far keys get a bonus instead of a penalty."""
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    distances = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = slopes[:, None, None] * distances
    return bias.masked_fill(distances < 0, -math.inf)


def alibi_bias__from_zero_finite(heads, T, S):
    """Intended: two mistakes: counts the heads from 0, so the first slope is 1, and fills the future with -1e9 instead of minus infinity."""
    slopes = 2.0 ** (-8 * torch.arange(heads) / heads)
    distances = torch.arange(S - T, S)[:, None] - torch.arange(S)
    bias = -slopes[:, None, None] * distances
    return bias.masked_fill(distances < 0, -1e9)


# extrapolate
def extrapolate__squeezed_places(model, ids, trained):
    """Intended: squeezes the places of a long text into 0 to trained - 1, so several tokens share a place and the model sees neighbours wrongly."""
    length = len(ids)
    places = torch.arange(length)
    if length > trained:
        places = places * trained // length
    return model(ids, places).argmax(dim=-1)


def extrapolate__no_overlap(model, ids, trained):
    """Intended: cuts the text into windows side by side, so the first tokens of each later window have too little before them."""
    pieces = [torch.zeros(0, dtype=torch.long)]
    for start in range(0, len(ids), trained):
        window = ids[start : start + trained]
        pieces.append(model(window, torch.arange(len(window))).argmax(dim=-1))
    return torch.cat(pieces)


def extrapolate__window_one_too_long(model, ids, trained):
    """Intended: gives each later token a window of trained + 1 tokens, so it stands at place trained, whose vector was never trained."""
    begin = ids[:trained]
    guesses = list(model(begin, torch.arange(len(begin))).argmax(dim=-1))
    for t in range(trained, len(ids)):
        window = ids[t - trained : t + 1]
        guesses.append(model(window, torch.arange(len(window)))[-1].argmax())
    return torch.stack(guesses)


def extrapolate__half_counts_itself(model, ids, trained):
    """Intended: later windows have trained // 2 tokens with the token itself, so one of the needed tokens before it is missing."""
    begin = ids[:trained]
    guesses = list(model(begin, torch.arange(len(begin))).argmax(dim=-1))
    size = max(1, trained // 2)
    for t in range(trained, len(ids)):
        window = ids[t - size + 1 : t + 1]
        guesses.append(model(window, torch.arange(size))[-1].argmax())
    return torch.stack(guesses)


def extrapolate__tail_forgotten(model, ids, trained):
    """Intended: uses overlapping windows rightly but only full ones, so guesses behind the last full window stay 0."""
    guesses = torch.zeros(len(ids), dtype=torch.long)
    begin = ids[:trained]
    guesses[:trained] = model(begin, torch.arange(len(begin))).argmax(dim=-1)
    half = trained // 2
    step = trained - half
    start = step
    while start + trained <= len(ids):
        window = ids[start : start + trained]
        found = model(window, torch.arange(trained)).argmax(dim=-1)
        guesses[start + half : start + trained] = found[half:]
        start += step
    return guesses


def extrapolate__reads_its_own_guesses(model, ids, trained):
    """Intended: behind the first trained tokens it lets the model write on from its own guesses instead of reading the given text."""
    begin = ids[:trained]
    guesses = list(model(begin, torch.arange(len(begin))).argmax(dim=-1))
    text = list(begin)
    for t in range(trained, len(ids)):
        text.append(guesses[-1])
        window = torch.stack(text[-trained:])
        guesses.append(model(window, torch.arange(trained))[-1].argmax())
    return torch.stack(guesses)


def extrapolate__true_places(model, ids, trained):
    """Intended: gives each later token a window of its own with the right tokens, but at their places in the whole text instead of from 0 on, where the table is random."""
    begin = ids[:trained]
    guesses = list(model(begin, torch.arange(len(begin))).argmax(dim=-1))
    for t in range(trained, len(ids)):
        places = torch.arange(t - trained + 1, t + 1)
        guesses.append(model(ids[places], places)[-1].argmax())
    return torch.stack(guesses)
