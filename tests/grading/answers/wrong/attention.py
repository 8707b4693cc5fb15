"""Wrong answers, in other words than the bank's. The docstring is the name they must be given."""

import math

import torch


def scores__queries_last(q, k):
    """queries and keys have changed places"""
    return torch.einsum("...sd,...td->...st", k, q)


def scores__view(q, k):
    """the keys are reshaped, not transposed"""
    return torch.matmul(q, k.contiguous().view(*k.shape[:-2], k.shape[-1], k.shape[-2]))


def scores__diagonal(q, k):
    """each query meets only the key at its own place"""
    return torch.einsum("...nd,...nd->...n", q, k)


def scores__scaled(q, k):
    """the scores are already scaled"""
    return torch.matmul(q * k.shape[-1] ** -0.5, k.swapaxes(-1, -2))


def scale__identity(scores, d_k):
    """there is no scaling"""
    return scores * 1.0


def scale__width(scores, d_k):
    """it divides by d_k, not by its square root"""
    return scores * (1 / d_k)


def scale__of_keys(scores, d_k):
    """it scales by the number of keys"""
    return scores / scores.shape[-1] ** 0.5


def scale__in_place(scores, d_k):
    """it changes the caller's tensor"""
    return scores.div_(d_k**0.5)


def softmax__columns(x):
    """softmax runs over the queries, not the keys"""
    e = torch.exp(x - x.amax(dim=-2, keepdim=True))
    return e / e.sum(dim=-2, keepdim=True)


def softmax__naive(x):
    """the exponential overflows"""
    powers = math.e**x
    return powers / powers.sum(-1)[..., None]


def softmax__total(x):
    """softmax runs over all entries at once"""
    e = torch.exp(x - torch.max(x))
    return e / torch.sum(e)


def softmax__shares(x):
    """the exponential is missing"""
    total = x.sum(dim=-1)
    return x / total[..., None]


def softmax__lost_axis(x):
    """the row sums lost their axis (keepdim)"""
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / torch.sum(e, -1)


def weighted_sum__average(weights, v):
    """the sum is divided by the number of keys"""
    return (weights.unsqueeze(-1) * v.unsqueeze(-3)).mean(dim=-2)


def weighted_sum__from_the_left(weights, v):
    """the weights are transposed"""
    return torch.einsum("...st,...sd->...td", weights, v)


def weighted_sum__strongest(weights, v):
    """only the strongest value is read"""
    best = weights.max(dim=-1).indices
    return torch.gather(v, -2, best[..., None].expand(*best.shape, v.size(-1)))


def _finish(s, v, mask):
    if mask is not None:
        s = torch.where(mask, s, torch.full_like(s, -1e30))
    w = torch.exp(s - s.amax(-1, keepdim=True))
    w = w if mask is None else w * mask
    w = w / w.sum(-1, keepdim=True).clamp(min=1e-30)
    return w @ v, w


def attention__unscaled(q, k, v, mask=None):
    """there is no scaling"""
    return _finish(torch.einsum("...td,...sd->...ts", q, k), v, mask)


def attention__wrong_length(q, k, v, mask=None):
    """it scales by the number of keys"""
    return _finish(q @ k.swapaxes(-1, -2) * k.shape[-2] ** -0.5, v, mask)


def attention__weights_shrunk(q, k, v, mask=None):
    """the scaling comes after softmax"""
    w = _finish(q @ k.mT, v, mask)[1] / q.shape[-1] ** 0.5
    return w @ v, w


def attention__flipped(q, k, v, mask=None):
    """the mask is turned round"""
    s = q @ k.mT / q.shape[-1] ** 0.5
    return _finish(s, v, None if mask is None else torch.logical_not(mask))


def attention__flipped_like_nn(q, k, v, mask=None):
    """the mask is turned round"""
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s[mask.expand_as(s)] = -math.inf
    w = torch.softmax(s, -1)
    return w @ v, w


def attention__late_mask(q, k, v, mask=None):
    """the mask comes after softmax"""
    w = torch.softmax(q @ k.mT / q.shape[-1] ** 0.5, dim=-1)
    if mask is not None:
        w = torch.where(mask, w, 0.0)
    return w @ v, w


def attention__product_mask(q, k, v, mask=None):
    """masked scores are set to 0"""
    s = q @ k.mT / q.shape[-1] ** 0.5
    w = torch.softmax(s if mask is None else s * mask, dim=-1)
    return w @ v, w


def attention__nan(q, k, v, mask=None):
    """a query with nothing to read gives nan"""
    s = q @ k.mT / q.shape[-1] ** 0.5
    if mask is not None:
        s = s + torch.zeros(mask.shape).masked_fill(~mask, float("-inf"))
    w = s.softmax(-1)
    return w @ v, w


def attention__uniform(q, k, v, mask=None):
    """a query with nothing to read reads everything"""
    s = q @ k.mT / q.shape[-1] ** 0.5
    w = torch.softmax(s if mask is None else torch.where(mask, s, -1e6), -1)
    return torch.matmul(w, v), w


def attention__weights_first(q, k, v, mask=None):
    """the two results have changed places"""
    output, weights = _finish(q @ k.mT / q.shape[-1] ** 0.5, v, mask)
    return weights, output


def attention__alone(q, k, v, mask=None):
    """only the output is returned"""
    output, _ = _finish(q @ k.mT / q.shape[-1] ** 0.5, v, mask)
    return output
