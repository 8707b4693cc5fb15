"""Wrong answers, in other words than the bank's. The docstring is the name they must be given."""

import math

import torch


def causal_mask__greater(length, past=0):
    """the mask is turned round"""
    queries = torch.arange(past, past + length)
    return torch.arange(past + length) > queries[:, None]


def causal_mask__plus_two(length, past=0):
    """each token sees one token of the future"""
    mask = torch.zeros(length, past + length, dtype=torch.bool)
    for i in range(length):
        mask[i, : past + i + 2] = True
    return mask


def causal_mask__strictly_before(length, past=0):
    """no token sees itself"""
    queries = torch.arange(past, past + length)
    return torch.arange(past + length) < queries[:, None]


def causal_mask__not_before(length, past=0):
    """the triangle is the wrong way up: only the future is seen"""
    return torch.arange(past + length) >= torch.arange(past, past + length).unsqueeze(-1)


def causal_mask__floats(length, past=0):
    """it holds numbers, not True and False"""
    return torch.tril(torch.ones(length, past + length), diagonal=past)


def causal_mask__square(length, past=0):
    """the past is left out"""
    places = torch.arange(length)
    return places <= places.unsqueeze(-1)


def causal_mask__from_nought(length, past=0):
    """the triangle sits at the left, as if nothing had come before"""
    return torch.arange(past + length) <= torch.arange(length)[:, None]


def causal_mask__everyone_asks(length, past=0):
    """the old tokens have rows too"""
    n = length + past
    return torch.triu(torch.ones(n, n), diagonal=1) == 0


def sliding_window__reaches_back(length, window):
    """the window is one token too long"""
    ones = torch.ones(length, length).bool()
    return ones.tril() & ones.triu(-window)


def sliding_window__cut(length, window):
    """the window is one token too short"""
    ones = torch.ones(length, length).bool()
    return ones.tril() & ones.triu(2 - window)


def sliding_window__only_before(length, window):
    """the token itself is not in its window"""
    rows = [[i - window <= j < i for j in range(length)] for i in range(length)]
    return torch.tensor(rows)


def sliding_window__band(length, window):
    """the window reaches to both sides"""
    ones = torch.ones(length, length).bool()
    return ones.triu(1 - window) & ones.tril(window - 1)


def sliding_window__ahead(length, window):
    """the window opens towards the future"""
    ones = torch.ones(length, length).bool()
    return ones.triu() & ones.tril(window - 1)


def sliding_window__hides(length, window):
    """the mask is turned round"""
    rows = [[not i - window < j <= i for j in range(length)] for i in range(length)]
    return torch.tensor(rows)


def sliding_window__unused(length, window):
    """the window has no far end"""
    i = torch.arange(length)
    return i[:, None] >= i


def sliding_window__far_past_only(length, window):
    """the future is in sight: only the far past is hidden"""
    return torch.ones(length, length).triu(1 - window) == 1


def padding_mask__key_padding_mask(ids, pad):
    """the mask is turned round"""
    return ids.eq(pad)[:, None, :]


def padding_mask__two_axes(ids, pad):
    """the mask lacks its axis for the queries"""
    return torch.where(ids == pad, False, True)


def padding_mask__last_axis(ids, pad):
    """rows are hidden, not columns"""
    return ids.ne(pad)[..., None]


def padding_mask__outer(ids, pad):
    """rows are hidden too"""
    real = (ids != pad).float()
    return torch.einsum("bt,bs->bts", real, real) > 0


def padding_mask__truthy(ids, pad):
    """padding is taken to be 0"""
    return ids.bool()[:, None]


def padding_mask__words_are_larger(ids, pad):
    """ids are compared by size"""
    return torch.gt(ids, pad).unsqueeze(1)


def padding_mask__by_length(ids, pad):
    """padding is counted and taken to be at the end"""
    real = torch.zeros_like(ids, dtype=torch.bool)
    for row, tokens in zip(real, ids, strict=True):
        row[: sum(token != pad for token in tokens.tolist())] = True
    return real[:, None, :]


def combined_mask__or(ids, pad):
    """one mask or the other is enough"""
    n = ids.size(1)
    return torch.logical_or(torch.ones(n, n).tril().bool(), (ids != pad)[:, None])


def combined_mask__triangle(ids, pad):
    """the padding is not hidden"""
    b, n = ids.shape
    return torch.ones(b, n, n).tril() == 1


def combined_mask__no_triangle(ids, pad):
    """the future is not hidden"""
    return ids.ne(pad)[:, None, :].repeat(1, ids.size(1), 1)


def combined_mask__queries(ids, pad):
    """padding hides rows, not columns"""
    n = ids.size(1)
    return torch.ones(n, n).tril().bool().logical_and(ids.ne(pad)[:, :, None])


def combined_mask__square(ids, pad):
    """padding hides rows too"""
    real = ids != pad
    return (real[:, :, None] * real[:, None, :]).tril()


def combined_mask__blocked(ids, pad):
    """the mask is turned round"""
    n = ids.size(1)
    return torch.ones(n, n).triu(1).bool() | (ids == pad)[:, None, :]


def masked_softmax__kept(scores, mask):
    """the mask is turned round"""
    e = scores.masked_fill(mask, -math.inf).softmax(-1)
    return torch.where(e.isnan(), 0, e)


def masked_softmax__filled_where_true(scores, mask):
    """the mask is turned round"""
    return torch.where(mask, -torch.inf, scores).softmax(-1)


def masked_softmax__late(scores, mask):
    """the mask comes after softmax"""
    return torch.softmax(scores, dim=-1).masked_fill(~mask, 0)


def masked_softmax__late_shared_anew(scores, mask):
    """what is hidden takes part before it is masked"""
    weights = scores.softmax(-1) * mask
    total = weights.sum(-1, keepdim=True)
    return torch.where(total > 0, weights / total, 0)


def masked_softmax__bare_exponential(scores, mask):
    """the exponential overflows"""
    e = math.e**scores * mask
    return torch.nan_to_num(e / torch.sum(e, -1)[..., None])


def masked_softmax__plus_the_largest(scores, mask):
    """the exponential overflows"""
    s = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    e = torch.exp(s + s.amax(-1, keepdim=True)) * mask
    return (e / e.sum(-1, keepdim=True)).nan_to_num()


def masked_softmax__minus_ten_thousand(scores, mask):
    """the hidden scores are not low enough"""
    return torch.where(mask, scores, -1e4).softmax(-1).masked_fill(~mask, 0)


def masked_softmax__minus_thirty(scores, mask):
    """the hidden scores are not low enough"""
    return scores.masked_fill(~mask, -30.0).softmax(-1) * mask


def masked_softmax__plus(scores, mask):
    """the mask is added as 0 and 1"""
    nudged = scores + mask.to(scores.dtype)
    e = (nudged - nudged.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


def masked_softmax__times(scores, mask):
    """masked scores are set to 0"""
    return torch.softmax(scores * mask, dim=-1)


def masked_softmax__additive(scores, mask):
    """a row with nothing to read gives nan"""
    return (scores + mask.to(scores.dtype).log()).softmax(-1)


def masked_softmax__very_low(scores, mask):
    """a row with nothing to read reads everything"""
    return torch.softmax(torch.where(mask, scores, torch.finfo(scores.dtype).min), dim=-1)


def masked_softmax__columns(scores, mask):
    """softmax runs over the queries, not the keys"""
    lowest = torch.finfo(scores.dtype).min
    return torch.where(mask, scores, lowest).mT.softmax(-1).mT * mask


def masked_softmax__assigned(scores, mask):
    """it changes what it was given"""
    scores[~mask.expand_as(scores)] = torch.finfo(scores.dtype).min
    return scores.softmax(-1) * mask


def causal_weights__where(scores):
    """the mistake is still in it"""
    return torch.where(torch.ones_like(scores).tril() == 1, -1e9, scores).softmax(-1)


def causal_weights__tril_one(scores):
    """each token sees one token of the future"""
    past = torch.ones_like(scores).tril(diagonal=1).bool()
    return scores.masked_fill(~past, -math.inf).softmax(-1)


def causal_weights__mask_gone(scores):
    """nothing is hidden any more"""
    e = scores.exp()
    return e / e.sum(-1, keepdim=True)


def causal_weights__triu(scores):
    """no token sees itself"""
    return scores.masked_fill(torch.ones_like(scores).triu().bool(), -1e9).softmax(-1)


def causal_weights__tril_of_scores(scores):
    """the future is set to 0 before softmax"""
    return scores.tril().softmax(-1)


def causal_weights__tril_of_weights(scores):
    """the weights of the future are struck out after softmax"""
    return scores.softmax(-1).tril()


def padded_weights__masked_fill(scores, real):
    """the mistake is still in it"""
    return torch.softmax(scores, -1).masked_fill(~real.unsqueeze(1), 0.0)


def padded_weights__filled_with_nought(scores, real):
    """hidden scores are set to 0"""
    return scores.masked_fill(~real[:, None], 0.0).softmax(-1)


def padded_weights__bonus(scores, real):
    """the mask is added as 0 and 1"""
    return torch.softmax(scores + real.float().unsqueeze(1), dim=-1)


def padded_weights__queries(scores, real):
    """rows are hidden, not columns"""
    return torch.where(real.unsqueeze(2), scores, -1e9).softmax(-1)


def padded_weights__no_tilde(scores, real):
    """the mask is turned round"""
    return scores.masked_fill(real.unsqueeze(1).expand_as(scores), -torch.inf).softmax(-1)


def padded_weights__mean(scores, real):
    """the weights are divided by a count, not by their sum"""
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights / real.float().mean(-1)[:, None, None]


def padded_weights__plain(scores, real):
    """nothing is hidden any more"""
    return scores.softmax(dim=-1)


def masked_softmax__second_axis(scores, mask):
    """the axis is counted from the front"""
    w = torch.softmax(torch.where(mask, scores, -1e30), dim=min(1, scores.dim() - 1))
    return torch.where(mask, w, torch.zeros_like(w))


def masked_softmax__first_axis(scores, mask):
    """the axis is counted from the front"""
    w = torch.softmax(torch.where(mask, scores, -torch.inf), dim=0)
    return torch.nan_to_num(w)


def _tables():
    table = torch.tensor([[2.0, -3.0, 0.5], [0.0, 1.0, 1.5]])
    apart = torch.tensor([[700.0, 0.0, -1.0], [-1700.0, -1701.0, 600.0]])
    return table, apart


_PART = torch.tensor([[False, True, True], [True, True, False]])
_VOID = torch.tensor([[False, False, False], [True, True, False]])


def _keeps(softmax, tables, masks, close=0.001):
    for scores in tables:
        for mask in masks:
            given = scores.clone()
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            lowest = torch.finfo(scores.dtype).min
            right = scores.masked_fill(~mask, lowest).softmax(dim=-1) * mask
            if not (weights - right).abs().max() < close or weights[~mask].any():
                return False
            if not torch.equal(given, scores):
                return False
    return True


def keeps_promises__masks_with_something(softmax):
    """no row that sees nothing is tried"""
    tables = [*_tables(), *(table.half() for table in _tables())]
    return _keeps(softmax, tables, [_PART])


def keeps_promises__single_precision(softmax):
    """half precision is never tried"""
    return _keeps(softmax, _tables(), [_PART, _VOID])


def keeps_promises__small_numbers(softmax):
    """no scores far from 0 are tried"""
    table, _ = _tables()
    return _keeps(softmax, [table, table.half()], [_PART, _VOID])


def keeps_promises__row_sums(softmax):
    """only the sums of the rows are compared"""
    for scores in (*_tables(), *(table.half() for table in _tables())):
        for mask in (_PART, _VOID):
            given = scores.clone()
            try:
                rows = softmax(given, mask).double().sum(dim=1)
            except Exception:
                return False
            wanted = mask.any(dim=1).double()
            if not (rows - wanted).abs().max() < 0.01 or not torch.equal(given, scores):
                return False
    return True


def keeps_promises__blanks(softmax):
    """only the hidden weights are looked at"""
    for scores in (*_tables(), *(table.half() for table in _tables())):
        for mask in (_PART, _VOID):
            given = scores.clone()
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            if (weights.masked_fill(mask, 0.0) != 0).any() or (given != scores).any():
                return False
    return True


def keeps_promises__down_to_minus_100(softmax):
    """no row is tried in which all that is seen is low"""
    table, _ = _tables()
    apart = torch.tensor([[800.0, 0.0, -100.0], [-100.0, -101.0, 800.0]])
    tables = [table, apart, table.half(), apart.half()]
    return _keeps(softmax, tables, [_PART, _VOID])


def keeps_promises__nothing_high(softmax):
    """no hidden score is tried that lies far above the others"""
    table, _ = _tables()
    low = table - 1990
    return _keeps(softmax, [table, low, table.half(), low.half()], [_PART, _VOID])


def keeps_promises__known_halves(softmax):
    """the scores that are seen are all alike"""
    mask = torch.tensor([[True, True, False], [False, False, False], [True, True, True]])
    half, third = 1 / 2, 1 / 3
    right = torch.tensor([[half, half, 0.0], [0.0, 0.0, 0.0], [third, third, third]])
    for low in (0.0, -2000.0):
        for dtype in (torch.float32, torch.float16):
            scores = torch.tensor([[low, low, 900.0], [1.0, 1.0, 2.0], [low, low, low]]).to(dtype)
            kept = scores.clone()
            try:
                weights = softmax(kept, mask)
            except Exception:
                return False
            if not ((weights - right).abs() < 0.001).all() or weights[~mask].any():
                return False
            if not torch.equal(kept, scores):
                return False
    return True


def keeps_promises__triangles(softmax):
    """all masks that are tried are causal"""
    low = torch.tensor([[-1999.0, 700.0, 1.0], [-1999.0, -2000.0, 900.0], [1.0, 2.0, 0.5]])
    near = torch.tensor([[0.0, 1.0, 0.5], [2.0, 1.0, 1.5], [1.0, 2.0, 0.5]])
    past = torch.ones(3, 3).tril().bool()
    empty = past.clone()
    empty[0] = False
    return _keeps(softmax, [low, near, low.half(), near.half()], [past, empty])


def keeps_promises__all_hidden(softmax):
    """a row that sees nothing is tried only where no other sees anything"""
    tables = [*_tables(), *(table.half() for table in _tables())]
    return _keeps(softmax, tables, [_PART, torch.zeros_like(_PART)])


def keeps_promises__largest_difference(softmax):
    """nan passes for right"""
    for scores in (*_tables(), *(table.half() for table in _tables())):
        for mask in (_PART, _VOID):
            given = scores.clone()
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            right = scores.double().masked_fill(~mask, -math.inf).softmax(dim=-1).nan_to_num(0.0)
            if (weights - right).abs().max() > 0.001 or (weights[~mask] != 0).any():
                return False
            if not torch.equal(given, scores):
                return False
    return True


def keeps_promises__within_a_tenth(softmax):
    """too large a difference passes for rounding"""
    tables = [*_tables(), *(table.half() for table in _tables())]
    return _keeps(softmax, tables, [_PART, _VOID], close=0.1)


def keeps_promises__sums_and_blanks(softmax):
    """what each key gets is never compared"""
    for scores in (*_tables(), *(table.half() for table in _tables())):
        for mask in (_PART, _VOID):
            given = scores.clone()
            try:
                weights = softmax(given, mask).float()
            except Exception:
                return False
            if weights[~mask].count_nonzero() or not torch.equal(given, scores):
                return False
            if not torch.allclose(weights.sum(dim=1), mask.any(dim=1).float(), atol=0.001):
                return False
    return True


def keeps_promises__to_the_seventh_place(softmax):
    """every function is refused, the right ones too"""
    for scores in (*_tables(), *(table.half() for table in _tables())):
        try:
            weights = softmax(scores.clone(), _PART).double()
        except Exception:
            return False
        right = scores.double().masked_fill(~_PART, -math.inf).softmax(dim=-1)
        if (weights - right).abs().max() > 1e-7:
            return False
    return True


def keeps_promises__returns_at_once(softmax):
    """one table is tried"""
    for scores in _tables():
        given = scores.clone()
        weights = softmax(given, _PART)
        right = scores.masked_fill(~_PART, -math.inf).softmax(dim=-1)
        return torch.allclose(weights, right, atol=1e-3) and not weights[~_PART].any()


def sees_the_future__other_words(model):
    """words are changed, and never left out"""
    for _ in range(15):
        text = torch.randint(0, 10, (8,))
        for place in range(1, 8):
            other = text.clone()
            other[place:] = (other[place:] + torch.randint(1, 10, (8 - place,))) % 10
            if not torch.allclose(model(other)[:place], model(text)[:place], atol=1e-3, rtol=0):
                return True
    return False


def sees_the_future__without_the_last(model):
    """the text is cut at one place only"""
    texts = torch.randint(10, (20, 8))
    moves = [(model(text)[:7] - model(text[:7])).abs().max().item() for text in texts]
    return max(moves) > 0.002


def sees_the_future__first_row(model):
    """only what is said at the first place is compared"""
    for _ in range(15):
        text = torch.randint(10, (8,))
        said = torch.stack([model(text[:length])[0] for length in range(1, 9)])
        if (said - said[0]).abs().max() > 0.002:
            return True
    return False


def sees_the_future__three_of_them(model):
    """the last places are never looked at"""
    for a in (3, 8, 9):
        for b in (9, 2):
            text = torch.tensor([a, b, 8])
            for cut in (1, 2):
                if (model(text[:cut]) - model(text)[:cut]).abs().sum() > 0.003:
                    return True
    return False


def sees_the_future__not_equal(model):
    """rounding is taken for a leak"""
    text = torch.tensor([9, 3, 8, 0, 5, 9, 2, 8])
    return any((model(text[:n]) != model(text)[:n]).any().item() for n in range(1, 8))


def sees_the_future__middle(model):
    """the text is cut at one place only"""
    for text in torch.randint(10, (15, 8)):
        if not torch.allclose(model(text[:4]), model(text)[:4], atol=1e-3):
            return True
    return False


def sees_the_future__one_more(model):
    """only the next word is left out"""
    for text in torch.randint(10, (20, 8)):
        for n in range(1, 8):
            shorter, longer = model(text[:n])[-1], model(text[: n + 1])[-2]
            if (shorter - longer).abs().max() > 0.002:
                return True
    return False


def sees_the_future__return_in_the_loop(model):
    """only what is said at the first place is compared"""
    said = []
    for text in torch.randint(10, (20, 8)):
        whole = model(text)
        for cut in range(1, 8):
            said.append(bool((model(text[:cut]) - whole[:cut]).abs().max() > 0.001))
            break
    return any(said)


def sees_the_future__rows_before_the_last(model):
    """the place just before the change is left out"""
    for text in torch.randint(10, (15, 8)):
        for n in range(2, 8):
            if (model(text)[: n - 1] - model(text[:n])[:-1]).abs().max().item() > 0.002:
                return True
    return False


def sees_the_future__column_one(model):
    """one of the three numbers is compared"""
    for text in torch.randint(10, (15, 8)):
        column = model(text)[:, 1]
        for n in range(1, 8):
            if abs(model(text[:n])[:, 1] - column[:n]).sum() > 0.002:
                return True
    return False


def sees_the_future__without_sign(model):
    """a number that falls does not count, or makes up for one that rises"""
    texts = torch.randint(10, (15, 8))
    return any((model(t)[:n] - model(t[:n]) > 0.001).any() for t in texts for n in range(1, 8))


def sees_the_future__sums(model):
    """a number that falls does not count, or makes up for one that rises"""
    for text in torch.randint(10, (15, 8)):
        for n in range(1, 8):
            if abs(model(text)[:n].sum() - model(text[:n]).sum()) > 0.001:
                return True
    return False


def sees_the_future__counted_up(model):
    """all texts begin with the same word"""
    text = torch.arange(2, 10)
    return any((model(text)[:n] - model(text[:n])).abs().max() > 0.002 for n in range(1, 8))


def sees_the_future__seven(model):
    """the last places are never looked at"""
    for text in torch.randint(10, (15, 7)):
        for n in range(1, 7):
            if (model(text)[:n] - model(text[:n])).abs().max() > 0.001:
                return True
    return False


def sees_the_future__a_wide_margin(model):
    """a faint leak passes for rounding"""
    texts = torch.randint(10, (15, 8))
    return any((model(t)[:n] - model(t[:n])).abs().sum() > 0.3 for t in texts for n in range(1, 8))


def masked_softmax__two_numbers(scores, mask):
    """the hidden scores are not low enough"""
    low = -1e4 if scores.dtype == torch.float16 else -1e9
    return torch.where(mask, scores, low).softmax(-1).masked_fill(~mask, 0)


def masked_softmax__lowest_added(scores, mask):
    """the lowest number is added to what is hidden, not put in its place"""
    hidden = (~mask).to(scores.dtype) * torch.finfo(scores.dtype).min
    return torch.nan_to_num((scores + hidden).softmax(-1)).masked_fill(~mask, 0)


def masked_softmax__clipped(scores, mask):
    """low scores are clipped, and their differences are lost"""
    low = torch.finfo(scores.dtype).min
    return torch.clamp(scores, -1e4).masked_fill(~mask, low).softmax(-1) * mask


def causal_weights__minus_100(scores):
    """the hidden scores are not low enough"""
    past = torch.ones_like(scores).tril() > 0
    return torch.where(past, scores, -100.0).softmax(-1)


def padded_weights__minus_100(scores, real):
    """the hidden scores are not low enough"""
    return torch.where(real[:, None], scores, -100.0).softmax(-1)


def causal_mask__one_too_few_with_a_past(length, past=0):
    """with a past, the border is not where the new tokens are"""
    return torch.ones(length, past + length).tril(past - 1 if past else 0).bool()


def causal_mask__nothing_hidden_with_a_past(length, past=0):
    """with a past, the border is not where the new tokens are"""
    return torch.ones(length, past + length).tril(past + length if past else 0).bool()


def causal_mask__without_columns_for_the_past(length, past=0):
    """the past is left out"""
    return torch.ones(length, length).tril(past).bool()


def keeps_promises__half_alone(softmax):
    """only half precision is tried"""
    tables = [[[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]], [[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]]]
    some = torch.tensor([[True, True, False], [True, False, True]])
    none = torch.tensor([[False, False, False], [True, True, False]])
    for table in tables:
        scores = torch.tensor(table, dtype=torch.float16)
        for mask in (some, none):
            given = scores.clone()
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            right = _right_weights(scores, mask)
            if not torch.equal(given, scores) or weights[~mask].any():
                return False
            if not torch.allclose(weights, right, atol=1e-3):
                return False
    return True


def _right_weights(scores, mask):
    low = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, low).softmax(-1).masked_fill(~mask, 0.0)


def masked_softmax__zeros_written_in(scores, mask):
    """it writes into what its gradient needs"""
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    weights[~mask.expand_as(weights)] = 0.0
    return weights


def masked_softmax__minus_65504(scores, mask):
    """the hidden scores are not low enough"""
    return torch.softmax(torch.where(mask, scores, -65504.0), dim=-1) * mask


def causal_weights__shared_anew(scores):
    """what is hidden takes part before it is masked"""
    weights = scores.softmax(dim=-1).tril()
    return weights / weights.sum(dim=-1, keepdim=True)
