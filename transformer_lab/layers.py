"""The layers a Transformer is stacked from (Vaswani et al. 2017, section 3.1).

Each sublayer, attention or feed-forward, sits in a residual wiring: `PostNorm` or `PreNorm`.
A *part* here is a class, or a `functools.partial` of one, that makes a module from sizes:
`norm=RMSNorm`, `attention=partial(GroupedQueryAttention, kv_heads=2)`.
"""

from collections.abc import Callable, Iterable

from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer_lab._checks import check_given
from transformer_lab._renamed import load_old_names
from transformer_lab.cache import Cache
from transformer_lab.feed_forward import FeedForward
from transformer_lab.multi_head import MultiHeadAttention
from transformer_lab.norm import LayerNorm, PostNorm

Part = Callable[..., nn.Module]


class EncoderLayer(nn.Module):
    """Self-attention, then a feed-forward network applied to each token.

    Under a causal mask this is also the layer of GPT and Llama: a decoder without a memory.
    """

    def __init__(
        self,
        *,
        d_model: int,
        heads: int,
        d_ff: int,
        dropout: float = 0.0,
        attention: Part = MultiHeadAttention,
        feed_forward: Part = FeedForward,
        norm: Part = LayerNorm,
        residual: Part = PostNorm,
    ):
        """Create a layer for vectors of width d_model; its parts are the paper's unless given."""
        super().__init__()
        self.attention = attention(d_model=d_model, heads=heads)
        self.feed_forward = feed_forward(d_model=d_model, d_ff=d_ff)
        self.attention_residual = residual(norm=norm(d_model=d_model), dropout=dropout)
        self.feed_forward_residual = residual(norm=norm(d_model=d_model), dropout=dropout)

    def forward(
        self,
        x: Float[Tensor, "*B T D"],
        mask: Bool[Tensor, "*#M #T #S"] | None = None,
        cache: Cache | None = None,
    ) -> Float[Tensor, "*B T D"]:
        """Return x with both sublayers' contributions. No attention weights are kept."""

        def attend(x: Tensor) -> Tensor:
            return self.attention(x, mask=mask, cache=cache, need_weights=False)[0]

        x = self.attention_residual(x, attend)
        return self.feed_forward_residual(x, self.feed_forward)


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the memory, then a feed-forward network per token."""

    def __init__(
        self,
        *,
        d_model: int,
        heads: int,
        d_ff: int,
        dropout: float = 0.0,
        attention: Part = MultiHeadAttention,
        feed_forward: Part = FeedForward,
        norm: Part = LayerNorm,
        residual: Part = PostNorm,
    ):
        """Create a layer for vectors of width d_model; its parts are the paper's unless given."""
        super().__init__()
        self.attention = attention(d_model=d_model, heads=heads)
        self.cross_attention = attention(d_model=d_model, heads=heads)
        self.feed_forward = feed_forward(d_model=d_model, d_ff=d_ff)
        self.attention_residual = residual(norm=norm(d_model=d_model), dropout=dropout)
        self.cross_attention_residual = residual(norm=norm(d_model=d_model), dropout=dropout)
        self.feed_forward_residual = residual(norm=norm(d_model=d_model), dropout=dropout)

    def forward(
        self,
        x: Float[Tensor, "*B T D"],
        memory: Float[Tensor, "*B S D"],
        mask: Bool[Tensor, "*#M #T #T_all"] | None = None,
        memory_mask: Bool[Tensor, "*#M #T #S"] | None = None,
        cache: Cache | None = None,
    ) -> Float[Tensor, "*B T D"]:
        """Return x with all three sublayers' contributions. Raises TypeError without memory."""
        check_given(memory=memory)

        def attend(x: Tensor) -> Tensor:
            return self.attention(x, mask=mask, cache=cache, need_weights=False)[0]

        def ask(x: Tensor) -> Tensor:
            return self.cross_attention(x, memory, memory_mask, cache, need_weights=False)[0]

        x = self.attention_residual(x, attend)
        x = self.cross_attention_residual(x, ask)
        return self.feed_forward_residual(x, self.feed_forward)


class Stack(nn.Module):
    """Layers one after the other, and a norm at the end (`nn.Identity()` for none)."""

    def __init__(self, layers: Iterable[nn.Module], norm: nn.Module):
        """Store the layers, the first of which reads the embeddings, and the norm."""
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = norm
        self.register_load_state_dict_pre_hook(load_old_names)

    def forward(
        self, x: Float[Tensor, "*B T D"], *context: Tensor | Cache | None
    ) -> Float[Tensor, "*B T D"]:
        """Pass x through all layers, each of which also gets `context`: masks, memory, cache."""
        for layer in self.layers:
            x = layer(x, *context)
        return self.norm(x)
