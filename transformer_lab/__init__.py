"""Transformer Lab: the parts of a Transformer, small enough to read, right enough to run."""

from typing import Any

from transformer_lab.attention import AttentionHead, scaled_dot_product_attention
from transformer_lab.embedding import Embeddings, ScaledEmbedding, TiedOutput, untied_output
from transformer_lab.feed_forward import FeedForward, SwiGLU
from transformer_lab.layers import DecoderLayer, EncoderLayer, Stack
from transformer_lab.loss import IGNORED, shift_right, token_loss
from transformer_lab.masking import (
    causal_mask,
    cross_mask,
    from_additive,
    from_blocked,
    padding_mask,
    sliding_window_mask,
    to_additive,
    to_blocked,
)
from transformer_lab.model import (
    PAPER_BASE,
    DecoderModel,
    EncoderDecoderModel,
    EncoderModel,
    ModelConfig,
)
from transformer_lab.multi_head import (
    GroupedQueryAttention,
    MultiHeadAttention,
    merge_heads,
    separate_heads,
    split_heads,
)
from transformer_lab.norm import LayerNorm, PostNorm, PreNorm, RMSNorm, layer_norm, rms_norm
from transformer_lab.parameters import count_parameters, initialise_normal, initialise_paper
from transformer_lab.positional_encoding import (
    ALiBi,
    HalfSplitRotaryPositions,
    HalfSplitSinusoidalPositions,
    LearnedPositions,
    NoPositions,
    RotaryPositions,
    SinusoidalPositions,
    alibi_slopes,
    half_split_sinusoidal_encoding,
    rotate_halves,
    rotate_pairs,
    sinusoidal_encoding,
)

__all__ = [
    "IGNORED",
    "PAPER_BASE",
    "ALiBi",
    "AttentionHead",
    "DecoderLayer",
    "DecoderModel",
    "Embeddings",
    "EncoderDecoderModel",
    "EncoderLayer",
    "EncoderModel",
    "FeedForward",
    "GroupedQueryAttention",
    "HalfSplitRotaryPositions",
    "HalfSplitSinusoidalPositions",
    "LayerNorm",
    "LearnedPositions",
    "ModelConfig",
    "MultiHeadAttention",
    "NoPositions",
    "PostNorm",
    "PreNorm",
    "RMSNorm",
    "RotaryPositions",
    "ScaledEmbedding",
    "SinusoidalPositions",
    "Stack",
    "SwiGLU",
    "TiedOutput",
    "alibi_slopes",
    "causal_mask",
    "check",
    "count_parameters",
    "cross_mask",
    "from_additive",
    "from_blocked",
    "half_split_sinusoidal_encoding",
    "initialise_normal",
    "initialise_paper",
    "layer_norm",
    "merge_heads",
    "padding_mask",
    "rms_norm",
    "rotate_halves",
    "rotate_pairs",
    "scaled_dot_product_attention",
    "separate_heads",
    "shift_right",
    "sinusoidal_encoding",
    "sliding_window_mask",
    "split_heads",
    "to_additive",
    "to_blocked",
    "token_loss",
    "untied_output",
]


def __getattr__(name: str) -> Any:
    """Load `check` only when a notebook asks for it: the grader stays out of a plain import."""
    if name == "check":
        from transformer_lab.grading.live import check

        return check
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
