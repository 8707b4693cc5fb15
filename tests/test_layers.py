"""transformer_lab.layers: sublayers in order, each in its wiring; parts that can be exchanged."""

from functools import partial

import pytest
import torch

from transformer_lab.feed_forward import SwiGLU
from transformer_lab.layers import DecoderLayer, EncoderLayer
from transformer_lab.multi_head import GroupedQueryAttention
from transformer_lab.norm import LayerNorm, PostNorm, PreNorm, RMSNorm

SIZES = dict(d_model=8, heads=2, d_ff=12)


@pytest.fixture
def x():
    torch.manual_seed(0)
    return torch.randn(2, 3, 8)


@pytest.fixture
def memory():
    return torch.randn(2, 5, 8)


@pytest.mark.parametrize("layer", [EncoderLayer, DecoderLayer])
def test_parts_can_be_exchanged(layer, x, memory):
    exchanged = layer(
        **SIZES,
        attention=partial(GroupedQueryAttention, kv_heads=1),
        feed_forward=SwiGLU,
        norm=RMSNorm,
        residual=PreNorm,
    )
    kinds = {type(part) for part in exchanged.modules()}
    assert {GroupedQueryAttention, SwiGLU, RMSNorm, PreNorm} <= kinds
    assert not {LayerNorm, PostNorm} & kinds
    context = (x,) if layer is EncoderLayer else (x, memory)
    assert exchanged(*context).shape == x.shape


@pytest.mark.parametrize("layer", [EncoderLayer, DecoderLayer])
def test_dropout_falls_on_every_sublayer_and_only_in_training(layer, x, memory):
    dropping = layer(**SIZES, dropout=1.0, residual=PreNorm)
    context = (x,) if layer is EncoderLayer else (x, memory)
    assert torch.equal(dropping(*context), x)
    assert not torch.allclose(dropping.eval()(*context), x)
