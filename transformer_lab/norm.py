"""Normalisation, and the two ways to wire it around a sublayer.

Both norms look at one token's vector at a time, over its D features: never across the batch, never
across the sequence. So a token's result does not depend on its neighbours, on padding or on the
size of the batch.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from transformer_lab._checks import (
    check_eps,
    check_floats,
    check_gives,
    check_integers,
    check_module,
    check_read,
    check_share,
)


def layer_norm(
    x: Float[Tensor, "*B D"],
    weight: Float[Tensor, " D"],
    bias: Float[Tensor, " D"],
    eps: float = 1e-5,
) -> Float[Tensor, "*B D"]:
    """Shift and scale each vector to mean 0 and variance 1, then by weight (γ) and bias (β).

    The variance is the biased one (divided by D) and eps stands inside the root: a constant
    vector gives β, not NaN. Half precision is computed in float32.
    Refuses, with ValueError, weights of another width and an eps below 0, with TypeError what are
    no floats.

    Source: Ba et al. 2016, equation 4.
    """
    _check_weights(x, eps, weight=weight, bias=bias)
    exact = x.to(torch.promote_types(x.dtype, torch.float32))
    centred = exact - exact.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    normal = centred * torch.rsqrt(variance + eps)
    return (normal * weight + bias).to(x.dtype)


def rms_norm(
    x: Float[Tensor, "*B D"], weight: Float[Tensor, " D"], eps: float = 1e-6
) -> Float[Tensor, "*B D"]:
    """Scale each vector to root mean square 1, then by weight (γ): no mean, no bias.

    Half precision is computed in float32. Source: Zhang and Sennrich 2019, equation 4.
    Refuses, with ValueError, weights of another width and an eps below 0, with TypeError what are
    no floats.
    """
    _check_weights(x, eps, weight=weight)
    exact = x.to(torch.promote_types(x.dtype, torch.float32))
    mean_square = exact.square().mean(dim=-1, keepdim=True)
    return (exact * torch.rsqrt(mean_square + eps) * weight).to(x.dtype)


class LayerNorm(nn.Module):
    """`layer_norm` with a learned γ and β: two vectors of length D.

    Without bias there is no β: Chowdhery et al. 2022 (PaLM), section 2. PyTorch's own
    `F.layer_norm` does the work: it is the same but for rounding, and quicker.
    """

    def __init__(self, *, d_model: int, eps: float = 1e-5, bias: bool = True):
        """Make a norm for vectors of width d_model that at first neither scales nor shifts."""
        super().__init__()
        check_integers(d_model=d_model)
        check_eps(eps)
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model)) if bias else None
        self.eps = eps

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Normalise each vector of x. Refuses another width (ValueError) or dtype (TypeError)."""
        weight = self.weight
        check_read("this norm", weight, x=x)
        return F.layer_norm(x, weight.shape, weight, self.bias, self.eps)


class RMSNorm(nn.Module):
    """`rms_norm` with a learned γ, as in Llama; the work is done by PyTorch's `F.rms_norm`."""

    def __init__(self, *, d_model: int, eps: float = 1e-6):
        """Make a norm for vectors of width d_model that at first does not scale."""
        super().__init__()
        check_integers(d_model=d_model)
        check_eps(eps)
        self.weight = nn.Parameter(torch.ones(d_model))
        self.eps = eps

    def forward(self, x: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Normalise each vector of x. Refuses another width (ValueError) or dtype (TypeError)."""
        weight = self.weight
        check_read("this norm", weight, x=x)
        return F.rms_norm(x, weight.shape, weight, self.eps)


class Residual(nn.Module):
    """A way for x around a sublayer, with a norm on it: `PostNorm` and `PreNorm` say where."""

    def __init__(self, *, norm: nn.Module, dropout: float = 0.0):
        """Wire `norm`, and dropout on what a sublayer adds."""
        super().__init__()
        check_module("norm", norm)
        check_share(dropout=dropout)
        self.norm, self.dropout = norm, nn.Dropout(dropout)

    def add(self, x: Float[Tensor, "*B D"], added: Float[Tensor, "*B D"]) -> Float[Tensor, "*B D"]:
        """Add, after dropout, what a sublayer gave. Refuses another shape: no sum broadcasts."""
        check_gives("the sublayer", x, added)
        return x + self.dropout(added)


class PostNorm(Residual):
    """The paper's wiring: Norm(x + Dropout(Sublayer(x))). Every path runs through the norm.

    Source: Vaswani et al. 2017, sections 3.1 and 5.4. Also BERT, Marian, BART.
    """

    def forward(
        self, x: Float[Tensor, "*B D"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*B D"]:
        """Add to x what the sublayer makes of it, then normalise the sum."""
        return self.norm(self.add(x, sublayer(x)))


class PreNorm(Residual):
    """The steadier wiring: x + Dropout(Sublayer(Norm(x))). The way along x stays clear.

    What leaves the last layer has not been normalised, so a stack of these ends with a norm.

    Source: Xiong et al. 2020, figure 1b. GPT-2, Llama.
    """

    def forward(
        self, x: Float[Tensor, "*B D"], sublayer: Callable[[Tensor], Tensor]
    ) -> Float[Tensor, "*B D"]:
        """Add to x what the sublayer makes of the normalised x."""
        return self.add(x, sublayer(self.norm(x)))


def _check_weights(x: Tensor, eps: float, **weights: Tensor) -> None:
    """Refuse vectors that are no floats, and weights that do not have a number for each feature."""
    check_eps(eps)
    check_floats(x=x, **weights)
    for name, weight in weights.items():
        if weight.shape != x.shape[-1:] or not x.dim():
            raise ValueError(
                f"{name} must hold a number for each feature of x, which has shape "
                f"{tuple(x.shape)}, but has shape {tuple(weight.shape)}."
            )
