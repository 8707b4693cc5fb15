import math

import torch


# causal_mask

def causal_mask__triangle_from_corner(length, past=0):
    """Intended: the triangle starts in the upper left corner, as if the new tokens were the first ones (wrong with past)."""
    return torch.ones(length, past + length, dtype=torch.bool).tril()


def causal_mask__old_ones_ask_too(length, past=0):
    """Intended: makes rows for the old tokens too, (past + length) by (past + length)."""
    total = past + length
    return torch.ones(total, total, dtype=torch.bool).tril()


def causal_mask__ones_and_zeros(length, past=0):
    """Intended: gives ones and zeros in float32 instead of a boolean mask."""
    return torch.tril(torch.ones(length, past + length), diagonal=past)


# sliding_window

def sliding_window__itself_not_counted(length, window):
    """Intended: lets a token see `window` tokens before it and itself besides, one too many."""
    at = torch.arange(length)
    back = at[:, None] - at[None, :]
    return (back >= 0) & (back <= window)


def sliding_window__both_directions(length, window):
    """Intended: takes the absolute distance, so the next tokens are seen too."""
    at = torch.arange(length)
    return (at[:, None] - at[None, :]).abs() < window


def sliding_window__blocks(length, window):
    """Intended: cuts the text into blocks of `window` and sees only the past of the own block, a window that does not slide."""
    at = torch.arange(length)
    same_block = at[:, None] // window == at[None, :] // window
    return same_block & (at[None, :] <= at[:, None])


# padding_mask

def padding_mask__ids_above_pad(ids, pad):
    """Intended: takes all ids above pad for tokens, though smaller ids are tokens too."""
    return (ids > pad)[:, None, :]


def padding_mask__padding_at_the_end(ids, pad):
    """Intended: counts the real tokens and shows that many places from the left, as if padding always stood at the end."""
    lengths = (ids != pad).sum(dim=-1)
    places = torch.arange(ids.size(-1))
    return (places[None, :] < lengths[:, None])[:, None, :]


# combined_mask

def combined_mask__always_itself(ids, pad):
    """Intended: opens the diagonal again against empty rows, so padding is seen by itself."""
    both = causal_mask(ids.size(-1)) & padding_mask(ids, pad)
    return both | torch.eye(ids.size(-1), dtype=torch.bool)


def combined_mask__rows_of_padding(ids, pad):
    """Intended: empties the rows of padding queries too, though only keys are to be hidden."""
    real = padding_mask(ids, pad)
    return causal_mask(ids.size(-1)) & real & real.transpose(-2, -1)


# masked_softmax

def masked_softmax__tiny(scores, mask):
    """Intended: fills with finfo.tiny, the smallest positive number, instead of the lowest, so hidden scores count as 0."""
    hidden = torch.finfo(scores.dtype).tiny
    weights = torch.softmax(scores.masked_fill(~mask, hidden), dim=-1)
    return weights.masked_fill(~mask, 0.0)


def masked_softmax__shares_out_again(scores, mask):
    """Intended: masks after softmax and divides by the rest, which is lost where a hidden score is far above those seen."""
    weights = torch.softmax(scores, dim=-1) * mask
    total = weights.sum(dim=-1, keepdim=True)
    return torch.where(total > 0, weights / total.clamp(min=1e-6), 0.0).to(scores.dtype)


def masked_softmax__all_or_nothing(scores, mask):
    """Intended: handles only the case in which the whole mask is empty, so an empty row beside others becomes nan."""
    if not mask.any():
        return torch.zeros_like(scores)
    return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-1)


def masked_softmax__minus_hundred(scores, mask):
    """Intended: takes 100 off hidden scores, so hidden scores that are far above those seen keep their share and rows lack it."""
    weights = torch.softmax(scores - 100.0 * (~mask).to(scores.dtype), dim=-1)
    return weights.masked_fill(~mask, 0.0)


# causal_weights

def causal_weights__triangle_with_diagonal(scores):
    """Intended: fills the upper triangle with its diagonal, so no word reads itself and the first reads all."""
    length = scores.size(-1)
    future = torch.ones(length, length, dtype=torch.bool).triu()
    return scores.masked_fill(future, -1e9).softmax(dim=-1)


def causal_weights__copied_out(scores):
    """Intended: right numbers, but works on scores.data, so no gradient flows."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    return scores.data.masked_fill(~may_attend, -1e9).softmax(dim=-1)


# padded_weights

def padded_weights__rows_hidden(scores, real):
    """Intended: the mask has its axis behind, so it hides the queries that are padding and not the keys."""
    scores = scores.masked_fill(~real[:, :, None], -1e9)
    return scores.softmax(dim=-1)


def padded_weights__columns_repaired(scores, real):
    """Intended: two mistakes: still masks after softmax, and then divides by the sums of columns and not of rows."""
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights / weights.sum(dim=-2, keepdim=True).clamp(min=1e-9)


# keeps_promises

def _promise_inputs():
    """Give scores and masks that try most promises."""
    some = torch.tensor([[1.0, 2.0, 0.5], [0.0, -1.0, 3.0], [2.0, 2.0, -2.0]])
    high = torch.tensor([[1.0, 900.0, 0.5], [950.0, -1.0, 3.0], [2.0, -1500.0, -1501.0]])
    wide = torch.tensor([[0.0, 1.0, 2.0, 3.0], [900.0, -2.0, 1.0, -1000.0]])
    first = torch.tensor([[True, False, True], [False, True, True], [False, True, True]])
    empty = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
    pairs = [
        (some, first),
        (some, empty),
        (some, torch.ones(3, 3, dtype=torch.bool)),
        (some, torch.zeros(3, 3, dtype=torch.bool)),
        (high, first),
        (high, empty),
        (wide, torch.tensor([[True, True, False, False], [False, True, True, True]])),
        (wide, torch.tensor([[False, False, False, False], [False, True, False, True]])),
    ]
    return [(scores.clone(), mask) for scores, mask in pairs]


def keeps_promises__nan_slips_through(softmax):
    """Intended: asks whether any difference is above 0.001, which is never true of nan, so functions that give nan pass."""
    for scores, mask in _promise_inputs():
        for given in (scores, scores.half()):
            copy = given.clone()
            try:
                weights = softmax(copy, mask)
                right = masked_softmax(given.float(), mask)
                if ((weights.float() - right).abs() > 0.001).any():
                    return False
                if (weights.masked_fill(mask, 0.0).abs() > 0).any():
                    return False
                if not torch.equal(copy, given):
                    return False
            except Exception:
                return False
    return True


def keeps_promises__same_object(softmax):
    """Intended: keeps no copy of the scores but a second name for them, so writing into them is never noticed."""
    for scores, mask in _promise_inputs():
        for given in (scores, scores.half()):
            before = given
            right = masked_softmax(given.float(), mask)
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            if not torch.allclose(weights.float(), right, atol=0.001):
                return False
            if (weights[~mask] != 0).any():
                return False
            if not torch.equal(given, before):
                return False
    return True


def keeps_promises__sums_only(softmax):
    """Intended: checks zeros and sums, but never how the weight is shared out, so equal shares or the wrong shares pass."""
    for scores, mask in _promise_inputs():
        for given in (scores, scores.half()):
            copy = given.clone()
            try:
                weights = softmax(copy, mask)
            except Exception:
                return False
            if weights.isnan().any() or (weights[~mask] != 0).any():
                return False
            wanted = mask.any(dim=-1).float()
            if not torch.allclose(weights.float().sum(dim=-1), wanted, atol=0.002):
                return False
            if not torch.equal(copy, given):
                return False
    return True


def keeps_promises__to_the_last_bit(softmax):
    """Intended: wants the same bits as masked_softmax gives, so right functions that round in another way fail."""
    for scores, mask in _promise_inputs():
        for given in (scores, scores.half(), scores * 0.37):
            copy = given.clone()
            try:
                weights = softmax(copy, mask)
            except Exception:
                return False
            if not torch.equal(weights, masked_softmax(given, mask)):
                return False
            if not torch.equal(copy, given):
                return False
    return True


# sees_the_future

def sees_the_future__last_word_changed(model):
    """Intended: changes the last word only and never the length, so a model that knows how many words are to come looks honest."""
    for _ in range(30):
        ids = torch.randint(10, (8,))
        other = ids.clone()
        other[-1] = (other[-1] + torch.randint(1, 10, ())) % 10
        if (model(ids)[:-1] - model(other)[:-1]).abs().max() > 0.001:
            return True
    return False


def sees_the_future__one_direction(model):
    """Intended: forgets the absolute value, so a leak that moves numbers only upwards in the longer text is not seen."""
    for _ in range(30):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for length in range(1, 8):
            if (model(ids[:length]) - whole[:length]).max() > 0.001:
                return True
    return False


def sees_the_future__exactly_equal(model):
    """Intended: wants equal bits, so honest models that round in another way at another length are accused."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for length in range(1, 8):
            if not torch.equal(model(ids[:length]), whole[:length]):
                return True
    return False


def sees_the_future__seven_words(model):
    """Intended: draws texts of 7 words at most (range excludes its end), so a leak in texts of 8 words only is not seen."""
    for _ in range(5):
        for T in range(1, 8):
            ids = torch.randint(10, (T,))
            whole = model(ids)
            for length in range(1, T):
                if (model(ids[:length]) - whole[:length]).abs().max() > 0.001:
                    return True
    return False
