"""Two mistakes at once: points are lost, but no single mistake explains it, so none is named."""

import torch


def scores__scaled_and_swapped(q, k):
    return k @ q.mT / q.size(-1) ** 0.5


def scale__multiplied_in_place(scores, d_k):
    scores *= d_k**0.5
    return scores


def softmax__columns_without_exponential(x):
    return x / x.sum(dim=-2, keepdim=True)


def weighted_sum__transposed_and_averaged(weights, v):
    return weights.mT @ v / v.size(-2)


def attention__unscaled_and_nan(q, k, v, mask=None):
    s = q @ k.mT
    w = (s if mask is None else s.masked_fill(~mask, -torch.inf)).softmax(-1)
    return w @ v, w


def attention__flipped_and_unscaled(q, k, v, mask=None):
    s = q @ k.mT
    w = (s if mask is None else s.masked_fill(mask, -1e9)).softmax(-1)
    return w @ v, w


def attention__columns_and_no_mask(q, k, v, mask=None):
    w = (q @ k.mT / q.size(-1) ** 0.5).softmax(-2)
    return w @ v, w
