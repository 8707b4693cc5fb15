import math

import torch

from transformer_lab import check


# ---------------------------------------------------------------- soft_lookup


def soft_lookup__softmax_before_sum(query, keys, values):
    """Softmax is taken of the single products, column by column, and only then are the shares averaged to one weight a key."""
    products = keys * query
    shares = torch.softmax(products, dim=0)
    weights = shares.mean(dim=1)
    return weights @ values


def soft_lookup__cosine(query, keys, values):
    """The fit is the cosine of the angle between query and key, not their dot product."""
    fit = torch.nn.functional.cosine_similarity(keys, query[None, :], dim=-1)
    weights = torch.softmax(fit, dim=0)
    return torch.einsum("s,sd->d", weights, values)


def soft_lookup__clamped(query, keys, values):
    """Scores above 50 are cut down to 50 so that nothing overflows, so large scores all count the same."""
    fit = (keys @ query).clamp(-50, 50)
    e = fit.exp()
    return (e / e.sum()) @ values


def soft_lookup__mean_of_weighted(query, keys, values):
    """The weighted values are averaged and not added up, so the answer is too small by the number of keys."""
    weights = torch.softmax(torch.mv(keys, query), dim=-1)
    return (weights.unsqueeze(-1) * values).mean(dim=0)


# --------------------------------------------------------------------- scores


def scores__from_one(q, k):
    """The sum starts at index 1, as in the formula, so the first number of every query and key is left out."""
    d_k = q.size(-1)
    table = torch.zeros_like(q[..., :, None, 0] * k[..., None, :, 0])
    for c in range(1, d_k):
        table = table + q[..., :, None, c] * k[..., None, :, c]
    return table


def scores__float32_table(q, k):
    """The results are put into a table of zeros of the standard precision, so float64 and float16 come back as float32."""
    T, S = q.shape[-2], k.shape[-2]
    table = torch.zeros(*q.shape[:-2], T, S)
    for i in range(T):
        for j in range(S):
            table[..., i, j] = (q[..., i, :] * k[..., j, :]).sum(dim=-1)
    return table


def scores__two_axes_only(q, k):
    """The einsum names exactly two axes, so anything with a batch or heads in front is an error."""
    return torch.einsum("td,sd->ts", q, k)


def scores__square_table(q, k):
    """The loop over the keys runs to the number of queries, so it is right only if there are as many keys as queries."""
    n = q.size(-2)
    columns = []
    for j in range(n):
        columns.append((q * k[..., j : j + 1, :]).sum(-1))
    return torch.stack(columns, dim=-1)


# ---------------------------------------------------------------------- scale


def scale__isqrt(scores, d_k):
    """The root is rounded down to a whole number, so it is right only for square numbers."""
    return scores / math.isqrt(d_k)


def scale__precedence(scores, d_k):
    """`d_k ** 1 / 2` is half of d_k, and not its root."""
    return scores / (d_k**1 / 2)


def scale__standardise(scores, d_k):
    """The scores are divided by their own standard deviation, to make the variance 1, and d_k is not used."""
    return scores / scores.std()


def scale__example_width(scores, d_k):
    """The width of the keys of the example, 2, is written into the code, and d_k is ignored."""
    return scores * 2**-0.5


# -------------------------------------------------------------------- softmax


def softmax__abs_max(x):
    """The largest absolute value is subtracted, so a row of very negative numbers underflows to 0 / 0."""
    e = torch.exp(x - x.abs().amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def softmax__minus_mean(x):
    """The row's mean is subtracted in place of its maximum, so a row with a wide spread still overflows."""
    centred = x - x.mean(dim=-1, keepdim=True)
    e = centred.exp()
    return e / e.sum(dim=-1, keepdim=True)


def softmax__dim_one(x):
    """The axis is given as 1, counted from the front, which is the last one only for a table of two axes."""
    top, _ = x.max(dim=1, keepdim=True)
    e = torch.exp(x - top)
    return e / e.sum(dim=1, keepdim=True)


def softmax__numpy(x):
    """It is computed in NumPy, so that no gradient flows through it."""
    import numpy as np

    a = x.detach().numpy()
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return torch.from_numpy(e / e.sum(axis=-1, keepdims=True))


# --------------------------------------------------------------- weighted_sum


def weighted_sum__mean(weights, v):
    """The weighted values are averaged, so everything is divided by the number of keys once more."""
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)


def weighted_sum__overwrites(weights, v):
    """The loop assigns where it should add up, so only the last value is left."""
    out = None
    for j in range(v.size(-2)):
        out = weights[..., j : j + 1] * v[..., j : j + 1, :]
    return out


def weighted_sum__missing_axis(weights, v):
    """v lacks an axis for the queries, so with a batch in front the batch meets the queries."""
    return (weights[..., None] * v).sum(dim=-2)


def weighted_sum__empty_row_mean(weights, v):
    """A row of weights that is all 0 is replaced by equal shares, where it should give 0."""
    empty = weights.sum(dim=-1, keepdim=True) == 0
    equal = torch.full_like(weights, 1 / weights.size(-1))
    return torch.where(empty, equal, weights) @ v


# ------------------------------------------------------------------ attention


def attention__weights_detached(q, k, v):
    """The weights that are returned are detached, so no gradient flows through them."""
    weights = softmax(scale(scores(q, k), k.size(-1)))
    out = weighted_sum(weights, v)
    return out, weights.detach()


def attention__scaled_twice(q, k, v):
    """The queries are divided by the root of the width, and then the scores once more."""
    d_k = k.size(-1)
    q = scale(q, d_k)
    s = scale(scores(q, k), d_k)
    w = softmax(s)
    return weighted_sum(w, v), w


def attention__over_queries(q, k, v):
    """Softmax runs along the queries, so the columns of the weights sum to 1 and not the rows."""
    s = scale(scores(q, k), q.size(-1))
    weights = softmax(s.transpose(-2, -1)).transpose(-2, -1)
    return weighted_sum(weights, v), weights


def attention__width_from_front(q, k, v):
    """The width of the keys is taken as axis 1 from the front, which is the number of words, or of heads, as soon as there is a batch."""
    d_k = k.shape[1]
    weights = softmax(scale(scores(q, k), d_k))
    output = weighted_sum(weights, v)
    return output, weights


# ----------------------------------------------------------------------- head


def head__folded_matrices(x, source, W_q, W_k, W_v):
    """W_q and W_k are multiplied into one matrix first, so attention sees keys as wide as a word and divides by the root of D."""
    asks = x @ (W_q @ W_k.T)
    return attention(asks, source, source @ W_v)


def head__same_shape_is_self(x, source, W_q, W_k, W_v):
    """If both texts have the same shape it is taken for self-attention, and the source is ignored."""
    if x.shape == source.shape:
        source = x
    q, k, v = x @ W_q, source @ W_k, source @ W_v
    return attention(q, k, v)


def head__scales_again(x, source, W_q, W_k, W_v):
    """The queries are divided by the root of d_k although attention scales by itself."""
    q = torch.matmul(x, W_q) / math.sqrt(W_k.size(-1))
    k = torch.matmul(source, W_k)
    v = torch.matmul(source, W_v)
    output, weights = attention(q, k, v)
    return output, weights


def head__keys_by_W_q(x, source, W_q, W_k, W_v):
    """The keys are made with W_q, and W_k is never used."""
    q = x @ W_q
    k = source @ W_q
    v = source @ W_v
    return attention(q, k, v)


# --------------------------------------------------------------- head_weights


def head_weights__eight(x, W_q, W_k):
    """The root of 64 from the text's example is written into the code, whatever the width of the keys is."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / 8
    return scores.softmax(dim=-1)


def head_weights__width_ratio(x, W_q, W_k):
    """The scores are divided by the root of D / d_k, how often the keys' width goes into a word's, and not by that of d_k."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1) / k.size(-1))
    return scores.softmax(dim=-1)


def head_weights__both_widths(x, W_q, W_k):
    """The widths of query and key are added up under the root, so it is the root of 2 d_k."""
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1) + k.size(-1))
    return scores.softmax(dim=-1)


def head_weights__axis_one(x, W_q, W_k):
    """The width is read as axis 1 from the front, so with a batch it is the number of words."""
    q, k = x @ W_q, x @ W_k
    scores = torch.einsum("...id,...jd->...ij", q, k) / math.sqrt(k.size(1))
    return scores.softmax(dim=-1)


# -------------------------------------------------------------------- divisor


def divisor__one_cross_term(q_values, q_chances, k_values, k_chances, d_k):
    """Of the variance of a product, the term with the keys' variance and the square of the queries' mean is forgotten."""
    q_mean = (q_values * q_chances).sum()
    k_mean = (k_values * k_chances).sum()
    q_var = ((q_values - q_mean) ** 2 * q_chances).sum()
    k_var = ((k_values - k_mean) ** 2 * k_chances).sum()
    variance = q_var * k_var + q_var * k_mean**2
    return math.sqrt(d_k * variance)


def divisor__deviations_add(q_values, q_chances, k_values, k_chances, d_k):
    """The standard deviations of the d_k products are added up, not their variances, so d_k stands outside the root."""
    q_mean, k_mean = q_values @ q_chances, k_values @ k_chances
    q_square, k_square = q_values**2 @ q_chances, k_values**2 @ k_chances
    return d_k * math.sqrt(q_square * k_square - (q_mean * k_mean) ** 2)


def divisor__paired(q_values, q_chances, k_values, k_chances, d_k):
    """The first value of a query is multiplied by the first of a key only, the second by the second, and so on, as if they were always drawn together."""
    product = q_values * k_values
    chance = q_chances * k_chances
    mean = (product * chance).sum()
    square = (product**2 * chance).sum()
    return math.sqrt(d_k * (square - mean**2).item())


def divisor__drawn(q_values, q_chances, k_values, k_chances, d_k):
    """The deviation is estimated from a few thousand random draws and not computed."""
    n = 4000
    q = q_values[torch.multinomial(q_chances, n * d_k, replacement=True)]
    k = k_values[torch.multinomial(k_chances, n * d_k, replacement=True)]
    return (q * k).reshape(n, d_k).sum(dim=-1).std().item()


# ---------------------------------------------------------------- design_head


def design_head__too_short(wants, facts):
    """The queries have the fixed length 12, which after division by the root of the width is too short if there are more than a few words."""
    n = len(wants)
    W_q = 12 * torch.eye(n)[wants]
    return W_q, torch.eye(n), facts


def design_head__one_asker_each(wants, facts):
    """Each wanted word gets the name of its asker as key, so of two words that want the same only the last finds it."""
    n = len(wants)
    W_q = 30 * math.sqrt(n) * torch.eye(n)
    W_k = torch.zeros(n, n)
    for i in range(n):
        W_k[wants[i]] = torch.eye(n)[i]
    return W_q, W_k, facts.clone()


def design_head__never_itself(wants, facts):
    """The diagonal is cleared so that no word reads itself, although a word may want itself."""
    n = len(wants)
    W_q = torch.zeros(n, n)
    W_q[torch.arange(n), wants] = 25.0 * math.sqrt(n)
    W_q.fill_diagonal_(0)
    return W_q, torch.eye(n), facts


def design_head__facts_of_wanted(wants, facts):
    """The facts are already put in the order of the wants, so each word reads the facts of the word that its wanted word wants."""
    n = len(wants)
    W_k = torch.eye(n)
    W_q = 20 * math.sqrt(n) * W_k[wants]
    W_v = facts[wants]
    return W_q, W_k, W_v
