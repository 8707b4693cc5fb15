"""Scaled dot-product attention, and one attention head (Vaswani et al. 2017, section 3.2.1).

Letters, here and in the whole package: B batch, T query length, S key length, D model width,
K head width (K_v for values, where it differs). Masks are boolean and True means "may attend".
"""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer_lab._checks import (
    can_look,
    check_axes,
    check_devices,
    check_dtypes,
    check_floats,
    check_integers,
    check_leading,
    check_read,
    check_tensors,
    fits,
    is_mapped,
)


def scaled_dot_product_attention(
    q: Float[Tensor, "*#B T K"],
    k: Float[Tensor, "*#B S K"],
    v: Float[Tensor, "*#B S K_v"],
    mask: Bool[Tensor, "*#M"] | None = None,
) -> tuple[Float[Tensor, "*_ T K_v"], Float[Tensor, "*_ T S"]]:
    """Let every query read the values, in proportion to how well it matches each key.

    Returns the output and the attention weights. Axes before the last two (batch, heads)
    broadcast. A query that may attend to no key gets weights and output of zero.

    Scores of half precision are computed in float32: those of float16 end at 65504. Raises
    ValueError for shapes that do not fit, TypeError for a mask that is not boolean and for what
    are no floats of one dtype.

    Source: Vaswani et al. 2017, equation 1.
    """
    _check_shapes(q, k, v, mask)
    exact = torch.promote_types(q.dtype, torch.float32)
    scores = q.to(exact) @ k.to(exact).mT / math.sqrt(q.size(-1))
    if mask is not None:
        scores = torch.where(mask, scores, torch.finfo(scores.dtype).min)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights * mask
    weights = weights.to(v.dtype)
    return weights @ v, weights


def quick_attention(
    q: Float[Tensor, "*#B T K"],
    k: Float[Tensor, "*#B S K"],
    v: Float[Tensor, "*#B S K_v"],
    mask: Bool[Tensor, "*#M"] | None = None,
) -> tuple[Float[Tensor, "*_ T K_v"], Float[Tensor, "*_ T S"]]:
    """Do what `scaled_dot_product_attention` does, and go over the scores less often.

    The queries are divided, which are fewer numbers than the scores; hidden scores are overwritten
    in place; and only where some query sees nothing do the weights meet the mask again. It raises
    what that raises.
    """
    _check_shapes(q, k, v, mask)
    exact = torch.promote_types(q.dtype, torch.float32)
    scores = (q.to(exact) / math.sqrt(q.size(-1))) @ k.to(exact).mT
    if mask is not None:
        hidden, least = ~mask, torch.finfo(scores.dtype).min  # autocast chooses its own
        if fits(mask.shape, scores.shape) and not (is_mapped(mask) or is_mapped(scores)):
            scores.detach().masked_fill_(hidden, least)  # a weight of 0 has the gradient 0
        else:
            scores = scores.masked_fill(hidden, least)
    weights = scores.softmax(dim=-1)
    if mask is not None and not (can_look(mask) and mask.any(dim=-1).all()):
        weights = weights * mask
    weights = weights.to(v.dtype)
    return weights @ v, weights


def fused_attention(
    q: Float[Tensor, "*#B T K"],
    k: Float[Tensor, "*#G S K"],
    v: Float[Tensor, "*#G S K_v"],
    mask: Bool[Tensor, "*#M"] | None = None,
    *,
    group: int = 1,
) -> Float[Tensor, "*_ T K_v"]:
    """Return the output of `scaled_dot_product_attention` alone, by PyTorch's fused kernels.

    For where no weights are wanted: on long sequences it is several times quicker and needs not
    hold them all at once. To see what happens, take the explicit one; they differ by rounding.
    It raises what that raises, and ValueError where heads of queries do not make groups: `group`
    of them, neighbours, read one head of keys and values, without copies of it.

    Source: Dao et al. 2022 (FlashAttention), for the kernels.
    """
    _check_shapes(q if group == 1 else _first_of_each(group, q, k, v), k, v, mask)
    if is_mapped(q) or (mask is not None and is_mapped(mask)):  # vmap knows no fused kernel
        k, v = (x if group == 1 else x.repeat_interleave(group, dim=-3) for x in (k, v))
        return scaled_dot_product_attention(q, k, v, mask)[0]
    causal = mask is not None and _is_causal(mask, q.size(-2), k.size(-2))
    if causal:
        mask = None  # what is hidden is then not even computed
    elif mask is not None:
        mask = mask[(None,) * (q.dim() - mask.dim())]  # with fewer axes, the slow kernel would work
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=causal, enable_gqa=group > 1
    )


class AttentionHead(nn.Module):
    """One attention head: three projections, then scaled dot-product attention.

    `head(x)` is self-attention: `x` asks and `x` is asked. `head(x, memory)` is
    cross-attention: `x` asks and `memory` is asked; their lengths may differ.

    Source: Vaswani et al. 2017, section 3.2.2, for a single head and without W_O.
    """

    def __init__(
        self,
        *,
        d_model: int,
        d_k: int,
        d_v: int | None = None,
        bias: bool = False,
    ):
        """Make a head that reads vectors of width d_model and gives vectors of width d_v."""
        super().__init__()
        d_v = d_k if d_v is None else d_v
        check_integers(d_model=d_model, d_k=d_k, d_v=d_v)
        self.query = nn.Linear(d_model, d_k, bias=bias)
        self.key = nn.Linear(d_model, d_k, bias=bias)
        self.value = nn.Linear(d_model, d_v, bias=bias)

    def forward(
        self,
        x: Float[Tensor, "*#B T D"],
        memory: Float[Tensor, "*#B S D"] | None = None,
        mask: Bool[Tensor, "*#M"] | None = None,
    ) -> tuple[Float[Tensor, "*_ T K_v"], Float[Tensor, "*_ T S"]]:
        """Return the head's output and its attention weights.

        Refuses what `scaled_dot_product_attention` refuses, and vectors of another width
        (ValueError) or dtype (TypeError) than its matrices have.
        """
        source = x if memory is None else memory
        check_read("this head", self.query, axes=2, x=x, memory=source)
        return scaled_dot_product_attention(
            self.query(x), self.key(source), self.value(source), mask
        )


def _is_causal(mask: Tensor, T: int, S: int) -> bool:
    """Return whether a mask, the same for all, hides the future and nothing else."""
    if T != S or mask.shape[-2:] != (T, S) or mask.numel() != T * S or not can_look(mask):
        return False
    return torch.equal(mask.reshape(T, S), mask.new_ones(T, S).tril())


def _first_of_each(group: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Return the first head of each group, for its shape. Refuses heads that do not make groups."""
    check_integers(group=group)
    check_axes(3, "heads, length, width", q=q, k=k, v=v)
    heads, shared, also = (x.size(-3) for x in (q, k, v))
    if not heads == group * shared == group * also:
        raise ValueError(
            f"each head of keys and values must serve group = {group} heads of queries, but there "
            f"are {heads} heads of queries, {shared} of keys and {also} of values."
        )
    return q[..., ::group, :, :]


def _check_shapes(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> None:
    """Refuse what cannot be attention, naming both shapes and saying how to mend it."""
    check_floats(q=q, k=k, v=v)
    check_axes(2, "length, width", q=q, k=k, v=v)
    check_dtypes(q=q, k=k, v=v)
    if q.size(-1) != k.size(-1) or not q.size(-1):
        raise ValueError(
            f"q and k must have the same last axis, d_k, of at least 1, since each query is dotted "
            f"with each key, but q has shape {tuple(q.shape)} and k has shape {tuple(k.shape)}."
        )
    if k.size(-2) != v.size(-2):
        raise ValueError(
            f"k and v must have the same length, since each key belongs to one value, "
            f"but k has shape {tuple(k.shape)} and v has shape {tuple(v.shape)}."
        )
    leading = check_leading(2, q=q, k=k, v=v)
    if mask is None:
        return
    check_tensors(mask=mask)
    check_devices(q=q, mask=mask)
    if mask.dtype != torch.bool:
        raise TypeError(
            f"mask must be boolean, True = may attend, but is {mask.dtype}. `mask == 0` makes "
            f"one of 0 and -inf, mask.bool() one of 1 and 0. The third argument of an "
            f"attention module is the mask, too: it makes queries, keys and values itself, of x "
            f"and memory."
        )
    scores = (*leading, q.size(-2), k.size(-2))
    if not fits(mask.shape, scores):
        raise ValueError(
            f"mask must broadcast to the scores (..., queries, keys) = {scores}, "
            f"but has shape {tuple(mask.shape)}."
        )
