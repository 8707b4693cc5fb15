"""Wrong answers to the exercise on several heads, written from its text alone."""

import math

import torch


def split_heads__dealt_in_turn(x, heads):
    """Deals the numbers out in turn instead of in blocks."""
    return x.unflatten(-1, (-1, heads)).movedim(-1, -3)


def merge_heads__one_batch_axis(x):
    """Looks for the heads on axis 1, counted from the front."""
    answers = [x[:, h] for h in range(x.size(1))]
    return torch.cat(answers, dim=-1)


def packed_projection__every_third(x, W):
    """Takes every third column instead of three thirds."""
    y = x @ W
    return y[..., 0::3], y[..., 1::3], y[..., 2::3]


def multi_head__mask_axis_from_front(x, W, W_o, heads, mask=None):
    """Puts the mask's head axis second, wrong for a (T, T) mask."""
    q, k, v = (split_heads(part, heads) for part in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(1)
    mixed, weights = attention(q, k, v, mask)
    return merge_heads(mixed) @ W_o, weights


def multi_head__scaled_by_model_width(x, W, W_o, heads, mask=None):
    """Scales by the width of a word, not of a head."""
    D = x.shape[-1]

    def cut(y):
        return y.reshape(*y.shape[:-1], heads, D // heads).transpose(-3, -2)

    q, k, v = [cut(y) for y in (x @ W).split(D, dim=-1)]
    s = q @ k.transpose(-2, -1) / math.sqrt(D)
    if mask is not None:
        mask = mask.unsqueeze(-3)
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    weights = torch.softmax(s, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0.0)
    out = (weights @ v).transpose(-3, -2).flatten(-2)
    return out @ W_o, weights


def multi_head__mean_weights_transposed_output(x, W, W_o, heads, mask=None):
    """Averages the weights over the heads.
    Multiplies by W_o transposed.
    """
    q, k, v = packed_projection(x, W)
    q = split_heads(q, heads)
    k = split_heads(k, heads)
    v = split_heads(v, heads)
    if mask is not None:
        mask = mask[..., None, :, :]
    answers, weights = attention(q, k, v, mask)
    return merge_heads(answers) @ W_o.T, weights.mean(dim=-3)


def multi_head__heads_before_thirds(x, W, W_o, heads, mask=None):
    """Cuts into heads first, then each head into q, k, v."""
    q, k, v = split_heads(x @ W, heads).chunk(3, dim=-1)
    if mask is not None:
        mask = mask.unsqueeze(-3)
    out, weights = attention(q, k, v, mask)
    return merge_heads(out) @ W_o, weights


def multi_head__late_mask_alternating_merge(x, W, W_o, heads, mask=None):
    """Masks after softmax, so rows no longer sum to one.
    Alternates the heads' numbers instead of laying them end to end.
    """
    q, k, v = (x @ W).chunk(3, dim=-1)
    q, k, v = (t.unflatten(-1, (heads, -1)).transpose(-2, -3) for t in (q, k, v))
    s = torch.einsum("...td,...sd->...ts", q, k) / q.size(-1) ** 0.5
    weights = s.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask.unsqueeze(-3)
    mixed = weights @ v  # (..., H, T, d_k)
    merged = mixed.movedim(-3, -1).flatten(-2)
    return merged @ W_o, weights


def grouped_query__repeated_by_groups(q, k, v):
    """Repeats each key head G times instead of H / G times."""
    groups = k.size(-3)
    k = k.repeat_interleave(groups, dim=-3)
    v = v.repeat_interleave(groups, dim=-3)
    return attention(q, k, v)


def grouped_query__values_in_turn_value_width(q, k, v):
    """Lends the value heads in turn: 0, 1, 0, 1.
    Scales by the width of the values, not of the keys.
    """
    group = q.size(-3) // k.size(-3)
    keys = k.repeat_interleave(group, dim=-3)
    values = torch.cat([v] * group, dim=-3)
    s = q @ keys.transpose(-2, -1) / math.sqrt(values.size(-1))
    weights = s.softmax(-1)
    return weights @ values, weights


def count_parameters__full_biases(d_model, heads, kv_heads, bias):
    """Counts d_model biases for keys and values even when shared."""
    d_k = d_model // heads
    total = 2 * d_model * d_model + 2 * d_model * kv_heads * d_k
    if bias:
        total += 4 * d_model
    return total


def talk__heads_meet_not_words(x, heads):
    """Lets the heads of one word attend to each other."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def padded_heads__repeated_in_wrong_order(q, k, v, real):
    """Repeats the sentences in turn, so heads get another sentence's padding."""
    B, H = q.shape[:2]
    mask = real.repeat(H, 1).reshape(B, H, 1, -1)
    return attention(q, k, v, mask)


def shapes__heads_behind_words(B, T, S, D, H):
    """Leaves the heads of the keys behind the words."""
    d_k = D // H
    return (D, 3 * D), (B, S, H, d_k), (B, H, T, S), (B, 1, 1, S), (B, T, D)
