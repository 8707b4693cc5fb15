"""transformer_lab.layers: sublayers in order, each in its wiring; parts that can be exchanged."""

from functools import partial

import pytest
import torch
from torch import nn

from transformer_lab.cache import Cache
from transformer_lab.feed_forward import SwiGLU
from transformer_lab.layers import DecoderLayer, EncoderLayer, Stack
from transformer_lab.masking import causal_mask, padding_mask
from transformer_lab.multi_head import GroupedQueryAttention, MultiHeadAttention
from transformer_lab.norm import LayerNorm, PostNorm, PreNorm, RMSNorm
from transformer_lab.positional_encoding import ALiBi, RotaryPositions

SIZES = dict(d_model=8, heads=2, d_ff=12)
REAL = torch.tensor([[True, True, True, False, False], [True] * 5])


@pytest.fixture
def x():
    torch.manual_seed(0)
    return torch.randn(2, 3, 8)


@pytest.fixture
def memory():
    return torch.randn(2, 5, 8)


def test_encoder_layer_attends_then_thinks(x):
    layer, mask = EncoderLayer(**SIZES, residual=PreNorm), causal_mask(3)
    first, second = layer.attention_residual.norm, layer.feed_forward_residual.norm
    y = x + layer.attention(first(x), mask=mask)[0]
    torch.testing.assert_close(layer(x, mask), y + layer.feed_forward(second(y)))


def test_decoder_layer_attends_asks_then_thinks(x, memory):
    layer, mask, memory_mask = DecoderLayer(**SIZES), causal_mask(3), padding_mask(REAL)
    y = layer.attention_residual.norm(x + layer.attention(x, mask=mask)[0])
    asked = layer.cross_attention(y, memory, memory_mask)[0]
    y = layer.cross_attention_residual.norm(y + asked)
    y = layer.feed_forward_residual.norm(y + layer.feed_forward(y))
    torch.testing.assert_close(layer(x, memory, mask, memory_mask), y)


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


@pytest.mark.parametrize("layer", [EncoderLayer, DecoderLayer])
@pytest.mark.parametrize("positions", [None, RotaryPositions(), ALiBi()])
def test_a_layer_with_a_cache_of_its_own_reads_bit_by_bit_as_at_once(layer, positions):
    torch.manual_seed(0)
    alone = layer(**SIZES, attention=partial(MultiHeadAttention, positions=positions)).double()
    x, memory, cache = torch.randn(2, 5, 8).double(), torch.randn(2, 3, 8).double(), Cache()
    asked = () if layer is EncoderLayer else (memory,)
    expected = alone(x, *asked, causal_mask(5))
    pieces = [alone(x[:, t : t + 1], *asked, causal_mask(1, past=t), cache=cache) for t in range(5)]
    torch.testing.assert_close(torch.cat(pieces, dim=1), expected)


def test_a_memory_of_another_batch_is_refused(as_readers_run_it, x, memory):
    with pytest.raises(ValueError, match="batch"):
        DecoderLayer(**SIZES)(x[:1], memory)


def test_a_stack_is_its_layers_then_its_norm(x):
    layers, norm, mask = (
        [EncoderLayer(**SIZES) for _ in range(3)],
        LayerNorm(d_model=8),
        causal_mask(3),
    )
    nn.init.normal_(norm.weight)
    expected = x
    for layer in layers:
        expected = layer(expected, mask)
    torch.testing.assert_close(Stack(layers, norm)(x, mask), norm(expected))
    assert torch.equal(Stack([], nn.Identity())(x), x)
