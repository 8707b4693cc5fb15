import math

import torch

from transformer_lab import check


# ---------------------------------------------------------------- causal_mask


def causal_mask__past_behind(length, past=0):
    """The columns of the old tokens are appended behind the new ones, and not put in front."""
    new = torch.ones(length, length, dtype=torch.bool).tril()
    old = torch.ones(length, past, dtype=torch.bool)
    return torch.cat([new, old], dim=1)


def causal_mask__past_all_seen(length, past=0):
    """As soon as there is a past, every new token may see everything, which is right only for a single new token."""
    if past > 0:
        return torch.ones(length, past + length, dtype=torch.bool)
    return torch.ones(length, length, dtype=torch.bool).tril()


def causal_mask__numbers(length, past=0):
    """The mask holds the numbers 0.0 and 1.0 and is not boolean."""
    return torch.tril(torch.ones(length, past + length), diagonal=past)


def causal_mask__past_one_short(length, past=0):
    """With a past, the diagonal is shifted by one too few, so a new token does not see itself."""
    mask = torch.zeros(length, past + length, dtype=torch.bool)
    for i in range(length):
        last = past + i if past else i + 1
        mask[i, :last] = True
    return mask


# ------------------------------------------------------------- sliding_window


def sliding_window__negative_start(length, window):
    """The start of the slice becomes negative for the first tokens and then counts from the end, so these rows are empty."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, i - window + 1 : i + 1] = True
    return mask


def sliding_window__wraps(length, window):
    """The stripe is made by rolling the diagonal, which wraps around, so the first tokens see the last ones."""
    eye = torch.eye(length, dtype=torch.bool)
    mask = eye.clone()
    for back in range(1, window):
        mask = mask | torch.roll(eye, -back, dims=1)
    return mask


def sliding_window__blocks(length, window):
    """The text is cut into blocks of the window's length, and each token sees only what came before it in its own block."""
    positions = torch.arange(length)
    block = positions // window
    same = block[:, None] == block[None, :]
    return same & (positions[:, None] >= positions[None, :])


def sliding_window__always_full(length, window):
    """Every row sees exactly `window` tokens, so the first tokens see some of the future."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        start = max(0, i - window + 1)
        mask[i, start : start + window] = True
    return mask


# --------------------------------------------------------------- padding_mask


def padding_mask__greater(ids, pad):
    """Ids are compared by size, so words whose id is smaller than that of the padding are hidden too."""
    return (ids > pad).unsqueeze(1)


def padding_mask__counts(ids, pad):
    """The real words are counted and taken to stand at the front, so padding at the front or in between is not found."""
    lengths = (ids != pad).sum(dim=1)
    return (torch.arange(ids.size(1)) < lengths[:, None])[:, None, :]


def padding_mask__pairs(ids, pad):
    """A full table (B, S, S) is made in which the rows of padding are hidden too."""
    real = ids.ne(pad)
    return real[:, None, :] & real[:, :, None]


def padding_mask__axis_in_front(ids, pad):
    """The axis of length 1 is put before the sentences: (1, B, S)."""
    return (ids != pad)[None]


# -------------------------------------------------------------- combined_mask


def combined_mask__sees_itself(ids, pad):
    """Every token may always see itself, so padding sees itself."""
    T = ids.size(-1)
    both = causal_mask(T) & padding_mask(ids, pad)
    return both | torch.eye(T, dtype=torch.bool)


def combined_mask__rows_too(ids, pad):
    """The rows of padding are hidden as well, so a padding token sees no words that came before it."""
    real = padding_mask(ids, pad)
    return causal_mask(ids.shape[1]) & real & real.transpose(1, 2)


def combined_mask__batch_size(ids, pad):
    """The length of the causal mask is len(ids), which is the number of sentences."""
    return torch.logical_and(causal_mask(len(ids)), padding_mask(ids, pad))


def combined_mask__padding_of_any(ids, pad):
    """A column is hidden in all sentences if one of them has padding there."""
    real_everywhere = padding_mask(ids, pad).all(dim=0)
    mask = causal_mask(ids.size(1)) & real_everywhere
    return mask.expand(ids.size(0), -1, -1).clone()


# ------------------------------------------------------------- masked_softmax


def masked_softmax__max_of_hidden(scores, mask):
    """The maximum that is subtracted includes hidden scores, so if one of those is far above, the seen ones all underflow."""
    e = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total == 0, torch.ones_like(total), total)


def masked_softmax__adds_lowest(scores, mask):
    """The lowest number is added to hidden scores, not put in their place, so in float16 a high hidden score stays above a low seen one."""
    lowest = torch.finfo(scores.dtype).min
    penalty = torch.zeros_like(scores).masked_fill(~mask, lowest)
    weights = torch.softmax(scores + penalty, dim=-1)
    return torch.where(mask, weights, torch.zeros_like(weights))


def masked_softmax__in_place_after(scores, mask):
    """The weights are overwritten in place after softmax, which needs them for its gradient, so backward fails."""
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1)
    weights.masked_fill_(~mask, 0.0)
    return weights


def masked_softmax__float16_lowest(scores, mask):
    """Hidden scores become -65504 in every precision, so seen scores below that lose everything to hidden ones."""
    hidden = mask.logical_not()
    weights = torch.softmax(scores.masked_fill(hidden, -65504.0), dim=-1)
    return weights.masked_fill(hidden, 0)


# ------------------------------------------------------------- causal_weights


def causal_weights__triu(scores):
    """tril was turned into triu and the rest kept, so the diagonal is hidden too and no token sees itself."""
    length = scores.size(-1)
    future = torch.ones(length, length, dtype=torch.bool).triu()
    scores = scores.masked_fill(future, -1e9)
    return scores.softmax(dim=-1)


def causal_weights__fills_minimum(scores):
    """The future gets the smallest of the scores, which is low but keeps a share."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores = scores.masked_fill(~may_attend, scores.min().item())
    return scores.softmax(dim=-1)


def causal_weights__in_place(scores):
    """The caller's scores are overwritten by masked_fill_."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores.masked_fill_(~may_attend, -1e9)
    return scores.softmax(dim=-1)


def causal_weights__renormalised(scores):
    """Softmax runs over the future as well and the rest is stretched to 1 afterwards, which is 0 / 0 if the future scores far higher."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    weights = scores.softmax(dim=-1) * may_attend
    return weights / weights.sum(dim=-1, keepdim=True)


# ------------------------------------------------------------- padded_weights


def padded_weights__pairs(scores, real):
    """The rows of padding are filled as well, and a row that is all the same shares out equally, padding included."""
    pairs = real[:, None, :] & real[:, :, None]
    scores = scores.masked_fill(~pairs, -1e9)
    return scores.softmax(dim=-1)


def padded_weights__columns_sum_to_one(scores, real):
    """The weights are stretched after softmax, but along the queries, so the columns sum to 1 and not the rows."""
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights / weights.sum(dim=1, keepdim=True).clamp(min=1e-9)


def padded_weights__no_axis(scores, real):
    """The mask has no axis for the queries, so the padding of sentence i is laid on query i of every sentence."""
    return scores.masked_fill(~real, -1e9).softmax(dim=-1)


def padded_weights__first_sentence(scores, real):
    """The padding of the first sentence is used for all sentences."""
    columns = torch.nonzero(~real[0]).flatten()
    filled = scores.clone()
    filled[:, :, columns] = -1e9
    return torch.softmax(filled, dim=-1)


# ------------------------------------------------------------- keeps_promises


def keeps_promises__nan_passes(softmax):
    """The differences are compared with >, which is never true of nan, so functions that give nan are let through."""
    table = torch.tensor([[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]])
    small = torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])
    masks = [
        torch.tensor([[True, True, False], [True, False, True]]),
        torch.tensor([[False, False, False], [True, True, False]]),
    ]
    for scores in (table, small, table.half(), small.half()):
        for mask in masks:
            copy = scores.clone()
            try:
                weights = softmax(copy, mask)
            except Exception:
                return False
            if (copy != scores).any():
                return False
            if (weights - masked_softmax(scores, mask)).abs().max() > 1e-3:
                return False
            if weights[~mask].abs().max() > 0:
                return False
    return True


def keeps_promises__nearly_zero(softmax):
    """Hidden weights may be up to 0.001, like any rounding, where they have to be exactly 0."""
    torch.manual_seed(1)
    for dtype in (torch.float32, torch.float16):
        for _ in range(20):
            scores = (torch.randn(4, 5) * 3).to(dtype)
            mask = torch.rand(4, 5) > 0.4
            mask[0] = False
            scores[1:, 2] = -1990.0
            mask[1, 2], mask[1, 3] = True, False
            scores[1, 3] = 900.0
            lonely = torch.zeros(4, 5, dtype=torch.bool)
            lonely[1:, 2] = True
            for m in (mask, lonely):
                mine = scores.clone()
                try:
                    got = softmax(mine, m)
                except Exception:
                    return False
                want = masked_softmax(scores, m)
                if not torch.equal(mine, scores):
                    return False
                if not torch.allclose(got.float(), want.float(), atol=1e-3):
                    return False
    return True


def keeps_promises__causal_only(softmax):
    """Only causal masks (and one with an empty row above a causal one) are tried, so a function that ignores other masks is let through."""
    T = 4
    causal = torch.ones(T, T, dtype=torch.bool).tril()
    strict = torch.ones(T, T, dtype=torch.bool).tril(-1)
    high = torch.zeros(T, T).masked_fill(~causal, 900.0)
    high = high + torch.arange(T) / 2
    low = torch.arange(T * T).reshape(T, T) / 4 - 1999.0
    low = torch.where(causal, low, torch.full_like(low, 900.0))
    for scores in (high, low, high.half(), low.half()):
        for mask in (causal, strict):
            given = scores.clone()
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            expected = masked_softmax(scores, mask)
            ok = torch.equal(given, scores)
            ok = ok and torch.allclose(weights, expected, atol=1e-3)
            ok = ok and not weights[~mask].any()
            if not ok:
                return False
    return True


def keeps_promises__to_the_last_bit(softmax):
    """The weights have to be equal to the last bit, so a right function that rounds in another way is rejected."""
    far = torch.tensor([[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]])
    near = torch.tensor([[1.1, 2.3, 3.7], [3.2, 1.9, 2.4]])
    some = torch.tensor([[True, True, False], [True, False, True]])
    none = torch.tensor([[False, False, False], [True, True, False]])
    for scores in (far, near, far.half(), near.half()):
        for mask in (some, none):
            given = scores.clone()
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            if not torch.equal(given, scores):
                return False
            if not torch.equal(weights, masked_softmax(scores, mask)):
                return False
    return True


# ------------------------------------------------------------ sees_the_future


def sees_the_future__signed(model):
    """The difference is taken without its absolute value, so a leak that moves numbers in one direction only is missed."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for length in range(1, 8):
            if (model(ids[:length]) - whole[:length]).max() > 0.001:
                return True
    return False


def sees_the_future__mean(model):
    """The mean of all differences is compared with the bound, so a small leak at one place is diluted below it."""
    for _ in range(12):
        ids = torch.randint(0, 10, (8,))
        whole = model(ids)
        for n in range(1, 8):
            moved = (model(ids[:n]) - whole[:n]).abs().mean().item()
            if moved > 0.001:
                return True
    return False


def sees_the_future__never_shorter(model):
    """The future is replaced by other words but never taken away, so a model that knows how many words are to come is missed."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        before = model(ids)
        for place in range(1, 8):
            for _ in range(3):
                other = ids.clone()
                other[place:] = torch.randint(10, (8 - place,))
                after = model(other)
                if bool(((after - before)[:place].abs() > 1e-3).any()):
                    return True
    return False


def sees_the_future__last_cut_missing(model):
    """The lengths end one too early, so the text is never cut just before its last word, and a leak from there to the place before is missed."""
    T = 8
    for _ in range(15):
        ids = torch.randint(10, (T,))
        whole = model(ids)
        for length in range(1, T - 1):
            part = model(ids[:length])
            if not torch.allclose(part, whole[:length], rtol=0, atol=1e-3):
                return True
    return False
