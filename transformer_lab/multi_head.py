"""Several attention heads side by side (Vaswani et al. 2017, section 3.2.2).

All heads' projections are packed into one matrix: one product makes the queries of every head,
and `split_heads` tells them apart.
"""

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from transformer_lab._checks import check_axes, check_integers, check_module, check_read
from transformer_lab.attention import AttentionHead, fused_attention, quick_attention
from transformer_lab.cache import Cache, check_cache
from transformer_lab.masking import check_causal
from transformer_lab.positional_encoding import ALiBi


def split_heads(
    x: Float[Tensor, "*B T HK"],
    heads: int,
) -> Float[Tensor, "*B {heads} T K"]:
    """Cut each vector into `heads` pieces and bring the heads in front of the sequence.

    Raises ValueError where the width cannot be split evenly.
    """
    check_axes(2, "length, width", x=x)
    check_integers(least=None, heads=heads)
    if heads < 1 or x.size(-1) % heads:
        raise ValueError(
            f"vectors of width {x.size(-1)} cannot be split evenly between "
            f"{heads} heads. Choose a width that heads divides."
        )
    x = x.unflatten(-1, (heads, -1))  # (*B, T, H·K) -> (*B, T, H, K)
    return x.transpose(-2, -3)  # (*B, T, H, K) -> (*B, H, T, K)


def merge_heads(x: Float[Tensor, "*B H T K"]) -> Float[Tensor, "*B T HK"]:
    """Undo `split_heads`: lay the heads' vectors for the same token end to end.

    Raises ValueError where there is no axis of heads.
    """
    check_axes(3, "heads, length, width", x=x)
    return x.transpose(-2, -3).flatten(-2)  # (*B, T, H, K) -> (*B, T, H·K)


class MultiHeadAttention(nn.Module):
    """Attention by several heads at once, each in its own d_model / heads features.

    `attention(x)` is self-attention, `attention(x, memory)` is cross-attention. Returns the output
    and every head's weights. `positions`, such as `RotaryPositions()`, works in self-attention
    only: a distance between two different sequences means nothing.

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
        """Make `heads` heads that read and write vectors of width d_model."""
        super().__init__()
        _check_divides(heads=heads, d_model=d_model)
        d_v = d_model // heads if d_v is None else d_v
        check_integers(d_v=d_v)
        if positions is not None:
            check_module("positions", positions)
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
        """Return the output and, unless they are not needed, the attention weights of each head.

        With a cache, x holds new tokens only, and what they may attend to are all tokens so far;
        the keys and values of a memory are made once.
        Raises ValueError and TypeError for shapes, dtypes and masks that do not fit, and for a
        mask that shows the future to positions that are for causal attention (`ALiBi`).
        """
        check_cache(cache)
        if cache is None:
            q, k, v = self.project(x, memory)
        elif memory is None:
            q, *new = self.project(x, start=cache.read_by(self))
            k, v = cache.extend(self, *new)
        else:
            q = self._queries(x)
            k, v = cache.once(self, memory, self._keys_and_values)
        if memory is None and isinstance(self.positions, ALiBi):
            check_causal(mask, q.size(-2), k.size(-2))
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
        """Make each head's queries from x, its keys and values from memory (or from x).

        The first token of x stands at position `start`, or each where `start` says: keys and values
        made earlier can be kept, and those of new tokens joined to them.
        """
        q = self._queries(x)
        k, v = self._keys_and_values(x if memory is None else memory)
        if self.positions is not None and memory is None:
            q, k = self.positions(q, k, start)
        return q, k, v

    def attend(
        self,
        q: Float[Tensor, "*#B H T K"],
        k: Float[Tensor, "*#B G S K"],
        v: Float[Tensor, "*#B G S K_v"],
        mask: Bool[Tensor, "*#M #T #S"] | None = None,
        *,
        need_weights: bool = True,
    ) -> tuple[Float[Tensor, "*_ T D"], Float[Tensor, "*_ H T S"] | None]:
        """Let each head attend, then mix what the heads found by W_O."""
        if mask is not None:
            mask = _for_every_head(mask)
        if need_weights:
            mixed, weights = quick_attention(q, k, v, mask)
        else:
            group = self.heads // self.kv_heads
            mixed, weights = fused_attention(q, k, v, mask, group=group), None
        return self.output(merge_heads(mixed)), weights

    def _queries(self, x: Tensor) -> Tensor:
        """Make each head's queries."""
        check_read("this attention", self.query, axes=2, x=x)
        return split_heads(self.query(x), self.heads)

    def _keys_and_values(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Make each head's keys and values."""
        check_read("this attention", self.key, axes=2, memory=memory)
        k, v = self.key(memory), self.value(memory)
        return split_heads(k, self.kv_heads), split_heads(v, self.kv_heads)


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
        """Make `heads` heads of queries over `kv_heads` heads of keys and values."""
        super().__init__(d_model=d_model, heads=heads, d_v=d_v, bias=bias, positions=positions)
        _check_divides(kv_heads=kv_heads, heads=heads)
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

        Where no weights are wanted, the fused kernels find them by themselves.
        """
        if need_weights:
            group = self.heads // self.kv_heads
            k = k.repeat_interleave(group, dim=-3)  # to (*B, H, S, K)
            v = v.repeat_interleave(group, dim=-3)
        return super().attend(q, k, v, mask, need_weights=need_weights)


def separate_heads(attention: MultiHeadAttention) -> list[AttentionHead]:
    """Unpack the projections into single heads: these, concatenated, then W_O, do the same.

    Single heads know no positions: where `attention` has some, they are left out. Raises TypeError
    for what is no multi-head attention.
    """
    check_module("attention", attention, MultiHeadAttention)
    d_model = attention.query.in_features
    d_k = d_model // attention.heads
    d_v = attention.output.in_features // attention.heads
    group = attention.heads // attention.kv_heads
    bias = attention.query.bias is not None
    heads = []
    for h in range(attention.heads):
        head = AttentionHead(d_model=d_model, d_k=d_k, d_v=d_v, bias=bias)
        head.to(attention.query.weight)
        pieces = {"query": h, "key": h // group, "value": h // group}
        for name, piece in pieces.items():
            own, size = getattr(head, name), d_v if name == "value" else d_k
            rows = slice(piece * size, (piece + 1) * size)
            packed = getattr(attention, name).state_dict()
            own.load_state_dict({key: x[rows] for key, x in packed.items()})
        heads.append(head)
    return heads


def _check_divides(**sizes: int) -> None:
    """Refuse two sizes of which the first does not divide the second."""
    check_integers(least=None, **sizes)
    (part, count), (whole, size) = sizes.items()
    if count < 1 or size < 1 or size % count:
        raise ValueError(
            f"{part} must divide {whole}, since all shares are equal, but {whole} = {size} and "
            f"{part} = {count}."
        )


def _for_every_head(mask: Tensor) -> Tensor:
    """Add an axis for the heads to a mask that serves all of them alike."""
    check_axes(2, "queries, keys", mask=mask)
    return mask.unsqueeze(-3)
