import math

import torch

# causal_mask


def causal_mask__not_itself(length, past=0):
    """Intended: takes 'before' strictly (key < query), so no token may attend to itself and the first one sees nothing."""
    positions = torch.arange(past + length)
    return positions < positions[past:, None]


def causal_mask__true_means_hidden(length, past=0):
    """Intended: uses the opposite convention (True = hidden), so exactly the future is allowed."""
    positions = torch.arange(past + length)
    return positions > positions[past:, None]


def causal_mask__tril_not_shifted(length, past=0):
    """Intended: widens the table by `past` columns but does not shift the diagonal, so with a past the new tokens count as the first ones; right for past=0."""
    return torch.ones(length, past + length, dtype=torch.bool).tril()


def causal_mask__old_rows_too(length, past=0):
    """Intended: gives rows for the old tokens too, a square table of past + length rows instead of only the new ones."""
    return torch.ones(past + length, past + length, dtype=torch.bool).tril()


def causal_mask__past_hidden(length, past=0):
    """Intended: pads the table with False for the past, so new tokens see the new ones but nothing that was read already."""
    old = torch.zeros(length, past, dtype=torch.bool)
    new = torch.ones(length, length, dtype=torch.bool).tril()
    return torch.cat([old, new], dim=1)


def causal_mask__all_open_with_past(length, past=0):
    """Intended: reads 'they may ask all that came before' as 'with a past nothing is hidden', so new tokens see each other's future when past > 0."""
    if past > 0:
        return torch.ones(length, past + length, dtype=torch.bool)
    return torch.ones(length, length, dtype=torch.bool).tril()


def causal_mask__length_is_total(length, past=0):
    """Intended: takes `length` for the length of the whole text with the past in it, so with a past the table is (length - past, length)."""
    positions = torch.arange(length)
    return positions <= positions[past:, None]


# sliding_window


def sliding_window__one_too_many(length, window):
    """Intended: off by one, allows `window` steps back besides itself (window + 1 tokens)."""
    positions = torch.arange(length)
    steps = positions[:, None] - positions
    return (steps >= 0) & (steps <= window)


def sliding_window__future_open(length, window):
    """Intended: checks only 'not too long ago' and forgets 'not in the future', so each token sees the whole future."""
    positions = torch.arange(length)
    return positions[:, None] - positions < window


def sliding_window__both_sides(length, window):
    """Intended: takes the distance without its sign, so the window reaches as far forward as back; right only for a window of 1."""
    positions = torch.arange(length)
    return (positions[:, None] - positions).abs() < window


def sliding_window__end_of_text(length, window):
    """Intended: reads 'the last window tokens' as the last tokens of the whole text, so all rows see the same columns at the end (as far as causal)."""
    positions = torch.arange(length)
    causal = positions <= positions[:, None]
    return causal & (positions >= length - window)


def sliding_window__blocks(length, window):
    """Intended: cuts the text into blocks of `window` tokens and is causal inside a block instead of sliding; right for windows of 1 and of the whole text."""
    positions = torch.arange(length)
    causal = positions <= positions[:, None]
    block = positions // window
    return causal & (block[:, None] == block)


def sliding_window__negative_slice(length, window):
    """Intended: fills each row by a slice whose start is negative in the first rows, so it counts from the end and those rows stay empty or lack tokens."""
    mask = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        mask[i, i - window + 1 : i + 1] = True
    return mask


def sliding_window__steps_one_to_window(length, window):
    """Intended: two mistakes: does not count the token itself and so hides it, and lets the window start one further back (steps 1 to window)."""
    positions = torch.arange(length)
    steps = positions[:, None] - positions
    return (steps > 0) & (steps <= window)


# padding_mask


def padding_mask__zero_is_padding(ids, pad):
    """Intended: ignores `pad` and takes 0 for the padding, right only for tokenizers whose padding is 0."""
    return (ids != 0)[:, None, :]


def padding_mask__marks_padding(ids, pad):
    """Intended: marks the padding with True, so only padding may be read."""
    return (ids == pad)[:, None, :]


def padding_mask__axis_behind(ids, pad):
    """Intended: puts the axis of length 1 behind, (B, S, 1), which hides the padding as queries and not as keys."""
    return (ids != pad).unsqueeze(-1)


def padding_mask__by_length(ids, pad):
    """Intended: counts the real tokens and allows that many first columns, so it is wrong for padding at the front or in between."""
    lengths = (ids != pad).sum(dim=-1, keepdim=True)
    return (torch.arange(ids.size(-1)) < lengths)[:, None, :]


def padding_mask__ids_above_pad(ids, pad):
    """Intended: takes ids for sizes and allows only ids above `pad`, so real tokens with smaller ids are hidden."""
    return (ids > pad).unsqueeze(-2)


def padding_mask__queries_too(ids, pad):
    """Intended: hides padding as a query as well as as a key and returns the full (B, S, S), so padding rows see nothing."""
    real = ids != pad
    return real[:, None, :] & real[:, :, None]


def padding_mask__axis_in_front(ids, pad):
    """Intended: puts the new axis in front of the sentences, (1, B, S), so sentences would be taken for queries."""
    return (ids != pad).unsqueeze(0)


# combined_mask


def combined_mask__either(ids, pad):
    """Intended: combines by 'or', so the future is seen wherever it is no padding, and padding wherever it is past."""
    return causal_mask(ids.size(-1)) | padding_mask(ids, pad)


def combined_mask__padding_rows(ids, pad):
    """Intended: turns the padding mask round, so padding queries see nothing while padding keys are read by everyone."""
    return causal_mask(ids.size(-1)) & padding_mask(ids, pad).transpose(-2, -1)


def combined_mask__rows_and_columns(ids, pad):
    """Intended: hides the padding as key (right) and also empties the rows of padding queries, which should still see the real words before them."""
    keys = padding_mask(ids, pad)
    return causal_mask(ids.size(-1)) & keys & keys.transpose(-2, -1)


def combined_mask__diagonal_open(ids, pad):
    """Intended: lets every token see itself to have no empty rows, so padding sees itself, which is padding."""
    T = ids.size(-1)
    mask = causal_mask(T) & padding_mask(ids, pad)
    return mask | torch.eye(T, dtype=torch.bool)


def combined_mask__empty_rows_opened(ids, pad):
    """Intended: opens rows that see nothing completely 'to prevent nan', so rows of padding at the front see the future and padding."""
    mask = causal_mask(ids.size(-1)) & padding_mask(ids, pad)
    return mask | ~mask.any(dim=-1, keepdim=True)


def combined_mask__padding_is_future(ids, pad):
    """Intended: argues that padding stands behind the words and so is hidden by the causal mask already; returns only the causal mask for each sentence."""
    B, T = ids.shape
    return causal_mask(T).expand(B, T, T).clone()


def combined_mask__length_of_batch(ids, pad):
    """Intended: takes the number of sentences (len(ids)) for the length of the text: an error or a wrong shape unless B equals T."""
    return causal_mask(len(ids)) & padding_mask(ids, pad)


# masked_softmax


def masked_softmax__nan_rows(scores, mask):
    """Intended: fills with -inf and does nothing about rows that see nothing, which become nan."""
    return scores.masked_fill(~mask, -math.inf).softmax(dim=-1)


def masked_softmax__only_if_all_hidden(scores, mask):
    """Intended: treats 'sees nothing' only if the whole mask is empty; an empty row beside others gets equal shares."""
    if not mask.any():
        return scores * 0.0
    lowest = torch.finfo(scores.dtype).min
    return scores.masked_fill(~mask, lowest).softmax(dim=-1)


def masked_softmax__renormalised(scores, mask):
    """Intended: softmax first, then mask and divide by the rest; where a hidden score is far above the seen ones the rest has become 0 and the row is lost."""
    weights = scores.softmax(dim=-1) * mask
    total = weights.sum(dim=-1, keepdim=True)
    return weights / total.masked_fill(total == 0, 1.0)


def masked_softmax__in_place(scores, mask):
    """Intended: fills the caller's scores in place (masked_fill_), the weights themselves are right."""
    lowest = torch.finfo(scores.dtype).min
    scores.masked_fill_(~mask, lowest)
    return scores.softmax(dim=-1).masked_fill(~mask, 0.0)


def masked_softmax__billion(scores, mask):
    """Intended: fills with -1e9, which float16 cannot hold (an error there); right in float32."""
    weights = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return weights.masked_fill(~mask, 0.0)


def masked_softmax__no_grad(scores, mask):
    """Intended: computes all within torch.no_grad(), so the weights are right but no model trains through them."""
    with torch.no_grad():
        lowest = torch.finfo(scores.dtype).min
        weights = scores.masked_fill(~mask, lowest).softmax(dim=-1)
        return weights.masked_fill(~mask, 0.0)


def masked_softmax__hidden_score_zero(scores, mask):
    """Intended: multiplies the scores by the mask, so hidden keys count with a score of 0 in the sum and rows do not sum to 1 once they are set to 0."""
    weights = (scores * mask).softmax(dim=-1)
    return weights * mask


# causal_weights


def causal_weights__triu_with_diagonal(scores):
    """Intended: fills the upper triangle with the diagonal, so no word sees itself and the first row is shared out equally over all words."""
    length = scores.size(-1)
    hidden = torch.ones(length, length, dtype=torch.bool).triu()
    scores = scores.masked_fill(hidden, -1e9)
    return scores.softmax(dim=-1)


def causal_weights__transposed(scores):
    """Intended: takes rows for keys: inverts the mask but transposes it, so each word sees itself and the future."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores = scores.masked_fill(~may_attend.T, -1e9)
    return scores.softmax(dim=-1)


def causal_weights__renormalised(scores):
    """Intended: masks after softmax and divides by the sum; right for small scores, but nan (0/0) where a future score is far above the seen ones."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    weights = scores.softmax(dim=-1) * may_attend
    return weights / weights.sum(dim=-1, keepdim=True)


def causal_weights__in_place(scores):
    """Intended: mends the mask but fills in place (masked_fill_), so the caller's scores are changed."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores.masked_fill_(~may_attend, -1e9)
    return scores.softmax(dim=-1)


def causal_weights__minus_ten(scores):
    """Intended: mends the mask but fills with only -10, so the future keeps a small weight, and a large one where the seen scores are low."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores = scores.masked_fill(~may_attend, -10.0)
    return scores.softmax(dim=-1)


def causal_weights__detached_copy(scores):
    """Intended: works on scores.detach().clone() so as not to change the caller's, which cuts the gradient; the weights are right."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    copy = scores.detach().clone()
    copy = copy.masked_fill(~may_attend, -1e9)
    return copy.softmax(dim=-1)


def causal_weights__strict_and_columns(scores):
    """Intended: two mistakes: hides the word itself (tril(-1)), and lets columns instead of rows sum to 1 (dim=-2)."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril(-1)
    scores = scores.masked_fill(~may_attend, -1e9)
    return scores.softmax(dim=-2)


# padded_weights


def padded_weights__multiplied_before(scores, real):
    """Intended: only swaps the two lines, so padding gets a score of 0 instead of none and still takes its share."""
    scores = scores * real[:, None, :]
    return scores.softmax(dim=-1)


def padded_weights__rows_hidden(scores, real):
    """Intended: puts the new axis behind (real[:, :, None]), so the rows of padding are levelled and real words still read padding."""
    scores = scores.masked_fill(~real[:, :, None], -1e9)
    return scores.softmax(dim=-1)


def padded_weights__renormalised(scores, real):
    """Intended: leaves the order and divides by the row's sum; nan (0/0) where the padding's scores are far above the words'."""
    weights = scores.softmax(dim=-1) * real[:, None, :]
    return weights / weights.sum(dim=-1, keepdim=True)


def padded_weights__rest_shared_equally(scores, real):
    """Intended: gives what the padding had taken to the real words in equal parts; rows sum to 1, but still depend on the padding."""
    weights = scores.softmax(dim=-1) * real[:, None, :]
    missing = 1 - weights.sum(dim=-1, keepdim=True)
    count = real.sum(dim=-1)[:, None, None]
    return weights + missing / count * real[:, None, :]


def padded_weights__in_place(scores, real):
    """Intended: right weights, but the scores of the caller are filled with -inf in place."""
    scores.masked_fill_(~real[:, None, :], -math.inf)
    return scores.softmax(dim=-1)


def padded_weights__first_sentence(scores, real):
    """Intended: uses the padding of the first sentence for all sentences; right for one sentence or for equal lengths."""
    scores = scores.masked_fill(~real[0], -math.inf)
    return scores.softmax(dim=-1)


def padded_weights__small_fill_and_queries(scores, real):
    """Intended: two mistakes: fills with only -10, and softmax runs along the queries (dim=1), so columns sum to 1."""
    scores = scores.masked_fill(~real[:, None, :], -10.0)
    return scores.softmax(dim=1)


# keeps_promises


def keeps_promises__nan_slips_through(softmax):
    """Intended: asks whether the largest difference is above the bound, which is False for nan, so functions that give nan in empty rows pass."""
    for dtype in (torch.float32, torch.float16):
        for seen, hidden in ((0.0, 0.0), (0.0, 900.0), (-1900.0, 0.0), (900.0, -1900.0)):
            for _ in range(5):
                mask = torch.rand(4, 6) < 0.5
                mask[0], mask[1] = False, True
                level = torch.full((4, 6), hidden).masked_fill(mask, seen)
                scores = (2 * torch.randn(4, 6) + level).to(dtype)
                right = masked_softmax(scores, mask)
                copy = scores.clone()
                try:
                    weights = softmax(copy, mask)
                    if (weights.float() - right.float()).abs().max() > 0.001:
                        return False
                    if weights.masked_fill(mask, 0.0).abs().max() > 0:
                        return False
                    if not torch.equal(copy, scores):
                        return False
                except Exception:
                    return False
    return True


def keeps_promises__compared_with_itself(softmax):
    """Intended: the 'copy' of the scores is the same tensor (no clone), so functions that change their scores are never caught."""
    for dtype in (torch.float32, torch.float16):
        for seen, hidden in ((0.0, 0.0), (0.0, 900.0), (-1900.0, 0.0), (900.0, -1900.0)):
            for _ in range(5):
                mask = torch.rand(4, 6) < 0.5
                mask[0], mask[1] = False, True
                level = torch.full((4, 6), hidden).masked_fill(mask, seen)
                scores = (2 * torch.randn(4, 6) + level).to(dtype)
                right = masked_softmax(scores, mask)
                before = scores
                try:
                    weights = softmax(scores, mask)
                    if not torch.allclose(weights.float(), right.float(), rtol=0, atol=0.001):
                        return False
                    if (weights[~mask] != 0).any():
                        return False
                    if not torch.equal(before, scores):
                        return False
                except Exception:
                    return False
    return True


def keeps_promises__small_scores_only(softmax):
    """Intended: tries only small random scores, so functions that fail for hidden scores far above the seen ones (or for very low seen ones) pass."""
    for dtype in (torch.float32, torch.float16):
        for _ in range(20):
            mask = torch.rand(4, 6) < 0.5
            mask[0], mask[1] = False, True
            scores = torch.randn(4, 6).to(dtype)
            right = masked_softmax(scores, mask)
            copy = scores.clone()
            try:
                weights = softmax(copy, mask)
                if not torch.allclose(weights.float(), right.float(), rtol=0, atol=0.001):
                    return False
                if (weights[~mask] != 0).any():
                    return False
                if not torch.equal(copy, scores):
                    return False
            except Exception:
                return False
    return True


def keeps_promises__empty_mask_alone(softmax):
    """Intended: tries rows that see nothing only in a mask that is empty altogether, so functions that fail for an empty row beside others pass."""
    for dtype in (torch.float32, torch.float16):
        for seen, hidden in ((0.0, 0.0), (0.0, 900.0), (-1900.0, 0.0), (900.0, -1900.0)):
            for n in range(6):
                mask = torch.rand(4, 6) < 0.5
                mask[:, n] = True
                if n == 0:
                    mask = torch.zeros(4, 6, dtype=torch.bool)
                level = torch.full((4, 6), hidden).masked_fill(mask, seen)
                scores = (2 * torch.randn(4, 6) + level).to(dtype)
                right = masked_softmax(scores, mask)
                copy = scores.clone()
                try:
                    weights = softmax(copy, mask)
                    if not torch.allclose(weights.float(), right.float(), rtol=0, atol=0.001):
                        return False
                    if (weights[~mask] != 0).any():
                        return False
                    if not torch.equal(copy, scores):
                        return False
                except Exception:
                    return False
    return True


def keeps_promises__equal_to_the_last_bit(softmax):
    """Intended: asks for weights that equal masked_softmax's exactly, so right functions that round in another way are rejected."""
    for dtype in (torch.float32, torch.float16):
        for seen, hidden in ((0.0, 0.0), (0.0, 900.0), (-1900.0, 0.0), (900.0, -1900.0)):
            for _ in range(5):
                mask = torch.rand(4, 6) < 0.5
                mask[0], mask[1] = False, True
                level = torch.full((4, 6), hidden).masked_fill(mask, seen)
                scores = (2 * torch.randn(4, 6) + level).to(dtype)
                right = masked_softmax(scores, mask)
                copy = scores.clone()
                try:
                    if not torch.equal(softmax(copy, mask), right):
                        return False
                    if not torch.equal(copy, scores):
                        return False
                except Exception:
                    return False
    return True


def keeps_promises__scores_out_of_range(softmax):
    """Intended: also tries seen scores of about -30000, far below the promised -2000, so right functions that fill with e.g. -10000 are rejected."""
    for dtype in (torch.float32, torch.float16):
        for seen, hidden in ((0.0, 0.0), (0.0, 900.0), (-1900.0, 0.0), (-30000.0, 0.0)):
            for _ in range(5):
                mask = torch.rand(4, 6) < 0.5
                mask[0], mask[1] = False, True
                level = torch.full((4, 6), hidden).masked_fill(mask, seen)
                scores = (2 * torch.randn(4, 6) + level).to(dtype)
                right = masked_softmax(scores, mask)
                copy = scores.clone()
                try:
                    weights = softmax(copy, mask)
                    if not torch.allclose(weights.float(), right.float(), rtol=0, atol=0.001):
                        return False
                    if (weights[~mask] != 0).any():
                        return False
                    if not torch.equal(copy, scores):
                        return False
                except Exception:
                    return False
    return True


def keeps_promises__sums_only_no_half(softmax):
    """Intended: two mistakes: checks only that rows sum to 1 and not how they share, and never tries float16."""
    for seen, hidden in ((0.0, 0.0), (0.0, 900.0), (-1900.0, 0.0), (900.0, -1900.0)):
        for _ in range(5):
            mask = torch.rand(4, 6) < 0.5
            mask[0], mask[1] = False, True
            level = torch.full((4, 6), hidden).masked_fill(mask, seen)
            scores = 2 * torch.randn(4, 6) + level
            copy = scores.clone()
            try:
                weights = softmax(copy, mask)
                wanted = mask.any(dim=-1).float()
                if not torch.allclose(weights.sum(dim=-1), wanted, rtol=0, atol=0.001):
                    return False
                if (weights[~mask] != 0).any():
                    return False
                if not torch.equal(copy, scores):
                    return False
            except Exception:
                return False
    return True


# sees_the_future


def sees_the_future__last_word_only(model):
    """Intended: changes only the last word, so a model that looks one word ahead early in the text, or knows how many words follow, passes as honest."""
    for _ in range(20):
        text = torch.randint(10, (8,))
        before = model(text)[:-1]
        for word in range(10):
            changed = text.clone()
            changed[-1] = word
            if (model(changed)[:-1] - before).abs().max() > 0.001:
                return True
    return False


def sees_the_future__without_abs(model):
    """Intended: forgets the absolute value, so a leak that only lowers numbers is missed."""
    for _ in range(40):
        text = torch.randint(10, (8,))
        whole = model(text)
        for length in range(1, 8):
            part = model(text[:length])
            if (whole[:length] - part).max() > 0.001:
                return True
    return False


def sees_the_future__to_the_last_bit(model):
    """Intended: takes any difference for a leak (torch.equal), so honest models that round in another way are accused."""
    for _ in range(40):
        text = torch.randint(10, (8,))
        whole = model(text)
        for length in range(1, 8):
            if not torch.equal(whole[:length], model(text[:length])):
                return True
    return False


def sees_the_future__mean_difference(model):
    """Intended: compares the mean of the differences with the bound, so a small leak in one number at one late place is thinned out and missed."""
    for _ in range(40):
        text = torch.randint(10, (8,))
        whole = model(text)
        for length in range(1, 8):
            part = model(text[:length])
            if (whole[:length] - part).abs().mean() > 0.001:
                return True
    return False


def sees_the_future__one_word_repeated(model):
    """Intended: tries only texts of one word repeated; there a head that looks ahead mixes equal vectors, and its leak does not show."""
    for word in range(10):
        text = torch.full((8,), word)
        whole = model(text)
        for length in range(1, 8):
            part = model(text[:length])
            if (whole[:length] - part).abs().max() > 0.001:
                return True
    return False


def sees_the_future__never_a_nine(model):
    """Intended: draws by randint(0, 9), taking the upper bound for included, so the word 9 never comes and a leak behind it is missed."""
    for _ in range(40):
        text = torch.randint(0, 9, (8,))
        whole = model(text)
        for length in range(1, 8):
            part = model(text[:length])
            if (whole[:length] - part).abs().max() > 0.001:
                return True
    return False


def sees_the_future__seven_words_first_row(model):
    """Intended: two mistakes: texts have only 7 words, and only the first place is compared, so leaks at other places or in texts of 8 are missed."""
    for _ in range(40):
        text = torch.randint(10, (7,))
        whole = model(text)
        for length in range(1, 7):
            part = model(text[:length])
            if (whole[0] - part[0]).abs().max() > 0.001:
                return True
    return False
