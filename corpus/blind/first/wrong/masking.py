"""Wrong answers to the exercise on masking, written blind."""

import math

import torch


def causal_mask__not_itself(length, past=0):
    """a token may not attend to itself"""
    positions = torch.arange(past + length)
    return positions[past:, None] > positions


def causal_mask__past_behind(length, past=0):
    """the columns of the past stand behind the new ones, not before"""
    new = torch.ones(length, length, dtype=torch.bool).tril()
    old = torch.ones(length, past, dtype=torch.bool)
    return torch.cat([new, old], dim=1)


def causal_mask__kept_by_length(length, past=0):
    """a mask kept from an earlier call ignores another past"""
    kept = globals().setdefault("_kept_causal_masks", {})
    if length not in kept:
        table = torch.ones(length, past + length, dtype=torch.bool)
        kept[length] = table.tril(diagonal=past)
    return kept[length]


def causal_mask__ones_and_zeros(length, past=0):
    """the mask holds floating-point ones and zeros, not booleans"""
    return torch.tril(torch.ones(length, past + length), diagonal=past)


def sliding_window__one_too_many(length, window):
    """the window is one token too long: itself is not counted"""
    table = torch.ones(length, length, dtype=torch.bool)
    return table.tril().triu(-window)


def sliding_window__both_sides(length, window):
    """the window reaches into the future as well
    the window is one token too long"""
    i = torch.arange(length).unsqueeze(1)
    j = torch.arange(length).unsqueeze(0)
    return (i - j).abs() <= window


def real_tokens__as_wide_as_longest(lengths, size):
    """the table is as wide as the longest sentence, not size"""
    positions = torch.arange(int(lengths.max()))
    return positions < lengths[:, None]


def real_tokens__counted_from_one(lengths, size):
    """positions counted from 1: the last token is lost"""
    positions = torch.arange(1, size + 1)
    return positions[None, :] < lengths.view(-1, 1)


def padding_mask__pad_is_lowest(ids, pad):
    """takes only ids above pad for tokens"""
    return (ids > pad).unsqueeze(1)


def padding_mask__padding_at_end(ids, pad):
    """counts the tokens and supposes that padding stands at the end"""
    number = (ids != pad).sum(dim=1)
    return real_tokens(number, ids.size(1))[:, None, :]


def combined_mask__either(ids, pad):
    """joined by or: one permission is enough"""
    return causal_mask(ids.size(-1)) | padding_mask(ids, pad)


def combined_mask__padding_does_not_ask(ids, pad):
    """hides the rows of padding instead of its columns"""
    B, T = ids.shape
    steps = torch.arange(T)
    past = steps.view(1, T, 1) >= steps.view(1, 1, T)
    real = ids.ne(pad).view(B, T, 1)
    return past & real


def combined_mask__loop_breaks(ids, pad):
    """a token may not attend to itself
    everything after the first padding is hidden, real or not"""
    B, T = ids.shape
    mask = torch.zeros(B, T, T, dtype=torch.bool)
    for b in range(B):
        for i in range(T):
            for j in range(i):
                if ids[b, j] == pad:
                    break
                mask[b, i, j] = True
    return mask


def cross_mask__padding_asks(real, memory_real):
    """padding still asks: its rows are not hidden"""
    return memory_real[:, None, :].expand(-1, real.size(1), -1)


def cross_mask__product_of_numbers(real, memory_real):
    """the mask holds numbers, not booleans"""
    rows, columns = real.float(), memory_real.float()
    return torch.einsum("bt,bs->bts", rows, columns)


def to_additive__times_infinity(mask, dtype):
    """zero times infinity leaves nan where one may attend"""
    hidden = (~mask).to(dtype)
    return hidden * -math.inf


def to_additive__default_dtype(mask, dtype):
    """the dtype that was asked for is ignored"""
    return torch.where(mask, 0.0, -math.inf)


def masked_softmax__equal_shares(scores, mask):
    """a row that sees nothing gets equal shares"""
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1)


def masked_softmax__renormalised(scores, mask):
    """softmax before the mask: large hidden scores swallow the visible ones"""
    weights = torch.softmax(scores, dim=-1) * mask
    total = weights.sum(dim=-1, keepdim=True)
    total = torch.where(total > 0, total, torch.ones_like(total))
    return weights / total


def masked_softmax__multiplied_scores(scores, mask):
    """hidden scores become 0 instead of minus infinity before softmax"""
    weights = torch.softmax(scores * mask, dim=-1)
    return weights.masked_fill(~mask, 0.0)


def masked_softmax__fills_in_place(scores, mask):
    """the caller's scores are overwritten"""
    hidden = mask.logical_not()
    scores.masked_fill_(hidden, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(hidden, 0)


def masked_softmax__same_shape_only(scores, mask):
    """a mask with fewer or shorter axes than the scores fails"""
    mine = scores.clone()
    mine[~mask] = torch.finfo(scores.dtype).min
    return mine.softmax(-1).masked_fill(~mask, 0.0)


def masked_softmax__plain_formula(scores, mask):
    """no maximum is subtracted, so large scores overflow
    a row that sees nothing becomes nan"""
    def share(e):
        return e / e.sum(dim=-1, keepdim=True)

    return share(scores.exp().masked_fill(~mask, 0))


def causal_weights__diagonal_hidden(scores):
    """each token is hidden from itself too"""
    length = scores.size(-1)
    future = torch.ones(length, length, dtype=torch.bool).triu()
    scores = scores.masked_fill(future, -1e9)
    return scores.softmax(dim=-1)


def padded_weights__hides_rows(scores, real):
    """hides the padding's rows instead of its columns"""
    hidden = ~real[:, :, None]
    return scores.masked_fill(hidden, -1e9).softmax(dim=-1)


def padded_weights__divides_by_columns(scores, real):
    """normalised again along the queries, not along the keys"""
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights / weights.sum(dim=1, keepdim=True)


def shapes__heads_last(B, H, T, S):
    """the axis of the heads comes last in the scores
    the padding mask has its axis of length 1 for keys"""
    return (B, T, S, H), (T, T), (B, S, 1), (B, T, T)
