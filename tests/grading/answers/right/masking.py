"""Right answers, written in many ways: none may lose a point. Before __ stands the function."""

import math
import sys
import warnings

import torch


def causal_mask__tril(length, past=0):
    return torch.ones(length, past + length, dtype=torch.bool).tril(past)


def causal_mask__triu_turned_round(length, past=0):
    future = torch.triu(torch.ones(length, past + length), diagonal=past + 1)
    return future == 0


def causal_mask__comparison(length, past=0):
    queries = torch.arange(past, past + length).unsqueeze(1)
    return torch.arange(past + length).unsqueeze(0) <= queries


def causal_mask__loops(length, past=0):
    mask = torch.zeros(length, past + length, dtype=torch.bool)
    for i in range(length):
        mask[i, : past + i + 1] = True
    return mask


def causal_mask__cut_from_a_square(length, past=0):
    n = past + length
    return torch.ones(n, n).tril().bool()[past:]


def causal_mask__counted(length, past=0):
    return torch.ones(length, past + length).cumsum(1) <= torch.arange(length)[:, None] + past + 1


def sliding_window__two_triangles(length, window):
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() & ones.triu(1 - window)


def sliding_window__difference_of_triangles(length, window):
    ones = torch.ones(length, length)
    return (ones.tril() - ones.tril(-window)).bool()


def sliding_window__loops(length, window):
    rows = [[i - window < j <= i for j in range(length)] for i in range(length)]
    return torch.tensor(rows)


def sliding_window__chained_by_and(length, window):
    i, j = torch.meshgrid(torch.arange(length), torch.arange(length), indexing="ij")
    return torch.logical_and(j <= i, j > i - window)


def sliding_window__floor_division(length, window):
    i = torch.arange(length)
    return (i[:, None] - i) // window == 0


def sliding_window__filled(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, max(0, i - window + 1) : i + 1] = True
    return mask


def real_tokens__unsqueeze(lengths, size):
    return torch.arange(size).unsqueeze(0) < lengths.unsqueeze(1)


def real_tokens__loop(lengths, size):
    real = torch.zeros(len(lengths), size, dtype=torch.bool)
    for row, length in zip(real, lengths.tolist(), strict=True):
        row[:length] = True
    return real


def real_tokens__lists(lengths, size):
    return torch.tensor([[place < length for place in range(size)] for length in lengths.tolist()])


def real_tokens__from_one(lengths, size):
    return torch.arange(1, size + 1).expand(len(lengths), -1) <= lengths.view(-1, 1)


def real_tokens__cumulative(lengths, size):
    warnings.warn("this is slow", stacklevel=1)
    return torch.ones(len(lengths), size).cumsum(dim=1) <= lengths.reshape(-1, 1)


def real_tokens__stacked(lengths, size):
    return torch.stack([torch.arange(size) < n for n in lengths])


def padding_mask__unsqueeze(ids, pad):
    return ids.ne(pad).unsqueeze(1)


def padding_mask__turned_round_twice(ids, pad):
    return ~(ids == pad)[..., None, :]


def padding_mask__reshaped(ids, pad):
    return torch.logical_not(ids == pad).reshape(len(ids), 1, -1)


def padding_mask__listed(ids, pad):
    return torch.tensor([[[token != pad for token in row]] for row in ids.tolist()])


def padding_mask__where(ids, pad):
    return torch.where(ids == pad, False, True).view(ids.size(0), 1, ids.size(1))


def padding_mask__bool_of_difference(ids, pad):
    print("ids", ids, file=sys.stderr)
    return (ids - pad).bool()[:, None]


def combined_mask__by_hand(ids, pad):
    n = ids.shape[1]
    past = torch.ones(n, n, dtype=torch.bool).tril()
    return past[None] & (ids != pad)[:, None, :]


def combined_mask__product(ids, pad):
    n = ids.shape[1]
    return (torch.ones(n, n).tril() * (ids != pad)[:, None]).bool()


def combined_mask__nothing_blocked(ids, pad):
    n = ids.shape[1]
    future = torch.ones(n, n, dtype=torch.bool).triu(1)
    return ~(future | (ids == pad)[:, None, :])


def combined_mask__filled(ids, pad):
    n = ids.shape[1]
    mask = torch.ones(len(ids), n, n).tril().bool()
    return mask.masked_fill(ids.eq(pad).unsqueeze(1), False)


def combined_mask__in_place(ids, pad):
    n = ids.shape[1]
    mask = (ids != pad)[:, None, :].repeat(1, n, 1)
    mask &= torch.arange(n)[:, None] >= torch.arange(n)
    return mask


def combined_mask__loop(ids, pad):
    n = ids.shape[1]
    return torch.stack([torch.ones(n, n, dtype=torch.bool).tril() & (row != pad) for row in ids])


def cross_mask__unsqueeze(real, memory_real):
    return real.unsqueeze(2) & memory_real.unsqueeze(1)


def cross_mask__einsum(real, memory_real):
    return torch.einsum("bt,bs->bts", real.float(), memory_real.float()).bool()


def cross_mask__product(real, memory_real):
    return (real[..., None].int() @ memory_real[:, None].int()) > 0


def cross_mask__logical(real, memory_real):
    return torch.logical_and(real[:, :, None], memory_real[:, None, :])


def cross_mask__loop(real, memory_real):
    pairs = zip(real, memory_real, strict=True)
    return torch.stack([torch.outer(a.int(), b.int()).bool() for a, b in pairs])


def cross_mask__neither_is_padding(real, memory_real):
    return ~(~real[:, :, None] | ~memory_real[:, None, :])


def to_additive__logarithm(mask, dtype):
    return mask.to(dtype).log()


def to_additive__where(mask, dtype):
    return torch.where(mask, 0.0, -math.inf).to(dtype)


def to_additive__assigned(mask, dtype):
    result = torch.zeros(*mask.shape, dtype=dtype)
    result[~mask] = float("-inf")
    return result


def to_additive__from_infinity(mask, dtype):
    return torch.full(mask.shape, -torch.inf, dtype=dtype).masked_fill_(mask, 0)


def to_additive__triu_style(mask, dtype):
    return torch.zeros_like(mask, dtype=dtype).masked_fill(mask == 0, -torch.inf)


def to_additive__minus_zero(mask, dtype):
    return -torch.full(mask.shape, torch.inf, dtype=dtype).masked_fill(mask, 0)


def masked_softmax__infinity_then_nan_to_num(scores, mask):
    return torch.where(mask, scores, -torch.inf).softmax(dim=-1).nan_to_num(0.0)


def masked_softmax__by_hand(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    hidden = torch.where(mask, scores, torch.full_like(scores, lowest))
    e = torch.exp(hidden - hidden.amax(-1, keepdim=True)) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-6)


def masked_softmax__in_float64(scores, mask):
    filled = scores.double().masked_fill(mask == False, -1e9)  # noqa: E712
    return (filled.softmax(-1) * mask).to(scores.dtype)


def masked_softmax__only_rows_that_see(scores, mask):
    mask = mask.expand_as(scores)
    blind = ~mask.any(-1, keepdim=True)
    weights = scores.masked_fill(~mask & ~blind, -torch.inf).softmax(-1)
    return weights.masked_fill(blind, 0.0)


def masked_softmax__additive(scores, mask):
    bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    weights = torch.softmax(scores + bias, dim=-1)
    return torch.where(weights.isnan(), torch.zeros_like(weights), weights)


def masked_softmax__in_place_on_its_own(scores, mask):
    print("working" * 100)
    mine = scores.clone()
    mine[~mask.expand_as(mine)] = -3e4
    weights = mine.softmax(-1)
    weights *= mask
    return weights


def masked_softmax__largest_that_is_seen(scores, mask):
    largest = scores.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
    e = torch.where(mask, (scores - largest).exp(), 0.0)
    return e / e.sum(dim=-1, keepdim=True).clamp(min=1e-6)


def causal_weights__tilde(scores):
    past = torch.ones(scores.shape[-2:]).tril().bool()
    return scores.masked_fill(~past, -math.inf).softmax(-1)


def causal_weights__triu(scores):
    future = torch.ones(scores.size(-1), scores.size(-1)).triu(1).bool()
    return scores.masked_fill(future, -1e9).softmax(-1)


def causal_weights__where(scores):
    past = torch.ones_like(scores).tril() > 0
    return torch.where(past, scores, -torch.inf).softmax(dim=-1)


def causal_weights__added(scores):
    length = scores.size(-1)
    return torch.softmax(scores + torch.full((length, length), -1e9).triu(1), dim=-1)


def causal_weights__renormalised(scores):
    e = scores.exp().tril()
    return e / e.sum(-1, keepdim=True)


def causal_weights__row_by_row(scores):
    weights = torch.zeros_like(scores)
    for i in range(scores.size(-1)):
        weights[..., i, : i + 1] = scores[..., i, : i + 1].softmax(-1)
    return weights


def padded_weights__infinity(scores, real):
    return scores.masked_fill(~real.unsqueeze(1), -torch.inf).softmax(-1)


def padded_weights__where(scores, real):
    return torch.where(real[:, None], scores, -1e9).softmax(dim=-1)


def padded_weights__renormalised(scores, real):
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights / weights.sum(dim=-1, keepdim=True)


def padded_weights__sentence_by_sentence(scores, real):
    weights = torch.zeros_like(scores)
    for table, sentence, mask in zip(weights, scores, real, strict=True):
        table[:, mask] = sentence[:, mask].softmax(-1)
    return weights


def padded_weights__added(scores, real):
    bias = torch.zeros(real.shape).masked_fill(real.logical_not(), -1e9)
    return (scores + bias[:, None]).softmax(-1)


def padded_weights__exponentials(scores, real):
    e = torch.exp(scores) * real.unsqueeze(-2)
    return e / torch.sum(e, dim=-1, keepdim=True)


def shapes__lists(B, H, T, S):
    return [[B, H, T, S], [T, T], [B, 1, S], [B, T, T]]


def shapes__of_tensors(B, H, T, S):
    causal, padding = torch.ones(T, T), torch.ones(B, 1, S)
    both = torch.broadcast_shapes(causal.shape, (B, 1, T))
    return torch.empty(B, H, T, S).shape, causal.size(), padding.shape, both


def shapes__one_by_one(B, H, T, S):
    scores = (B, H, T, S)
    causal = 2 * (T,)
    return scores, causal, (B, 1, S), (B, *causal)


def shapes__renamed(batch, heads, queries, keys):
    square = (queries, queries)
    return (batch, heads, queries, keys), square, (batch, 1, keys), (batch, *square)
