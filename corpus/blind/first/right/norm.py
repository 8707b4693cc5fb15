"""Unusual but right answers to the exercise on normalisation."""

import math

import torch
import torch.nn.functional as F


def mean_variance__einsum(x):
    """sums by einsum, the kept axis put back with None"""
    d = x.shape[-1]
    mean = (torch.einsum("...d->...", x) / d)[..., None]
    away = x - mean
    variance = (torch.einsum("...d,...d->...", away, away) / d)[..., None]
    return mean, variance


def mean_variance__all_pairs(x):
    """the variance as half the mean squared difference of all pairs"""
    mean = x.sum(dim=-1, keepdim=True) / x.size(-1)
    pairs = x.unsqueeze(-1) - x.unsqueeze(-2)
    variance = pairs.square().mean(dim=(-1, -2)).unsqueeze(-1) / 2
    return mean, variance


def layer_norm__class(x, gamma, beta, eps):
    """a class of its own called LayerNorm, used once"""

    class LayerNorm:
        def __init__(self, scale, shift, tiny):
            self.scale, self.shift, self.tiny = scale, shift, tiny

        def __call__(self, z):
            mean, variance = mean_variance(z)
            return torch.addcmul(
                self.shift, self.scale, (z - mean) * torch.rsqrt(variance + self.tiny)
            )

    return LayerNorm(gamma, beta, eps)(x)


def layer_norm__token_by_token(x, gamma, beta, eps):
    """a loop over tokens that fills a new tensor row by row"""
    flat = x.reshape(-1, x.shape[-1])
    out = torch.empty_like(flat)
    for i in range(flat.shape[0]):
        row = flat[i]
        mu = sum(row) / len(row)
        var = sum((v - mu) ** 2 for v in row) / len(row)
        out[i] = gamma * ((row - mu) / (var + eps) ** 0.5) + beta
    return out.reshape(x.shape)


def normalise__helper_layer_norm(x, eps):
    """a helper called layer_norm, with var_mean"""

    def layer_norm(z):
        variance, mean = torch.var_mean(z, dim=-1, correction=0, keepdim=True)
        return (z - mean) / torch.sqrt(variance + eps)

    return layer_norm(x)


def rms_norm__dot_with_itself(x, gamma, eps):
    """the squares' sum as a matrix product of a row and a column"""
    row = x.unsqueeze(-2)
    mean_square = (row @ row.mT).squeeze(-1) / x.size(-1)
    return (mean_square + eps).pow(-0.5) * x * gamma


def post_norm__pipeline(x, weight, gamma, beta, eps):
    """a list of small functions run one after the other"""
    steps = [
        lambda z: z + sublayer(z, weight),
        lambda z: layer_norm(z, gamma, beta, eps),
    ]
    for step in steps:
        x = step(x)
    return x


def pre_norm__own_layer_norm(x, weight, gamma, beta, eps):
    """an own nested layer_norm and relu, nothing else called"""

    def layer_norm(z):
        z = z - z.mean(dim=-1, keepdim=True)
        return z / (z.pow(2).mean(dim=-1, keepdim=True) + eps).sqrt()

    def relu(z):
        return torch.where(z > 0, z, torch.zeros_like(z))

    return relu((layer_norm(x) * gamma + beta) @ weight) + x


def feed_forward__unit_by_unit(x, w1, b1, w2, b2):
    """a loop over the hidden units, each adding its row"""
    result = b2
    for j in range(w1.shape[1]):
        says = (x @ w1[:, j] + b1[j]).clamp(min=0)
        result = result + says.unsqueeze(-1) * w2[j]
    return result


def swiglu__einsum(x, gate, widen, narrow):
    """a helper called silu by way of logsigmoid, and einsum"""

    def silu(z):
        return z * F.logsigmoid(z).exp()

    opened = silu(torch.einsum("...d,df->...f", x, gate))
    wide = torch.einsum("...d,df->...f", x, widen)
    return torch.einsum("...f,...f,fd->...d", opened, wide, narrow)


def whole_layer__recursion(x, first, second, gammas, betas, eps):
    """a recursion over the list of matrices, the norm written out"""

    def normal(z, gamma, beta):
        variance, mean = torch.var_mean(z, dim=-1, correction=0, keepdim=True)
        return (z - mean) * (variance + eps).rsqrt() * gamma + beta

    def go(stream, matrices, row):
        if not matrices:
            return stream
        stream = normal(
            stream + torch.relu(stream @ matrices[0]), gammas[row], betas[row]
        )
        return go(stream, matrices[1:], row + 1)

    return go(x, [first, second], 0)


def count_parameters__list_of_shapes(d_model, heads, d_ff):
    """lists every tensor's shape, head by head, and multiplies"""
    width = d_model // heads
    tensors = []
    for _ in range(heads):
        for _ in ("query", "key", "value"):
            tensors += [(d_model, width), (width,)]
    tensors += [(heads * width, d_model), (d_model,)]
    tensors += [(d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,)]
    tensors += [(d_model,)] * 4
    return sum(math.prod(shape) for shape in tensors)


def shapes__ask_the_tensors(B, T, D, F):
    """runs tensors without content and asks their shapes"""
    x = torch.empty(B, T, D, device="meta")
    gamma = torch.empty(D, device="meta")
    w1 = torch.empty(D, F, device="meta")
    w2 = torch.empty(F, D, device="meta")
    means = x.mean(dim=-1, keepdim=True)
    hidden = ((x - means) * gamma) @ w1
    everything = (means, gamma, w1, hidden, hidden @ w2)
    return tuple(tuple(t.shape) for t in everything)
