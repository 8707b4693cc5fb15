"""Our blocks against torch.nn's: attention, an encoder layer, the whole Transformer."""

from functools import partial

import pytest
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tests.parity.problems import assert_same, few, problems, rename
from transformer_lab.feed_forward import FeedForward
from transformer_lab.layers import DecoderLayer, EncoderLayer, Stack
from transformer_lab.masking import causal_mask, padding_mask, to_blocked
from transformer_lab.multi_head import MultiHeadAttention
from transformer_lab.norm import LayerNorm, PostNorm, PreNorm

ATTENTION = {"out_proj": "output"}
ENCODER = {
    "self_attn.": "attention.",
    "linear1": "feed_forward.up",
    "linear2": "feed_forward.down",
    "norm1": "attention_residual.norm",
    "norm2": "feed_forward_residual.norm",
}
DECODER = {
    "multihead_attn.": "cross_attention.",
    "norm2": "cross_attention_residual.norm",
    "norm3": "feed_forward_residual.norm",
}
WIRINGS = {"post-norm": PostNorm, "pre-norm": PreNorm}


def weights(theirs, table):
    unpacked = {}
    for name, tensor in theirs.state_dict().items():
        if "in_proj_" in name:
            for part, piece in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                unpacked[name.replace("in_proj_", f"{part}.")] = piece
        else:
            unpacked[name] = tensor
    return rename(unpacked, table | ATTENTION)


@given(problems(paddings=["none", "right"]), st.booleans(), st.booleans())
@few
def test_multi_head_attention(problem, bias, crosses):
    theirs = problem.random_weights(
        nn.MultiheadAttention(problem.d_model, problem.heads, bias=bias, batch_first=True)
    )
    ours = MultiHeadAttention(d_model=problem.d_model, heads=problem.heads, bias=bias)
    ours.to(problem.dtype).load_state_dict(weights(theirs, {}))
    x, memory = problem.vectors(problem.length), problem.vectors(problem.source_length)
    memory = memory if crosses else x
    real = problem.real(memory.size(1))
    output, heads = ours(x, memory, padding_mask(real))
    expected, their_heads = theirs(
        x, memory, memory, key_padding_mask=to_blocked(real), average_attn_weights=False
    )
    assert_same(output, expected, problem.dtype)
    assert_same(heads, their_heads, problem.dtype)


@pytest.mark.parametrize("wiring", WIRINGS)
@given(problem=problems(), activation=st.sampled_from([F.relu, F.gelu]), causal=st.booleans())
@few
def test_encoder_layer(wiring, problem, activation, causal):
    theirs = problem.random_weights(
        nn.TransformerEncoderLayer(
            problem.d_model,
            problem.heads,
            problem.d_ff,
            dropout=0.0,
            activation=activation,
            batch_first=True,
            norm_first=wiring == "pre-norm",
        )
    )
    ours = EncoderLayer(
        d_model=problem.d_model,
        heads=problem.heads,
        d_ff=problem.d_ff,
        feed_forward=partial(FeedForward, activation=activation),
        residual=WIRINGS[wiring],
    ).to(problem.dtype)
    ours.load_state_dict(weights(theirs, ENCODER))
    x, real = problem.vectors(problem.length), problem.real(problem.length)
    future = causal_mask(problem.length)
    mask = padding_mask(real) & future if causal else padding_mask(real)
    expected = theirs(
        x, src_mask=to_blocked(future) if causal else None, src_key_padding_mask=to_blocked(real)
    )
    assert_same(ours(x, mask)[real], expected[real], problem.dtype)


# It warns that it will not take its fast path, which we do not ask for.
@pytest.mark.filterwarnings("ignore:enable_nested_tensor is True:UserWarning")
@pytest.mark.parametrize("wiring", WIRINGS)
@given(problem=problems(paddings=["none", "right"]))
@few
def test_transformer(wiring, problem):
    sizes = dict(d_model=problem.d_model, heads=problem.heads, d_ff=problem.d_ff)
    theirs = problem.random_weights(
        nn.Transformer(
            problem.d_model,
            problem.heads,
            num_encoder_layers=problem.layers,
            num_decoder_layers=4 - problem.layers,
            dim_feedforward=problem.d_ff,
            dropout=0.0,
            batch_first=True,
            norm_first=wiring == "pre-norm",
        )
    )
    encoder, decoder = (
        Stack(
            [layer(**sizes, residual=WIRINGS[wiring]) for _ in range(depth)],
            LayerNorm(d_model=problem.d_model),
        ).to(problem.dtype)
        for layer, depth in [(EncoderLayer, problem.layers), (DecoderLayer, 4 - problem.layers)]
    )
    encoder.load_state_dict(weights(theirs.encoder, ENCODER))
    decoder.load_state_dict(weights(theirs.decoder, ENCODER | DECODER))
    source, source_real = (
        problem.vectors(problem.source_length),
        problem.real(problem.source_length),
    )
    x, real, future = (
        problem.vectors(problem.length),
        problem.real(problem.length),
        causal_mask(problem.length),
    )
    memory = encoder(source, padding_mask(source_real))
    output = decoder(x, memory, future & padding_mask(real), padding_mask(source_real))
    expected = theirs(
        source,
        x,
        tgt_mask=to_blocked(future),
        src_key_padding_mask=to_blocked(source_real),
        tgt_key_padding_mask=to_blocked(real),
        memory_key_padding_mask=to_blocked(source_real),
    )
    assert_same(output[real], expected[real], problem.dtype)
