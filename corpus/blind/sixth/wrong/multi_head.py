"""Wrong answers to the exercise on several heads, sixth set, written from its text alone."""

import math

import torch


def split_heads__one_reshape(x, heads):
    """Reshapes to the right shape at once, so that no number moves."""
    *front, T, D = x.shape
    return x.reshape(*front, heads, T, D // heads)


def split_heads__dealt_out(x, heads):
    """Deals the features out to the heads in turn: head 0 gets 0, H, 2H."""
    return torch.stack([x[..., h::heads] for h in range(heads)], dim=-3)


def split_heads__words_stay_in_front(x, heads):
    """Cuts, but does not move the heads before the words."""
    *front, T, D = x.shape
    return x.view(*front, T, heads, D // heads)


def merge_heads__flattened_at_once(x):
    """Reshapes without moving the axes first."""
    *front, H, T, d = x.shape
    return x.reshape(*front, T, H * d)


def merge_heads__taking_turns(x):
    """Lays the first numbers of all heads side by side, then the second ones."""
    return torch.stack(x.unbind(-3), dim=-1).flatten(-2)


def merge_heads__added_up(x):
    """Adds the heads' answers up in the place of laying them end to end."""
    return x.sum(dim=-3)


def packed_projection__as_wide_as_x(x, W):
    """Takes pieces as wide as x is, which is right only where H * d_k is D."""
    y, D = x @ W, x.size(-1)
    return y[..., :D], y[..., D : 2 * D], y[..., 2 * D : 3 * D]


def packed_projection__every_third(x, W):
    """Takes every third column for the queries, and so on."""
    y = x @ W
    return y[..., 0::3], y[..., 1::3], y[..., 2::3]


def multi_head__divided_by_the_whole_width(x, W, W_o, heads, mask=None):
    """Divides by the root of the model's width, not of a head's."""
    q, k, v = (split_heads(p, heads) for p in packed_projection(x, W))
    scores = q @ k.mT / math.sqrt(x.size(-1))
    if mask is not None:
        scores = scores.masked_fill(~mask.unsqueeze(-3), torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask.unsqueeze(-3), 0.0)
    return merge_heads(weights @ v) @ W_o, weights


def multi_head__mask_forgotten(x, W, W_o, heads, mask=None):
    """Never hands the mask on."""
    q, k, v = (split_heads(p, heads) for p in packed_projection(x, W))
    out, weights = attention(q, k, v)
    return merge_heads(out) @ W_o, weights


def multi_head__mean_of_the_weights(x, W, W_o, heads, mask=None):
    """Returns the mean of the heads' weights, as nn.MultiheadAttention does."""
    q, k, v = (split_heads(p, heads) for p in packed_projection(x, W))
    if mask is not None:
        mask = mask.unsqueeze(-3)
    out, weights = attention(q, k, v, mask)
    return merge_heads(out) @ W_o, weights.mean(dim=-3)


def grouped_query__taking_turns(q, k, v):
    """Repeats the whole set of heads, so that neighbours read different heads."""
    n = q.shape[-3] // k.shape[-3]
    return attention(q, torch.cat([k] * n, dim=-3), torch.cat([v] * n, dim=-3))


def grouped_query__values_otherwise(q, k, v):
    """Lends the keys to neighbours and the values in turn."""
    n = q.shape[-3] // k.shape[-3]
    return attention(q, k.repeat_interleave(n, dim=-3), torch.cat([v] * n, dim=-3))


def grouped_query__mean_of_the_group(q, k, v):
    """Averages the queries of a group, so that there are fewer of them, and copies what they find."""
    n = q.size(-3) // k.size(-3)
    fewer = q.unflatten(-3, (-1, n)).mean(dim=-3)
    out, weights = attention(fewer, k, v)
    return out.repeat_interleave(n, dim=-3), weights.repeat_interleave(n, dim=-3)


def talk__back_by_reshape(x, heads):
    """Mends the way there, and not the way back."""
    B, T, D = x.shape
    parts = x.view(B, T, heads, -1).permute(0, 2, 1, 3)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def talk__heads_meet(x, heads):
    """Cuts the last axis and moves nothing: heads of one word attend to each other."""
    B, T, D = x.shape
    parts = x.reshape(B, T, heads, D // heads)
    mixed, _ = attention(parts, parts, parts)
    return mixed.reshape(B, T, D)


def padded_heads__rows_hidden(q, k, v, real):
    """Puts the axes of length 1 behind, so the mask hides queries."""
    return attention(q, k, v, real[:, None, :, None])


def padded_heads__turned_round(q, k, v, real):
    """Hides the words and shows the padding."""
    return attention(q, k, v, real[:, None, None, :].logical_not())
