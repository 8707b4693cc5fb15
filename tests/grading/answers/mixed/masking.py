"""Two mistakes at once: points are lost, but no single mistake explains it, so none is named."""

import torch


def causal_mask__ahead_and_turned_round(length, past=0):
    return ~torch.ones(length, past + length, dtype=torch.bool).tril(past + 1)


def causal_mask__upper_and_numbers(length, past=0):
    return torch.ones(length, past + length).triu(past)


def sliding_window__too_long_and_turned_round(length, window):
    i = torch.arange(length)
    back = i[:, None] - i
    return ~((back >= 0) & (back <= window))


def real_tokens__too_far_and_turned_round(lengths, size):
    return torch.arange(size) > lengths[:, None]


def padding_mask__turned_round_and_flat(ids, pad):
    return ids == pad


def combined_mask__rows_and_either(ids, pad):
    n = ids.size(-1)
    return torch.ones(n, n, dtype=torch.bool).tril() | (ids != pad).unsqueeze(-1)


def cross_mask__swapped_and_turned_round(real, memory_real):
    return ~(memory_real.unsqueeze(-1) & real.unsqueeze(-2))


def to_additive__turned_round_and_large(mask, dtype):
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, torch.finfo(dtype).min)


def masked_softmax__turned_round_afterwards(scores, mask):
    return scores.softmax(dim=-1) * ~mask


def masked_softmax__columns_and_nan(scores, mask):
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-2)


def causal_weights__ahead_afterwards(scores):
    return scores.softmax(dim=-1).tril(diagonal=1)


def padded_weights__rows_afterwards(scores, real):
    return scores.softmax(dim=-1) * real[:, :, None]


def shapes__flat_and_no_heads(B, H, T, S):
    return (B, T, S), (T, T), (B, S), (B, T, T)
