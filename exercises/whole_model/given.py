"""What the notebook on the whole model gives to work with: two parts of earlier chapters."""

import torch
from torch import nn


class RMSNorm(nn.Module):
    """Scale each vector to a root mean square of 1, then each feature by its weight."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        mean_square = x.square().mean(dim=-1, keepdim=True)
        return self.weight * x / torch.sqrt(mean_square + 1e-5)


def rotate(x, base=10_000):
    """Turn each pair of features of x (..., T, K) by its position, as RoPE does."""
    T, K = x.shape[-2:]
    frequency = base ** (-torch.arange(0, K, 2) / K)
    angle = torch.arange(T)[:, None] * frequency
    cos, sin = angle.cos(), angle.sin()
    a, b = x[..., 0::2], x[..., 1::2]
    turned = a * cos - b * sin, a * sin + b * cos
    return torch.stack(turned, dim=-1).flatten(-2)
