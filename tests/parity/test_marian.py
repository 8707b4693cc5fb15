"""Our encoder-decoder against Hugging Face's Marian and BART: post-norm, one shared table."""

from functools import partial

import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from transformers import BartConfig, BartForConditionalGeneration, MarianConfig, MarianMTModel

from tests.parity.problems import assert_same, few, problems, rename
from transformer_lab.embedding import ScaledEmbedding, TiedOutput
from transformer_lab.feed_forward import FeedForward
from transformer_lab.model import EncoderDecoderModel, ModelConfig
from transformer_lab.norm import LayerNorm, PostNorm
from transformer_lab.positional_encoding import (
    LearnedPositions,
)
from transformer_lab.pretrained.bergamot import (
    HalfSplitSinusoidalPositions,
    half_split_sinusoidal_encoding,
)

NAMES = {
    "model.decoder.embed_tokens": "decoder_embeddings.tokens",
    "model.decoder.embed_positions": "decoder_embeddings.positions.table",
    "model.decoder.layernorm_embedding": "decoder_embeddings.norm",
    "model.encoder.embed_tokens": "embeddings.tokens",
    "model.encoder.embed_positions": "embeddings.positions.table",
    "model.encoder.layernorm_embedding": "embeddings.norm",
    "model.": "",
    "self_attn_layer_norm": "attention_residual.norm",
    "encoder_attn_layer_norm": "cross_attention_residual.norm",
    "final_layer_norm": "feed_forward_residual.norm",
    "self_attn": "attention",
    "encoder_attn": "cross_attention",
    "q_proj": "query",
    "k_proj": "key",
    "v_proj": "value",
    "out_proj": "output",
    "fc1": "feed_forward.up",
    "fc2": "feed_forward.down",
    "lm_head.weight": "output.weight",
    "final_logits_bias": "output.bias",
}
ACTIVATIONS = {"gelu": F.gelu, "relu": F.relu, "swish": F.silu}


def weights(theirs, without):
    kept = {name: x for name, x in theirs.items() if not any(part in name for part in without)}
    kept["final_logits_bias"] = kept["final_logits_bias"][0]
    return rename(kept, NAMES)


def common_config(theirs, **parts):
    return ModelConfig(
        vocabulary=theirs.vocab_size,
        d_model=theirs.d_model,
        heads=theirs.encoder_attention_heads,
        d_ff=theirs.encoder_ffn_dim,
        layers=theirs.encoder_layers,
        decoder_layers=theirs.decoder_layers,
        tokens=ScaledEmbedding if theirs.scale_embedding else nn.Embedding,
        feed_forward=partial(FeedForward, activation=ACTIVATIONS[theirs.activation_function]),
        norm=LayerNorm,
        residual=PostNorm,
        output=partial(TiedOutput, bias=True),
        **parts,
    )


def theirs_config(kind, problem, activation, scaled):
    return kind(
        vocab_size=problem.vocabulary,
        d_model=problem.d_model,
        encoder_layers=problem.layers,
        decoder_layers=4 - problem.layers,
        encoder_attention_heads=problem.heads,
        decoder_attention_heads=problem.heads,
        encoder_ffn_dim=problem.d_ff,
        decoder_ffn_dim=problem.d_ff,
        activation_function=activation,
        scale_embedding=scaled,
        max_position_embeddings=12,
        pad_token_id=0,
        bos_token_id=0,
        eos_token_id=1,
        forced_eos_token_id=1,
        decoder_start_token_id=0,
        attn_implementation="eager",
    )


def assert_same_logits(ours, theirs, problem):
    source, source_real = problem.ids(problem.source_length), problem.real(problem.source_length)
    ids, real = problem.ids(problem.length), problem.real(problem.length)
    expected = theirs(
        source,
        attention_mask=source_real.long(),
        decoder_input_ids=ids,
        decoder_attention_mask=real.long(),
    ).logits
    assert_same(ours(source, ids, source_real, real)[real], expected[real], problem.dtype)


def random_weights(problem, theirs):
    theirs.final_logits_bias.normal_(generator=problem.generator)
    return problem.random_weights(theirs)


@given(problems(paddings=["none", "right"]), st.sampled_from(list(ACTIVATIONS)), st.booleans())
@few
def test_logits_equal_marian(problem, activation, scaled):
    config = theirs_config(MarianConfig, problem, activation, scaled)
    theirs = random_weights(problem, MarianMTModel(config))
    if problem.dtype == torch.float64:  # their table was rounded to float32
        exact = half_split_sinusoidal_encoding(
            torch.arange(12), problem.d_model, dtype=torch.float64
        )
        for half in (theirs.model.encoder, theirs.model.decoder):
            torch.testing.assert_close(half.embed_positions.weight, exact, atol=1e-6, rtol=0)
            half.embed_positions.weight.copy_(exact)
    ours = EncoderDecoderModel(common_config(config, positions=HalfSplitSinusoidalPositions))
    ours = ours.to(problem.dtype).eval()
    ours.load_state_dict(weights(theirs.state_dict(), without=["shared", "embed_positions"]))
    assert_same_logits(ours, theirs, problem)


@given(problems(paddings=["none", "right"]), st.sampled_from(list(ACTIVATIONS)), st.booleans())
@few
def test_logits_equal_bart(problem, activation, scaled):
    config = theirs_config(BartConfig, problem, activation, scaled)
    theirs = random_weights(problem, BartForConditionalGeneration(config))
    ours = EncoderDecoderModel(
        common_config(
            config,
            positions=partial(LearnedPositions, max_length=config.max_position_embeddings),
            embedding_norm=LayerNorm,
        )
    )
    ours = ours.to(problem.dtype).eval()
    loaded = weights(theirs.state_dict(), without=["shared"])
    for half in ("embeddings", "decoder_embeddings"):  # BART counts positions from 2
        loaded[f"{half}.positions.table.weight"] = loaded[f"{half}.positions.table.weight"][2:]
    ours.load_state_dict(loaded)
    assert_same_logits(ours, theirs, problem)
