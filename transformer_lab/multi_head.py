"""Several attention heads side by side (Vaswani et al. 2017, section 3.2.2).

The projections of all heads are packed into one matrix: one product makes the queries of every
head, and `split_heads` separates them.
"""

from functools import partial

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_lab._checks import check_divides, check_mask_for, check_module
from transformer_lab.attention import (
    AttentionHead,
    fused_attention,
    scaled_dot_product_attention,
)
from transformer_lab.cache import Cache


def split_heads(x: Float[Tensor, "*B T HK"], heads: int) -> Float[Tensor, "*B {heads} T K"]:
    """Split each vector into `heads` parts and move the heads before the sequence."""
    x = x.unflatten(-1, (heads, -1))  # (..., T, H·K) -> (..., T, H, K)
    return x.transpose(-2, -3)  # (..., T, H, K) -> (..., H, T, K)


def merge_heads(x: Float[Tensor, "*B H T K"]) -> Float[Tensor, "*B T HK"]:
    """Undo `split_heads`: concatenate the heads' vectors for the same token."""
    x = x.transpose(-2, -3)  # (..., H, T, K) -> (..., T, H, K)
    return x.flatten(-2)  # (..., T, H·K)


class MultiHeadAttention(nn.Module):
    """Attention by several heads at once, each in its own d_model / heads features.

    `attention(x)` is self-attention, `attention(x, memory)` is cross-attention. Returns the output
    and every head's weights. `positions`, such as `RotaryPositions()`, works in self-attention
    only: relative positions are undefined across two sequences.

    Source: Vaswani et al. 2017, section 3.2.2; d_k = d_v = d_model / heads, unless d_v is given.
    """

    def __init__(
        self,
        *,
        d_model: int,
        heads: int,
        d_v: int | None = None,
        bias: bool = True,
        positions: nn.Module | None = None,
    ):
        """Create `heads` heads that read and write vectors of width d_model."""
        super().__init__()
        check_divides(heads=heads, d_model=d_model)
        d_v = d_model // heads if d_v is None else d_v
        self.query = nn.Linear(d_model, d_model, bias=bias)
        self.key = nn.Linear(d_model, d_model, bias=bias)
        self.value = nn.Linear(d_model, heads * d_v, bias=bias)
        self.output = nn.Linear(heads * d_v, d_model, bias=bias)
        self.positions = positions
        self.heads = self.kv_heads = heads

    def forward(
        self,
        x: Float[Tensor, "*#B T D"],
        memory: Float[Tensor, "*#B S D"] | None = None,
        mask: Bool[Tensor, "*#M #T #S"] | None = None,
        cache: Cache | None = None,
        *,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "*_ T D"], Float[Tensor, "*_ H T S"] | None]:
        """Return the output and, if they are needed, the attention weights of each head.

        With a cache, x holds new tokens only, and the mask's columns are all tokens so far; the
        keys and values of a memory are made once. Raises ValueError for a mask that shows the
        future to positions that are for causal attention (`ALiBi`).
        """
        if cache is None:
            q, k, v = self.project(x, memory)
        else:
            q, k, v = cache.project(self, x, memory)
        if memory is None:
            check_mask_for(self.positions, mask, q, k)
        return self.attend(q, k, v, mask, need_weights=need_weights)

    def project(
        self,
        x: Float[Tensor, "*#B T D"],
        memory: Float[Tensor, "*#B S D"] | None = None,
        *,
        start: int | Int[Tensor, "*#B T"] = 0,
    ) -> tuple[
        Float[Tensor, "*_ H T K"],
        Float[Tensor, "*_ G S K"],
        Float[Tensor, "*_ G S K_v"],
    ]:
        """Return each head's queries from x, its keys and values from memory (or from x).

        The first token of x is at position `start`, or each at the one that `start` holds for it:
        keys and values made earlier can be kept, and those of new tokens joined to them.
        """
        q = self.queries(x)
        k, v = self.keys_and_values(x if memory is None else memory)
        if self.positions is not None and memory is None:
            q, k = self.positions(q, k, start)
        return q, k, v

    def queries(self, x: Float[Tensor, "*#B T D"]) -> Float[Tensor, "*_ H T K"]:
        """Return each head's queries."""
        return split_heads(self.query(x), self.heads)

    def keys_and_values(
        self, memory: Float[Tensor, "*#B S D"]
    ) -> tuple[Float[Tensor, "*_ G S K"], Float[Tensor, "*_ G S K_v"]]:
        """Return each head's keys and values."""
        k, v = self.key(memory), self.value(memory)
        return split_heads(k, self.kv_heads), split_heads(v, self.kv_heads)

    def attend(
        self,
        q: Float[Tensor, "*#B H T K"],
        k: Float[Tensor, "*#B G S K"],
        v: Float[Tensor, "*#B G S K_v"],
        mask: Bool[Tensor, "*#M #T #S"] | None = None,
        *,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "*_ T D"], Float[Tensor, "*_ H T S"] | None]:
        """Attend in each head, then combine the heads by W_O."""
        if mask is not None:
            mask = mask.unsqueeze(-3)  # the same for every head
        if need_weights:
            found, weights = scaled_dot_product_attention(q, k, v, mask)
        else:
            grouped = self.kv_heads < self.heads
            found = fused_attention(q, k, v, mask, grouped=grouped)
            weights = None
        return self.output(merge_heads(found)), weights


class GroupedQueryAttention(MultiHeadAttention):
    """Multi-head attention in which groups of query heads share one head of keys and values.

    With kv_heads = 1 it is multi-query attention; with kv_heads = heads, multi-head attention.
    Generation then stores heads / kv_heads times fewer keys and values.

    Sources: Ainslie et al. 2023; Shazeer 2019 for multi-query.
    """

    def __init__(
        self,
        *,
        d_model: int,
        heads: int,
        kv_heads: int,
        d_v: int | None = None,
        bias: bool = True,
        positions: nn.Module | None = None,
    ):
        """Create `heads` heads of queries over `kv_heads` heads of keys and values."""
        super().__init__(d_model=d_model, heads=heads, d_v=d_v, bias=bias, positions=positions)
        check_divides(kv_heads=kv_heads, heads=heads)
        share = heads // kv_heads
        self.key = nn.Linear(d_model, d_model // share, bias=bias)
        self.value = nn.Linear(d_model, self.value.out_features // share, bias=bias)
        self.kv_heads = kv_heads

    def attend(
        self,
        q: Float[Tensor, "*#B H T K"],
        k: Float[Tensor, "*#B G S K"],
        v: Float[Tensor, "*#B G S K_v"],
        mask: Bool[Tensor, "*#M #T #S"] | None = None,
        *,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "*_ T D"], Float[Tensor, "*_ H T S"] | None]:
        """Repeat each group's keys and values for its query heads, then attend.

        The fused kernels find them by themselves.
        """
        if need_weights:
            group = self.heads // self.kv_heads
            k = k.repeat_interleave(group, dim=-3)  # (..., H, S, K)
            v = v.repeat_interleave(group, dim=-3)
        return super().attend(q, k, v, mask, need_weights=need_weights)


def separate_heads(attention: MultiHeadAttention) -> list[AttentionHead]:
    """Return the heads as single modules: concatenated, then projected by W_O, they do the same.

    Single heads have no positions: those of `attention` are left out. Raises TypeError for anything
    but multi-head attention.
    """
    check_module("attention", attention, MultiHeadAttention)
    H, G, q = attention.heads, attention.kv_heads, attention.query
    d_k, d_v = q.out_features // H, attention.value.out_features // G
    make = partial(AttentionHead, d_model=q.in_features, d_k=d_k, d_v=d_v)
    heads = [make(bias=q.bias is not None).to(q.weight) for _ in range(H)]
    for h, head in enumerate(heads):
        g = h * G // H  # its group
        for name, n in ("query", h), ("key", g), ("value", g):
            own, packed = getattr(head, name), getattr(attention, name)
            for key, x in packed.state_dict().items():
                own.state_dict()[key].copy_(x.split(own.out_features)[n])
    return heads
