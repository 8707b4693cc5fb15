"""Shared by the tests of models: small configurations of every kind, and random weights."""

from dataclasses import replace
from functools import partial

import torch
import torch.nn.functional as F
from hypothesis import settings
from hypothesis import strategies as st
from torch import nn

from transformer_lab.embedding import untied_output
from transformer_lab.feed_forward import FeedForward, SwiGLU
from transformer_lab.model import ModelConfig
from transformer_lab.multi_head import GroupedQueryAttention, MultiHeadAttention
from transformer_lab.norm import LayerNorm, PreNorm, RMSNorm
from transformer_lab.parameters import initialise_normal
from transformer_lab.positional_encoding import (
    ALiBi,
    HalfSplitRotaryPositions,
    LearnedPositions,
    NoPositions,
    RotaryPositions,
)
from transformer_lab.pretrained.bergamot import HalfSplitSinusoidalPositions

V = 11
PAPER = ModelConfig(vocabulary=V, d_model=8, heads=2, d_ff=12, layers=2, start_id=1)
GPT = replace(
    PAPER,
    tokens=nn.Embedding,
    positions=partial(LearnedPositions, max_length=12),
    feed_forward=partial(FeedForward, activation=F.gelu),
    residual=PreNorm,
    final_norm=LayerNorm,
    initialise=initialise_normal,
)
LLAMA = replace(
    GPT,
    heads=4,
    positions=NoPositions,
    attention=partial(GroupedQueryAttention, kv_heads=2, positions=HalfSplitRotaryPositions()),
    feed_forward=SwiGLU,
    norm=RMSNorm,
    final_norm=RMSNorm,
    output=untied_output,
)
CONFIGS = {
    "paper": PAPER,
    "gpt": GPT,
    "llama": LLAMA,
    "multi-query, rotary": replace(
        LLAMA, attention=partial(GroupedQueryAttention, kv_heads=1, positions=RotaryPositions())
    ),
    "marian": replace(PAPER, positions=HalfSplitSinusoidalPositions, decoder_layers=1),
    "bart": replace(
        PAPER, positions=partial(LearnedPositions, max_length=12), embedding_norm=LayerNorm
    ),
    "no positions": replace(GPT, positions=NoPositions),
    "alibi": replace(
        GPT, positions=NoPositions, attention=partial(MultiHeadAttention, positions=ALiBi())
    ),
}
# ALiBi needs causal attention: in both directions it would reward the far future.
IN_BOTH_DIRECTIONS = [name for name in CONFIGS if name != "alibi"]
some = settings(max_examples=settings().max_examples // 6)  # each builds models
lengths, seeds = st.integers(1, 6), st.integers(0, 2**16)


def lively(kind, config, seed=0):
    """Make a model whose every part shows in its logits, in float64."""
    torch.manual_seed(seed)
    model = kind(config).double().eval()
    for p in model.parameters():
        p.data.normal_(std=0.5)
    return model


def ids(batch, length):
    return torch.randint(V, (batch, length))


def between(text, before, after):
    """Put padding, which holds any ids, around a text; say which ids are real."""
    real = torch.zeros(len(text), before + text.size(1) + after, dtype=torch.bool)
    real[:, before : before + text.size(1)] = True
    padded = ids(*real.shape)
    padded[real] = text.flatten()
    return padded, real


#: Of half precision, in spreads of what is expected: 11 and 8 bits of each number are kept.
NEAR = {torch.float16: 0.02, torch.bfloat16: 0.2}


def nearly(ours, expected, share):
    """Hold that no number is further off than this share of their spread."""
    near = share * expected.std().item()
    torch.testing.assert_close(ours.double(), expected, atol=near, rtol=0)


def same(ours, expected):
    torch.testing.assert_close(ours, expected, rtol=1e-10, atol=1e-10)
