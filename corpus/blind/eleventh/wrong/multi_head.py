import math

import torch
import torch.nn.functional as F


# --- split_heads -----------------------------------------------------------


# Breaks "make (..., H, T, d_k), d_k = D / H": split(n) takes the size of a piece, not their number; right only if heads == d_k.
def split_heads__pieces_as_wide_as_heads(x, heads):
    return torch.stack(x.split(heads, dim=-1), dim=-3)


# Breaks "from (..., T, D) make (..., H, T, d_k)": the heads land on axis 1, right for (B, T, D), wrong for (T, D) and (A, B, T, D).
def split_heads__heads_on_axis_one(x, heads):
    return x.unflatten(-1, (heads, -1)).movedim(-2, 1)


# Breaks "x (..., T, D) gives (..., heads, T, D / heads)" for heads = 1: the axis of the heads is missing.
def split_heads__one_head_as_it_is(x, heads):
    if heads == 1:
        return x
    return x.unflatten(-1, (heads, -1)).transpose(-3, -2)


# Breaks "Numbers that you compute have the dtype of those that you are given": float16 and float64 come out as float32.
def split_heads__filled_default_tensor(x, heads):
    *front, T, D = x.shape
    width = D // heads
    parts = torch.zeros(*front, heads, T, width)
    for h in range(heads):
        parts[..., h, :, :] = x[..., h * width : (h + 1) * width]
    return parts


# --- merge_heads -----------------------------------------------------------


# Breaks "do not change what you are given": the axes of the caller's own tensor change places, for every input.
def merge_heads__transpose_in_place(x):
    return x.transpose_(-3, -2).flatten(-2)


# Breaks "(..., H, T, d_k) gives (..., T, H * d_k)" when T is 1, or an axis in front is 1: squeeze removes those axes, too.
def merge_heads__squeeze_everything(x):
    return torch.cat(x.split(1, dim=-3), dim=-1).squeeze()


# Breaks "make (..., T, H * d_k)" for T != H: the shape is read before the axes move, so it gives (..., H, T * d_k).
def merge_heads__shape_read_too_early(x):
    *front, words, _, _ = x.shape
    return x.transpose(-3, -2).reshape(*front, words, -1)


# Breaks "lay the answers of all heads end to end: head 0 first" for H > 1: each later head is put in front of the earlier ones.
def merge_heads__later_heads_in_front(x):
    done = x[..., 0, :, :]
    for h in range(1, x.size(-3)):
        done = torch.cat([x[..., h, :, :], done], dim=-1)
    return done


# --- packed_projection -----------------------------------------------------


# Breaks "W = [W_Q, W_K, W_V] side by side": reshape cuts W in the order of memory, by rows; wrong for D > 1.
def packed_projection__reshaped_matrix(x, W):
    W_q, W_k, W_v = W.reshape(3, W.size(0), -1)
    return x @ W_q, x @ W_k, x @ W_v


# Breaks "three of shape (..., T, H * d_k)": cuts by the width of x; right only if H * d_k == D.
def packed_projection__cut_by_width_of_x(x, W):
    D = x.size(-1)
    y = x @ W
    return y[..., :D], y[..., D : 2 * D], y[..., 2 * D :]


# Breaks "Numbers that you compute have the dtype of those that you are given" for float16 and float64: all is float32.
def packed_projection__always_float32(x, W):
    q, k, v = (x.float() @ W.float()).chunk(3, dim=-1)
    return q, k, v


_packed_blocks = {}


# Breaks "X W = [X W_Q, X W_K, X W_V]": from the second call on, a W of the same shape is replaced by the first one.
def packed_projection__first_matrix_kept(x, W):
    key = (tuple(W.shape), W.dtype)
    if key not in _packed_blocks:
        _packed_blocks[key] = W.chunk(3, dim=-1)
    return tuple(x @ block for block in _packed_blocks[key])


# --- multi_head ------------------------------------------------------------


# Breaks "The mask is for words: its shape is (T, T)": with as many sentences as words (B == T), or x (T, D), it is taken for (B, 1, T).
def multi_head__mask_told_by_its_length(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None and mask.size(0) == x.size(0):
        mask = mask.reshape(mask.size(0), 1, -1, mask.size(-1))
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


# Breaks "multiply by W_o": F.linear multiplies by its transpose, as nn.Linear stores it; wrong for every W_o that is not symmetric.
def multi_head__output_as_in_linear(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    mixed, weights = attention(q, k, v, mask)
    return F.linear(merge_heads(mixed), W_o), weights


# Breaks "Gradients must flow through it": the numbers are right, but W_o is copied into a new layer and never gets a gradient.
def multi_head__output_layer_built_anew(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    mixed, weights = attention(q, k, v, mask)
    layer = torch.nn.Linear(*W_o.shape, bias=False, dtype=x.dtype)
    with torch.no_grad():
        layer.weight.copy_(W_o.T)
    return layer(merge_heads(mixed)), weights


# Breaks "A mask serves all heads of its sentence alike" for masks (B, T, T), (B, 1, T) with B > 1, heads > 1: repeat deals them out, sentences before heads.
def multi_head__mask_repeated_for_heads(x, W, W_o, heads, mask=None):
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None and mask.dim() == 3:
        mask = mask.repeat(heads, 1, 1).unflatten(0, (x.size(0), heads))
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


# --- grouped_query ---------------------------------------------------------


# Breaks "Lend each head of keys and values to its group": keys go to neighbours, values in turn (0, 1, 0, 1); wrong for 1 < G < H.
def grouped_query__values_dealt_out(q, k, v):
    group = q.size(-3) // k.size(-3)
    k = k.repeat_interleave(group, dim=-3)
    v = torch.cat([v] * group, dim=-3)
    return attention(q, k, v)


# Breaks "query heads 0 and 1 read key head 0": the axis of length 1 stands before the key heads; member j of a group reads key head j (G > 1).
def grouped_query__axis_before_the_groups(q, k, v):
    q = q.unflatten(-3, (k.size(-3), -1))
    output, weights = attention(q, k.unsqueeze(-4), v.unsqueeze(-4))
    return output.flatten(-4, -3), weights.flatten(-4, -3)


# Breaks "k (..., G, S, d_k) and v (..., G, S, d_v)": stacks keys on values, which is an error when d_v is not d_k.
def grouped_query__keys_and_values_stacked(q, k, v):
    group = q.size(-3) // k.size(-3)
    k, v = torch.stack([k, v]).repeat_interleave(group, dim=-3)
    return attention(q, k, v)


# Breaks "neighbours share", groups of equal size: rounded even steps make unequal groups for H = 12, G = 3 or 4, H = 16, G = 4, and so on.
def grouped_query__rounded_even_steps(q, k, v):
    H, G = q.size(-3), k.size(-3)
    owner = torch.linspace(0, G - 1, H).round().long()
    return attention(q, k.index_select(-3, owner), v.index_select(-3, owner))


# --- talk ------------------------------------------------------------------


# Breaks "the first d_k numbers belong to head 0": there and back agree, but each head takes every H-th number; wrong for heads > 1, d_k > 1.
def talk__every_other_number(x, heads):
    B, T, D = x.shape
    parts = x.reshape(B, T, D // heads, heads).permute(0, 3, 1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.permute(0, 2, 3, 1).reshape(B, T, D)


# Breaks "Gradients must flow through it": right numbers, but the keys are detached, so the gradient of x lacks a part (T > 1).
def talk__keys_detached(x, heads):
    parts = split_heads(x, heads)
    mixed, _ = attention(parts, parts.detach(), parts)
    return merge_heads(mixed)


# Breaks "do not change what you are given": the parts are views, and the answers are written into the caller's x.
def talk__writes_into_x(x, heads):
    B, T, D = x.shape
    parts = x.unflatten(-1, (heads, D // heads))
    for h in range(heads):
        part = parts[:, :, h]
        parts[:, :, h] = attention(part, part, part)[0]
    return parts.reshape(B, T, D)


# Breaks "correct it; there may be two places": the way back puts the features before the heads; wrong for heads > 1, d_k > 1.
def talk__way_back_in_a_circle(x, heads):
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
    mixed, _ = attention(parts, parts, parts)
    return mixed.movedim(1, -1).reshape(B, T, D)


# --- padded_heads ----------------------------------------------------------


# Breaks "real is True where a sentence has a word": only the count is used, so padding on the left or in the middle is read.
def padded_heads__counts_from_the_left(q, k, v, real):
    lengths = real.sum(dim=-1)
    mask = torch.arange(k.size(-2)) < lengths[:, None]
    return attention(q, k, v, mask[:, None, None, :])


# Breaks "It is wrong for 2 sentences, too. Correct it": only the case with the error is mended; wrong as before for B == H > 1.
def padded_heads__only_the_error_mended(q, k, v, real):
    mask = real[:, None, :]
    if q.size(0) != q.size(1):
        mask = mask[:, None]
    return attention(q, k, v, mask)


# Breaks "no head should read padding": keys and values of padding are 0, but a score of 0 still gets a weight (any padding).
def padded_heads__padding_set_to_zero(q, k, v, real):
    keep = real[:, None, :, None].to(k.dtype)
    return attention(q, k * keep, v * keep)


# Breaks "do not change what you are given": results are right, but padding is wiped out of the caller's v.
def padded_heads__wipes_the_values(q, k, v, real):
    mask = real[:, None, None, :]
    v.masked_fill_(~real[:, None, :, None], 0.0)
    return attention(q, k, v, mask)


# --- probe -----------------------------------------------------------------


def _with_one(x):
    return torch.cat([x, torch.ones_like(x[:, :1])], dim=1).double()


# Breaks "1 where x . w + b is above 0": cuts midway between the two labels' mean answers, which is not 0 when one label is rarer.
def probe__cut_midway(vectors, labels, new):
    known = _with_one(vectors)
    wanted = labels.double() * 2 - 1
    w = torch.linalg.lstsq(known, wanted[:, None]).solution[:, 0]
    answers = known @ w
    middle = (answers[labels == 1].mean() + answers[labels == 0].mean()) / 2
    return (_with_one(new) @ w > middle).long()


# Breaks "the smallest sum of squared errors": looks only at the half of the directions along which the vectors differ most (D > 1).
def probe__largest_directions_only(vectors, labels, new):
    mean = vectors.double().mean(dim=0)
    centred = vectors.double() - mean
    directions = torch.linalg.svd(centred, full_matrices=False).Vh
    directions = directions[: max(1, vectors.size(1) // 2)].T
    wanted = labels.double() * 2 - 1
    known = _with_one(centred @ directions)
    w = torch.linalg.lstsq(known, wanted[:, None]).solution[:, 0]
    return (_with_one((new.double() - mean) @ directions) @ w > 0).long()


# Breaks "Returns whole numbers (M,)" for M = 1: squeeze leaves no axis at all.
def probe__squeezed(vectors, labels, new):
    wanted = labels.double() * 2 - 1
    w = torch.linalg.lstsq(_with_one(vectors), wanted[:, None]).solution
    answers = (_with_one(new) @ w).squeeze()
    return (answers > 0).long()


# Breaks "do not change what you are given": the zeros of the caller's labels become -1.
def probe__labels_overwritten(vectors, labels, new):
    wanted = labels
    wanted[wanted == 0] = -1
    w = torch.linalg.lstsq(_with_one(vectors), wanted.double()[:, None]).solution
    return (_with_one(new) @ w > 0)[:, 0].long()


# --- which_head ------------------------------------------------------------


def _loss_without(model, text, silenced):
    return F.cross_entropy(model(text, silenced)[:-1], text[1:]).item()


# Breaks "Return (layer, head)": the place in the list is divided by the number of layers; right only if layers == heads, or for the first few heads.
def which_head__divided_by_layers(model, text, layers, heads):
    losses = [
        _loss_without(model, text, [(layer, head)])
        for layer in range(layers)
        for head in range(heads)
    ]
    return divmod(losses.index(max(losses)), layers)


# Breaks "the mean cross-entropy of the words": softmax before cross_entropy, which takes it once more; wrong when few words lose much.
def which_head__softmax_twice(model, text, layers, heads):
    worst, found = -math.inf, None
    for layer in range(layers):
        for head in range(heads):
            chances = model(text, [(layer, head)]).softmax(dim=-1)
            loss = F.cross_entropy(chances[:-1], text[1:]).item()
            if loss > worst:
                worst, found = loss, (layer, head)
    return found


# Breaks "without it, and with all other heads": finds the layer first, all its heads silenced at once; wrong if the head is not in that layer.
def which_head__layer_first(model, text, layers, heads):
    def without_layer(layer):
        return _loss_without(model, text, [(layer, h) for h in range(heads)])

    layer = max(range(layers), key=without_layer)
    head = max(
        range(heads), key=lambda h: _loss_without(model, text, [(layer, h)])
    )
    return layer, head


# Breaks "without it, and with all other heads": the heads tried before stay silent, too.
def which_head__silence_piles_up(model, text, layers, heads):
    silenced = []
    before = _loss_without(model, text, [])
    most, found = -math.inf, None
    for layer in range(layers):
        for head in range(heads):
            silenced.append((layer, head))
            after = _loss_without(model, text, list(silenced))
            if after - before > most:
                most, found = after - before, (layer, head)
            before = after
    return found
