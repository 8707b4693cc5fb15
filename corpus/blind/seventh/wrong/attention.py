"""Wrong answers to the exercise on attention, seventh set, written from its text alone."""

import math

import torch


def soft_lookup__by_distance(query, keys, values):
    """Scores each key by how near it lies to the query, not by the dot product."""
    weights = torch.softmax(-(keys - query).norm(dim=-1), dim=0)
    return weights @ values


def soft_lookup__scaled_mean(query, keys, values):
    """Divides the scores by the root of d_k and takes the mean of the weighted values."""
    weights = torch.softmax(keys @ query / math.sqrt(query.size(0)), dim=0)
    return (weights[:, None] * values).mean(dim=0)


def scores__keys_as_rows(q, k):
    """Makes a row for each key where a row for each query is asked."""
    return torch.einsum("...td,...sd->...st", q, k)


def scores__axes_from_front(q, k):
    """Counts the axes of k from the front, which is right only with one batch axis."""
    return q @ k.transpose(1, 2)


def scale__half(scores, d_k):
    """Divides by half of d_k, because ** binds before /."""
    return scores / (d_k**1 / 2)


def scale__whole_root(scores, d_k):
    """Divides by the root rounded down to a whole number."""
    return scores / math.isqrt(d_k)


def softmax__largest_of_all(x):
    """Subtracts the largest number of the whole tensor, so that low rows become 0 / 0."""
    e = torch.exp(x - x.max())
    return e / e.sum(dim=-1, keepdim=True)


def softmax__constant_sum(x):
    """Takes the sum for a constant: no gradient flows through it."""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True).detach()


def weighted_sum__mean(weights, v):
    """Takes the mean over the keys in the place of the sum."""
    return (weights[..., :, :, None] * v[..., None, :, :]).mean(dim=-2)


def weighted_sum__one_batch_axis(weights, v):
    """Copes with exactly one batch axis only."""
    return torch.bmm(weights, v)


def attention__scaled_twice(q, k, v):
    """Scales the queries by the root of d_k, then the scores once more."""
    d_k = k.size(-1)
    weights = softmax(scale(scores(scale(q, d_k), k), d_k))
    return weighted_sum(weights, v), weights


def attention__length_and_order(q, k, v):
    """Scales by the number of keys, not their width, and returns the weights first."""
    weights = softmax(scale(scores(q, k), k.size(-2)))
    return weights, weighted_sum(weights, v)


def head__matrices_exchanged(x, source, W_q, W_k, W_v):
    """Makes the queries by W_k, the keys by W_q."""
    return attention(x @ W_k, source @ W_q, source @ W_v)


def head__fixed_source(x, source, W_q, W_k, W_v):
    """Takes the source for fixed: no gradient reaches it."""
    source = source.detach()
    return attention(x @ W_q, source @ W_k, source @ W_v)


def head_weights__unscaled(x, W_q, W_k):
    """Leaves the division away altogether, so the weights are too sharp."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1)
    return scores.softmax(dim=-1)


def head_weights__number_of_words(x, W_q, W_k):
    """Divides by the root of the number of words."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-2))
    return scores.softmax(dim=-1)


def divisor__deviations_add(q_values, q_chances, k_values, k_chances, d_k):
    """Multiplies the deviation of one product by d_k: it is the variances that add up."""
    q_mean = (q_values * q_chances).sum()
    k_mean = (k_values * k_chances).sum()
    q_square = (q_values**2 * q_chances).sum()
    k_square = (k_values**2 * k_chances).sum()
    return d_k * math.sqrt(q_square * k_square - (q_mean * k_mean) ** 2)


def divisor__equal_chances(q_values, q_chances, k_values, k_chances, d_k):
    """Takes all values for equally likely."""
    q_mean, k_mean = q_values.mean(), k_values.mean()
    q_square, k_square = (q_values**2).mean(), (k_values**2).mean()
    return math.sqrt(d_k * (q_square * k_square - (q_mean * k_mean) ** 2))


def design_head__seven_before_scaling(wants, facts):
    """Makes the score 7, but forgets that it is divided by the root of d_k afterwards."""
    W_k = torch.eye(len(wants))
    return 7 * W_k[wants], W_k, facts


def design_head__facts_of_wanted(wants, facts):
    """Gives each word the facts of the word it wants, so they are fetched two steps on."""
    n = len(wants)
    W_k = torch.eye(n)
    W_q = 20 * math.sqrt(n) * W_k[wants]
    return W_q, W_k, facts[wants]
