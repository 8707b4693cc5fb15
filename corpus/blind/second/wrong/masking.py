"""Wrong answers to the exercise on masking, written from its text alone."""

import math

import torch


def causal_mask__past_behind(length, past=0):
    """Puts the columns of the past behind the new ones."""
    new = torch.ones(length, length, dtype=torch.bool).tril()
    old = torch.ones(length, past, dtype=torch.bool)
    return torch.cat([new, old], dim=1)


def sliding_window__without_itself(length, window):
    """Counts the window from the token before, leaving itself out."""
    p = torch.arange(length)
    back = p[:, None] - p[None, :]
    return (back >= 1) & (back <= window)


def real_tokens__as_wide_as_longest(lengths, size):
    """Makes the table as wide as the longest sentence, not size."""
    places = torch.arange(int(lengths.max()))
    return places < lengths[:, None]


def padding_mask__greater(ids, pad):
    """Takes only ids greater than pad for tokens."""
    return (ids > pad).unsqueeze(-2)


def combined_mask__padding_at_end(ids, pad):
    """Assumes that padding always stands at the end."""
    T = ids.size(-1)
    how_many = (ids != pad).sum(dim=-1)
    real = torch.arange(T) < how_many[:, None]
    return causal_mask(T) & real[:, None, :]


def combined_mask__not_itself_rows_too(ids, pad):
    """Hides each token from itself.
    Hides the rows of padding too.
    """
    real = ids != pad
    length = ids.shape[1]
    before = torch.tril(torch.ones(length, length), diagonal=-1).bool()
    return before & real[:, None, :] & real[:, :, None]


def cross_mask__equal(real, memory_real):
    """Asks whether both are equal, so padding attends to padding."""
    return real[:, :, None] == memory_real[:, None, :]


def to_additive__finite_float32(mask, dtype):
    """Uses a large negative number instead of minus infinity.
    Ignores the dtype that is asked for.
    """
    return torch.zeros(mask.shape).masked_fill(~mask, -1e9)


def masked_softmax__all_or_nothing(scores, mask):
    """Handles empty rows only if the whole mask is empty."""
    if not mask.any():
        return torch.zeros_like(scores)
    hidden = scores.masked_fill(~mask, -math.inf)
    return torch.softmax(hidden, dim=-1)


def masked_softmax__maximum_of_hidden(scores, mask):
    """Takes the row's maximum over hidden scores as well."""
    e = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = e.sum(dim=-1, keepdim=True)
    total = total.masked_fill(total == 0, 1.0)
    return e / total


def masked_softmax__empty_columns(scores, mask):
    """Looks for empty columns instead of empty rows."""
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=-1)
    sees_something = mask.any(dim=-2, keepdim=True)
    return torch.where(sees_something, weights, torch.zeros_like(weights))


def causal_weights__zero_scores(scores):
    """Sets the future's scores to zero, which still gets weight."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores = scores.masked_fill(~may_attend, 0.0)
    return scores.softmax(dim=-1)


def padded_weights__no_keepdim(scores, real):
    """Divides columns by the rows' sums: keepdim is missing."""
    result = []
    for table, tokens in zip(scores, real):
        weights = table.softmax(dim=-1) * tokens
        result.append(weights / weights.sum(dim=-1))
    return torch.stack(result)


def shapes__causal_with_keys(B, H, T, S):
    """Gives the causal mask S columns instead of T."""
    scores = (B, H, T, S)
    causal = (T, S)
    padding = (B, 1, S)
    combined = (B, T, T)
    return scores, causal, padding, combined
