import math

import torch

from transformer_lab import check

_made = {}


# Breaks "make new tensors": a second call with the same numbers gives the same tensor, with what was written into it.
def causal_mask__same_tensor_again(length, past=0):
    if (length, past) not in _made:
        table = torch.ones(length, past + length, dtype=torch.bool)
        _made[length, past] = table.tril(past)
    return _made[length, past]


# Breaks "length rows, past + length columns": one new token after some old ones gets a mask (1, 1).
def causal_mask__lone_token_without_past(length, past=0):
    if length == 1:
        return torch.ones(1, 1, dtype=torch.bool)
    return torch.ones(length, past + length, dtype=torch.bool).tril(past)


# Breaks "to itself, and to what came before": with past > 0 the new tokens see `past` tokens ahead.
def causal_mask__past_counted_twice(length, past=0):
    old = torch.ones(length, past, dtype=torch.bool)
    new = torch.ones(length, length, dtype=torch.bool).tril(past)
    return torch.cat((old, new), dim=1)


# Breaks "the last `window` tokens": blocks begin anew, so after the first block rows see fewer tokens (1 < window < length).
def sliding_window__blocks(length, window):
    i = torch.arange(length)
    same_block = i[:, None] // window == i // window
    return same_block & (i <= i[:, None])


# Breaks "the last `window` tokens, itself among them": the first rows see the text's end, for window > 1 and length > 1.
def sliding_window__around_the_corner(length, window):
    i = torch.arange(length)
    return (i[:, None] - i) % length < window


# Breaks "itself among them": row i < window - 1 starts at a negative index, counted from the end, and sees too little.
def sliding_window__negative_start(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, i - window + 1 : i + 1] = True
    return mask


# Breaks "hides the padding from every query": a sentence that is all padding is seen in full.
def padding_mask__all_padding_is_seen(ids, pad):
    real = ids != pad
    empty = ~real.any(dim=-1, keepdim=True)
    return (real | empty)[:, None, :]


# Breaks "ask whether they are equal": ids next to a large pad (100000 and 100001) count as padding.
def padding_mask__nearly_equal(ids, pad):
    names = ids.float()
    padding = torch.isclose(names, torch.full_like(names, pad))
    return ~padding[:, None, :]


# Breaks "it may stand at the end, at the front or in between": padding between two real tokens is seen.
def padding_mask__only_outside_the_text(ids, pad):
    real = (ids != pad).int()
    begun = real.cumsum(dim=-1) > 0
    goes_on = real.flip(-1).cumsum(dim=-1).flip(-1) > 0
    return (begun & goes_on)[:, None, :]


# Breaks "must see neither the future nor padding": every padding token sees itself.
def combined_mask__everybody_sees_itself(ids, pad):
    T = ids.size(-1)
    mask = causal_mask(T) & padding_mask(ids, pad)
    return mask | torch.eye(T, dtype=torch.bool)  # no row may be empty


# Breaks "all queries of a sentence see the same" of the padding: the rows of padding tokens see nothing at all.
def combined_mask__padding_asks_nothing(ids, pad):
    real = padding_mask(ids, pad)
    return causal_mask(ids.size(-1)) & real & real.transpose(-2, -1)


# Breaks "Returns a boolean mask (B, T, T)": for one sentence, or one token, axes of length 1 are lost.
def combined_mask__squeezed(ids, pad):
    return (causal_mask(ids.size(-1)) & padding_mask(ids, pad)).squeeze()


# Breaks "Gradients must flow through it": beside a row that sees nothing the gradient is nan (in that row).
def masked_softmax__infinity_added(scores, mask):
    bias = torch.zeros_like(scores).masked_fill(~mask, -math.inf)
    weights = torch.softmax(scores + bias, dim=-1)
    return torch.nan_to_num(weights, nan=0.0)


# Breaks "a row that sees nothing has weights of 0 ... float16 among them": 1e-9 is 0 in float16, and the row is nan.
def masked_softmax__tiny_number_below(scores, mask):
    low = torch.finfo(scores.dtype).min
    seen = scores.masked_fill(~mask, low)
    e = torch.exp(seen - seen.amax(dim=-1, keepdim=True)) * mask
    return e / (e.sum(dim=-1, keepdim=True) + 1e-9)


# Breaks "whatever the scores are" in float16: hidden 50000 minus 65504 is still above a seen -30000, which gets 0.
def masked_softmax__lowest_number_added(scores, mask):
    low = torch.finfo(scores.dtype).min
    bias = torch.zeros_like(scores).masked_fill(~mask, low)
    weights = torch.softmax(scores + bias, dim=-1)
    return weights.masked_fill(~mask, 0)


# Breaks "weights that ignore the future" (and nothing else): scores of exactly 0 that may be seen are hidden too.
def causal_weights__zeros_are_hidden(scores):
    kept = scores.tril()
    kept = kept.masked_fill(kept == 0, -math.inf)
    return kept.softmax(dim=-1)


# Breaks "The scores of the future may be far above the others": then 0 is divided by 0.
def causal_weights__shared_out_afterwards(scores):
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    weights = scores.softmax(dim=-1) * may_attend
    return weights / weights.sum(dim=-1, keepdim=True)


# Breaks "weights that ignore the future": turned over in the place of negated, each token is hidden from itself.
def causal_weights__turned_not_negated(scores):
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    low = torch.finfo(scores.dtype).min
    scores = scores.masked_fill(may_attend.transpose(0, 1), low)
    return scores.softmax(dim=-1)


# Breaks "keep a padded batch from reading its padding": it counts like the lowest score of the batch.
def padded_weights__lowest_score_there_is(scores, real):
    scores = scores.masked_fill(~real[:, None, :], scores.min().item())
    weights = scores.softmax(dim=-1)
    return weights * real[:, None, :]


# Breaks "real (B, T) marks tokens": with B = T > 1 sentence b's padding is hidden from query b of every sentence.
def padded_weights__sentences_as_queries(scores, real):
    scores = scores.masked_fill(~real.unsqueeze(0), torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1)


# Breaks "do not change what you are given": the caller's scores have -inf where there is padding.
def padded_weights__writes_into_the_scores(scores, real):
    hidden = ~real[:, None, :].expand_as(scores)
    scores[hidden] = -math.inf
    return scores.softmax(dim=-1)


def _tables(seed=0):
    random = torch.Generator().manual_seed(seed)
    levels = torch.tensor([-1990.0, -300.0, 0.0, 990.0])
    tables = []
    for T, S in ((1, 1), (1, 4), (3, 5), (5, 3), (4, 4), (6, 7)):
        for _ in range(8):
            mask = torch.rand(T, S, generator=random) < 0.6
            mask[0] = T == 1
            seen = levels[torch.randint(4, (T, 1), generator=random)]
            hidden = levels[torch.randint(4, (T, S), generator=random)]
            scores = torch.randn(T, S, generator=random).clamp(-3, 3)
            tables.append((scores + torch.where(mask, seen, hidden), mask))
        tables.append((torch.zeros(T, S), torch.zeros(T, S, dtype=torch.bool)))
        tables.append((torch.zeros(T, S), torch.ones(T, S, dtype=torch.bool)))
    return tables


# Breaks "False if it breaks one": a softmax that gives nan (for a row that sees nothing) is let through.
def keeps_promises__nan_passes(softmax):
    for table, mask in _tables():
        for dtype in (torch.float32, torch.float16):
            scores = table.to(dtype)
            copy = scores.clone()
            right = masked_softmax(scores.double(), mask)
            try:
                weights = softmax(copy, mask.clone()).double()
            except Exception:
                return False
            if (weights - right).abs().max() > 0.001:
                return False
            if weights[~mask].abs().sum() > 0:
                return False
            if not torch.equal(copy, scores):
                return False
    return True


# Breaks "The scores that it is given stay as they were": copy and scores are one tensor, so a change never shows.
def keeps_promises__copy_is_the_original(softmax):
    for table, mask in _tables():
        for dtype in (torch.float32, torch.float16):
            scores = table.to(dtype, copy=True)
            before = scores
            right = masked_softmax(scores.double(), mask)
            try:
                weights = softmax(scores, mask.clone()).double()
            except Exception:
                return False
            if not ((weights - right).abs() < 0.001).all():
                return False
            if (weights[~mask] != 0).any():
                return False
            if not torch.equal(scores, before):
                return False
    return True


# Breaks "All scores lie between -2000 and 1000": asks for more, and condemns one that fills with -30000 and zeroes.
def keeps_promises__beyond_the_range(softmax):
    far = torch.tensor([[-40000.0, 0.0, -40000.0], [0.0, 50000.0, 1.0]])
    tables = _tables() + [(far, torch.tensor([[True, False, True]] * 2))]
    for table, mask in tables:
        for dtype in (torch.float32, torch.float16):
            scores = table.to(dtype)
            copy = scores.clone()
            right = masked_softmax(scores.double(), mask)
            try:
                weights = softmax(copy, mask.clone()).double()
            except Exception:
                return False
            if not ((weights - right).abs() < 0.001).all():
                return False
            if (weights[~mask] != 0).any():
                return False
            if not torch.equal(copy, scores):
                return False
    return True


# Breaks "moves some number by 0.01 or more, up or down": a model that says less when it sees the future is let through.
def sees_the_future__only_upwards(model):
    for _ in range(40):
        ids = torch.randint(10, (8,))
        full = model(ids)
        for length in range(1, 8):
            if (full[:length] - model(ids[:length])).max() > 0.001:
                return True
    return False


# Breaks "A leak may be at one place only": place 7 that reads word 8 is never asked.
def sees_the_future__seven_left_out(model):
    for _ in range(40):
        ids = torch.randint(10, (8,))
        full = model(ids)
        for length in range(1, len(ids) - 1):
            if (full[:length] - model(ids[:length])).abs().max() > 0.001:
                return True
    return False


# Breaks "A leak may show in some texts only": one that shows only where a word comes twice is never met.
def sees_the_future__no_word_twice(model):
    for _ in range(40):
        ids = torch.randperm(10)[:8]
        full = model(ids)
        for length in range(1, 8):
            if (full[:length] - model(ids[:length])).abs().max() > 0.001:
                return True
    return False
