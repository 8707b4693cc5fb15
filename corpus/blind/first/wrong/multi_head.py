"""Wrong answers to the exercise on several heads, written blind."""

import math

import torch


def split_heads__every_hth(x, heads):
    """each head takes every H-th number instead of neighbouring ones"""
    return x.unflatten(-1, (-1, heads)).movedim(-1, -3)


def split_heads__axes_from_front(x, heads):
    """the axes are counted from the front, assuming one batch axis"""
    d_k = x.shape[-1] // heads
    cut = x.reshape(*x.shape[:-1], heads, d_k)
    return cut.transpose(1, 2)


def split_heads__stacked_first(x, heads):
    """the heads come before the batch instead of behind it"""
    pieces = x.chunk(heads, dim=-1)
    return torch.stack(pieces)


def merge_heads__take_turns(x):
    """the heads' numbers take turns instead of lying end to end"""
    return torch.einsum("...htd->...tdh", x).flatten(-2)


def merge_heads__first_axis(x):
    """the first axis is taken for the heads, even with a batch"""
    answers = [head for head in x]
    return torch.cat(answers, dim=-1)


def packed_projection__width_of_x(x, W):
    """the product is cut by x's width, not by W's columns"""
    d = x.size(-1)
    y = x @ W
    q = y[..., :d]
    k = y[..., d : 2 * d]
    v = y[..., 2 * d :]
    return q, k, v


def packed_projection__matrix_reshaped(x, W):
    """the matrix is reshaped into three, which mixes rows and columns"""
    three = W.reshape(3, x.size(-1), -1)
    q, k, v = (torch.einsum("...d,de->...e", x, matrix) for matrix in three)
    return q, k, v


def multi_head__whole_width_scale(x, W, W_o, heads, mask=None):
    """the scores are divided by the root of the whole width"""
    D = x.shape[-1]
    q, k, v = (split_heads(y, heads) for y in packed_projection(x, W))
    scores = torch.einsum("...td,...sd->...ts", q, k) / math.sqrt(D)
    if mask is not None:
        allowed = mask.unsqueeze(-3)
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~allowed, 0.0)
    merged = torch.einsum("...hts,...hsd->...thd", weights, v).flatten(-2)
    return merged @ W_o, weights


def multi_head__mask_axis_one(x, W, W_o, heads, mask=None):
    """the mask's head axis is put second, wrong for a (T, T) mask"""
    q, k, v = packed_projection(x, W)
    q = split_heads(q, heads)
    k = split_heads(k, heads)
    v = split_heads(v, heads)
    if mask is not None:
        mask = mask.unsqueeze(1)
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


def multi_head__bare_reshape_back(x, W, W_o, heads, mask=None):
    """the heads are joined by reshape without moving the axes back"""
    d_k = x.shape[-1] // heads

    def project(y):
        return y.unflatten(-1, (heads, d_k)).transpose(-3, -2)

    q, k, v = map(project, torch.chunk(x @ W, 3, dim=-1))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    out, weights = attention(q, k, v, mask)
    out = out.reshape(x.shape)
    return out @ W_o, weights


def multi_head__linear_transposes(x, W, W_o, heads, mask=None):
    """W_o is applied transposed"""
    q, k, v = [split_heads(part, heads) for part in packed_projection(x, W)]
    if mask is not None:
        mask = mask[..., None, :, :]
    mixed, weights = attention(q, k, v, mask)
    return torch.nn.functional.linear(merge_heads(mixed), W_o), weights


def multi_head__columns_head_by_head(x, W, W_o, heads, mask=None):
    """the packed columns are read head by head instead of as thirds"""
    d_k = x.size(-1) // heads
    y = x @ W
    outs = []
    all_weights = []
    for h in range(heads):
        start = 3 * h * d_k
        q = y[..., start : start + d_k]
        k = y[..., start + d_k : start + 2 * d_k]
        v = y[..., start + 2 * d_k : start + 3 * d_k]
        out, weights = attention(q, k, v, mask)
        outs.append(out)
        all_weights.append(weights)
    return torch.cat(outs, dim=-1) @ W_o, torch.stack(all_weights, dim=-3)


def multi_head__masks_tiled(x, W, W_o, heads, mask=None):
    """the masks are repeated in the wrong order for sentences times heads"""
    *lead, T, D = x.shape
    n = math.prod(lead)
    d_k = D // heads

    def fold(y):
        y = y.reshape(n, T, heads, d_k).transpose(1, 2)
        return y.reshape(n * heads, T, d_k)

    y = x @ W
    q, k, v = fold(y[..., :D]), fold(y[..., D : 2 * D]), fold(y[..., 2 * D :])
    if mask is not None and mask.dim() == 3:
        mask = mask.repeat(heads, 1, 1)
    mixed, weights = attention(q, k, v, mask)
    mixed = mixed.reshape(n, heads, T, d_k).transpose(1, 2)
    out = mixed.reshape(*lead, T, D) @ W_o
    return out, weights.reshape(*lead, heads, T, T)


def multi_head__exp_overflows(x, W, W_o, heads, mask=None):
    """the hand-made softmax overflows for large scores"""

    def softmax(scores):
        e = torch.exp(scores)
        return e / e.sum(dim=-1, keepdim=True)

    q, k, v = (split_heads(y, heads) for y in packed_projection(x, W))
    scores = q @ k.mT / q.size(-1) ** 0.5
    if mask is None:
        weights = softmax(scores)
    else:
        hidden = ~mask.unsqueeze(-3)
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        weights = softmax(scores).masked_fill(hidden, 0.0)
    return merge_heads(weights @ v) @ W_o, weights


def multi_head__one_batch_axis(x, W, W_o, heads, mask=None):
    """exactly one batch axis is assumed"""
    B, T, D = x.shape
    d_k = D // heads
    q, k, v = (x @ W).reshape(B, T, 3, heads, d_k).permute(2, 0, 3, 1, 4)
    if mask is not None:
        mask = mask.unsqueeze(-3)
    mixed, weights = attention(q, k, v, mask)
    out = mixed.permute(0, 2, 1, 3).reshape(B, T, D)
    return out @ W_o, weights


def multi_head__late_mask_no_scale(x, W, W_o, heads, mask=None):
    """the scores are not divided by the square root of d_k
    the mask is applied after the softmax, so rows miss 1
    """
    q, k, v = (x @ W).chunk(3, dim=-1)
    q = q.unflatten(-1, (heads, -1)).transpose(-3, -2)
    k = k.unflatten(-1, (heads, -1)).transpose(-3, -2)
    v = v.unflatten(-1, (heads, -1)).transpose(-3, -2)
    weights = (q @ k.transpose(-2, -1)).softmax(dim=-1)
    if mask is not None:
        weights = weights * mask.unsqueeze(-3)
    out = (weights @ v).transpose(-3, -2).flatten(-2)
    return out @ W_o, weights


def multi_head__swapped_and_averaged(x, W, W_o, heads, mask=None):
    """keys and values are swapped
    the weights are averaged over the heads
    """
    q, v, k = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    out, weights = attention(q, k, v, mask)
    return merge_heads(out) @ W_o, weights.mean(dim=-3)


def grouped_query__take_turns(q, k, v):
    """query heads take turns instead of neighbours sharing a head"""
    G = k.size(-3)
    groups = q.unflatten(-3, (-1, G))  # (..., H / G, G, T, d_k)
    keys = k.unsqueeze(-4)
    values = v.unsqueeze(-4)
    scores = groups @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))
    weights = scores.softmax(dim=-1)
    out = weights @ values
    return out.flatten(-4, -3), weights.flatten(-4, -3)


def grouped_query__scaled_by_values(q, k, v):
    """the scores are divided by the root of the values' width"""
    group = q.size(-3) // k.size(-3)
    k = k.repeat_interleave(group, dim=-3)
    v = v.repeat_interleave(group, dim=-3)
    d = v.shape[-1]
    scores = torch.einsum("...htd,...hsd->...hts", q, k) * d**-0.5
    weights = torch.softmax(scores, -1)
    return torch.einsum("...hts,...hsd->...htd", weights, v), weights


def grouped_query__divided_by_groups(q, k, v):
    """a query head's number is divided by G, not the group's size
    the heads are taken from axis 1, assuming one batch axis
    """
    H, G = q.shape[1], k.shape[1]
    outs, all_weights = [], []
    for h in range(H):
        g = h // G
        out, weights = attention(q[:, h], k[:, g], v[:, g])
        outs.append(out)
        all_weights.append(weights)
    return torch.stack(outs, dim=1), torch.stack(all_weights, dim=1)


def count_parameters__full_biases(d_model, heads, kv_heads, bias):
    """the biases of keys and values have d_model numbers each"""
    kv_width = kv_heads * (d_model // heads)
    total = 2 * d_model * d_model + 2 * d_model * kv_width
    if bias:
        total += 4 * d_model
    return total


def count_parameters__no_output_and_point(d_model, heads, kv_heads, bias):
    """the output matrix is not counted
    the answer has a point, because / divides
    """
    d_k = d_model / heads
    columns = [heads * d_k, kv_heads * d_k, kv_heads * d_k]
    return sum(c * (d_model + int(bias)) for c in columns)


def talk__features_attend(x, heads):
    """the features attend to each other instead of the words"""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads).permute(0, 2, 3, 1)
    mixed, _ = attention(parts, parts, parts)
    return mixed.permute(0, 3, 1, 2).reshape(B, T, D)


def talk__no_grad(x, heads):
    """no gradient flows back, so nothing trains through it"""
    B, T, D = x.shape
    # no matrices in here, so there is nothing to train
    with torch.no_grad():
        parts = x.reshape(B, T, heads, D // heads).transpose(1, 2)
        scores = parts @ parts.transpose(-2, -1) / math.sqrt(D // heads)
        mixed = scores.softmax(dim=-1) @ parts
        return mixed.transpose(1, 2).reshape(B, T, D)


def padded_heads__queries_hidden(q, k, v, real):
    """the padding hides the asking words instead of those read"""
    mask = real[:, None, :, None]
    return attention(q, k, v, mask)


def padded_heads__zero_scores(q, k, v, real):
    """scores of padding become 0 instead of minus infinity"""
    B, H, T, d_k = q.shape
    seen = real.reshape(B, 1, 1, -1)
    scores = torch.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(d_k)
    scores = scores * seen
    weights = scores.softmax(dim=-1)
    return torch.einsum("bhts,bhsd->bhtd", weights, v), weights


def shapes__like_linear(B, T, S, D, H):
    """the packed matrix is given as nn.Linear stores it, transposed"""
    d_k = D // H
    return (
        (3 * D, D),
        (B, H, S, d_k),
        (B, H, T, S),
        (B, 1, 1, S),
        (B, T, D),
    )
