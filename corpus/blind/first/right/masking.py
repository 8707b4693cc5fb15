"""Unusual but right answers to the exercise on masking, written blind."""

import math

import torch


def causal_mask__comprehension(length, past=0):
    """a flat list comprehension, reshaped"""
    width = past + length
    cells = [j <= past + i for i in range(length) for j in range(width)]
    return torch.tensor(cells, dtype=torch.bool).reshape(length, width)


def causal_mask__two_blocks(length, past=0):
    """an open block beside a triangle"""
    def ones(*size):
        return torch.ones(*size, dtype=torch.bool)

    return torch.cat([ones(length, past), ones(length, length).tril()], dim=1)


def sliding_window__difference_of_triangles(length, window):
    """a triangle without the smaller triangle of long ago"""
    triangle = torch.ones(length, length, dtype=torch.bool).tril()
    return triangle ^ triangle.tril(-window)


def real_tokens__slices(lengths, size):
    """a loop that fills a slice of each row"""
    table = torch.zeros(len(lengths), size, dtype=torch.bool)
    for row, length in enumerate(lengths.tolist()):
        table[row, :length] = True
    return table


def padding_mask__double_negation(ids, pad):
    """starts from all True and fills in False at padding"""
    where = torch.eq(ids, pad)
    table = torch.ones_like(ids, dtype=torch.bool).masked_fill(where, False)
    return torch.stack([table], dim=1)


def combined_mask__triangle_of_padding(ids, pad):
    """the padding mask is spread out, and its triangle kept"""
    length = ids.size(1)
    return padding_mask(ids, pad).expand(-1, length, -1).tril()


def cross_mask__outer_product(real, memory_real):
    """an outer product of numbers, turned back to booleans"""
    return torch.einsum("bt,bs->bts", real.float(), memory_real.float()) > 0.5


def to_additive__logarithm(mask, dtype):
    """the logarithm of one and of zero"""
    return mask.double().log().to(dtype)


def masked_softmax__own_softmax_helper(scores, mask):
    """a nested helper called softmax, by the formula, in double precision"""
    def softmax(t):
        top = t.amax(dim=-1, keepdim=True)
        top = top.masked_fill(top == -math.inf, 0.0)
        e = (t - top).exp()
        total = e.sum(dim=-1, keepdim=True)
        return e / total.masked_fill(total == 0, 1.0)

    hidden = scores.double().masked_fill(~mask, -math.inf)
    return softmax(hidden).to(scores.dtype)


def masked_softmax__opens_empty_rows(scores, mask):
    """rows that see nothing are opened for softmax, then cleared"""
    sees = mask.any(dim=-1, keepdim=True)
    allowed = mask | ~sees
    weights = torch.softmax(scores.masked_fill(~allowed, -math.inf), dim=-1)
    return weights * sees


def causal_weights__growing_rows(scores):
    """softmax of a longer and longer piece of each row"""
    weights = torch.zeros_like(scores)
    for i in range(scores.size(-2)):
        weights[..., i, :i + 1] = scores[..., i, :i + 1].softmax(dim=-1)
    return weights


def padded_weights__cut_out(scores, real):
    """each sentence's padding is cut out before softmax"""
    weights = torch.zeros_like(scores)
    for b in range(scores.size(0)):
        places = real[b].nonzero().flatten()
        weights[b][:, places] = scores[b].index_select(-1, places).softmax(dim=-1)
    return weights


def shapes__broadcast(B, H, T, S):
    """the combined shape is left to torch.broadcast_shapes"""
    def padding(keys):
        return (B, 1, keys)

    causal = (T, T)
    combined = tuple(torch.broadcast_shapes(causal, padding(T)))
    return (B, H, T, S), causal, padding(S), combined
