"""Unusual but right answers to the exercise on several heads, written blind."""

import math

import torch


def split_heads__slices(x, heads):
    """a list of slices, stacked before the words"""
    d_k = x.shape[-1] // heads
    slices = []
    for h in range(heads):
        slices.append(x[..., h * d_k : (h + 1) * d_k])
    return torch.stack(slices, dim=-3)


def split_heads__einsum(x, heads):
    """einsum only renames the axes; a class holds the number"""

    class Splitter:
        def __init__(self, number):
            self.number = number

        def __call__(self, y):
            cut = y.unflatten(-1, (self.number, y.size(-1) // self.number))
            return torch.einsum("...thd->...htd", cut)

    return Splitter(heads)(x)


def merge_heads__cat(x):
    """own helper called cat, over unbound heads"""

    def cat(parts):
        return torch.cat(tuple(parts), dim=-1)

    return cat(x.unbind(dim=-3))


def packed_projection__three_products(x, W):
    """cuts the matrix first and makes three products"""
    third = W.size(1) // 3
    q, k, v = (x @ W[:, i * third : (i + 1) * third] for i in range(3))
    return q, k, v


def multi_head__sum_of_heads(x, W, W_o, heads, mask=None):
    """a loop over heads; each head's part of W_o is added up"""
    D = x.size(-1)
    d_k = D // heads
    output = 0
    seen = []
    for h in range(heads):
        own = slice(h * d_k, (h + 1) * d_k)
        q = x @ W[:, :D][:, own]
        k = x @ W[:, D : 2 * D][:, own]
        v = x @ W[:, 2 * D :][:, own]
        answer, weights = attention(q, k, v, mask)
        output = output + answer @ W_o[own]
        seen.append(weights)
    return output, torch.stack(seen, dim=-3)


def multi_head__own_softmax(x, W, W_o, heads, mask=None):
    """einsum throughout, with an own stable helper called softmax"""

    def softmax(scores, dim):
        top = scores.amax(dim=dim, keepdim=True)
        e = (scores - top).exp()
        return e / e.sum(dim=dim, keepdim=True)

    D = x.size(-1)
    big = W.reshape(D, 3, heads, D // heads)
    q = torch.einsum("...td,dhk->...htk", x, big[:, 0])
    k = torch.einsum("...td,dhk->...htk", x, big[:, 1])
    v = torch.einsum("...td,dhk->...htk", x, big[:, 2])
    scores = torch.einsum("...htk,...hsk->...hts", q, k) / math.sqrt(D // heads)
    if mask is not None:
        hidden = mask.logical_not().unsqueeze(-3)
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
    weights = softmax(scores, dim=-1)
    if mask is not None:
        weights = weights.masked_fill(hidden, 0.0)
    back = W_o.reshape(heads, D // heads, -1)
    output = torch.einsum("...hts,...hsk,hkd->...td", weights, v, back)
    return output, weights


def multi_head__own_sdpa(x, W, W_o, heads, mask=None):
    """an own helper that bears the name of PyTorch's function"""

    def scaled_dot_product_attention(query, key, value, attn_mask):
        return attention(query, key, value, mask=attn_mask)

    q, k, v = map(lambda y: split_heads(y, heads), packed_projection(x, W))
    for_heads = None if mask is None else mask[..., None, :, :]
    mixed, weights = scaled_dot_product_attention(q, k, v, for_heads)
    return torch.matmul(merge_heads(mixed), W_o), weights


def grouped_query__grouped_queries(q, k, v):
    """cuts the query heads into groups instead of repeating keys"""
    groups = q.unflatten(-3, (k.size(-3), -1))
    out, weights = attention(groups, k.unsqueeze(-3), v.unsqueeze(-3))
    return out.flatten(-4, -3), weights.flatten(-4, -3)


def grouped_query__index(q, k, v):
    """picks the key head of each query head by an index"""
    H, G = q.size(-3), k.size(-3)
    lender = torch.tensor([h * G // H for h in range(H)])
    return attention(q, k[..., lender, :, :], v[..., lender, :, :])


def count_parameters__matrices(d_model, heads, kv_heads, bias):
    """lists the matrices' shapes and adds up their products"""
    narrow = d_model * kv_heads // heads
    rows = d_model + (1 if bias else 0)
    matrices = {
        "q": (rows, d_model),
        "k": (rows, narrow),
        "v": (rows, narrow),
        "o": (rows, d_model),
    }
    return sum(math.prod(shape) for shape in matrices.values())


def talk__chunks(x, heads):
    """no axis is moved: each chunk of features attends by itself"""
    answers = [attention(part, part, part)[0] for part in x.chunk(heads, dim=-1)]
    return torch.cat(answers, dim=-1)


def padded_heads__sentence_by_sentence(q, k, v, real):
    """a loop over sentences, each with a mask of one axis"""
    pairs = [attention(q[b], k[b], v[b], real[b]) for b in range(q.size(0))]
    outputs, weights = zip(*pairs)
    return torch.stack(outputs), torch.stack(weights)


def shapes__meta_tensors(B, T, S, D, H):
    """makes tensors without memory and reads their shapes off"""

    def empty(*size):
        return torch.empty(*size, device="meta")

    W = torch.cat([empty(D, D), empty(D, D), empty(D, D)], dim=1)
    q = empty(B, T, D).unflatten(-1, (H, -1)).transpose(1, 2)
    k = empty(B, S, D).unflatten(-1, (H, -1)).transpose(1, 2)
    weights = q @ k.transpose(-2, -1)
    mask = empty(B, S)[:, None, None]
    merged = (weights @ k).transpose(1, 2).flatten(-2)
    return tuple(tuple(t.shape) for t in (W, k, weights, mask, merged))
