"""Two mistakes at once, by their names. Without a docstring none may be named."""

import torch


def causal_mask__ahead_and_turned_round(length, past=0):
    """each token sees one token of the future
    the mask is turned round
    """
    return ~torch.ones(length, past + length, dtype=torch.bool).tril(past + 1)


def causal_mask__upper_and_numbers(length, past=0):
    """it holds numbers, not True and False
    the triangle is the wrong way up: only the future is seen
    """
    return torch.ones(length, past + length).triu(past)


def sliding_window__too_long_and_turned_round(length, window):
    """the mask is turned round
    the window is one token too long
    """
    i = torch.arange(length)
    back = i[:, None] - i
    return ~((back >= 0) & (back <= window))


def padding_mask__turned_round_and_flat(ids, pad):
    """the mask is turned round
    the mask lacks its axis for the queries
    """
    return ids == pad


def combined_mask__rows_and_either(ids, pad):
    """one mask or the other is enough
    rows are hidden, not columns
    """
    n = ids.size(-1)
    return torch.ones(n, n, dtype=torch.bool).tril() | (ids != pad).unsqueeze(-1)


def masked_softmax__turned_round_afterwards(scores, mask):
    """the mask comes after softmax
    the mask is turned round
    """
    return scores.softmax(dim=-1) * ~mask


def masked_softmax__columns_and_nan(scores, mask):
    """softmax runs over the queries, not the keys
    a row with nothing to read gives nan
    """
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=-2)


def causal_weights__ahead_afterwards(scores):
    """each token sees one token of the future
    the mask comes after softmax
    """
    return scores.softmax(dim=-1).tril(diagonal=1)


def padded_weights__rows_afterwards(scores, real):
    """rows are hidden, not columns
    the mistake is still in it
    """
    return scores.softmax(dim=-1) * real[:, :, None]
