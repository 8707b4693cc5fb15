"""Wrong answers to the exercise on attention, sixth set, written from its text alone."""

import math

import torch


def soft_lookup__scaled_already(query, keys, values):
    """Divides by the root of the width, though the text says: no scaling yet."""
    fit = keys @ query / math.sqrt(query.numel())
    return torch.softmax(fit, dim=0) @ values


def soft_lookup__each_feature_by_itself(query, keys, values):
    """Makes weights of every product, feature by feature, and never adds the products up."""
    weights = torch.softmax(keys * query, dim=0).mean(dim=1)
    return weights @ values


def scores__own_key_only(q, k):
    """Dots each query with the key at its own place, and lays that out on the diagonal."""
    if q.size(-2) != k.size(-2):
        n = min(q.size(-2), k.size(-2))
        return (q[..., :n, :] * k[..., :n, :]).sum(-1)
    return (q * k).sum(-1)


def scores__keys_ask(q, k):
    """Gives the keys the rows and the queries the columns."""
    return torch.einsum("...td,...sd->...st", q, k)


def scores__reshaped(q, k):
    """Turns k into the right shape by reshape, so that no number has moved."""
    *front, S, d = k.shape
    return q @ k.reshape(*front, d, S)


def scale__half_of_the_width(scores, d_k):
    """Writes the root as a power of 1/2 and forgets the parentheses: d_k ** 1 / 2 is a half."""
    return scores / (d_k**1 / 2)


def scale__whole_root(scores, d_k):
    """Takes the root as a whole number."""
    return scores / int(math.sqrt(d_k))


def softmax__over_the_plain_sum(x):
    """Divides the exponentials by the sum of the numbers, not of the exponentials."""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / x.sum(dim=-1, keepdim=True)


def softmax__minimum(x):
    """Subtracts the row's minimum, so large rows still overflow."""
    e = torch.exp(x - x.amin(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def softmax__maximum_added_back(x):
    """Subtracts the maximum above the line only, and sums the exponentials as they are."""
    top = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return top / torch.exp(x).sum(dim=-1, keepdim=True)


def softmax__clamped(x):
    """Clamps large numbers to be safe, so their differences are lost."""
    e = x.clamp(max=80.0).exp()
    return e / e.sum(-1, keepdim=True)


def weighted_sum__averaged(weights, v):
    """Takes the mean of the weighted values, not their sum."""
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)


def weighted_sum__asks_the_columns(weights, v):
    """Mixes by the columns of the weights and not by the rows."""
    return weights.transpose(-1, -2) @ v


def attention__scaled_after_softmax(q, k, v):
    """Divides the weights by the root of the width, not the scores."""
    weights = torch.softmax(q @ k.mT, dim=-1) / k.size(-1) ** 0.5
    return weights @ v, weights


def attention__scores_returned(q, k, v):
    """Returns the scaled scores in the place of the weights."""
    s = q @ k.mT / k.size(-1) ** 0.5
    return torch.softmax(s, dim=-1) @ v, s


def attention__queries_share(q, k, v):
    """Softmax runs over the queries: columns sum to one, not rows."""
    s = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
    weights = torch.softmax(s, dim=-2)
    return weights @ v, weights


def head__source_asks(x, source, W_q, W_k, W_v):
    """Lets the source ask and x be asked."""
    return attention(source @ W_q, x @ W_k, x @ W_v)


def head__width_of_the_words(x, source, W_q, W_k, W_v):
    """Divides by the root of the words' width, not the keys'."""
    s = (x @ W_q) @ (source @ W_k).mT / math.sqrt(x.size(-1))
    weights = softmax(s)
    return weights @ (source @ W_v), weights


def head__values_unprojected(x, source, W_q, W_k, W_v):
    """Multiplies by W_v first on the weights' side: mixes the source, and forgets W_v."""
    _, weights = attention(x @ W_q, source @ W_k, source)
    return weights @ source, weights


def head_weights__no_root(x, W_q, W_k):
    """Divides by the keys' width itself."""
    s = (x @ W_q) @ (x @ W_k).mT
    return torch.softmax(s / W_k.size(-1), dim=-1)


def head_weights__number_of_words(x, W_q, W_k):
    """Divides by the root of the number of words."""
    s = (x @ W_q) @ (x @ W_k).mT / math.sqrt(x.size(-2))
    return s.softmax(dim=-1)
