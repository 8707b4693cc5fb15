"""Scaled dot-product attention, and one attention head (Vaswani et al. 2017, section 3.2.1).

Letters, here and in the whole package: B batch, T query length, S key length, D model width,
K head width (K_v for values, where it differs). Masks are boolean and True means "may attend".
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer_lab._checks import check_attention
from transformer_lab._decorators import in_float32


@in_float32
def scaled_dot_product_attention(
    q: Float[Tensor, "*#B T K"],
    k: Float[Tensor, "*#B S K"],
    v: Float[Tensor, "*#B S K_v"],
    mask: Bool[Tensor, "*#M"] | None = None,
) -> tuple[Float[Tensor, "*_ T K_v"], Float[Tensor, "*_ T S"]]:
    """Average the values for every query, weighted by how well it matches each key.

    Returns the output and the attention weights. Axes before the last two (batch, heads)
    broadcast. A query that may attend to no key gets weights and output of zero.

    Half precision is computed in float32. Raises TypeError for a mask that is not boolean,
    ValueError for one that does not fit.

    Source: Vaswani et al. 2017, equation 1.
    """
    check_attention(q, k, v, mask)
    scores = q @ k.mT / math.sqrt(q.size(-1))  # (..., T, S)
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask  # zeros for rows that see nothing
    return weights @ v, weights


def fused_attention(
    q: Float[Tensor, "*#B T K"],
    k: Float[Tensor, "*#G S K"],
    v: Float[Tensor, "*#G S K_v"],
    mask: Bool[Tensor, "*#M"] | None = None,
    *,
    grouped: bool = False,
) -> Float[Tensor, "*_ T K_v"]:
    """Return the output of `scaled_dot_product_attention` alone, by PyTorch's fused kernels.

    They never hold all the weights at once, and are several times faster on long sequences; the
    outputs differ by rounding. If grouped, neighbouring query heads share a head of keys and
    values. Raises what `scaled_dot_product_attention` raises.

    Source: Dao et al. 2022 (FlashAttention), for the kernels.
    """
    check_attention(q, k, v, mask)
    if mask is not None:  # with fewer axes the kernel is slow
        mask = mask[(None,) * (q.dim() - mask.dim())]
    return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=grouped)


class AttentionHead(nn.Module):
    """One attention head: three projections, then scaled dot-product attention.

    `head(x)` is self-attention: queries, keys and values come from `x`. In `head(x, memory)`,
    cross-attention, keys and values come from `memory`, whose length may differ.

    Source: Vaswani et al. 2017, section 3.2.2, for a single head and without W_O.
    """

    def __init__(self, *, d_model: int, d_k: int, d_v: int | None = None, bias: bool = False):
        """Create a head that reads vectors of width d_model and returns vectors of width d_v."""
        super().__init__()
        self.query = nn.Linear(d_model, d_k, bias=bias)
        self.key = nn.Linear(d_model, d_k, bias=bias)
        self.value = nn.Linear(d_model, d_v or d_k, bias=bias)

    def forward(
        self,
        x: Float[Tensor, "*#B T D"],
        memory: Float[Tensor, "*#B S D"] | None = None,
        mask: Bool[Tensor, "*#M"] | None = None,
    ) -> tuple[Float[Tensor, "*_ T K_v"], Float[Tensor, "*_ T S"]]:
        """Return the head's output and its attention weights."""
        memory = x if memory is None else memory
        q, k, v = self.query(x), self.key(memory), self.value(memory)
        return scaled_dot_product_attention(q, k, v, mask)
