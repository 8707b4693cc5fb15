"""benchmarks.smollm2 compares like with like: the same weights write the same."""

from functools import partial

import pytest
import torch
from torch import nn
from transformers import LlamaConfig

from benchmarks import smollm2
from transformer_lab.feed_forward import SwiGLU
from transformer_lab.model import DecoderModel, ModelConfig
from transformer_lab.multi_head import GroupedQueryAttention
from transformer_lab.norm import PreNorm, RMSNorm
from transformer_lab.parameters import initialise_normal
from transformer_lab.positional_encoding import NoPositions, RotaryPositions
from transformer_lab.pretrained.smollm2 import SMOLLM2

SMALL = dict(vocabulary=50, d_model=24, heads=6, d_ff=32, layers=2)


@pytest.fixture
def pair():
    """A small model of the same kind, and Hugging Face's with its weights."""
    attention = partial(
        GroupedQueryAttention, kv_heads=3, bias=False, positions=RotaryPositions(base=100_000.0)
    )
    norm = partial(RMSNorm, eps=1e-5)
    config = ModelConfig(
        **SMALL, tokens=nn.Embedding, positions=NoPositions, attention=attention,
        feed_forward=SwiGLU, norm=norm, final_norm=norm, residual=PreNorm,
        initialise=initialise_normal,
    )  # fmt: skip
    llama = smollm2.LLAMA.to_dict() | dict(
        vocab_size=50, hidden_size=24, num_attention_heads=6, num_key_value_heads=3, head_dim=4,
        intermediate_size=32, num_hidden_layers=2,
    )  # fmt: skip
    ours = DecoderModel(config).eval()
    return ours, smollm2.as_llama(ours, LlamaConfig(**llama))


def test_both_have_the_same_weights(pair):
    ours, theirs = pair
    ids = torch.randint(50, (2, 9), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        torch.testing.assert_close(ours(ids), theirs(ids).logits)


def test_the_sizes_are_smollm2s():
    theirs = smollm2.LLAMA
    sizes = (theirs.vocab_size, theirs.hidden_size, theirs.num_attention_heads)
    assert sizes == (SMOLLM2.vocabulary, SMOLLM2.d_model, SMOLLM2.heads)
    inside = (theirs.intermediate_size, theirs.num_hidden_layers, theirs.head_dim)
    assert inside == (SMOLLM2.d_ff, SMOLLM2.layers, SMOLLM2.d_model // SMOLLM2.heads)


def test_who_writes_otherwise_is_not_timed(pair):
    ours, theirs = pair
    prompt = torch.arange(5)[None]
    assert len({way().shape for way in smollm2.ways(ours, theirs, prompt, 3).values()}) == 1
    theirs.model.norm.weight.data.neg_()
    with pytest.raises(AssertionError, match="other tokens"):
        smollm2.ways(ours, theirs, prompt, 3)
