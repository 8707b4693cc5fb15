import math

import torch


# Forgets past in the diagonal: the triangle starts at the first column, so with
# past > 0 new tokens do not see themselves. tril() should be tril(past).
def causal_mask__diagonal_without_past(length, past=0):
    return torch.ones(length, past + length, dtype=torch.bool).tril()


# Puts the columns of the old tokens behind the new ones instead of in front.
# The order in torch.cat.
def causal_mask__past_behind(length, past=0):
    new = torch.ones(length, length, dtype=torch.bool).tril()
    old = torch.ones(length, past, dtype=torch.bool)
    return torch.cat([new, old], dim=1)


# Inverted: True is where a token may NOT attend (the convention of
# nn.MultiheadAttention). The comparison > should be <=.
def causal_mask__true_is_hidden(length, past=0):
    keys = torch.arange(past + length)
    queries = torch.arange(past, past + length)
    return keys[None, :] > queries[:, None]


# The table is float (ones and zeros), not boolean.
def causal_mask__float_table(length, past=0):
    return torch.tril(torch.ones(length, past + length), diagonal=past)


# Off by one: lets window + 1 tokens be seen, since <= should be <.
def sliding_window__one_too_many(length, window):
    back = torch.arange(length)[:, None] - torch.arange(length)
    return (back >= 0) & (back <= window)


# In the first rows the slice starts at a negative index, which counts from the
# end: these rows get nothing or the wrong cells. Needs max(0, ...).
def sliding_window__negative_start(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, i - window + 1 : i + 1] = True
    return mask


# No parentheses: & binds tighter than the comparisons, so Python asks for the
# truth of a table and raises an error. Last line.
def sliding_window__no_parentheses(length, window):
    positions = torch.arange(length)
    back = positions[:, None] - positions[None, :]
    return back >= 0 & back < window


# Counts the real tokens and takes the first so many for real: wrong when
# padding stands in front or in between. Lines lengths and return.
def padding_mask__padding_at_end(ids, pad):
    B, S = ids.shape
    lengths = (ids != pad).sum(dim=1)
    return (torch.arange(S) < lengths[:, None])[:, None, :]


# Takes 0 for padding always: ids.bool() asks ids != 0, and pad is not used.
def padding_mask__pad_is_zero(ids, pad):
    return ids.bool().unsqueeze(-2)


# Two mistakes: inverted (True where padding is), and the axis of length 1 stands
# last, (B, S, 1), not before the last.
def padding_mask__inverted_column(ids, pad):
    is_padding = ids == pad
    return is_padding.unsqueeze(-1)


# Lets every token see itself, so that no row is empty, against the rule to
# leave such rows as they are (and padding sees its own padding). `| torch.eye`.
def combined_mask__diagonal_rescued(ids, pad):
    T = ids.size(1)
    mask = causal_mask(T) & padding_mask(ids, pad)
    return mask | torch.eye(T, dtype=torch.bool)


# Hides padding as a query too: the rows of padding are all False, while only its
# columns should be. The factor real.transpose(1, 2).
def combined_mask__padding_asks_nothing(ids, pad):
    real = padding_mask(ids, pad)
    both = real & real.transpose(-2, -1)
    return both & causal_mask(ids.shape[1])


# Two mistakes: | instead of & (allowed where either allows it), and len(ids) is
# the number of sentences, not the length of the text.
def combined_mask__or_with_batch_length(ids, pad):
    causal = causal_mask(len(ids))
    return causal | padding_mask(ids, pad)


# With -inf a row that sees nothing is nan throughout, and is not set to 0
# afterwards. Last line lacks the second masked_fill.
def masked_softmax__nan_in_empty_rows(scores, mask):
    hidden = torch.where(mask, scores, -math.inf)
    return torch.softmax(hidden, dim=-1)


# -10000 is not low enough: if the seen scores are far below it, hidden keys get
# the weight, and after the second masked_fill the row sums to 0. Line -1e4.
def masked_softmax__minus_ten_thousand(scores, mask):
    scores = scores.masked_fill(~mask, -1e4)
    weights = torch.softmax(scores, dim=-1)
    return weights.masked_fill(~mask, 0.0)


# Subtracts the maximum of all scores, hidden ones among them: with a hidden score
# far above, all seen exponentials are 0 and the row sums to 0. Line amax.
def masked_softmax__max_of_hidden(scores, mask):
    top = scores.amax(dim=-1, keepdim=True)
    shares = torch.exp(scores - top) * mask
    total = shares.sum(dim=-1, keepdim=True)
    return shares / total.clamp(min=torch.finfo(scores.dtype).tiny)


# Computes in float32 and returns float32: the precision of float16 and float64 is
# not kept. First line; .to(scores.dtype) is missing at the end.
def masked_softmax__always_float32(scores, mask):
    exact = scores.float()
    exact = exact.masked_fill(~mask, torch.finfo(torch.float32).min)
    return exact.softmax(dim=-1).masked_fill(~mask, 0)


# masked_fill_ with the underscore writes into the caller's scores. First line.
def masked_softmax__fills_in_place(scores, mask):
    scores.masked_fill_(~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, -1)
    return weights * mask


# triu() with the diagonal: a word may not read itself, only those before it, and
# the first row is all hidden, so it has equal shares. Should be triu(1).
def causal_weights__diagonal_hidden(scores):
    length = scores.size(-1)
    future = torch.ones(length, length, dtype=torch.bool).triu()
    scores = scores.masked_fill(future, -1e9)
    return scores.softmax(dim=-1)


# The mask is now right, but the number is 1e-9, nearly 0, instead of -1e9: the
# future still gets weight. Line masked_fill.
def causal_weights__tiny_number(scores):
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores = scores.masked_fill(~may_attend, 1e-9)
    return scores.softmax(dim=-1)


# Hides the future after softmax: the rows do not sum to 1, and future scores still
# count. Last line.
def causal_weights__masks_afterwards(scores):
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    weights = scores.softmax(dim=-1)
    return weights.masked_fill(~may_attend, 0.0)


# Only exchanges the two lines: a score of 0 for padding is still a score, with the
# exponential 1, so padding gets weight. First line.
def padded_weights__scores_times_real(scores, real):
    scores = scores * real[:, None, :]
    return scores.softmax(dim=-1)


# Masks rightly, but then also sets the rows of padding (the queries) to 0, which
# changes something else: these rows should still sum to 1. Last line.
def padded_weights__padding_rows_zero(scores, real):
    keys = real[:, None, :]
    weights = scores.masked_fill(~keys, -math.inf).softmax(dim=-1)
    return weights * real[:, :, None]


# Writes -inf into the caller's scores: indexing assignment is in place. Line
# scores[hidden] = ...
def padded_weights__assigns_into_scores(scores, real):
    hidden = ~real[:, None, :].expand_as(scores)
    scores[hidden] = -math.inf
    return scores.softmax(dim=-1)


# `before = scores` is no copy, only a second name: a softmax that writes into its
# scores changes both, and is let through. Should be scores.clone().
def keeps_promises__alias_not_copy(softmax):
    for dtype in (torch.float32, torch.float16):
        for _ in range(10):
            mask = torch.rand(5, 6) < 0.6
            mask[1] = False
            mask[2, 3], mask[2, 4] = True, False
            plain = torch.randn(5, 6) * 2
            for base in (
                plain,
                plain.masked_fill(~mask, 900.0),
                (plain - 1900).masked_fill(~mask, 900.0),
                plain + 800,
            ):
                scores = base.to(dtype)
                before = scores
                wanted = masked_softmax(scores, mask)
                try:
                    got = softmax(scores, mask)
                    good = (
                        got.shape == wanted.shape
                        and torch.allclose(
                            got.float(), wanted.float(), rtol=0, atol=1e-3
                        )
                        and bool((got[~mask] == 0).all())
                        and torch.equal(scores, before)
                    )
                except Exception:
                    return False
                if not good:
                    return False
    return True


# nan passes: every comparison nan > number is False, so a softmax that gives nan in
# the rows that see nothing is let through. The two lines with >.
def keeps_promises__nan_passes(softmax):
    for _ in range(12):
        mask = torch.rand(4, 5) > 0.4
        mask[0, 2], mask[0, 3] = True, False
        mask[3, :] = False
        near = torch.randn(4, 5)
        tables = [
            near,
            torch.where(mask, near, torch.tensor(900.0)),
            torch.where(mask, near - 1950, torch.tensor(950.0)),
            torch.where(mask, near + 900, torch.tensor(-1900.0)),
        ]
        tables += [table.half() for table in tables]
        for table in tables:
            right = masked_softmax(table, mask).float()
            copy = table.clone()
            try:
                weights = softmax(copy, mask).float()
                if weights.shape != right.shape:
                    return False
                if (weights - right).abs().max() > 0.001:
                    return False
                if weights[~mask].abs().sum() > 0:
                    return False
            except Exception:
                return False
            if not torch.equal(copy, table):
                return False
    return True


# A row that sees nothing is tried only in a table where no row sees anything, never
# beside rows that see something. (eye puts a True into each row of the mixed masks.)
def keeps_promises__empty_rows_alone(softmax):
    def fine(scores, mask):
        wanted = masked_softmax(scores, mask)
        copy = scores.clone()
        try:
            got = softmax(copy, mask)
            close = torch.allclose(got.float(), wanted.float(), atol=1e-3, rtol=0)
            zero = (got[~mask] == 0).all()
        except Exception:
            return False
        return bool(close and zero and torch.equal(copy, scores))

    nothing = torch.zeros(5, 5, dtype=torch.bool)
    for _ in range(15):
        mixed = (torch.rand(5, 5) < 0.4) | torch.eye(5, dtype=torch.bool)
        for mask in (mixed, nothing):
            x = torch.randn(5, 5)
            for scores in (
                x,
                x.masked_fill(~mask, 900),
                (x - 1900).masked_fill(~mask, 900),
                (x + 900).masked_fill(~mask, -1900),
            ):
                if not fine(scores, mask) or not fine(scores.half(), mask):
                    return False
    return True


# Too strict in float16: demands six digits of half precision against a result in
# float32, so right functions are refused. Line atol=1e-6.
def keeps_promises__half_too_strict(softmax):
    for _ in range(10):
        mask = torch.rand(6, 4) < 0.7
        mask[2] = False
        base = torch.randn(6, 4)
        for high in (0.0, 900.0):
            for shift in (0.0, -1900.0):
                for dtype in (torch.float32, torch.float16):
                    scores = (base + shift).masked_fill(~mask, high).to(dtype)
                    expected = masked_softmax(scores.float(), mask)
                    given = scores.clone()
                    try:
                        w = softmax(given, mask)
                        if not torch.allclose(w.float(), expected, rtol=0, atol=1e-6):
                            return False
                        if (w[~mask] != 0).any() or not torch.equal(given, scores):
                            return False
                    except Exception:
                        return False
    return True


# No abs: a leak that makes the numbers of the longer text larger gives negative
# differences and is missed. The line with max.
def sees_the_future__without_abs(model):
    for _ in range(40):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for length in range(1, 8):
            difference = model(ids[:length]) - whole[:length]
            if difference.max() > 0.001:
                return True
    return False


# Takes the mean of the differences: a leak of 0.01 in one number at one position is
# thinned out below the bound. mean() should be max().
def sees_the_future__mean_difference(model):
    for _ in range(40):
        ids = torch.randint(0, 10, (8,))
        full = model(ids)
        for n in range(1, len(ids)):
            change = (model(ids[:n]) - full[:n]).abs().mean()
            if change.item() > 1e-3:
                return True
    return False


# Only exchanges later words, never takes them away: a model that knows how many words
# are still to come is missed. (All texts have 8 words.)
def sees_the_future__same_length_only(model):
    for _ in range(60):
        ids = torch.randint(10, (8,))
        first = model(ids)
        for cut in range(1, 8):
            other = ids.clone()
            other[cut:] = torch.randint(10, (8 - cut,))
            second = model(other)
            if not torch.allclose(first[:cut], second[:cut], rtol=0, atol=1e-3):
                return True
    return False


# Off by one: lengths stop at 6, so the beginning of 7 words is never compared, and a
# leak from the last word to the one before it is missed. range(1, len(ids) - 1).
def sees_the_future__last_length_missed(model):
    texts = [torch.randint(10, (8,)) for _ in range(50)]
    for ids in texts:
        answer = model(ids)
        for length in range(1, len(ids) - 1):
            short = model(ids[:length])
            if bool(((short - answer[:length]).abs() > 0.002).any()):
                return True
    return False


import math

import torch


# Keeps the masks of earlier calls by length alone: a second call of the same
# length with another past returns the mask of the first past.
def causal_mask__kept_by_length(length, past=0, made={}):
    if length not in made:
        positions = torch.arange(past + length)
        made[length] = positions <= positions[past:, None]
    return made[length]


# With a past, only the last column is hidden (from all rows but the last):
# right for one or two new tokens, for three or more the earlier ones see the
# future. Line `mask[:-1, -1] = False`.
def causal_mask__hides_one_column(length, past=0):
    mask = torch.ones(length, past + length, dtype=torch.bool)
    if past == 0:
        return mask.tril()
    mask[:-1, -1] = False
    return mask


# A table is kept from call to call and a view of it is returned: if the caller
# changes the mask it got (mask &= ...), later calls return the changed one.
def causal_mask__shared_view(length, past=0, tables={}):
    total = past + length
    if total not in tables:
        tables[total] = torch.ones(total, total, dtype=torch.bool).tril()
    return tables[total][past:]


# Adds a diagonal for each step back; if the window is longer than the text,
# length - back is negative and torch.ones raises an error.
def sliding_window__longer_than_text(length, window):
    mask = torch.zeros(length, length, dtype=torch.bool)
    for back in range(window):
        mask |= torch.diag(torch.ones(length - back), -back) > 0
    return mask


# For a window of 1 it returns torch.eye, which is float32 and not boolean.
def sliding_window__float_eye(length, window):
    if window == 1:
        return torch.eye(length)
    causal = causal_mask(length)
    return causal & ~causal.tril(-window)


# Negative differences wrap in uint8 to large numbers, so that one comparison
# does for both conditions: but if length and window are together above 256
# (200 and 100), keys far in the future count as seen.
def sliding_window__uint8_wraps(length, window):
    place = torch.arange(length).to(torch.uint8)
    steps_back = place[:, None] - place[None, :]
    return steps_back < window


# cumsum hides everything from the first padding on: right for padding at the
# end, but words behind padding at the front or in between are hidden too.
def padding_mask__from_first_pad(ids, pad):
    met = (ids == pad).cumsum(dim=-1)
    return (met == 0)[:, None, :]


# Two mistakes: the caller's ids are overwritten (first line), and a real id of 0
# counts as padding where pad is another number (.bool()).
def padding_mask__zeroes_ids(ids, pad):
    ids[ids == pad] = 0
    return ids.bool().unsqueeze(1)


# Compares by > instead of !=: right for pad = 0 and for a lowest id, wrong if
# real ids are smaller than pad.
def padding_mask__above_pad(ids, pad):
    return torch.gt(ids, pad).unsqueeze(-2)


# Rows without any True get their own token back (to avoid nan later): with
# padding in front they should stay all False. Last line.
def combined_mask__rescues_empty_rows(ids, pad):
    mask = causal_mask(ids.size(-1)) & padding_mask(ids, pad)
    empty = ~mask.any(dim=-1, keepdim=True)
    own = torch.eye(ids.size(-1), dtype=torch.bool)
    return mask | (empty & own)


# Counts the real tokens and keeps that many first columns: right only if the
# padding stands at the end.
def combined_mask__counts_from_front(ids, pad):
    B, T = ids.shape
    mask = causal_mask(T).repeat(B, 1, 1)
    for b in range(B):
        real = int((ids[b] != pad).sum())
        mask[b, :, real:] = False
    return mask


# any(dim=0) hides a column in all sentences as soon as one sentence has padding
# there: right for a batch of one.
def combined_mask__columns_for_all(ids, pad):
    B, T = ids.shape
    mask = causal_mask(T).expand(B, T, T).clone()
    mask[:, :, (ids == pad).any(dim=0)] = False
    return mask


# The lowest number is added instead of filled in: in float16 a hidden 60000
# becomes -5504 and stays above seen scores of -20000, which then get nothing;
# very negative hidden ones overflow to -inf.
def masked_softmax__lowest_added(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    bias = torch.zeros_like(scores).masked_fill(~mask, lowest)
    weights = torch.softmax(scores + bias, dim=-1)
    return weights.masked_fill(~mask, 0.0)


# Hidden scores become the row's minimum less 30: their weight is tiny, about
# 1e-13, not exactly 0, and nothing sets it to 0 in rows that see something.
def masked_softmax__thirty_below(scores, mask):
    low = scores.detach().amin(dim=-1, keepdim=True) - 30
    weights = torch.where(mask, scores, low).softmax(dim=-1)
    return weights * mask.any(dim=-1, keepdim=True)


# -inf is added, and nan_to_num repairs rows that see nothing: the weights are
# right, but the gradient of the scores in such a row is nan.
def masked_softmax__adds_minus_inf(scores, mask):
    bias = torch.zeros_like(scores).masked_fill(~mask, -math.inf)
    return torch.softmax(scores + bias, dim=-1).nan_to_num(0.0)


# Looks after rows that see nothing only if the whole mask is False: one such
# row beside others that see something is nan. (`if not mask.any()`.)
def masked_softmax__only_if_all_hidden(scores, mask):
    if not mask.any():
        return scores * 0
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1)


# masked_fill_ changes the result of softmax in place, which autograd needs for
# the backward pass: weights right, but backward raises an error. Last line but one.
def masked_softmax__fills_result_in_place(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    weights = torch.softmax(scores.masked_fill(~mask, lowest), dim=-1)
    weights.masked_fill_(~mask, 0.0)
    return weights


# Exponentials of all scores, also of hidden ones far above, are inf before they
# are filled with 0: forward right, but the gradient there is 0 * inf = nan.
def masked_softmax__hidden_exp_inf(scores, mask):
    lowest = torch.finfo(scores.dtype).min
    top = scores.masked_fill(~mask, lowest).amax(dim=-1, keepdim=True)
    e = torch.exp(scores - top).masked_fill(~mask, 0.0)
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, torch.ones_like(total))


# Indexing with ~mask does not broadcast: a mask (T, S) for scores (B, T, S), or
# (B, 1, S), raises an error (line `scores[~mask] =`).
def masked_softmax__indexed_by_mask(scores, mask):
    hidden = ~mask
    scores = scores.clone()
    scores[hidden] = torch.finfo(scores.dtype).min
    weights = scores.softmax(dim=-1)
    return weights.masked_fill(hidden, 0.0)


# Fills with -10000 (to suit float16): if all that a word may read scores below
# that, the future gets the weight.
def causal_weights__ten_thousand(scores):
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores = scores.masked_fill(~may_attend, -1e4)
    return scores.softmax(dim=-1)


# masked_fill_ with underscore writes into the caller's scores.
def causal_weights__into_callers(scores):
    length = scores.size(-1)
    future = torch.ones(length, length, dtype=torch.bool).triu(1)
    scores.masked_fill_(future, -math.inf)
    return scores.softmax(dim=-1)


# Softmax first, then the triangle, then divided by the row's sum: if the future
# scores are far above, what is left of the row is 0, and 0 / 0 is nan.
def causal_weights__shares_again(scores):
    weights = scores.softmax(dim=-1).tril()
    return weights / weights.sum(dim=-1, keepdim=True)


# real (B, T) without an axis for the queries: it meets the axes (T, T) of the
# scores. Right for B = 1, an error for B other than T, and if B equals T row b
# of every sentence takes the padding of sentence b.
def padded_weights__axis_missing(scores, real):
    scores = scores.masked_fill(~real, -math.inf)
    return scores.softmax(dim=-1)


# Takes 1000 from the padding's scores instead of replacing them: padding that
# scores 1000 or more above the rest still gets weight.
def padded_weights__thousand_less(scores, real):
    away = (~real[:, None, :]).to(scores.dtype)
    return (scores - 1000 * away).softmax(dim=-1)


# Divides by the row's sum after the fact, with a clamp: where padding scores
# far above the real tokens (by 14 or more) the rest of the row has gone under,
# and the rows do not sum to 1.
def padded_weights__clamped_sum(scores, real):
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-6)


# `before = scores` is no copy: it is compared with itself, so a softmax that
# changes its scores in place is let through.
def keeps_promises__copy_is_no_copy(softmax):
    table = torch.tensor(
        [[1.0, 1.0, 900.0], [2.0, -1.0, 0.5], [4.0, 7.0, 1.0], [-1900.0, -1901.0, 3.0]]
    )
    mask = torch.tensor(
        [[True, True, False], [True] * 3, [False] * 3, [True, True, False]]
    )
    for dtype in (torch.float32, torch.float16):
        scores = table.to(dtype)
        right = masked_softmax(scores, mask)
        before = scores
        try:
            weights = softmax(scores, mask)
            if not torch.allclose(weights.float(), right.float(), atol=1e-3):
                return False
            if (weights[~mask] != 0).any():
                return False
        except Exception:
            return False
        if not torch.equal(scores, before):
            return False
    return True


# Comparisons with > are False for nan: a softmax that gives nan (in a row that
# sees nothing) is let through.
def keeps_promises__nan_slips_through(softmax):
    for dtype in (torch.float32, torch.float16):
        for turn in range(20):
            spread = 2 if turn % 2 else 900
            scores = (torch.randn(4, 5) * spread).clamp(-1990, 990).to(dtype)
            mask = torch.rand(4, 5) > 0.4
            mask[1] = False
            mask[2, 0], scores[2, 0] = False, 900
            given = scores.clone()
            try:
                weights = softmax(given, mask)
                if not torch.equal(given, scores):
                    return False
                off = (weights - masked_softmax(scores, mask)).abs().max()
                leak = weights[~mask].abs().max()
            except Exception:
                return False
            if off > 1e-3 or leak > 0:
                return False
    return True


# No input has seen scores far below zero: a softmax that fills hidden scores
# with -1000 (and sets them to 0 afterwards) is let through, though scores go
# down to -2000.
def keeps_promises__no_low_scores(softmax):
    for dtype in [torch.float32, torch.float16]:
        for trial in range(15):
            scores = torch.randn(3, 6).mul(3).to(dtype)
            mask = torch.rand(3, 6) < 0.5
            mask[trial % 3] = False
            scores[~mask] = 900
            copy = scores.clone()
            try:
                weights = softmax(copy, mask)
                good = torch.allclose(
                    weights.float(), masked_softmax(scores, mask).float(), atol=1e-3
                )
                good = good and bool((weights[~mask] == 0).all())
            except Exception:
                return False
            if not good or not torch.equal(copy, scores):
                return False
    return True


# Hidden weights are compared with 0 only to within 0.001 (by allclose): tiny
# weights that are not exactly 0 are let through.
def keeps_promises__hidden_within_rounding(softmax):
    scores = torch.tensor(
        [[1.0, 1.0, 900.0], [0.0, 2.0, -3.0], [5.0, 5.0, 5.0], [-1990.0, 900.0, -1991.0]]
    )
    mask = torch.tensor(
        [[1, 1, 0], [1, 0, 1], [0, 0, 0], [1, 0, 1]], dtype=torch.bool
    )
    for s in (scores, scores.half(), scores.flip(1)):
        copy = s.clone()
        try:
            weights = softmax(copy, mask)
            if not torch.allclose(weights, masked_softmax(s, mask), atol=1e-3):
                return False
        except Exception:
            return False
        if not torch.equal(copy, s):
            return False
    return True


# Two mistakes: nothing is tried in float16, and the row that sees nothing is
# only tried alone, in a mask that is False throughout, never beside others.
def keeps_promises__alone_and_float32(softmax):
    trials = [
        ([[1.0, 1.0, 900.0]], [[True, True, False]]),
        ([[3.0, -1900.0, 0.0], [900.0, -1999.0, -1998.0]],
         [[True, True, True], [False, True, True]]),
        ([[3.0, 900.0, 0.0]], [[False, False, False]]),
    ]
    for table, mask in trials:
        scores, mask = torch.tensor(table), torch.tensor(mask)
        copy = scores.clone()
        try:
            weights = softmax(copy, mask)
            ok = torch.allclose(weights, masked_softmax(scores, mask), atol=1e-3)
            ok = ok and not weights[~mask].any()
        except Exception:
            return False
        if not (ok and torch.equal(copy, scores)):
            return False
    return True


# No abs(): only a number that is larger without the future is noticed; a model
# whose numbers rise by what comes is called honest.
def sees_the_future__one_direction(model):
    for _ in range(30):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for length in range(1, 8):
            if (model(ids[:length]) - whole[:length]).max() > 0.001:
                return True
    return False


# The beginnings start at two words: a leak at the first position that looks one
# word ahead is missed, for the second word is always there (range(2, 8)).
def sees_the_future__starts_at_two(model):
    for _ in range(24):
        ids = torch.randint(0, 10, (8,))
        whole = model(ids)
        for n in range(2, 8):
            start = model(ids[:n])
            if not torch.allclose(start, whole[:n], rtol=0, atol=1e-3):
                return True
    return False


# Only the last row of each beginning is compared with the full text of 8: a
# leak that happens only in shorter texts (of 5 words, say) is missed, since
# the last row of a text has no future.
def sees_the_future__last_row_only(model):
    for trial in range(24):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        alone = torch.stack([model(ids[: i + 1])[-1] for i in range(8)])
        if (alone - whole).abs().max() > 1e-3:
            return True
    return False


# Changes the words that follow but never their number: a model that knows how
# many words are still to come is called honest.
def sees_the_future__always_eight(model):
    for _ in range(20):
        a = torch.randint(10, (8,))
        for keep in range(1, 8):
            b = a.clone()
            b[keep:] = torch.randint(10, (8 - keep,))
            gap = (model(a)[:keep] - model(b)[:keep]).abs()
            if bool((gap > 0.001).any()):
                return True
    return False


# Two mistakes: texts of 6 words only (a leak in texts of 8 is missed), and a
# bound of 0.05, above the 0.01 by which a leak may move a number.
def sees_the_future__short_and_blunt(model):
    for _ in range(20):
        ids = torch.randint(10, (6,))
        whole = model(ids)
        for length in range(1, 6):
            moved = (model(ids[:length]) - whole[:length]).abs().max()
            if moved > 0.05:
                return True
    return False
