import math

import torch


# Follows PyTorch's attn_mask (True = hidden): the future is True, what may be
# attended is False. The table is inverted.
def causal_mask__true_hides(length, past=0):
    everything = torch.ones(length, past + length, dtype=torch.bool)
    return everything.triu(diagonal=past + 1)


# One token too many in the window: distances 0 to window are allowed, should be
# 0 to window - 1. Line: (back <= window)
def sliding_window__one_too_many(length, window):
    t = torch.arange(length)
    back = t[:, None] - t[None, :]
    return (back >= 0) & (back <= window)


# Takes padding for the smallest id: all ids below pad are hidden too.
# Line: ids > pad should be ids != pad
def padding_mask__greater_than_pad(ids, pad):
    real = ids > pad
    return real.unsqueeze(1)


# Hides also the rows of padded queries: padding tokens as queries see nothing,
# though they may see real tokens before them. The term real[:, :, None] is too much.
def combined_mask__padded_rows_too(ids, pad):
    real = ids != pad
    keys = real[:, None, :]
    queries = real[:, :, None]
    return causal_mask(ids.size(-1)) & keys & queries


# Two mistakes: hidden scores become -10,000, which is above seen scores far below
# -10,000; and a row that sees nothing gets equal shares (no zeros after softmax).
def masked_softmax__minus_ten_thousand(scores, mask):
    hidden = scores.masked_fill(~mask, -1e4)
    return torch.softmax(hidden, dim=-1)


# Subtracts the maximum over all keys, the hidden ones too: if a hidden score is
# far above the seen ones, all seen exponentials are 0 and so are the weights.
def masked_softmax__maximum_of_all(scores, mask):
    top = scores.amax(dim=-1, keepdim=True)
    e = torch.exp(scores - top) * mask
    total = e.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, e / total.clamp(min=1e-6), 0.0)


# Exchanges tril for triu instead of inverting the mask in masked_fill: so it now
# fills the diagonal as well (and the first row is all hidden).
def causal_weights__triu_with_diagonal(scores):
    length = scores.size(-1)
    future = torch.ones(length, length, dtype=torch.bool).triu()
    scores = scores.masked_fill(future, -1e9)
    return scores.softmax(dim=-1)


# Multiplies the scores by the mask before softmax: a score of 0 is not hidden,
# padding still gets exp(0). Line: scores = scores * real[:, None, :]
def padded_weights__zero_scores(scores, real):
    scores = scores * real[:, None, :]
    return scores.softmax(dim=-1)


# Hides the rows (queries) of padding instead of the columns (keys): padding is
# still read, and rows of padding are nan. Line: real[:, :, None]
def padded_weights__rows_not_columns(scores, real):
    hidden = scores.masked_fill(~real[:, :, None], -math.inf)
    return hidden.softmax(dim=-1)


# `before = scores` is no copy: if the function writes into the scores, both
# change, so a function that changes its scores is never caught.
def keeps_promises__copy_that_is_none(softmax):
    for dtype in (torch.float32, torch.float16):
        for _ in range(20):
            scores = (torch.rand(4, 5) * 20 - 10).to(dtype)
            mask = torch.rand(4, 5) > 0.4
            mask[0] = False
            mask[1] = torch.tensor([True, True, False, False, True])
            scores[1, 2] = 900
            scores[2] -= 1900
            before = scores
            right = masked_softmax(scores.clone(), mask)
            try:
                weights = softmax(scores, mask)
            except Exception:
                return False
            if weights.shape != right.shape:
                return False
            if not torch.allclose(weights.float(), right.float(), atol=1e-3):
                return False
            if (weights[~mask] != 0).any():
                return False
            if not torch.equal(scores, before):
                return False
    return True


# Demands that every row sums to 1, also those that see nothing: so every right
# function is called wrong. Line: if (weights.sum(-1) - 1).abs().max() > 0.001
def keeps_promises__all_rows_sum_to_one(softmax):
    torch.manual_seed(1)
    for half in (False, True):
        scores = torch.randn(6, 4) * 3
        scores[3, 3] = 900.0
        scores[4] -= 1500
        mask = torch.ones(6, 4).tril() == 1
        mask[3, 3] = False
        mask[5] = False
        if half:
            scores = scores.half()
        given = scores.clone()
        try:
            weights = softmax(given, mask)
        except Exception:
            return False
        if bool((weights[~mask] != 0).any()):
            return False
        if (weights.float().sum(-1) - 1).abs().max() > 0.001:
            return False
        right = masked_softmax(scores, mask).float()
        if bool(((weights.float() - right).abs() > 0.001).any()):
            return False
        if not torch.equal(given, scores):
            return False
    return True


# Looks at the differences with their sign, not at their size: a leak that only
# makes the numbers of one side smaller is missed. Line: (part - whole[:n]).max()
def sees_the_future__only_upwards(model):
    for _ in range(30):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for n in range(1, 8):
            part = model(ids[:n])
            if bool((part - whole[:n]).max() > 0.001):
                return True
    return False


# Compares exactly: honest models move by rounding (less than 0.0001) in texts of
# other lengths, and are then called leaky. Line: not torch.equal(...)
def sees_the_future__exactly_equal(model):
    for _ in range(12):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for length in range(1, 9):
            if not torch.equal(model(ids[:length]), whole[:length]):
                return True
    return False


# Masks are kept in a dict (a default argument that lives on) under `length` alone:
# the second call with the same length and another `past` gets the first one's mask.
def causal_mask__kept_by_length(length, past=0, made={}):
    if length not in made:
        positions = torch.arange(past + length)
        made[length] = positions[past:, None] >= positions
    return made[length]


# A single new token "needs no mask": returns (1, 1) instead of (1, past + 1).
def causal_mask__single_token(length, past=0):
    if length == 1:
        return torch.ones(1, 1, dtype=torch.bool)
    table = torch.ones(length, past + length, dtype=torch.bool)
    return table.tril(diagonal=past)


# mask[i, i - window + 1 : i + 1] has a negative start in the first rows, which Python
# counts from the end: these rows are empty instead of seeing 0 to i.
def sliding_window__negative_start(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, i - window + 1 : i + 1] = True
    return mask


# Counts the real tokens and lets the first so many columns be True: right only where
# the padding stands at the end.
def padding_mask__lengths(ids, pad):
    lengths = (ids != pad).sum(dim=-1)
    columns = torch.arange(ids.size(-1))
    return (columns < lengths[:, None]).unsqueeze(1)


# Rows without any True get their causal row back ("against nan"), though the text says
# to leave them: wrong where padding stands in front.
def combined_mask__fills_empty_rows(ids, pad):
    past = causal_mask(ids.size(1))
    mask = past & padding_mask(ids, pad)
    empty = ~mask.any(dim=-1, keepdim=True)
    return mask | (empty & past)


# Adds the lowest number to hidden scores, instead of putting it there: in float16 a
# hidden score of 60000 is still at -5504, and a negative one makes -inf, so that a row
# that sees nothing is nan. Line `scores + ...`.
def masked_softmax__adds_lowest(scores, mask):
    hide = torch.zeros_like(scores).masked_fill(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores + hide, dim=-1)
    return weights * mask


# Indexes with ~mask: this needs a mask of the same shape as the scores, a mask that
# broadcasts, (T, S) or (B, 1, S) under (B, T, S), is an IndexError.
def masked_softmax__needs_same_shape(scores, mask):
    seen = scores.clone()
    seen[~mask] = torch.finfo(scores.dtype).min
    weights = torch.softmax(seen, dim=-1)
    weights = weights.clone()
    weights[~mask] = 0
    return weights


# Takes 100 off the future's scores instead of hiding them: right for usual scores, but
# a score of the future that is far above the others comes through.
def causal_weights__takes_off_hundred(scores):
    length = scores.size(-1)
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    scores = scores - 100.0 * future.to(scores.dtype)
    return scores.softmax(dim=-1)


# The mistake of the mask is mended, but -1e9 stays: it does not fit into float16, so
# scores of this dtype are an error.
def causal_weights__billion_in_half(scores):
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores = scores.masked_fill(~may_attend, -1e9)
    return scores.softmax(dim=-1)


# real (B, T) is used as a mask of (B, T, T) without an axis for the queries: right for
# one sentence, for B == T it hides by query rows, otherwise an error.
def padded_weights__no_query_axis(scores, real):
    scores = scores.masked_fill(~real, -math.inf)
    return scores.softmax(dim=-1)


# `kept = scores.detach()` is no copy: it shares the numbers, so a function that writes
# into the scores is not caught.
def keeps_promises__detach_no_copy(softmax):
    for dtype in (torch.float32, torch.float16):
        for factor in (1, 500):
            for _ in range(5):
                scores = (torch.randn(5, 6) * factor).clamp(-2000, 1000).to(dtype)
                mask = torch.rand(5, 6) > 0.5
                mask[0] = False
                mask[1] = True
                scores[2, 0], mask[2, 0], mask[2, 1] = 900, False, True
                right = masked_softmax(scores.clone(), mask)
                kept = scores.detach()
                try:
                    weights = softmax(scores, mask)
                except Exception:
                    return False
                if weights.shape != right.shape:
                    return False
                if not torch.allclose(weights.float(), right.float(), atol=1e-3):
                    return False
                if (weights[~mask] != 0).any():
                    return False
                if not torch.equal(kept, scores):
                    return False
    return True


# nan > 0.001 is False: weights that are nan (rows that see nothing) slip through. Also
# `weights[~mask].sum() > 0` is False for nan.
def keeps_promises__nan_slips(softmax):
    masks = [torch.ones(4, 5).tril() == 1, torch.rand(4, 5) > 0.4]
    masks[1][2] = False
    masks[1][3, :2] = torch.tensor([True, False])
    for mask in masks:
        for low, high in ((-1, 1), (-2000, 1000), (-2000, -1900)):
            scores = torch.rand(4, 5) * (high - low) + low
            scores = torch.where(mask, scores, torch.full_like(scores, 900.0))
            for given in (scores, scores.half()):
                right = masked_softmax(given, mask)
                copy = given.clone()
                try:
                    weights = softmax(copy, mask)
                    if (weights - right).abs().max() > 0.001:
                        return False
                    if weights[~mask].sum() > 0:
                        return False
                except Exception:
                    return False
                if (copy != given).any():
                    return False
    return True


# Only texts of 8 words are compared with texts of 8 words: a model that knows how many
# words are to come (a shorter text says something else) is not caught.
def sees_the_future__same_length(model):
    for _ in range(30):
        text = torch.randint(10, (8,))
        said = model(text)
        for place in range(1, 8):
            other = text.clone()
            other[place:] = torch.randint(10, (8 - place,))
            if (model(other)[:place] - said[:place]).abs().max() > 0.001:
                return True
    return False


# No .abs(): a leak that always makes the numbers of the longer text smaller is not
# seen. Line `difference = ...`.
def sees_the_future__upward_only(model):
    for _ in range(20):
        ids = torch.randint(0, 10, (8,))
        whole = model(ids)
        for length in range(1, 8):
            difference = whole[:length] - model(ids[:length])
            if difference.max().item() > 0.002:
                return True
    return False
