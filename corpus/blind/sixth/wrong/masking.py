"""Wrong answers to the exercise on masking, sixth set, written from its text alone."""

import torch


def causal_mask__past_at_the_end(length, past=0):
    """Appends the columns of the past behind those of the new tokens."""
    new = torch.ones(length, length).tril().bool()
    return torch.cat([new, torch.ones(length, past).bool()], dim=1)


def causal_mask__past_is_hidden(length, past=0):
    """Has columns for the past, but lets nobody look there."""
    new = torch.ones(length, length, dtype=torch.bool).tril()
    return torch.cat([torch.zeros(length, past, dtype=torch.bool), new], dim=1)


def causal_mask__past_is_left_out(length, past=0):
    """Has no columns for the past at all."""
    places = torch.arange(length)
    return places.unsqueeze(1) >= places.unsqueeze(0)


def sliding_window__blocks(length, window):
    """Cuts the text into blocks, and looks back within the own block only."""
    n = torch.arange(length)
    same_block = n[:, None] // window == n // window
    return same_block & (n[:, None] >= n)


def sliding_window__both_sides(length, window):
    """Looks ahead as far as back."""
    n = torch.arange(length)
    return (n[:, None] - n).abs() < window


def sliding_window__first_tokens(length, window):
    """Lets everyone see the first tokens of the text, not the last before itself."""
    n = torch.arange(length)
    return (n[:, None] >= n) & (n < window)


def padding_mask__both_must_be_real(ids, pad):
    """Hides rows too: a pair is allowed only where both tokens are real."""
    real = ids != pad
    return real[:, :, None] & real[:, None, :]


def padding_mask__zero_is_padding(ids, pad):
    """Takes 0 for the padding, whatever pad says."""
    return (ids != 0)[:, None, :]


def padding_mask__larger_than_pad(ids, pad):
    """Asks whether the id is larger than the padding's."""
    return (ids > pad).unsqueeze(1)


def combined_mask__either(ids, pad):
    """Joins the two with or."""
    return causal_mask(ids.size(1)) | padding_mask(ids, pad)


def combined_mask__past_hidden(ids, pad):
    """Turns the causal mask over: each sees what comes after it, but no padding."""
    return causal_mask(ids.size(1)).T & padding_mask(ids, pad)


def combined_mask__padding_does_not_ask(ids, pad):
    """Hides the padding for the rows and not for the columns."""
    return causal_mask(ids.size(1)) & padding_mask(ids, pad).transpose(1, 2)


def masked_softmax__zeroed_scores(scores, mask):
    """Sets hidden scores to 0 before softmax, which gives them a weight like any other."""
    return torch.softmax(scores * mask, dim=-1)


def masked_softmax__not_shared_out_again(scores, mask):
    """Multiplies after softmax, and does not make rows sum to 1 again."""
    return torch.softmax(scores, dim=-1) * mask


def masked_softmax__tiny_number(scores, mask):
    """Fills with a tiny positive number, 1e-9, not a very negative one."""
    filled = torch.where(mask, scores, torch.tensor(1e-9, dtype=scores.dtype))
    return filled.softmax(-1).masked_fill(~mask, 0)


def masked_softmax__renormalised_with_nan(scores, mask):
    """Divides by the sum of what is seen: nothing divided by nothing in a row that sees nothing."""
    e = (scores - scores.amax(-1, keepdim=True)).exp() * mask
    return e / e.sum(-1, keepdim=True)


def causal_weights__zeros_before_softmax(scores):
    """Fills the future with 0, not with a very low score."""
    n = scores.size(-1)
    may_attend = torch.ones(n, n, dtype=torch.bool).tril()
    return scores.masked_fill(~may_attend, 0).softmax(dim=-1)


def causal_weights__tril_afterwards(scores):
    """Cuts the future off after softmax, so rows sum to less than 1."""
    return scores.softmax(dim=-1).tril()


def padded_weights__hides_the_rows(scores, real):
    """Hides padding as queries, not as keys."""
    return scores.masked_fill(~real[:, :, None], -1e9).softmax(dim=-1)


def padded_weights__multiplied_before(scores, real):
    """Turns the two lines round as they stand: multiplies the scores by the mask, then softmax."""
    return (scores * real[:, None, :]).softmax(dim=-1)
