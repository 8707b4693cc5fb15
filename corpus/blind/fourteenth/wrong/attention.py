import math

import torch


# Divides the scores by the root of d_k, though the task says "no scaling yet".
# Line: scores = keys @ query / math.sqrt(query.size(-1))
def soft_lookup__scaled_anyway(query, keys, values):
    scores = keys @ query / math.sqrt(query.size(-1))
    weights = torch.softmax(scores, dim=-1)
    return weights @ values


# Reshapes k to (..., d_k, S) instead of transposing it: the numbers stay in
# their order in memory and the columns are not the keys.
def scores__reshape_for_transpose(q, k):
    *front, S, d_k = k.shape
    columns = k.reshape(*front, d_k, S)
    return q @ columns


# The table is the wrong way round: rows are keys, columns are queries, (S, T).
# Line: the einsum's output "...st" should be "...ts".
def scores__keys_are_rows(q, k):
    return torch.einsum("...td,...sd->...st", q, k)


# Subtracts the largest number of the whole tensor, not that of each row: a row
# far below the largest has only exponentials of 0, and 0 / 0 is nan.
def softmax__one_maximum(x):
    e = torch.exp(x - x.max())
    return e / e.sum(dim=-1, keepdim=True)


# Clamps large scores to 80 against overflow, so that differences above 80 are
# lost: (1000, 1001, 1002) gives equal shares. Line: x = x.clamp(-80, 80)
def softmax__clamped(x):
    x = x.clamp(-80, 80)
    e = x.exp()
    return e / e.sum(dim=-1, keepdim=True)


# Two mistakes: divides the weights by the root of d_k after the softmax, not the
# scores before; and returns (weights, output) in the wrong order.
def attention__scale_after_and_order(q, k, v):
    d_k = k.size(-1)
    weights = softmax(scores(q, k)) / math.sqrt(d_k)
    output = weights @ v
    return weights, output


# Takes the keys' width from axis 1 counted from the front: with a batch or heads
# in front this is S (or the number of heads). Line: d_k = k.shape[1]
def attention__width_from_front(q, k, v):
    d_k = k.shape[1]
    table = scores(q, k) / d_k**0.5
    weights = softmax(table)
    return torch.matmul(weights, v), weights


# Who asks and who is asked are exchanged: queries are made from the source, keys
# and values from x.
def head__source_asks(x, source, W_q, W_k, W_v):
    q = source @ W_q
    k = x @ W_k
    v = x @ W_v
    return attention(q, k, v)


# Drops the division altogether (the scores were too small, so it does not make
# them smaller any more); it should divide by the root of k's width.
def head_weights__no_division(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1)
    return scores.softmax(dim=-1)


# The queries are not long enough: 10 / sqrt(n) is below what 0.99 needs for
# larger n. Line: W_q = 10 * torch.eye(n)[wants]
def design_head__too_short(wants, facts):
    n = len(wants)
    W_q = 10 * torch.eye(n)[wants]
    W_k = torch.eye(n)
    W_v = facts.float()
    return W_q, W_k, W_v


# The one of word i stands in column i, row wants[i] (a transposed W_q): each word
# looks for those that want it. Line: W_q[wants[i], i] = 100.0
def design_head__transposed_queries(wants, facts):
    n = wants.size(0)
    W_q = torch.zeros(n, n)
    for i in range(n):
        W_q[wants[i], i] = 100.0
    return W_q, torch.eye(n), facts.float()


# The sum is gathered in torch.zeros(...), which is float32: for float64 or float16
# inputs the answer comes back as float32. Line `answer = torch.zeros(...)`.
def soft_lookup__float32_sum(query, keys, values):
    weights = torch.softmax(keys @ query, dim=0)
    answer = torch.zeros(values.size(1))
    for weight, value in zip(weights, values):
        answer += weight * value
    return answer


# The sum starts from zeros_like(query), d_k wide instead of d_v: error when
# d_v differs from d_k, and with d_v = 1 the value is spread over d_k numbers.
def soft_lookup__starts_query_wide(query, keys, values):
    fits = torch.stack([torch.dot(key, query) for key in keys])
    weights = torch.softmax(fits, dim=-1)
    answer = torch.zeros_like(query)
    for weight, value in zip(weights, values):
        answer = answer + weight * value
    return answer


# The result of a batch is put back into shape with q.size(0) only: with two axes in
# front (B, H, T, d) the last line gives an error. With one axis in front it is right.
def scores__one_batch_axis(q, k):
    if q.dim() == 2:
        return q.matmul(k.t())
    T, S, d_k = q.size(-2), k.size(-2), q.size(-1)
    table = torch.bmm(q.reshape(-1, T, d_k), k.reshape(-1, S, d_k).mT)
    return table.view(q.size(0), T, S)


# Subtracts each row's mean, not its maximum: where one number is far above the mean
# (0, 0, 300) the exponential still overflows, and inf / inf is nan.
def softmax__minus_mean(x):
    shifted = x - x.mean(dim=-1, keepdim=True)
    powers = torch.exp(shifted)
    return powers / powers.sum(dim=-1, keepdim=True)


# x.float() for safety, but the result is never brought back to x's dtype: float32
# comes back for float16, bfloat16 and float64.
def softmax__stays_float32(x):
    y = x.float()
    y = y - y.amax(dim=-1, keepdim=True)
    e = y.exp()
    return e / e.sum(dim=-1, keepdim=True)


# Divides by the root of the width of v, right only if d_v equals d_k.
def attention__root_of_v(q, k, v):
    d = v.shape[-1]
    weights = softmax(scores(q, k) / d**0.5)
    return weights @ v, weights


# Scales q in place with mul_: the caller's queries are changed (and a leaf that
# requires gradients raises an error). Line `q = q.mul_(...)`.
def attention__scales_callers_q(q, k, v):
    q = q.mul_(k.size(-1) ** -0.5)
    weights = softmax(scores(q, k))
    return weights.matmul(v), weights


# Takes it for self-attention if x and source have the same shape, and then makes keys
# and values from x: wrong for two different texts of the same length.
def head__same_shape_is_self(x, source, W_q, W_k, W_v):
    q = x @ W_q
    if source.shape == x.shape:
        k, v = x @ W_k, x @ W_v
    else:
        k, v = source @ W_k, source @ W_v
    return attention(q, k, v)


# One product for keys and values, then chunk(2): two equal halves. Right only if
# d_k equals d_v; otherwise the cut is at the wrong column. Line with `chunk`.
def head__halves_of_kv(x, source, W_q, W_k, W_v):
    query = torch.matmul(x, W_q)
    both = torch.matmul(source, torch.cat([W_k, W_v], dim=1))
    key, value = both.chunk(2, dim=-1)
    return attention(query, key, value)


# Divides by math.isqrt(d_k), the root rounded down: right only where d_k is a
# square number such as 4, 16 or 64.
def head_weights__whole_root(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.isqrt(k.size(-1))
    return scores.softmax(dim=-1)


# q.size(1) is the key's width for a single text only; for a batch (B, T, D) it is
# the number of words T.
def head_weights__size_one(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(1))
    return scores.softmax(dim=-1)


# W_k[wants] = identity gives the key of each wanted word a 1 at the place of the word
# that wants it; where two words want the same one, the last one overwrites the other.
def design_head__one_fan_only(wants, facts):
    n = len(wants)
    W_q = 100.0 * torch.eye(n)
    W_k = torch.zeros(n, n)
    W_k[wants] = torch.eye(n)
    return W_q, W_k, facts.float()


# Queries of length 20 whatever n is: the scores are 20 / sqrt(n) apart, enough for up
# to 8 words, too little for more (12 words: 0.967).
def design_head__always_twenty(wants, facts):
    n = wants.numel()
    one_hot = torch.nn.functional.one_hot(wants, n).float()
    return 20 * one_hot, torch.eye(n), facts.to(torch.float32)
