"""Wrong answers to the exercise on attention, written from its text alone."""

import math

import torch


def soft_lookup__scaled(query, keys, values):
    """Scales the scores, although there is no scaling yet."""
    fit = keys @ query / math.sqrt(query.size(-1))
    return torch.softmax(fit, dim=-1) @ values


def scores__rows_are_keys(q, k):
    """Gives a row for each key and a column for each query."""
    return torch.einsum("...id,...jd->...ji", q, k)


def scale__whole_root(scores, d_k):
    """Rounds the square root down to a whole number."""
    root = int(math.sqrt(d_k))
    return scores / root


def softmax__largest_absolute(x):
    """Subtracts the largest absolute value, not the largest number."""
    biggest = x.abs().amax(dim=-1, keepdim=True)
    e = torch.exp(x - biggest)
    return e / e.sum(dim=-1, keepdim=True)


def weighted_sum__mean(weights, v):
    """Averages over the keys instead of adding up."""
    shares = weights.unsqueeze(-1) * v.unsqueeze(-3)  # (..., T, S, d_v)
    return shares.mean(dim=-2)


def attention__column_maximum(q, k, v):
    """Subtracts each column's maximum, not each row's."""
    s = torch.einsum("...td,...sd->...ts", q, k) / math.sqrt(k.size(-1))
    s = s - s.amax(dim=-2, keepdim=True)
    e = s.exp()
    weights = e / e.sum(dim=-1, keepdim=True)
    return torch.einsum("...ts,...sd->...td", weights, v), weights


def attention__scaled_both(q, k, v):
    """Divides queries and keys each by the root, so scales twice."""

    def shrink(t):
        return t / math.sqrt(t.size(-1))

    weights = softmax(scores(shrink(q), shrink(k)))
    return weighted_sum(weights, v), weights


def attention__key_count_and_overflow(q, k, v):
    """Scales by the number of keys, not their width.
    Exponentiates without subtracting the maximum.
    """
    number = k.shape[-2]
    table = torch.matmul(q, k.transpose(-1, -2)) / number**0.5
    e = torch.exp(table)
    weights = e / e.sum(-1, keepdim=True)
    return weights @ v, weights


def head__values_of_asker(x, source, W_q, W_k, W_v):
    """Makes the values from the text that asks."""
    q = torch.einsum("...td,dk->...tk", x, W_q)
    k = torch.einsum("...sd,dk->...sk", source, W_k)
    v = torch.einsum("...td,dk->...tk", x, W_v)
    return attention(q, k, v)


def head__scores_as_weights(x, source, W_q, W_k, W_v):
    """Returns the scores before softmax as the weights."""
    Q = x @ W_q
    K = source @ W_k
    V = source @ W_v
    weights = Q @ K.transpose(-2, -1) / math.sqrt(K.size(-1))
    output = torch.softmax(weights, dim=-1) @ V
    return output, weights


def head__source_asks_no_root(x, source, W_q, W_k, W_v):
    """Lets the source ask and x be asked.
    Divides by the width of the keys, not its root.
    """
    q, k, v = source @ W_q, x @ W_k, x @ W_v
    w = (q @ k.mT / k.shape[-1]).softmax(-1)
    return w @ v, w


def read__rows_rescaled(q, k, v):
    """Keeps softmax down the columns and only rescales the rows."""
    scaled = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    weights = scaled.softmax(dim=-2)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ v


def head_weights__number_of_words(x, W_q, W_k):
    """Divides by the root of the number of words."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-2))
    return scores.softmax(dim=-1)


def shapes__linear_layout_row_per_key(B, T, S, D, d_k, d_v):
    """Gives W_Q transposed, with the word width as columns.
    Gives the output a row for each word that is asked.
    """
    return (d_k, D), (B, S, d_k), (B, T, S), (B, S, d_v)
