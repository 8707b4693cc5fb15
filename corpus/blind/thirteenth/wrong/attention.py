import math

import torch


# A hard dictionary: takes the value of the best key only, no mixture.
# The line with argmax.
def soft_lookup__hard_argmax(query, keys, values):
    fits = keys @ query
    best = torch.softmax(fits, dim=0).argmax()
    return values[best]


# Averages the weighted values instead of adding them up: the answer is too
# small by the factor S. Last line, mean for sum.
def soft_lookup__mean_for_sum(query, keys, values):
    weights = torch.softmax(keys @ query, dim=0)
    return (weights.unsqueeze(-1) * values).mean(dim=0)


# The accumulator is float32 whatever is given, and += keeps it so: for
# float64 and float16 the answer has the wrong dtype. Line torch.zeros.
def soft_lookup__float32_sum(query, keys, values):
    points = (keys * query).sum(dim=1)
    weights = torch.softmax(points, dim=0)
    answer = torch.zeros(values.size(1))
    for weight, value in zip(weights, values):
        answer += weight * value
    return answer


# Reshapes k to (d_k, S) where it should be transposed: the numbers keep their
# order, so the columns are no keys. The line with reshape.
def scores__reshape_keys(q, k):
    S, d_k = k.shape[-2:]
    columns = k.reshape(*k.shape[:-2], d_k, S)
    return q @ columns


# Operands in the wrong order: rows are keys and columns are queries, so the
# table is (S, T), the transposed one.
def scores__keys_times_queries(q, k):
    return k @ q.transpose(-2, -1)


# Swaps axes 0 and 1, counted from the front: right for two axes, wrong as soon
# as a batch or heads stand in front (should be -2, -1).
def scores__axes_from_front(q, k):
    return torch.matmul(q, k.transpose(0, 1))


# Subtracts the largest number of the whole tensor, not that of each row: a row
# that lies far below another becomes 0 / 0 = nan. Line x.max().
def softmax__global_max(x):
    e = torch.exp(x - x.max())
    return e / e.sum(dim=-1, keepdim=True)


# Maximum and sum run along the first axis, not the last: right for one row
# only. Both lines with dim=0.
def softmax__first_axis(x):
    top = x.amax(dim=0, keepdim=True)
    powers = (x - top).exp()
    return powers / powers.sum(dim=0, keepdim=True)


# Divides by logsumexp as if it was the sum of exponentials; it is the sum's
# logarithm, so the row does not sum to 1. (Right: exp(x - logsumexp).) Last line.
def softmax__divides_by_log(x):
    shifted = x - x.amax(dim=-1, keepdim=True)
    total = torch.logsumexp(shifted, dim=-1, keepdim=True)
    return torch.exp(shifted) / total


# Subtracts each row's mean instead of its maximum: if one number lies far
# above the mean its exponential is inf, and inf / inf = nan. First line.
def softmax__minus_mean(x):
    x = x - x.mean(dim=-1, keepdim=True)
    e = torch.exp(x)
    return e / e.sum(-1, keepdim=True)


# Changes the caller's tensor: x -= ... works in place. First line.
def softmax__in_place(x):
    x -= x.max(dim=-1, keepdim=True).values
    numerators = torch.exp(x)
    return numerators / numerators.sum(dim=-1, keepdim=True)


# Divides both q and k by the root of d_k, so the scores are divided by d_k
# instead of its root. First two lines.
def attention__both_divided(q, k, v):
    root = math.sqrt(k.size(-1))
    q = q / root
    k = k / root
    weights = softmax(scores(q, k))
    return weights @ v, weights


# Divides after softmax instead of before it: the rows of weights sum to
# 1 / sqrt(d_k), and the shares are those of unscaled scores.
def attention__scaled_after_softmax(q, k, v):
    weights = softmax(scores(q, k)) / math.sqrt(q.size(-1))
    output = torch.einsum("...ts,...sd->...td", weights, v)
    return output, weights


# The local variable `scores` hides the function scores, so the first line
# raises UnboundLocalError.
def attention__name_hides_function(q, k, v):
    scores = scores(q, k) / math.sqrt(k.size(-1))
    weights = softmax(scores)
    return weights @ v, weights


# Two mistakes: divides by the root of the values' width, not the keys'
# (v.size(-1)), and returns (weights, output) in the wrong order.
def attention__value_width_swapped(q, k, v):
    d = v.size(-1)
    weights = softmax(scores(q, k) / d ** 0.5)
    return weights, weights @ v


# Values are made from x, not from the source: right for self-attention,
# otherwise the lengths do not fit or the wrong words are given. Line v = x @ W_v.
def head__values_from_x(x, source, W_q, W_k, W_v):
    q = x @ W_q
    k = source @ W_k
    v = x @ W_v
    return attention(q, k, v)


# Hands values and keys over in the wrong order (q, v, k). Last line.
def head__keys_values_exchanged(x, source, W_q, W_k, W_v):
    queries, keys, values = x @ W_q, source @ W_k, source @ W_v
    return attention(queries, values, keys)


# Detaches the source ("it is only read"), so that no gradient flows to it, and
# in self-attention only the queries' part reaches x. First line.
def head__source_detached(x, source, W_q, W_k, W_v):
    source = source.detach()
    return attention(x @ W_q, source @ W_k, source @ W_v)


# No division at all: "the scores were too small". The root of the keys' width
# is missing, so the weights are too sharp. Line scores = ...
def head_weights__not_divided(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1)
    return scores.softmax(dim=-1)


# Takes the number of W_k's rows for the keys' width: that is D again, so
# nothing is corrected. Line d_k = W_k.size(0), should be size(1) or -1.
def head_weights__rows_of_matrix(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    d_k = W_k.size(0)
    scores = q @ k.transpose(-2, -1) / math.sqrt(d_k)
    return scores.softmax(dim=-1)


# Two mistakes: the width is left wrong (that of the words), and softmax was
# moved to the axis of the queries, so columns sum to 1, not rows. Last line.
def head_weights__softmax_over_queries(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(x.size(-1))
    return scores.softmax(dim=-2)


# The queries are too short: 10 is divided by sqrt(n) in the head, so from 4
# words on the weight that is wanted is below 0.99. Line W_q.
def design_head__queries_too_short(wants, facts):
    n = len(wants)
    W_q = 10 * torch.eye(n)[wants]
    W_k = torch.eye(n)
    return W_q, W_k, facts.float()


# W_v holds for each word the facts of the word that it wants, so the look-up
# is made twice: a word reads the facts that its wanted word wants. Line W_v.
def design_head__facts_of_wanted(wants, facts):
    n = wants.size(0)
    W_q = torch.zeros(n, n)
    for i in range(n):
        W_q[i, wants[i]] = 200.0
    W_v = facts[wants].float()
    return W_q, torch.eye(n), W_v


# Puts wants into the keys instead of the queries: word i then reads the words
# that want i, not the one that it wants. Lines W_q and W_k.
def design_head__wants_in_keys(wants, facts):
    n, d_v = facts.shape
    W_q = torch.eye(n) * 100
    W_k = torch.eye(n)[wants]
    return W_q, W_k, facts.float()


# Fills W_q with -inf as a mask would: not finite, and 0 * -inf is nan, so every
# query and every weight is nan. Line torch.full.
def design_head__minus_infinity(wants, facts):
    n = len(wants)
    W_q = torch.full((n, n), -math.inf)
    W_q[torch.arange(n), wants] = 100.0
    return W_q, torch.eye(n), facts.float()


import math

import torch


# squeeze() also drops the width axis when the values are one number wide
# (d_v = 1): the answer is then a scalar () and not (1,). Last line.
def soft_lookup__squeeze_width(query, keys, values):
    fits = keys @ query
    weights = torch.softmax(fits, dim=0)
    mixed = weights.unsqueeze(0) @ values
    return mixed.squeeze()


# The running sum is torch.zeros(...) without a dtype, so the answer is always
# float32, for float16 and float64 inputs too (line `answer = torch.zeros`).
def soft_lookup__float32_sum_too(query, keys, values):
    weights = torch.softmax(keys @ query, dim=-1)
    answer = torch.zeros(values.size(-1))
    for weight, value in zip(weights, values):
        answer += weight * value
    return answer


# squeeze() of the scores makes a scalar of them when there is only one key
# (S = 1); then `weights @ values` raises an error.
def soft_lookup__one_key_scalar(query, keys, values):
    fits = (keys @ query.unsqueeze(-1)).squeeze()
    weights = fits.softmax(dim=-1)
    return weights @ values


# Exponentials without torch.softmax and without subtracting the maximum:
# scores above 88 (11 in float16) overflow, inf / inf is nan.
def soft_lookup__bare_exp(query, keys, values):
    e = torch.exp((keys * query).sum(dim=1))
    share = e / e.sum()
    return (share[:, None] * values).sum(dim=0)


# Handles only none or one axis in front: the einsum names exactly one batch
# axis, so (B, H, T, d_k) raises an error (line of the einsum).
def scores__one_batch_axis(q, k):
    if q.dim() == 2:
        return torch.einsum("td,sd->ts", q, k)
    return torch.einsum("btd,bsd->bts", q, k)


# unsqueeze_ with the underscore changes the caller's own q and k: after the
# call they have one axis more. The result itself is right.
def scores__unsqueezes_callers(q, k):
    pairs = q.unsqueeze_(-2) * k.unsqueeze_(-3)
    return pairs.sum(dim=-1)


# view() over the axes in front fails with an error for tensors that do not lie
# in order in memory, such as heads that were split and transposed.
def scores__view_for_bmm(q, k):
    front = q.shape[:-2]
    T, d_k = q.shape[-2:]
    S = k.size(-2)
    flat = torch.bmm(q.view(-1, T, d_k), k.view(-1, S, d_k).transpose(1, 2))
    return flat.view(*front, T, S)


# Result table is made by torch.zeros without a dtype: float32 whatever q is
# (line `table = torch.zeros`).
def scores__float32_table(q, k):
    T, S = q.size(-2), k.size(-2)
    table = torch.zeros(*q.shape[:-2], T, S)
    for i in range(T):
        for j in range(S):
            table[..., i, j] = (q[..., i, :] * k[..., j, :]).sum(dim=-1)
    return table


# Subtracts the largest absolute value of the row, not the largest value: a row
# of very negative numbers (-1000, -1001) moves to -2000, all exponentials are
# 0 and 0 / 0 is nan. Line `x = x - x.abs()...`.
def softmax__largest_magnitude(x):
    x = x - x.abs().amax(dim=-1, keepdim=True)
    e = x.exp()
    return e / e.sum(dim=-1, keepdim=True)


# Subtracts the maximum only if some number is above 50. Rows far below zero
# (all at -200) keep exponentials of 0: 0 / 0 is nan. (In float16, numbers
# between 11 and 50 overflow too.) The `if` is the mistake.
def softmax__shift_only_if_high(x):
    if x.max() > 50:
        x = x - x.amax(dim=-1, keepdim=True)
    e = torch.exp(x)
    return e / e.sum(dim=-1, keepdim=True)


# The normaliser is detached: the weights are right, but their gradient lacks
# the part that flows through the sum, so it is wrong (not missing).
def softmax__detached_normaliser(x):
    total = torch.logsumexp(x, dim=-1, keepdim=True).detach()
    return torch.exp(x - total)


# One over the sum of e^(x_i - x_j): the weights are right, for inf gives 0,
# but the gradient is nan (0 times inf) as soon as two numbers of a row differ
# by more than 88.
def softmax__pairwise_differences(x):
    apart = x.unsqueeze(-2) - x.unsqueeze(-1)
    return 1.0 / apart.exp().sum(dim=-1)


# Two mistakes: float() makes the result float32 for every other dtype, and for
# float32, where float() makes no copy, `x -=` changes the caller's x.
def softmax__float_in_place(x):
    x = x.float()
    x -= x.max(dim=-1, keepdim=True).values
    e = torch.exp(x)
    return e / e.sum(dim=-1, keepdim=True)


# `q *= ...` scales the caller's own q in place; result right, q changed (and an
# error if q is a leaf that requires a gradient).
def attention__scales_callers_q(q, k, v):
    q *= k.size(-1) ** -0.5
    weights = softmax(scores(q, k))
    return weights @ v, weights


# math.isqrt rounds the root down to an integer: right for widths 4, 16, 64,
# wrong for 2, 3, 5, 8 and so on.
def attention__integer_root(q, k, v):
    root = math.isqrt(k.size(-1))
    weights = softmax(scores(q, k) / root)
    return weights @ v, weights


# The root is a float32 tensor of one axis, so float16 scores become float32
# by the division, and weights @ v raises an error for half precisions.
def attention__root_tensor_float32(q, k, v):
    root = torch.tensor([k.size(-1)], dtype=torch.float32).sqrt()
    weights = softmax(scores(q, k) / root)
    output = torch.matmul(weights, v)
    return output, weights


# The returned weights are detached ("only to look at"): no gradient flows
# through the second result. Last line.
def attention__weights_cut_off(q, k, v):
    s = scores(q, k) / math.sqrt(q.size(-1))
    weights = softmax(s)
    output = weights @ v
    return output, weights.detach()


# The outputs of the queries are stacked after squeeze(), which drops every axis
# of length 1: a batch of 1 loses its axis, d_v = 1 gives a wrong shape.
def attention__squeezes_output(q, k, v):
    weights = softmax(scores(q, k) / k.size(-1) ** 0.5)
    if v.dim() == 2:
        return weights @ v, weights
    rows = []
    for t in range(q.size(-2)):
        row = weights[..., t:t + 1, :] @ v
        rows.append(row.squeeze())
    return torch.stack(rows, dim=-2), weights


# If x and source have the same shape it takes the call for self-attention and
# ignores source: wrong for two different texts of equal length.
def head__equal_shape_is_self(x, source, W_q, W_k, W_v):
    if x.shape == source.shape:
        return attention(x @ W_q, x @ W_k, x @ W_v)
    return attention(x @ W_q, source @ W_k, source @ W_v)


# Keys and values in one product, cut in the middle by chunk(2): right only if
# d_k equals d_v. Line `keys, values = ...chunk`.
def head__halves_of_kv(x, source, W_q, W_k, W_v):
    both = source @ torch.cat([W_k, W_v], dim=1)
    keys, values = both.chunk(2, dim=-1)
    return attention(x @ W_q, keys, values)


# Keeps keys and values of a source from one call to the next, by id(source):
# the same source with other matrices gets the old keys and values (and so may
# another source that comes to lie at the same address).
def head__remembers_source(x, source, W_q, W_k, W_v, read={}):
    if id(source) not in read:
        read[id(source)] = (source @ W_k, source @ W_v)
    keys, values = read[id(source)]
    return attention(x @ W_q, keys, values)


# The source is detached ("it is only asked"): x and the matrices have their
# gradients, but none reaches source (and x misses a part in self-attention).
def head__source_detached_too(x, source, W_q, W_k, W_v):
    asked = source.detach()
    q = x @ W_q
    k = asked @ W_k
    v = asked @ W_v
    return attention(q, k, v)


# Divides by 8 always, the number of the example: wrong for every width of
# queries and keys but 64.
def head_weights__always_eight(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / 8
    return scores.softmax(dim=-1)


# q.size(1) counts from the front: with (T, D) it is d_k, but with a batch in
# front it is the number of words.
def head_weights__axis_from_front(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(1))
    return scores.softmax(dim=-1)


# Takes the smaller of the two widths: right as long as keys are narrower than
# words, wrong if d_k is larger than D.
def head_weights__smaller_width(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    width = min(x.size(-1), k.size(-1))
    scores = q @ k.transpose(-2, -1) / math.sqrt(width)
    return scores.softmax(dim=-1)


# Keys are written by W_k[wants] = eye: where two words want the same word, the
# later row overwrites the earlier, and the earlier asker finds no key.
def design_head__keys_overwritten(wants, facts):
    n = len(wants)
    W_q = 100.0 * torch.eye(n)
    W_k = torch.zeros(n, n)
    W_k[wants] = torch.eye(n)
    return W_q, W_k, facts.float()


# The diagonal of the queries is set to 0, so that no word asks for itself: a
# word that wants itself has a query of zeros and equal weights.
def design_head__never_itself(wants, facts):
    n = wants.numel()
    W_q = torch.zeros(n, n)
    W_q[torch.arange(n), wants] = 20.0 * math.sqrt(n)
    W_q.fill_diagonal_(0.0)
    return W_q, torch.eye(n), facts.clone().float()


# Keys are points on a circle, queries 30 times the wanted point: neighbours on
# the circle come too close for many words, so from n = 9 on the wanted word
# gets less than 0.99 (the 30 would have to grow with n squared).
def design_head__crowded_circle(wants, facts):
    n = len(wants)
    angle = 2 * math.pi * torch.arange(n) / n
    W_k = torch.stack([angle.cos(), angle.sin()], dim=1)
    W_q = 30.0 * W_k[wants]
    return W_q, W_k, facts.float()
