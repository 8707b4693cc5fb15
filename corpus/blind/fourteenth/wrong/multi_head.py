import torch
import torch.nn.functional as F


# Cuts the last axis into (d_k, heads) instead of (heads, d_k): head h gets every
# heads-th number, not the h-th stretch of neighbours.
def split_heads__every_other_number(x, heads):
    *front, T, D = x.shape
    parts = x.reshape(*front, T, D // heads, heads)
    return parts.movedim(-1, -3)


# Counts the axes to exchange from the front: right for (B, T, D) only. With no
# batch, or two axes in front, others change places. Line: .transpose(1, 2)
def split_heads__axes_from_front(x, heads):
    parts = x.view(*x.shape[:-1], heads, x.size(-1) // heads)
    return parts.transpose(1, 2)


# Moves the heads behind the features: (..., T, d_k, H), so that the heads' numbers
# take turns instead of standing end to end. Line: x.movedim(-3, -1)
def merge_heads__heads_last(x):
    return x.movedim(-3, -1).flatten(-2)


# Takes q, k and v as taking turns in the columns (0, 3, 6, ... for the queries)
# instead of lying side by side in thirds.
def packed_projection__taking_turns(x, W):
    y = torch.matmul(x, W)
    return y[..., 0::3], y[..., 1::3], y[..., 2::3]


# F.linear multiplies by the transposed matrix: the output is merged @ W_o.T
# instead of merged @ W_o. Line: F.linear(merge_heads(mixed), W_o)
def multi_head__linear_transposes(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    mixed, weights = attention(q, k, v, mask)
    return F.linear(merge_heads(mixed), W_o), weights


# Puts the heads' axis of the mask at place 1 counted from the front: right for
# (B, T, T), but a mask (T, T) becomes (T, 1, T), wrong. Line: mask.unsqueeze(1)
def multi_head__mask_axis_from_front(x, W, W_o, heads, mask=None):
    q, k, v = packed_projection(x, W)
    q = split_heads(q, heads)
    k = split_heads(k, heads)
    v = split_heads(v, heads)
    if mask is not None:
        mask = mask.unsqueeze(1)
    out, weights = attention(q, k, v, mask)
    return merge_heads(out) @ W_o, weights


# Repeats each key head G times (the number of groups) instead of H / G times: the
# heads fit only if H is G * G. Line: groups = k.size(-3)
def grouped_query__repeats_by_groups(q, k, v):
    groups = k.size(-3)
    k = k.repeat_interleave(groups, dim=-3)
    v = v.repeat_interleave(groups, dim=-3)
    return attention(q, k, v)


# Corrects the way in only: on the way back the transpose before the reshape is
# missing. Line: return mixed.reshape(B, T, D)
def talk__only_way_in(x, heads):
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


# Cuts rightly but never transposes: attention works on (heads, d_k), so the heads
# of one word attend to each other and the words never meet.
def talk__no_transpose(x, heads):
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


# Marks queries as well as keys, with `real` (B, S) for the T queries: padded
# queries get no weights, and it fails where T is not S.
def padded_heads__queries_too(q, k, v, real):
    mask = real[:, None, :, None] & real[:, None, None, :]
    return attention(q, k, v, mask)


# Two mistakes: takes the head that changes the loss most in either direction (abs), so
# one that does harm can win; and the shift is the wrong way, [1:] against text[:-1].
def which_head__any_change_shift_back(model, text, layers, heads):
    whole = F.cross_entropy(model(text, [])[1:], text[:-1]).item()
    best, largest = (0, 0), -1.0
    for layer in range(layers):
        for head in range(heads):
            loss = F.cross_entropy(model(text, [(layer, head)])[1:], text[:-1])
            change = abs(loss.item() - whole)
            if change > largest:
                best, largest = (layer, head), change
    return best


# Silences all heads but the one that is tried, and takes the one with which alone
# the loss is smallest; asked is one silenced head and all others going on.
def which_head__alone(model, text, layers, heads):
    every = [(layer, head) for layer in range(layers) for head in range(heads)]
    losses = {}
    for one in every:
        silenced = [other for other in every if other != one]
        logits = model(text, silenced)
        losses[one] = F.cross_entropy(logits[:-1], text[1:]).item()
    return min(losses, key=losses.get)


# x.split(heads) makes pieces that are `heads` wide, not `heads` pieces: right only if
# the number of heads equals d_k (4 numbers, 2 heads).
def split_heads__pieces_of_heads(x, heads):
    return torch.stack(x.split(heads, dim=-1), dim=-3)


# Takes axis 1 for the heads: right for (B, H, T, d_k), wrong for (H, T, d_k) without a
# batch and for more axes in front.
def merge_heads__axis_one(x):
    answers = [x[:, h] for h in range(x.shape[1])]
    return torch.cat(answers, dim=-1)


# Cuts the product into parts as wide as x: right only if H * d_k equals D.
def packed_projection__parts_of_D(x, W):
    y = x @ W
    D = x.size(-1)
    return y[..., :D], y[..., D : 2 * D], y[..., 2 * D :]


# einsum names exactly one axis in front: x (T, D) or (A, B, T, D) is an error.
def packed_projection__one_batch_axis(x, W):
    W_q, W_k, W_v = W.chunk(3, dim=1)
    return tuple(torch.einsum("btd,dk->btk", x, M) for M in (W_q, W_k, W_v))


# Batch and heads are made one axis, sentence by sentence, but mask.repeat(heads, 1, 1)
# runs through all sentences for each head: sentences and heads are mixed up where B > 1
# and the masks differ.
def multi_head__repeat_order(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(y, heads) for y in packed_projection(x, W))
    front = q.shape[:-2]
    q, k, v = (y.reshape(-1, *y.shape[-2:]) for y in (q, k, v))
    if mask is not None and mask.dim() == 3:
        mask = mask.repeat(heads, 1, 1)
    found, weights = attention(q, k, v, mask)
    found = found.view(*front, *found.shape[-2:])
    weights = weights.view(*front, *weights.shape[-2:])
    return merge_heads(found) @ W_o, weights


# Guesses from the size of its first axis whether a mask differs from sentence to
# sentence: a (T, T) mask in a batch of B == T gets the heads' axis in the wrong place.
def multi_head__guesses_batch(x, W, W_o, heads, mask=None):
    q, k, v = packed_projection(x, W)
    q, k, v = split_heads(q, heads), split_heads(k, heads), split_heads(v, heads)
    if mask is not None and mask.size(0) == x.size(0):
        mask = mask.unsqueeze(1)
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


# arange(H) // G instead of // (H // G): right only if H is G * G. With H = 6 and G = 3
# the last key head is never read, with G = 2 the index is out of range.
def grouped_query__floor_by_groups(q, k, v):
    H, G = q.size(-3), k.size(-3)
    lender = torch.arange(H) // G
    k = k.index_select(-3, lender)
    v = v.index_select(-3, lender)
    return attention(q, k, v)


# The last axis is cut as (D / heads, heads): head h gets every heads-th number, not
# neighbours. Consistent on the way back; right only for one head or heads of width 1.
def talk__every_other_number(x, heads):
    B, T, D = x.shape
    parts = x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.permute(0, 2, 3, 1).reshape(B, T, D)


# The words' axis is found by size: if T equals the number of heads nothing is moved on
# the way back. Line `if mixed.size(1) != T`.
def talk__square_not_moved(x, heads):
    B, T, D = x.shape
    parts = x.view(B, T, heads, -1).transpose(1, 2)
    mixed, _ = attention(parts, parts, parts)
    if mixed.size(1) != T:
        mixed = mixed.transpose(1, 2)
    return mixed.reshape(B, T, D)


# real.repeat(H, 1) lays the sentences one below the other, again and again; viewed as
# (B, H) sentence 0 gets the rows of sentences 0, 1, ...: right only if all are alike.
def padded_heads__repeat_then_view(q, k, v, real):
    B, H = q.shape[:2]
    mask = real.repeat(H, 1).view(B, H, 1, -1)
    return attention(q, k, v, mask)


# Padding is hidden as a query too, with the mask of the keys: queries at padded places
# get weights of 0, and with T different from S it is an error.
def padded_heads__queries_too_too(q, k, v, real):
    mask = real[:, None, None, :] & real[:, None, :, None]
    return attention(q, k, v, mask)


# Measures the mean probability of the next words, not the mean of its logarithm: one
# word that becomes nearly impossible hardly counts.
def which_head__mean_probability(model, text, layers, heads):
    places = torch.arange(len(text) - 1)
    worst, needed = None, None
    for layer in range(layers):
        for head in range(heads):
            p = model(text, [(layer, head)])[:-1].softmax(dim=-1)
            loss = 1 - p[places, text[1:]].mean().item()
            if worst is None or loss > worst:
                worst, needed = loss, (layer, head)
    return needed


# The rise has to be above 0 to be noted: if every head does harm (all rises negative),
# None comes back instead of the head with the largest.
def which_head__only_if_it_rises(model, text, layers, heads):
    def loss(silenced):
        return F.cross_entropy(model(text, silenced)[:-1], text[1:]).item()

    whole = loss([])
    most, needed = 0.0, None
    for pair in [(i, j) for i in range(layers) for j in range(heads)]:
        rise = loss([pair]) - whole
        if rise > most:
            most, needed = rise, pair
    return needed
