"""Wrong answers to the exercise on attention, written blind."""

import math

import torch


def soft_lookup__mixes_keys(query, keys, values):
    """the keys are mixed instead of the values"""
    weights = torch.softmax(keys @ query, dim=0)
    return weights @ keys


def soft_lookup__share_by_sum(query, keys, values):
    """scores are divided by their sum, without a softmax"""
    fit = torch.stack([torch.dot(key, query) for key in keys])
    share = fit / fit.sum()
    return (share[:, None] * values).sum(dim=0)


def scores__mean_of_products(q, k):
    """the products are averaged instead of added up"""
    products = q.unsqueeze(-2) * k.unsqueeze(-3)
    return products.mean(dim=-1)


def scores__swaps_first_axes(q, k):
    """the first two axes are swapped, not the last two"""
    return q @ k.transpose(0, 1)


def scores__keys_as_rows(q, k):
    """the rows of the table are keys, its columns queries"""
    return torch.einsum("...td,...sd->...st", q, k)


def scale__precedence(scores, d_k):
    """missing parentheses: divides by d_k and by 2, no root"""
    return scores / d_k ** 1 / 2


def scale__writes_into_scores(scores, d_k):
    """the caller's scores are overwritten"""
    root = math.sqrt(d_k)
    scores /= root
    return scores


def softmax__max_of_everything(x):
    """the maximum of the whole tensor is subtracted, not each row's"""
    e = torch.exp(x - x.max())
    return e / e.sum(dim=-1, keepdim=True)


def softmax__subtracts_mean(x):
    """the row's mean is subtracted instead of its maximum, so exponentials overflow"""
    centred = x - x.mean(dim=-1, keepdim=True)
    powers = centred.exp()
    return powers / powers.sum(-1, keepdim=True)


def softmax__formula_down_first_axis(x):
    """the sum runs along the first axis, not the last
    no maximum is subtracted, so large numbers overflow"""
    return x.exp() / x.exp().sum(0)


def softmax__subtracts_in_place(x):
    """the maximum is subtracted in the caller's tensor"""
    x -= x.amax(dim=-1, keepdim=True)
    top = torch.exp(x)
    bottom = top.sum(dim=-1, keepdim=True)
    return top / bottom


def weighted_sum__transposed_square(weights, v):
    """the weights are transposed: sums over queries instead of keys"""
    return weights.transpose(-2, -1) @ v


def weighted_sum__loops_without_batch(weights, v):
    """counts axes from the front: fails with batch or head axes"""
    out = torch.zeros(weights.shape[0], v.shape[1], dtype=v.dtype)
    for i in range(weights.shape[0]):
        for j in range(v.shape[0]):
            out[i] += weights[i, j] * v[j]
    return out


def attention__einsum_unscaled(q, k, v):
    """the scores are not divided by the square root of d_k"""
    table = torch.einsum("...td,...sd->...ts", q, k)
    weights = torch.softmax(table, dim=-1)
    return torch.einsum("...ts,...sv->...tv", weights, v), weights


def attention__width_of_values(q, k, v):
    """scaled by the width of the values, not of the keys"""
    weights = softmax(scale(scores(q, k), v.size(-1)))
    return weighted_sum(weights, v), weights


def attention__sum_loses_axis(q, k, v):
    """row sums without keepdim divide the columns instead of the rows"""
    s = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
    e = torch.exp(s - s.amax(dim=-1, keepdim=True))
    w = e / e.sum(dim=-1)
    return w @ v, w


def attention__returns_scores(q, k, v):
    """returns the scaled scores instead of the weights"""
    def stable(t):
        t = t - t.max(dim=-1, keepdim=True).values
        t = t.exp()
        return t / t.sum(dim=-1, keepdim=True)

    weights = scale(scores(q, k), k.size(-1))
    output = stable(weights) @ v
    return output, weights


def attention__scales_weights(q, k, v):
    """divides by the root after softmax instead of before"""
    d_k = k.size(-1)
    weights = softmax(q @ k.mT)
    weights = weights / d_k ** 0.5
    return weights @ v, weights


def attention__overwrites_query(q, k, v):
    """the caller's queries are scaled in place"""
    q /= math.sqrt(q.size(-1))
    weights = softmax(q @ k.transpose(-1, -2))
    return weighted_sum(weights, v), weights


def attention__full_width_naive(q, k, v):
    """divides by d_k instead of its square root
    softmax without subtracting the maximum overflows"""
    s = (q @ k.transpose(-2, -1)) / k.size(-1)
    e = s.exp()
    weights = e / e.sum(-1, keepdim=True)
    output = weights @ v
    return output, weights


def head__values_from_asker(x, source, W_q, W_k, W_v):
    """the values are made from x instead of the source"""
    Q, K, V = x @ W_q, source @ W_k, x @ W_v
    return attention(Q, K, V)


def head__transposed_matrices(x, source, W_q, W_k, W_v):
    """the matrices are transposed, as in nn.Linear"""
    def project(words, matrix):
        return words @ matrix.T

    return attention(project(x, W_q), project(source, W_k), project(source, W_v))


def head__scaled_by_word_width(x, source, W_q, W_k, W_v):
    """scaled by the width of the words, not of the keys"""
    batch, D = x.shape[:-2], x.shape[-1]
    q = torch.einsum("...td,dk->...tk", x, W_q)
    k = torch.einsum("...sd,dk->...sk", source, W_k)
    v = torch.einsum("...sd,dv->...sv", source, W_v)
    logits = torch.einsum("...tk,...sk->...ts", q, k) * D ** -0.5
    weights = logits.softmax(dim=-1)
    return weights @ v, weights


def head__keys_from_asker_unscaled(x, source, W_q, W_k, W_v):
    """the keys are made from x instead of the source
    the scores are not scaled"""
    queries = x @ W_q
    keys = x @ W_k
    values = source @ W_v
    weights = torch.softmax(queries @ keys.transpose(-2, -1), dim=-1)
    return weights @ values, weights


def read__rows_patched_afterwards(q, k, v):
    """softmax still runs over the queries; rows are only rescaled afterwards"""
    scaled = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    weights = scaled.softmax(dim=-2)
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ v


def head_weights__number_of_words(x, W_q, W_k):
    """divides by the root of the number of words, not the key width"""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-2))
    return scores.softmax(dim=-1)


def shapes__linear_and_key_width(B, T, S, D, d_k, d_v):
    """W_Q is given transposed
    the output is as wide as a key, not a value"""
    W_q = (d_k, D)
    keys = (B, S, d_k)
    weights = (B, T, S)
    output = (B, T, d_k)
    return W_q, keys, weights, output
