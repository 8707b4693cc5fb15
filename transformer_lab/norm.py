"""Normalisation, and the two ways to wire it around a sublayer.

Both norms look at one token's vector at a time, over its D features: never across the batch, never
across the sequence. So a token's result does not depend on its neighbours, on padding or on the
size of the batch.
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from transformer_lab._checks import check_not_negative, check_same_shape, check_weights
from transformer_lab._decorators import in_float32


@in_float32
def layer_norm(
    x: Float[Tensor, "*B D"],
    weight: Float[Tensor, " D"],
    bias: Float[Tensor, " D"] | float,
    eps: float = 1e-5,
) -> Float[Tensor, "*B D"]:
    """Normalise each vector to mean 0 and variance 1, then scale by weight (γ) and add bias (β).

    The variance is the biased one (divided by D), and eps is inside the root: a constant vector
    becomes β, not NaN. Half precision is computed in float32. Raises ValueError for a wrong width.

    Source: Ba et al. 2016, equation 4.
    """
    check_weights(x, weight=weight, bias=bias)
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    normal = centred * torch.rsqrt(variance + eps)
    return normal * weight + bias


@in_float32
def rms_norm(
    x: Float[Tensor, "*B D"], weight: Float[Tensor, " D"], eps: float = 1e-6
) -> Float[Tensor, "*B D"]:
    """Scale each vector to root mean square 1, then by weight (γ): no mean, no bias.

    Half precision is computed in float32. Raises ValueError for a wrong width.

    Source: Zhang and Sennrich 2019, equation 4.
    """
    check_weights(x, weight=weight)
    mean_square = x.square().mean(dim=-1, keepdim=True)
    return x * torch.rsqrt(mean_square + eps) * weight


class LayerNorm(nn.Module):
    """`layer_norm` with a learned γ and β: two vectors of length D.

    Without bias there is no β: Chowdhery et al. 2022 (PaLM), section 2.
    """

    def __init__(self, *, d_model: int, eps: float = 1e-5, bias: bool = True):
        """Create a norm for vectors of width d_model that at first neither scales nor shifts."""
        super().__init__()
        check_not_negative(eps=eps)
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model)) if bias else None
        self.eps = eps

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Normalise each vector of x. Raises what `layer_norm` raises."""
        bias = 0.0 if self.bias is None else self.bias
        return layer_norm(x, self.weight, bias, self.eps)


class RMSNorm(nn.Module):
    """`rms_norm` with a learned γ, as in Llama."""

    def __init__(self, *, d_model: int, eps: float = 1e-6):
        """Create a norm for vectors of width d_model that at first does not scale."""
        super().__init__()
        check_not_negative(eps=eps)
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Normalise each vector of x. Raises what `rms_norm` raises."""
        return rms_norm(x, self.weight, self.eps)


class PostNorm(nn.Module):
    """The paper's wiring: Norm(x + Dropout(Sublayer(x))). Every path passes through the norm.

    Source: Vaswani et al. 2017, sections 3.1 and 5.4. Also BERT, Marian, BART.
    """

    def __init__(self, *, norm: nn.Module, dropout: float = 0.0):
        """Store the norm, which follows the sum, and a dropout for the sublayer's output."""
        super().__init__()
        self.norm, self.dropout = norm, nn.Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "*B D"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*B D"]:
        """Add the sublayer's output to x, then normalise. Raises ValueError for its shape."""
        added = sublayer(x)
        check_same_shape(x, added)
        return self.norm(x + self.dropout(added))


class PreNorm(nn.Module):
    """The stabler wiring: x + Dropout(Sublayer(Norm(x))). The path along x stays clear.

    The last layer's output is not normalised, so a stack of these ends with a norm.

    Source: Xiong et al. 2020, figure 1b. GPT-2, Llama.
    """

    def __init__(self, *, norm: nn.Module, dropout: float = 0.0):
        """Store the norm, which precedes the sublayer, and a dropout for its output."""
        super().__init__()
        self.norm, self.dropout = norm, nn.Dropout(dropout)

    def forward(
        self, x: Float[Tensor, "*B D"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*B D"]:
        """Add the sublayer's output for the normalised x. Raises ValueError for its shape."""
        added = sublayer(self.norm(x))
        check_same_shape(x, added)
        return x + self.dropout(added)
