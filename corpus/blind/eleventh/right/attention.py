import math

import torch

from transformer_lab import check


# ambiguous: gradients are not asked for here; they flow all the same.
def soft_lookup__running_mixture(query, keys, values):
    query, wide_keys, wide_values = query.double(), keys.double(), values.double()
    best, total = None, None
    mixture = None
    for key, value in zip(wide_keys, wide_values):
        fit = (key * query).sum()
        if best is None:
            best, total, mixture = fit, torch.ones_like(fit), value
            continue
        new_best = torch.maximum(best, fit)
        shrink, enter = (best - new_best).exp(), (fit - new_best).exp()
        total = total * shrink + enter
        mixture = mixture * shrink + value * enter
        best = new_best
    return (mixture / total).to(values.dtype)


def soft_lookup__logsumexp(query, keys, values):
    fits = (keys.double() * query.double()).sum(dim=1)
    weights = torch.exp(fits - fits.max() - torch.logsumexp(fits - fits.max(), dim=0))
    return (weights.unsqueeze(1) * values.double()).sum(dim=0).to(values.dtype)


def scores__every_pair_broadcast(q, k):
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(dim=-1)


def scores__keys_ask_then_turn(q, k):
    return torch.matmul(k, q.transpose(-2, -1)).transpose(-2, -1)


def scale__negative_power(scores, d_k):
    return scores * d_k**-0.5


def scale__by_logarithm(scores, d_k):
    return torch.mul(scores, math.exp(-math.log(d_k) / 2))


def softmax__pairs(x):
    wide = x.double()
    # ahead[..., j, i] = x_i - x_j; beyond 300 nothing is left of a share anyway
    ahead = (wide.unsqueeze(-2) - wide.unsqueeze(-1)).clamp(max=300)
    return ahead.exp().sum(dim=-1).reciprocal().to(x.dtype)


def softmax__sorted_and_added_up(x):
    wide = x.double()
    top = wide.sort(dim=-1, descending=True).values[..., :1]
    e = torch.exp(wide - top)
    return (e / e.cumsum(dim=-1)[..., -1:]).to(x.dtype)


def weighted_sum__every_share(weights, v):
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).sum(dim=-2)


def weighted_sum__turned_twice(weights, v):
    return (v.transpose(-2, -1) @ weights.transpose(-2, -1)).transpose(-2, -1)


def attention__queries_scaled_first(q, k, v):
    weights = softmax(scores(scale(q, k.size(-1)), k))
    return weighted_sum(weights, v), weights


def _table_by_table(q, k, v):
    if q.dim() > 2:
        parts = [_table_by_table(*part) for part in zip(q, k, v)]
        outputs, weights = zip(*parts)
        return torch.stack(outputs), torch.stack(weights)
    rows = [softmax(scale(scores(row[None], k), k.size(-1))) for row in q]
    weights = torch.cat(rows)
    return weighted_sum(weights, v), weights


# ambiguous: "more axes in front" are taken to be the same in q, k and v.
def attention__recursion_over_the_front(q, k, v):
    return _table_by_table(q, k, v)


def head__keys_and_values_at_once(x, source, W_q, W_k, W_v):
    both = source @ torch.cat((W_k, W_v), dim=1)
    k, v = both.split((W_k.size(1), W_v.size(1)), dim=-1)
    return attention(x @ W_q, k, v)


def head__tensordot(x, source, W_q, W_k, W_v):
    texts = (x, source, source)
    made = [torch.tensordot(t, W, dims=1) for t, W in zip(texts, (W_q, W_k, W_v))]
    return attention(*made)


def head_weights__queries_scaled(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = (q * W_q.size(1) ** -0.5) @ k.transpose(-2, -1)
    return scores.softmax(dim=-1)


def head_weights__one_matrix(x, W_q, W_k):
    wide = x.double()
    meets = W_q.double() @ W_k.double().transpose(0, 1) / math.sqrt(W_k.size(1))
    scores = wide @ meets @ wide.transpose(-2, -1)
    return torch.softmax(scores, dim=-1).to(x.dtype)


def divisor__table_of_products(q_values, q_chances, k_values, k_chances, d_k):
    products = q_values.double()[:, None] * k_values.double()
    chances = q_chances.double()[:, None] * k_chances.double()
    mean = (products * chances).sum()
    variance = ((products - mean).square() * chances).sum()
    return math.sqrt(d_k * variance.item())


def _mean_and_variance(values, chances):
    pairs = list(zip(values.tolist(), chances.tolist()))
    mean = math.fsum(value * chance for value, chance in pairs)
    return mean, math.fsum((value - mean) ** 2 * chance for value, chance in pairs)


def divisor__three_terms(q_values, q_chances, k_values, k_chances, d_k):
    q_mean, q_variance = _mean_and_variance(q_values, q_chances)
    k_mean, k_variance = _mean_and_variance(k_values, k_chances)
    of_one = q_variance * k_variance + q_mean**2 * k_variance + k_mean**2 * q_variance
    return math.hypot(math.sqrt(of_one)) * math.sqrt(d_k)


def _floating(facts):
    if facts.is_floating_point():
        return facts.clone()
    return facts.to(torch.get_default_dtype())


# ambiguous: the dtype of facts (whole numbers, perhaps int64); floats keep theirs, whole numbers become float32.
def design_head__binary_names(wants, facts):
    n = len(wants)
    W_v = _floating(facts)
    bits = max(1, (n - 1).bit_length())
    numbers = torch.arange(n)[:, None]
    names = (numbers >> torch.arange(bits)) % 2 * 2 - 1
    # two names differ in one bit at least, so the own one is ahead by 2 or more
    long = (math.log(n) + 12) * math.sqrt(bits) / 2
    W_k = names.to(W_v.dtype)
    W_q = W_k[wants] * long
    return W_q, W_k, W_v


# ambiguous: the dtype of facts, as above.
def design_head__wishes_in_the_keys(wants, facts):
    n = len(wants)
    W_v = _floating(facts)
    one = torch.eye(n, dtype=W_v.dtype)
    # the query of a word is its own place; the key of a word names all that want it
    W_q = one * (math.sqrt(n) * (math.log(n) + 10))
    W_k = torch.stack([(wants == word).to(W_v.dtype) for word in range(n)])
    return W_q, W_k, W_v
