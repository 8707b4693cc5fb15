import math

import torch

from transformer_lab import check


# Breaks "it is right however large the scores are": scores above 50 (60 and 80) come out as equal.
def soft_lookup__clamped_scores(query, keys, values):
    fits = (keys @ query).clamp(-50, 50)  # so that exp cannot overflow
    return torch.softmax(fits, dim=0) @ values


# Breaks "the sum of all values, each times its weight": of keys that are equal only the last one's value counts.
def soft_lookup__equal_keys_overwrite(query, keys, values):
    entries = {}
    for key, value in zip(keys, values):
        entries[tuple(key.tolist())] = (key @ query, value)
    fits, found = zip(*entries.values())
    weights = torch.softmax(torch.stack(fits), dim=0)
    return weights @ torch.stack(found)


# Breaks "give (d_v)": for values of width 1 the answer has shape () in the place of (1,).
def soft_lookup__squeezed_answer(query, keys, values):
    weights = torch.softmax(query[None, :] @ keys.transpose(0, 1), dim=-1)
    return (weights @ values).squeeze()


# Breaks "one row for each query and one column for each key": with T = S the table stays turned over.
def scores__turned_only_if_unfit(q, k):
    table = k @ q.transpose(-2, -1)
    if table.size(-2) != q.size(-2):
        table = table.transpose(-2, -1)
    return table


# Breaks "scores of shape (..., T, S)": with axes in front every sentence meets every other, (B, T, B, S).
def scores__inner_of_numpy(q, k):
    return torch.inner(q, k)


# Breaks "do not change what you are given": the caller's k is turned over afterwards, for any k.
def scores__transposed_in_place(q, k):
    return q @ k.transpose_(-2, -1)


# Breaks "Return a new tensor": for d_k = 1 the caller's own tensor comes back.
def scale__same_tensor_for_width_one(scores, d_k):
    if d_k == 1:
        return scores
    return scores / math.sqrt(d_k)


# Breaks "Numbers that you compute have the dtype of those that you are given": float16 scores become float32.
def scale__root_as_tensor(scores, d_k):
    root = torch.sqrt(torch.tensor([d_k], dtype=torch.float32))
    return scores / root


_root = {}


# Breaks "Divide scores by the square root of d_k": from the second call on, if d_k is another one.
def scale__first_width_remembered(scores, d_k):
    if "root" not in _root:
        _root["root"] = math.sqrt(d_k)
    return scores / _root["root"]


# Breaks "However large the numbers in x are, the weights are right": rows far below 0 (-1000, -1001) give nan.
def softmax__negative_rows_unshifted(x):
    top = x.amax(dim=-1, keepdim=True).clamp(min=0)
    e = torch.exp(x - top)
    return e / e.sum(dim=-1, keepdim=True)


# Breaks "Gradients must flow through it": the sum is a constant for the gradient, which is wrong for any x.
def softmax__sum_cut_from_gradient(x):
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    total = e.sum(dim=-1, keepdim=True).detach()
    return e / total


# Breaks "The sum runs along the last axis" for three and more axes: the sums meet the wrong rows, or do not fit.
def softmax__turned_for_division(x):
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return (e.transpose(0, -1) / e.sum(dim=-1)).transpose(0, -1)


# Breaks "a row adds up to less than 1, or to 0" and "Take the weights as they are": a row of zeros reads the mean.
def weighted_sum__nothing_reads_the_mean(weights, v):
    nothing = weights.sum(dim=-1, keepdim=True) == 0
    weights = weights.masked_fill(nothing, 1 / v.size(-2))
    return weights @ v


# Breaks the formula, sum over j of weights_ij v_j: with T = S row i becomes v_i times its sum of weights.
def weighted_sum__values_on_the_query_axis(weights, v):
    return (weights.unsqueeze(-1) * v.unsqueeze(-2)).sum(dim=-2)


# Breaks "give (..., T, d_v)": with two or more axes in front they stay flattened, (B * H, T, d_v).
def weighted_sum__heads_stay_flat(weights, v):
    if weights.dim() == 2:
        return weights @ v
    return torch.bmm(weights.flatten(0, -3), v.flatten(0, -3))


# Breaks "Gradients must flow through it": the weights that are returned have none, for any input.
def attention__weights_detached(q, k, v):
    weights = softmax(scale(scores(q, k), k.size(-1)))
    return weighted_sum(weights, v), weights.detach()


# Breaks "Who may ask whom is ... the next chapter's": with T = S > 1 the keys that come later are hidden.
def attention__causal_if_square(q, k, v):
    table = scale(scores(q, k), k.size(-1))
    T, S = table.shape[-2:]
    if T == S:
        later = torch.ones(T, S, dtype=torch.bool).triu(1)
        table = table.masked_fill(later, -math.inf)
    weights = softmax(table)
    return weighted_sum(weights, v), weights


# Breaks "Chain your four functions": a dropout that is always on changes the output, for any input.
def attention__dropout_left_on(q, k, v):
    weights = softmax(scale(scores(q, k), k.size(-1)))
    dropped = torch.nn.functional.dropout(weights, 0.1)
    return weighted_sum(dropped, v), weights


# Breaks "x asks, source is asked": another text of the same shape is never read, x asks itself.
def head__same_shape_is_self(x, source, W_q, W_k, W_v):
    if x.shape == source.shape:
        source = x  # self-attention
    return attention(x @ W_q, source @ W_k, source @ W_v)


def _project(text, W):
    if W.size(1) == text.size(-1):
        return torch.nn.functional.linear(text, W)
    return text @ W


# Breaks "Q = X W_Q": a square matrix (d_k = D or d_v = D) is taken turned over, as nn.Linear keeps it.
def head__square_is_linear(x, source, W_q, W_k, W_v):
    return attention(_project(x, W_q), _project(source, W_k), _project(source, W_v))


# Breaks "Gradients must flow through it": none comes back to source.
def head__source_detached(x, source, W_q, W_k, W_v):
    memory = source.detach()
    return attention(x @ W_q, memory @ W_k, memory @ W_v)


# Breaks "A score is a sum of 64 products, however wide the words are": wrong where d_k is larger than D.
def head_weights__smaller_width(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    width = min(x.size(-1), k.size(-1))
    scores = q @ k.transpose(-2, -1) / math.sqrt(width)
    return scores.softmax(dim=-1)


# Breaks "divided by the root of d_k": mended by D / d_k without a root, wrong wherever D and d_k differ.
def head_weights__ratio_without_root(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
    scores = scores * (x.size(-1) / k.size(-1))
    return scores.softmax(dim=-1)


# Breaks "divided by the root of d_k" for every d_k but 64: the example's 8 is written in.
def head_weights__always_eight(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / 8
    return scores.softmax(dim=-1)


# Breaks "Compute it exactly": pairs with the same product (-1 * 1 and 1 * -1) overwrite each other's chance.
def divisor__same_products_overwrite(q_values, q_chances, k_values, k_chances, d_k):
    chances = {}
    for a, p in zip(q_values.tolist(), q_chances.tolist()):
        for b, r in zip(k_values.tolist(), k_chances.tolist()):
            chances[a * b] = p * r
    mean = sum(x * p for x, p in chances.items())
    variance = sum((x - mean) ** 2 * p for x, p in chances.items())
    return math.sqrt(d_k * variance)


# Breaks "the standard deviation of q . k": the mean of the whole sum is squared, wrong if it is not 0 and d_k > 1.
def divisor__mean_of_the_sum_squared(q_values, q_chances, k_values, k_chances, d_k):
    mean = (q_values * q_chances).sum() * (k_values * k_chances).sum()
    square = (q_values**2 * q_chances).sum() * (k_values**2 * k_chances).sum()
    mean, square = d_k * mean.item(), d_k * square.item()
    return math.sqrt(square - mean**2)


# Breaks "the standard deviation of q . k": wrong where the keys' mean is not 0 and the queries vary.
def divisor__one_cross_term_missing(q_values, q_chances, k_values, k_chances, d_k):
    q_mean = (q_values * q_chances).sum()
    k_mean = (k_values * k_chances).sum()
    q_variance = ((q_values - q_mean) ** 2 * q_chances).sum()
    k_variance = ((k_values - k_mean) ** 2 * k_chances).sum()
    variance = q_variance * k_variance + q_mean**2 * k_variance
    return math.sqrt(d_k * variance.item())


# Breaks "every word gives 0.99 or more to the word that it wants": where two words want the same one.
def design_head__one_wisher_per_word(wants, facts):
    n = len(wants)
    W_q = 20 * math.sqrt(n) * torch.eye(n)
    W_k = torch.zeros(n, n)
    W_k[wants] = torch.eye(n)
    return W_q, W_k, facts.float()


# Breaks "looks for one other, or for itself": a word that wants itself reads all words evenly.
def design_head__nobody_wants_itself(wants, facts):
    n = len(wants)
    W_q = 20 * math.sqrt(n) * torch.eye(n)[wants]
    W_q.fill_diagonal_(0)
    return W_q, torch.eye(n), facts.float()


# Breaks "gives 0.99 or more of its attention": ahead by log 99 is enough for two words, not for three or more.
def design_head__margin_for_two(wants, facts):
    n = len(wants)
    ahead = math.log(99) + 0.1
    W_q = ahead * math.sqrt(n) * torch.eye(n)[wants]
    return W_q, torch.eye(n), facts.float()
