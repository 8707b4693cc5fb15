"""Right answers, written in many ways: none may lose a point. Before __ stands the function."""

import math

import torch


def scores__einsum(q, k):
    return torch.einsum("...td,...sd->...ts", q, k)


def scores__loops(q, k):
    rows = [(q[..., i, None, :] * k).sum(-1) for i in range(q.size(-2))]
    return torch.stack(rows, dim=-2)


def scores__renamed_and_float64_inside(queries, keys):
    return torch.matmul(queries.double(), keys.double().swapaxes(-1, -2)).to(queries.dtype)


def scores__baddbmm(q, k):
    flat_q, flat_k = q.reshape(-1, *q.shape[-2:]), k.reshape(-1, *k.shape[-2:])
    zeros = torch.zeros(len(flat_q), q.size(-2), k.size(-2), dtype=q.dtype)
    return torch.baddbmm(zeros, flat_q, flat_k.mT).reshape(*q.shape[:-1], k.size(-2))


def softmax__max_of_pair(x):
    x = x - x.max(dim=-1, keepdim=True)[0]
    return x.exp() / x.exp().sum(dim=-1, keepdim=True)


def softmax__logsumexp(x):
    return torch.exp(x - torch.logsumexp(x, dim=-1, keepdim=True))


def softmax__unsqueeze(x):
    e = torch.exp(x - x.max(-1).values.unsqueeze(-1))
    total = e.sum(-1)
    return e / total[..., None]


def softmax__powers_of_two(x):
    e = (x - x.amax(-1, keepdim=True)) / math.log(2)
    e = torch.exp2(e)
    return e / e.sum(-1, keepdim=True)


def attention__billion(q, k, v, mask=None):
    s = q @ k.transpose(-1, -2) / math.sqrt(k.shape[-1])
    if mask is not None:
        s = s.masked_fill(mask == False, -1e9)  # noqa: E712
    w = torch.softmax(s, -1)
    if mask is not None:
        w = w * mask
    return w @ v, w


def attention__open_mask_by_default(q, k, v, mask=None):
    mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool) if mask is None else mask
    return attention__billion(q, k, v, mask)


def attention__infinity_then_nan_to_num(q, k, v, mask=None):
    s = q @ k.mT * q.shape[-1] ** -0.5
    s = s if mask is None else torch.where(mask, s, -torch.inf)
    w = s.softmax(dim=-1).nan_to_num(0.0)
    return w @ v, w


def attention__additive(q, k, v, mask=None):
    s = torch.einsum("...td,...sd->...ts", q, k) / k.size(-1) ** 0.5
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=s.dtype).masked_fill_(~mask, torch.finfo(s.dtype).min)
        s = s + bias
    w = torch.softmax(s, dim=-1)
    w = w if mask is None else torch.where(mask, w, torch.zeros_like(w))
    return torch.einsum("...ts,...sd->...td", w, v), w


def attention__scales_queries_first(q, k, v, mask=None):
    w = (q / math.sqrt(q.size(-1))) @ k.mT
    w = w if mask is None else w.masked_fill(~mask, -1e30)
    w = (w - w.amax(-1, keepdim=True)).exp()
    w = w if mask is None else w * mask
    w = w / w.sum(-1, keepdim=True).clamp(min=1e-30)
    return w @ v, w


def attention__renamed_mask(queries, keys, values, allowed=None):
    return attention__billion(queries, keys, values, allowed)


def attention__mask_by_name_only(q, k, v, *, mask=None):
    return attention__additive(q, k, v, mask)


def attention__float64_inside(q, k, v, mask=None):
    print("working" * 1000)
    o, w = attention__infinity_then_nan_to_num(q.double(), k.double(), v.double(), mask)
    return o.to(q.dtype), w.to(q.dtype)


def soft_lookup__steps(query, keys, values):
    weights = torch.softmax(keys @ query, dim=-1)
    return weights @ values


def soft_lookup__loop(query, keys, values):
    shares = [math.exp(query @ key) for key in keys]
    return sum(share / sum(shares) * value for share, value in zip(shares, values, strict=True))


def soft_lookup__einsum(query, keys, values):
    scores = torch.einsum("k,sk->s", query, keys)
    e = torch.exp(scores - scores.max())
    return torch.einsum("s,sv->v", e / e.sum(), values)


def soft_lookup__as_a_table(query, keys, values):
    return ((query[None] @ keys.T).softmax(-1) @ values)[0]


def soft_lookup__summed(query, keys, values):
    weights = (query * keys).sum(dim=1).softmax(dim=0)
    return (weights.unsqueeze(1) * values).sum(0)


def soft_lookup__float64_inside(query, keys, values):
    print("looking up")
    wide = (keys.double() @ query.double()).softmax(0) @ values.double()
    return wide.to(values.dtype)


def head__by_attention(x, source, W_q, W_k, W_v):
    return attention__billion(x @ W_q, source @ W_k, source @ W_v)


def head__einsum(x, source, W_q, W_k, W_v):
    q = torch.einsum("...td,dk->...tk", x, W_q)
    k = torch.einsum("...sd,dk->...sk", source, W_k)
    weights = torch.softmax(torch.einsum("...tk,...sk->...ts", q, k) / k.shape[-1] ** 0.5, dim=-1)
    return torch.einsum("...ts,...sd,dv->...tv", weights, source, W_v), weights


def head__one_matrix_for_scores(x, source, W_q, W_k, W_v):
    weights = (x @ (W_q @ W_k.T) @ source.mT / math.sqrt(W_k.size(1))).softmax(-1)
    return weights @ source @ W_v, weights


def head__packed(x, source, W_q, W_k, W_v):
    k, v = (source @ torch.cat([W_k, W_v], dim=1)).split([W_k.size(1), W_v.size(1)], dim=-1)
    return list(attention__additive(torch.matmul(x, W_q), k, v))


def head__linear(x, source, W_q, W_k, W_v):
    linear = torch.nn.functional.linear
    return attention__scales_queries_first(
        linear(x, W_q.T), linear(source, W_k.T), linear(source, W_v.T)
    )


def head__float64_inside(x, source, W_q, W_k, W_v):
    wide = (part.double() for part in (x, source, W_q, W_k, W_v))
    output, weights = head__by_attention(*wide)
    return output.to(x.dtype), weights.to(x.dtype)


def head_weights__of_keys(x, W_q, W_k):
    q, k = x @ W_q, x @ W_k
    return (q @ k.mT / math.sqrt(k.size(-1))).softmax(dim=-1)


def head_weights__of_the_matrix(x, W_q, W_k):
    return torch.softmax(x @ W_q @ (x @ W_k).mT / W_q.shape[1] ** 0.5, dim=-1)


def head_weights__both_sides(x, W_q, W_k):
    share = W_k.size(-1) ** 0.25
    return ((x @ W_q / share) @ (x @ W_k / share).mT).softmax(-1)


def head_weights__by_attention(x, W_q, W_k):
    return attention__billion(x @ W_q, x @ W_k, x)[1]


def head_weights__one_matrix(x, W_q, W_k):
    scores = torch.einsum("...td,de,...se->...ts", x, W_q @ W_k.T, x)
    return torch.softmax(scores * W_k.size(1) ** -0.5, -1)


def design_head__as_hinted(wants, facts):
    n = len(wants)
    W_k = torch.eye(n)
    return 20 * math.sqrt(n) * W_k[wants], W_k, facts


def design_head__long_keys(wants, facts):
    one = torch.eye(len(wants))
    return [one[wants], 500 * one, 1.0 * facts]


def design_head__written_in(wants, facts):
    n = len(wants)
    W_q, W_k = torch.full((n, n), -40.0), torch.zeros(n, n)
    for word, wanted in enumerate(wants.tolist()):
        W_q[word, wanted] = 40.0
        W_k[word, word] = 3.0
    return W_q, W_k, facts.clone()


def design_head__random_directions(wants, facts):
    generator = torch.Generator().manual_seed(0)
    keys = torch.randn(len(wants), 256, generator=generator)
    return 4 * keys[wants], keys, facts


def design_head__both_long(wants, facts):
    one = 12 * torch.eye(len(wants))
    return one.index_select(0, wants), one, facts
