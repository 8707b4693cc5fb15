"""Right answers to the exercise on masking, third set, in unusual styles."""

import math

import torch


def causal_mask__lists(length, past=0):
    """Builds each row as a list."""
    rows = [[True] * (past + i + 1) + [False] * (length - i - 1) for i in range(length)]
    return torch.tensor(rows, dtype=torch.bool)


def causal_mask__glued(length, past=0):
    """Glues a table of ones for the past to a triangle."""
    old = torch.ones((length, past), dtype=torch.bool)
    new = ~torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
    return torch.hstack((old, new))


def causal_mask__cumsum(length, past=0):
    """Counts an identity up from the back of each row."""
    eye = torch.eye(past + length, dtype=torch.long)[past:]
    return eye.flip(-1).cumsum(-1).flip(-1) > 0


def sliding_window__two_triangles(length, window):
    """Takes one triangle away from another."""
    ones = torch.ones(length, length, dtype=torch.bool)
    return ones.tril() ^ ones.tril(-window)


def sliding_window__filled(length, window):
    """Fills a table row by row by slices."""
    table = torch.zeros(length, length, dtype=torch.bool)
    for i in range(length):
        table[i, max(0, i - window + 1) : i + 1] = True
    return table


def real_tokens__lists(lengths, size):
    """Makes a list for each sentence."""
    return torch.tensor([[j < n for j in range(size)] for n in lengths.tolist()], dtype=torch.bool)


def real_tokens__lookup(lengths, size):
    """Looks each length up as a row of a triangle."""
    table = torch.ones(size + 1, size, dtype=torch.bool).tril(-1)
    return table[lengths]


def padding_mask__stacked(ids, pad):
    """Works sentence by sentence and stacks."""
    return torch.stack([(sentence != pad).reshape(1, -1) for sentence in ids])


def padding_mask__not_of_equal(ids, pad):
    """Negates equality after the axis is put in."""
    return torch.logical_not(torch.eq(ids.unsqueeze(1), pad))


def combined_mask__product(ids, pad):
    """Multiplies the masks as numbers."""
    T = ids.size(-1)
    return (causal_mask(T).int() * padding_mask(ids, pad).int()) == 1


def combined_mask__hidden_parts(ids, pad):
    """Collects what is hidden and negates at the end."""
    B, T = ids.shape
    hidden = torch.triu(torch.ones(T, T), diagonal=1).bool().expand(B, T, T).clone()
    hidden |= (ids == pad)[:, None, :]
    return ~hidden


def cross_mask__einsum(real, memory_real):
    """Takes the outer product with einsum on numbers."""
    return torch.einsum("bt,bs->bts", real.float(), memory_real.float()).bool()


def cross_mask__where(real, memory_real):
    """Chooses rows of the memory, or nothing."""
    rows = memory_real[:, None, :].expand(-1, real.size(1), -1)
    return torch.where(real[:, :, None], rows, torch.zeros_like(rows))


def to_additive__logarithm(mask, dtype):
    """Takes the logarithm of ones and zeros."""
    return mask.to(dtype).log()


def to_additive__full(mask, dtype):
    """Starts from minus infinity and fills zeros in."""
    out = torch.full(mask.shape, -math.inf, dtype=dtype)
    out[mask] = 0
    return out


def masked_softmax__infinity_and_nan(scores, mask):
    """Fills with minus infinity and turns nan into 0 in rows that see nothing."""
    w = scores.masked_fill(~mask, -math.inf).softmax(dim=-1)
    nothing = ~mask.any(dim=-1, keepdim=True)
    return w.masked_fill(nothing, 0.0)


def masked_softmax__by_hand(scores, mask):
    """Writes softmax out, with the maximum of what is visible."""
    lowest = torch.finfo(scores.dtype).min
    top = torch.where(mask, scores, lowest).amax(dim=-1, keepdim=True)
    gaps = torch.where(mask, scores - top, 0.0)
    e = torch.exp(gaps) * mask
    total = e.sum(dim=-1, keepdim=True)
    return e / torch.where(total > 0, total, 1.0)


def masked_softmax__in_double(scores, mask):
    """Works in double precision and returns to the caller's."""
    wide = torch.where(mask, scores.double(), -math.inf)
    return torch.nan_to_num(wide.softmax(-1), nan=0.0).to(scores.dtype)


def causal_weights__triangle_on_scores(scores):
    """Adds an upper triangle of minus infinity."""
    n = scores.size(-1)
    future = torch.full((n, n), -math.inf, dtype=scores.dtype).triu(1)
    return torch.softmax(scores + future, dim=-1)


def causal_weights__row_by_row(scores):
    """Takes softmax of each row's visible piece, and zeros behind."""
    n = scores.size(-1)
    rows = []
    for i in range(n):
        seen = scores[..., i, : i + 1].softmax(dim=-1)
        rows.append(torch.nn.functional.pad(seen, (0, n - 1 - i)))
    return torch.stack(rows, dim=-2)


def padded_weights__renormalised(scores, real):
    """Cuts after softmax and divides by what is left."""
    cut = scores.softmax(dim=-1) * real[:, None, :]
    return cut / cut.sum(dim=-1, keepdim=True)


def padded_weights__own_function(scores, real):
    """Calls the masked softmax of before."""
    return masked_softmax(scores, real.unsqueeze(-2))


def shapes__lists(B, H, T, S):
    """Builds each shape from axes that are added up."""
    table = (T, S)
    square = (T,) * 2
    return (B, H) + table, square, (B,) + (1, S), (B,) + square
