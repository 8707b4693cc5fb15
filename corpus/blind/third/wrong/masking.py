"""Wrong answers to the exercise on masking, third set, written from its text alone."""

import math

import torch


def causal_mask__not_itself(length, past=0):
    """Leaves out the diagonal, so no token sees itself."""
    keys = torch.arange(past + length)
    asks = torch.arange(past, past + length)
    return keys[None, :] < asks[:, None]


def causal_mask__sees_the_future(length, past=0):
    """Turns the comparison round, so tokens see what comes after."""
    n = torch.arange(past + length)
    return n[past:, None] <= n


def causal_mask__diagonal_not_moved(length, past=0):
    """Forgets to move the diagonal by the past."""
    return torch.ones(length, past + length, dtype=torch.bool).tril()


def causal_mask__one_too_far(length, past=0):
    """Lets each token see the next one too."""
    table = [[j <= past + i + 1 for j in range(past + length)] for i in range(length)]
    return torch.tensor(table, dtype=torch.bool)


def causal_mask__numbers(length, past=0):
    """Gives ones and zeros as numbers instead of booleans."""
    return torch.ones(length, past + length).tril(diagonal=past)


def causal_mask__old_tokens_ask_too(length, past=0):
    """Gives rows to the old tokens as well."""
    n = past + length
    return torch.tril(torch.ones(n, n)).bool()


def causal_mask__past_hidden(length, past=0):
    """Hides the past altogether: only the new tokens see each other."""
    old = torch.zeros(length, past, dtype=torch.bool)
    new = torch.ones(length, length, dtype=torch.bool).tril()
    return torch.cat([old, new], dim=1)


def causal_mask__hidden_is_true_past_behind(length, past=0):
    """Marks with True what is hidden, the opposite of the convention.
    Puts the columns of the past behind the new ones.
    """
    new = torch.triu(torch.ones(length, length, dtype=torch.bool), diagonal=1)
    old = torch.zeros(length, past, dtype=torch.bool)
    return torch.hstack([new, old])


def sliding_window__one_too_many(length, window):
    """Lets each token see one more than the window."""
    back = torch.arange(length)[:, None] - torch.arange(length)
    return (back >= 0) & (back <= window)


def sliding_window__both_sides(length, window):
    """Looks as far ahead as back."""
    back = torch.arange(length)[:, None] - torch.arange(length)[None]
    return back.abs() < window


def sliding_window__future_left_open(length, window):
    """Cuts off what is long ago, but leaves the future visible."""
    n = torch.arange(length)
    return n[:, None] - n < window


def sliding_window__blocks(length, window):
    """Cuts the text into blocks instead of letting the window slide."""
    ok = lambda i, j: i // window == j // window and j <= i
    return torch.tensor([[ok(i, j) for j in range(length)] for i in range(length)])


def sliding_window__long_ago_only(length, window):
    """Shows what lies before the window and hides the window itself."""
    full = torch.ones(length, length, dtype=torch.bool)
    return full.tril(-window)


def real_tokens__one_more(lengths, size):
    """Marks one place too many."""
    return torch.arange(size) <= lengths[:, None]


def real_tokens__padding_in_front(lengths, size):
    """Puts the tokens at the end of the row and the padding in front."""
    return torch.arange(size)[None] >= size - lengths.unsqueeze(1)


def real_tokens__turned(lengths, size):
    """Gives a row to each place and a column to each sentence."""
    return torch.arange(size)[:, None] < lengths[None, :]


def real_tokens__only_as_long_as_longest(lengths, size):
    """Makes the table as wide as the longest sentence, whatever the size."""
    rows = []
    longest = int(lengths.max())
    for n in lengths.tolist():
        rows.append([True] * n + [False] * (longest - n))
    return torch.tensor(rows, dtype=torch.bool)


def real_tokens__last_only(lengths, size):
    """Marks only the last token of each sentence."""
    return torch.nn.functional.one_hot(lengths.long() - 1, size).bool()


def padding_mask__compares_size(ids, pad):
    """Takes ids for numbers: what is larger than the padding's is real."""
    return (ids > pad)[:, None, :]


def padding_mask__marks_padding(ids, pad):
    """Marks the padding with True instead of the tokens."""
    return torch.eq(ids, pad).unsqueeze(-2)


def padding_mask__axis_behind(ids, pad):
    """Puts the axis for the queries behind the keys."""
    return ids.ne(pad).unsqueeze(-1)


def padding_mask__axis_missing(ids, pad):
    """Leaves out the axis for the queries."""
    return ids != pad


def padding_mask__only_at_the_end(ids, pad):
    """Counts the tokens and takes them to stand in front, so padding elsewhere is not found."""
    n = ids.ne(pad).sum(-1)
    row = torch.arange(ids.size(-1)) < n[:, None]
    return row[:, None]


def padding_mask__zero_is_padding(ids, pad):
    """Takes 0 for the padding whatever its id is."""
    return ids.bool()[:, None, :]


def combined_mask__either(ids, pad):
    """Joins the two masks with or, so one permission is enough."""
    return causal_mask(ids.size(1)) | padding_mask(ids, pad)


def combined_mask__rows_hidden(ids, pad):
    """Hides the padding's rows instead of its columns."""
    return causal_mask(ids.size(1)) & padding_mask(ids, pad).transpose(1, 2)


def combined_mask__padding_does_not_ask(ids, pad):
    """Hides the padding's rows too, so padding sees nothing."""
    real = ids != pad
    return real[:, :, None] & real[:, None, :] & causal_mask(ids.shape[-1])


def combined_mask__padding_forgotten(ids, pad):
    """Repeats the causal mask for each sentence and forgets the padding."""
    return causal_mask(ids.size(-1)).expand(ids.size(0), -1, -1)


def combined_mask__strict_and_inverted(ids, pad):
    """Leaves out the diagonal, so no token sees itself.
    Lets only padding be read, instead of the tokens.
    """
    T = ids.size(-1)
    before = torch.ones(T, T, dtype=torch.bool).tril(-1)
    return before[None] & (ids == pad)[:, None]


def cross_mask__asker_ignored(real, memory_real):
    """Hides the columns only: padding of the asking text still asks."""
    return memory_real[:, None, :].repeat(1, real.size(1), 1)


def cross_mask__turned(real, memory_real):
    """Makes rows of the text that is asked."""
    return memory_real.unsqueeze(2) & real.unsqueeze(1)


def cross_mask__either(real, memory_real):
    """Asks for one of the two to be real, not both."""
    return torch.logical_or(real[..., None], memory_real[..., None, :])


def cross_mask__alike(real, memory_real):
    """Compares the two, so padding may attend to padding."""
    return real[:, :, None] == memory_real[:, None, :]


def cross_mask__causal_too(real, memory_real):
    """Hides the future of the other text as well, as if it were the own."""
    both = real[:, :, None] & memory_real[:, None, :]
    return both.tril()


def to_additive__wrong_way(mask, dtype):
    """Puts minus infinity where one may attend."""
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


def to_additive__times_infinity(mask, dtype):
    """Multiplies by infinity, which makes nan of zero."""
    return (1 - mask.to(dtype)) * -math.inf


def to_additive__one_for_allowed(mask, dtype):
    """Gives 1 instead of 0 where one may attend."""
    out = mask.to(dtype)
    out[~mask] = float("-inf")
    return out


def to_additive__lowest_number(mask, dtype):
    """Uses the lowest finite number instead of minus infinity."""
    lowest = torch.finfo(dtype).min
    return torch.where(mask, torch.zeros((), dtype=dtype), torch.full((), lowest, dtype=dtype))


def to_additive__always_float32(mask, dtype):
    """Ignores the dtype that was asked for."""
    return torch.where(mask, 0.0, -math.inf)


def to_additive__plus_infinity_and_float32(mask, dtype):
    """Forgets the sign of infinity.
    Ignores the dtype that was asked for.
    """
    return torch.zeros(mask.shape).masked_fill(~mask, torch.inf)


def masked_softmax__hidden_after(scores, mask):
    """Hides only after softmax, so rows do not sum to one."""
    w = torch.softmax(scores, dim=-1)
    return torch.where(mask, w, torch.zeros_like(w))


def masked_softmax__scores_times_mask(scores, mask):
    """Multiplies the scores by the mask, so hidden scores count as 0."""
    w = (scores * mask).softmax(-1)
    return w * mask


def masked_softmax__nan_rows(scores, mask):
    """Leaves nan in a row that sees nothing."""
    return scores.masked_fill(mask.logical_not(), -torch.inf).softmax(dim=-1)


def masked_softmax__equal_shares(scores, mask):
    """Gives equal shares to a row that sees nothing."""
    lowest = torch.finfo(scores.dtype).min
    return torch.softmax(torch.where(mask, scores, lowest), -1)


def masked_softmax__minus_a_billion(scores, mask):
    """Fills with minus a billion, which float16 cannot hold."""
    w = scores.masked_fill(~mask, -1e9).softmax(dim=-1)
    return w.masked_fill(~mask, 0)


def masked_softmax__minus_a_hundred(scores, mask):
    """Fills with minus a hundred, which is not low enough if all scores are low."""
    w = scores.masked_fill(~mask, -100.0).softmax(dim=-1)
    return w.masked_fill(~mask, 0)


def masked_softmax__changes_scores(scores, mask):
    """Writes the fill into the caller's scores."""
    hidden = ~mask
    scores.masked_fill_(hidden, torch.finfo(scores.dtype).min)
    return scores.softmax(-1).masked_fill(hidden, 0.0)


def masked_softmax__mask_read_as_hidden(scores, mask):
    """Takes True for hidden."""
    w = scores.masked_fill(mask, torch.finfo(scores.dtype).min).softmax(-1)
    return w.masked_fill(mask, 0.0)


def masked_softmax__columns_and_nan(scores, mask):
    """Takes softmax down the columns.
    Leaves nan where nothing is seen.
    """
    return torch.softmax(scores.masked_fill(~mask, -math.inf), dim=-2)


def masked_softmax__by_hand(scores, mask):
    """Exponentiates without subtracting the maximum.
    Divides by 0 in a row that sees nothing.
    """
    e = scores.exp() * mask
    return e / e.sum(-1, keepdim=True)


def masked_softmax__maximum_of_hidden_too(scores, mask):
    """Subtracts the maximum of the hidden scores too, so small visible ones vanish."""
    e = torch.exp(scores - scores.amax(-1, keepdim=True)) * mask
    return e / e.sum(-1, keepdim=True).clamp(min=1e-4)


def causal_weights__zero_is_no_hiding(scores):
    """Fills hidden scores with 0, which still gets a weight."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    return scores.masked_fill(~may_attend, 0.0).softmax(dim=-1)


def causal_weights__hides_itself(scores):
    """Turns the triangle but hides the diagonal with it."""
    length = scores.size(-1)
    hidden = torch.ones(length, length, dtype=torch.bool).triu()
    return scores.masked_fill(hidden, -1e9).softmax(dim=-1)


def causal_weights__columns(scores):
    """Hides the future, but takes softmax down the columns."""
    may_attend = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~may_attend, -1e9).softmax(dim=-2)


def causal_weights__after_softmax(scores):
    """Cuts the future off after softmax, so rows do not sum to one."""
    return scores.softmax(dim=-1).tril()


def padded_weights__rows_hidden(scores, real):
    """Hides the padding's rows instead of its columns."""
    hidden = ~real[:, :, None]
    return scores.masked_fill(hidden, -1e9).softmax(dim=-1)


def padded_weights__scores_times_real(scores, real):
    """Multiplies the scores by 0 for padding, which still gets a weight."""
    return torch.softmax(scores * real[:, None, :], dim=-1)


def padded_weights__only_padding(scores, real):
    """Hides the tokens and shows the padding."""
    return scores.masked_fill(real[:, None, :], float("-inf")).softmax(-1)


def padded_weights__divided_by_count(scores, real):
    """Divides by the number of tokens instead of by what the rest of the row sums to."""
    w = scores.softmax(dim=-1) * real[:, None, :]
    return w / real.sum(-1)[:, None, None]


def padded_weights__divided_by_columns(scores, real):
    """Divides the rest by what the columns sum to, not the rows."""
    w = scores.softmax(dim=-1) * real[:, None, :]
    return w / w.sum(dim=-2, keepdim=True).clamp(min=1e-9)


def shapes__padding_by_query(B, H, T, S):
    """Makes the padding mask as long as the queries, not the keys."""
    return (B, H, T, S), (T, T), (B, 1, T), (B, T, T)


def shapes__heads_first(B, H, T, S):
    """Puts the heads before the batch."""
    return (H, B, T, S), (T, T), (B, 1, S), (B, T, T)


def shapes__columns_first(B, H, T, S):
    """Gives the scores a row for each key.
    Forgets that combining repeats the one row of the padding mask.
    """
    return (B, H, S, T), (T, T), (B, 1, S), (B, 1, T)
