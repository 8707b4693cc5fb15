"""Wrong answers to the exercise on masking, seventh set, written from its text alone."""

import torch


def causal_mask__all_rows(length, past=0):
    """Gives a row to the tokens of the past, too."""
    positions = torch.arange(past + length)
    return positions[:, None] >= positions


def causal_mask__past_hidden(length, past=0):
    """Hides the past from the new tokens."""
    new = torch.ones(length, length, dtype=torch.bool).tril()
    return torch.cat([torch.zeros(length, past, dtype=torch.bool), new], dim=1)


def sliding_window__blocks(length, window):
    """Cuts the text into blocks: a token sees no further than its block's beginning."""
    positions = torch.arange(length)
    block = positions // window
    return (block[:, None] == block) & (positions[:, None] >= positions)


def sliding_window__both_sides_and_more(length, window):
    """Looks into the future as far as into the past and counts one token too many."""
    positions = torch.arange(length)
    return (positions[:, None] - positions).abs() <= window


def padding_mask__lengths(ids, pad):
    """Counts the real tokens, then takes as many from the front: right for padding at the end."""
    lengths = (ids != pad).sum(dim=-1)
    return (torch.arange(ids.size(-1)) < lengths[:, None])[:, None, :]


def padding_mask__queries_too(ids, pad):
    """Hides everything from the queries that are padding, in a square for each sentence."""
    real = ids != pad
    return real[:, :, None] & real[:, None, :]


def combined_mask__numbers(ids, pad):
    """Multiplies the masks as numbers, so the result is not boolean."""
    return causal_mask(ids.size(-1)).int() * padding_mask(ids, pad).int()


def combined_mask__sees_itself(ids, pad):
    """Lets each token see itself, even where it is padding."""
    mask = causal_mask(ids.size(-1)) & padding_mask(ids, pad)
    return mask | torch.eye(ids.size(-1), dtype=torch.bool)


def masked_softmax__maximum_of_hidden(scores, mask):
    """Subtracts a maximum that may be a hidden one: then what is seen becomes 0."""
    e = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * mask
    total = e.sum(dim=-1, keepdim=True)
    return e / total.masked_fill(total == 0, 1.0)


def masked_softmax__minus_hundred(scores, mask):
    """Fills with -100, which may not be low enough, and gives shares to rows that see nothing."""
    return scores.masked_fill(~mask, -100.0).softmax(dim=-1)


def causal_weights__triu(scores):
    """Fills the upper triangle, the diagonal with it: no token sees itself."""
    length = scores.size(-1)
    hidden = torch.ones(length, length, dtype=torch.bool).triu()
    scores = scores.masked_fill(hidden, -1e9)
    return scores.softmax(dim=-1)


def causal_weights__writes_into_scores(scores):
    """Writes into the scores of the caller."""
    length = scores.size(-1)
    may_attend = torch.ones(length, length, dtype=torch.bool).tril()
    scores.masked_fill_(~may_attend, -1e9)
    return scores.softmax(dim=-1)


def padded_weights__queries(scores, real):
    """Hides the rows of padding, not its columns."""
    scores = scores.masked_fill(~real[:, :, None], -1e9)
    return scores.softmax(dim=-1)


def padded_weights__score_zero(scores, real):
    """Makes the scores of padding 0 before softmax, so it still gets a share."""
    scores = scores * real[:, None, :]
    return scores.softmax(dim=-1)


def keeps_promises__no_copy(softmax):
    """Hands over the scores themselves, so a function that writes into them goes through."""
    far = torch.tensor([[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]])
    near = torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])
    some = torch.tensor([[True, True, False], [True, False, True]])
    none = torch.tensor([[False, False, False], [True, True, False]])
    for scores in (far, near, far.half(), near.half()):
        for mask in (some, none):
            given = scores
            right = masked_softmax(scores, mask)
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            if not torch.equal(given, scores) or weights[~mask].any():
                return False
            if not torch.allclose(weights, right, atol=1e-3):
                return False
    return True


def keeps_promises__only_sums(softmax):
    """Looks at the sums of the rows only, never at how the weight is shared out."""
    far = torch.tensor([[0.0, 1.0, 900.0], [-2000.0, 900.0, -1999.0]])
    near = torch.tensor([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0]])
    some = torch.tensor([[True, True, False], [True, False, True]])
    none = torch.tensor([[False, False, False], [True, True, False]])
    for scores in (far, near, far.half(), near.half()):
        for mask in (some, none):
            given = scores.clone()
            try:
                weights = softmax(given, mask)
            except Exception:
                return False
            sums, wanted = weights.sum(dim=-1).float(), mask.any(dim=-1).float()
            if not torch.allclose(sums, wanted, atol=2e-3):
                return False
            if not torch.equal(given, scores) or weights[~mask].any():
                return False
    return True


def sees_the_future__signed(model):
    """Looks for numbers that rise, so a leak that lowers them is not seen."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        whole = model(ids)
        for length in range(1, 8):
            moved = (whole[:length] - model(ids[:length])).max()
            if moved > 0.001:
                return True
    return False


def sees_the_future__last_word(model):
    """Changes the last word alone, so a leak that looks one word ahead stays hidden."""
    for _ in range(12):
        ids = torch.randint(10, (8,))
        other = ids.clone()
        other[-1] = (ids[-1] + 1) % 10
        moved = (model(ids)[:-1] - model(other)[:-1]).abs().max()
        if moved > 0.001:
            return True
    return False
