"""Two mistakes at once, by their names. Without a docstring none may be named."""

import torch


def split_heads__width_and_not_moved(x, heads):
    return x.unflatten(-1, (-1, heads)).clone()


def split_heads__dealt_and_behind(x, heads):
    """the heads stay behind the words
    the numbers are dealt out to the heads in turn
    """
    return x.unflatten(-1, (-1, heads)).mT.contiguous()


def merge_heads__dealt_and_longer(x):
    """two axes of the result have changed places"""
    return x.mT.flatten(-3, -2)


def packed_projection__dealt_and_swapped(x, W):
    """queries, keys and values are dealt out in turn
    the three come in another order
    """
    return (x @ W).unflatten(-1, (-1, 3)).unbind(-1)[::-1]


def packed_projection__same_and_uncut(x, W):
    return (x @ W,) * 3


def _attend(q, k, v, mask=None):
    scores = q @ k.mT / q.shape[-1] ** 0.5
    scores = scores if mask is None else torch.where(mask, scores, -1e30)
    weights = scores.softmax(-1)
    return weights @ v, weights


def multi_head__unmasked_and_no_output(x, W, W_o, heads, mask=None):
    """the last product, with W_O, is missing
    the mask is left out
    """
    q, k, v = (torch.stack(part.chunk(heads, -1), -3) for part in (x @ W).chunk(3, -1))
    mixed, weights = _attend(q, k, v)
    return torch.cat(mixed.unbind(-3), -1), weights


def multi_head__turned_and_averaged(x, W, W_o, heads, mask=None):
    """W_O is transposed
    the weights are averaged over the heads
    """
    q, k, v = (torch.stack(part.chunk(heads, -1), -3) for part in (x @ W).chunk(3, -1))
    mixed, weights = _attend(q, k, v, None if mask is None else mask.unsqueeze(-3))
    return torch.cat(mixed.unbind(-3), -1) @ W_o.T, weights.mean(-3)


def grouped_query__tiled_and_cut(q, k, v):
    group = q.size(-3) // k.size(-3)
    return _attend(q, torch.cat([k] * group, -3), v[..., :1, :, :])


def talk__dealt_and_not_back(x, heads):
    """the numbers are dealt out to the heads in turn
    the heads are not moved back before they are joined
    """
    parts = x.unflatten(-1, (-1, heads)).movedim(-1, 1)
    return _attend(parts, parts, parts)[0].reshape(x.shape)


def padded_heads__flat_and_turned_round(q, k, v, real):
    """the mask is turned round
    the mistake is still in it
    """
    return _attend(q, k, v, ~real[:, None, :])
