"""Wrong answers to the exercise on attention, third set, written from its text alone."""

import math

import torch


def soft_lookup__divided_by_sum(query, keys, values):
    """Divides the scores by their sum instead of taking softmax."""
    fit = keys @ query
    shares = fit / fit.sum()
    return shares @ values


def soft_lookup__best_key_only(query, keys, values):
    """Gives the value of the best key alone, as a hard dictionary does."""
    fit = [torch.dot(key, query) for key in keys]
    best = max(range(len(fit)), key=lambda j: float(fit[j]))
    return values[best]


def soft_lookup__mixes_keys(query, keys, values):
    """Mixes the keys instead of the values."""
    w = torch.softmax(keys @ query, dim=0)
    return w @ keys


def scores__turns_all_axes(q, k):
    """Transposes with .T, which turns round the batch axes as well."""
    return torch.matmul(q, k.permute(*reversed(range(k.dim()))))


def scores__cosine(q, k):
    """Makes all vectors unit length first, so gives cosines instead of dot products."""

    def unit(t):
        return t / t.square().sum(dim=-1, keepdim=True).sqrt()

    return unit(q) @ unit(k).transpose(-1, -2)


def scores__distance(q, k):
    """Takes the distance between query and key instead of their dot product."""
    apart = q.unsqueeze(-2) - k.unsqueeze(-3)
    return apart.pow(2).sum(-1).sqrt()


def scores__mean_of_products(q, k):
    """Averages the products over the width instead of adding them up."""
    return (q[..., :, None, :] * k[..., None, :, :]).mean(dim=-1)


def scale__multiplies(scores, d_k):
    """Multiplies by the root instead of dividing."""
    return scores * d_k**0.5


def scale__number_of_keys(scores, d_k):
    """Takes the root of the number of keys, not of their width."""
    columns = scores.shape[-1]
    return scores / math.sqrt(columns)


def scale__writes_into_argument(scores, d_k):
    """Divides in place, so the caller's scores are changed."""
    root = math.sqrt(d_k)
    return scores.div_(root)


def scale__no_root(scores, d_k):
    """Divides by the width itself, without the root."""
    return torch.stack([row / d_k for row in scores.unbind(0)])


def softmax__whole_table(x):
    """Divides by the sum of the whole tensor, not of each row."""
    e = (x - x.max()).exp()
    return e / e.sum()


def softmax__clipped(x):
    """Clips large numbers instead of subtracting each row's maximum."""
    e = x.clamp(-80, 80).exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax__one_maximum_for_all(x):
    """Subtracts the largest number of the whole tensor, so low rows become nan."""
    e = torch.exp(x - x.max())
    return e / torch.sum(e, -1, True)


def softmax__one_more_in_the_sum(x):
    """Adds one to the sum below, so the weights do not reach one together."""
    e = torch.exp(x - x.amax(-1, keepdim=True))
    return e / (1 + e.sum(-1, keepdim=True))


def softmax__second_axis(x):
    """Counts the axis from the front, so takes axis 1 or 0 whatever stands behind."""
    axis = 1 if x.dim() > 1 else 0
    e = torch.exp(x - x.amax(dim=axis, keepdim=True))
    return e / e.sum(dim=axis, keepdim=True)


def softmax__minus_mean(x):
    """Subtracts the mean of the row instead of the maximum, which is not enough."""
    centred = x - x.mean(dim=-1, keepdim=True)
    e = centred.exp()
    return torch.div(e, e.sum(dim=-1, keepdim=True))


def softmax__in_place(x):
    """Subtracts the maximum inside the caller's tensor."""
    x -= x.amax(dim=-1, keepdim=True)
    e = torch.exp(x)
    return e / e.sum(dim=-1, keepdim=True)


def softmax__columns_and_overflow(x):
    """Sums down the columns instead of along the rows.
    Exponentiates without subtracting the maximum.
    """
    e = math.e**x
    return e / e.sum(dim=-2 if x.dim() > 1 else 0, keepdim=True)


def weighted_sum__transposed_weights(weights, v):
    """Transposes the weights before the product, so sums over the queries."""
    return weights.transpose(-2, -1) @ v


def weighted_sum__two_axes_only(weights, v):
    """Names two axes only, so does not cope with batch or heads in front."""
    return torch.einsum("ts,sd->td", weights, v)


def weighted_sum__strongest_only(weights, v):
    """Reads only the value with the largest weight, without mixing."""
    best = weights.argmax(dim=-1, keepdim=True).expand(*weights.shape[:-1], v.size(-1))
    return torch.gather(v.expand(*weights.shape[:-2], *v.shape[-2:]), -2, best)


def weighted_sum__first_batch_only(weights, v):
    """Loops over the queries, but uses the values of the first batch entry for all."""
    flat_v = v.reshape(-1, v.size(-2), v.size(-1))[0]
    rows = [weights[..., t, :] @ flat_v for t in range(weights.size(-2))]
    return torch.stack(rows, dim=-2)


def attention__width_of_values(q, k, v):
    """Scales by the root of the width of the values, not of the keys."""
    table = torch.einsum("...qc,...kc->...qk", q, k) / math.sqrt(v.shape[-1])
    w = torch.softmax(table, dim=-1)
    return torch.einsum("...qk,...kd->...qd", w, v), w


def attention__softmax_before_scale(q, k, v):
    """Takes softmax first and scales the weights afterwards."""
    w = scale(softmax(scores(q, k)), k.size(-1))
    return weighted_sum(w, v), w


def attention__returns_scores(q, k, v):
    """Returns the scaled scores in the place of the weights."""
    s = scale(scores(q, k), k.size(-1))
    return weighted_sum(softmax(s), v), s


def attention__returned_in_wrong_order(q, k, v):
    """Returns weights and output in the wrong order."""
    w = softmax(scale(scores(q, k), k.size(-1)))
    return w, weighted_sum(w, v)


def attention__overflows(q, k, v):
    """Writes softmax out without subtracting the maximum, so large scores overflow."""
    s = q @ k.mT * k.size(-1) ** -0.5
    total = s.exp().sum(-1, keepdim=True)
    w = s.exp() / total
    return w @ v, w


def attention__scales_query_in_place(q, k, v):
    """Divides the caller's queries in place."""
    q /= math.sqrt(q.size(-1))
    w = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
    return w @ v, w


def attention__forgets_scale(q, k, v):
    """Forgets to scale the scores."""
    w = softmax(q @ k.transpose(-1, -2))
    return w @ v, w


def attention__keys_ask_unscaled(q, k, v):
    """Lets the keys ask the queries, so mixes up the two.
    Forgets to scale the scores.
    """
    w = torch.softmax(k @ q.mT, dim=-1)
    return w @ v if w.size(-1) == v.size(-2) else w.mT @ v, w


def attention__columns_unscaled(q, k, v):
    """Takes softmax down the columns, over the queries.
    Divides by the width without its root.
    """
    s = torch.einsum("...id,...jd->...ij", q, k) / k.size(-1)
    w = s.softmax(-2)
    return torch.einsum("...ij,...jd->...id", w, v), w


def head__source_asks(x, source, W_q, W_k, W_v):
    """Makes the queries from the source and the keys from the asking text."""
    q, k, v = source @ W_q, x @ W_k, source @ W_v
    return attention(q, k, v)


def head__values_from_asker(x, source, W_q, W_k, W_v):
    """Makes the values from the text that asks instead of the source."""
    q = x @ W_q
    k = source @ W_k
    v = x @ W_v
    return attention(q, k, v)


def head__ignores_source(x, source, W_q, W_k, W_v):
    """Lets the text ask itself and never looks at the source."""
    return attention(*(x @ W for W in (W_q, W_k, W_v)))


def head__keys_by_query_matrix(x, source, W_q, W_k, W_v):
    """Makes keys with the matrix of the queries."""
    return attention(torch.matmul(x, W_q), torch.matmul(source, W_q), torch.matmul(source, W_v))


def head__scaled_by_word_width(x, source, W_q, W_k, W_v):
    """Scales by the root of the width of the words, not of the keys."""
    w = torch.softmax((x @ W_q) @ (source @ W_k).mT / math.sqrt(x.size(-1)), dim=-1)
    return w @ (source @ W_v), w


def head__unscaled_own_values(x, source, W_q, W_k, W_v):
    """Reads the source itself, without the matrix of the values.
    Forgets to scale the scores.
    """
    w = torch.einsum("...ta,ak,...sb,bk->...ts", x, W_q, source, W_k).softmax(-1)
    return w @ source, w


def read__whole_table(q, k, v):
    """Shares one unit of attention among the whole table, not among each row's keys."""
    s = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    weights = s.flatten(-2).softmax(-1).reshape(s.shape)
    return weights @ v


def read__first_axis(q, k, v):
    """Takes softmax along axis 0, which is the batch."""
    scaled = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    return scaled.softmax(dim=0) @ v


def read__axis_one(q, k, v):
    """Takes softmax along axis 1, which is the keys only when nothing stands in front."""
    scaled = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
    weights = scaled.softmax(dim=1)
    return weights @ v


def read__mended_but_scale_lost(q, k, v):
    """Mends the axis but loses the scale on the way."""
    return (q @ k.transpose(-2, -1)).softmax(dim=-1) @ v


def head_weights__no_scale(x, W_q, W_k):
    """Takes the scaling away altogether."""
    return torch.softmax((x @ W_q) @ (x @ W_k).mT, dim=-1)


def head_weights__number_of_words(x, W_q, W_k):
    """Divides by the root of the number of words."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-2))
    return scores.softmax(dim=-1)


def head_weights__rows_of_matrix(x, W_q, W_k):
    """Takes the number of rows of the matrix for the width, which is that of the words."""
    q, k = x @ W_q, x @ W_k
    return (q @ k.mT / math.sqrt(len(W_k))).softmax(-1)


def head_weights__without_root_and_columns(x, W_q, W_k):
    """Divides by the width of the keys without its root.
    Takes softmax down the columns.
    """
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / k.size(-1)
    return scores.softmax(dim=-2)


def shapes__weights_turned(B, T, S, D, d_k, d_v):
    """Gives the weights a row for each key."""
    return (D, d_k), (B, S, d_k), (B, S, T), (B, T, d_v)


def shapes__matrix_per_sentence(B, T, S, D, d_k, d_v):
    """Gives each sentence of the batch a matrix of its own."""
    return (B, D, d_k), (B, S, d_k), (B, T, S), (B, T, d_v)


def shapes__keys_long_as_asker(B, T, S, D, d_k, d_v):
    """Makes as many keys as there are words that ask.
    Makes the output as wide as a word.
    """
    return [(D, d_k), (B, T, d_k), (B, T, S), (B, T, D)]
