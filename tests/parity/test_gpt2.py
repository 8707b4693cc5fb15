"""Our decoder against Hugging Face's GPT-2: pre-norm, learned positions, tied output."""

from functools import partial

import torch
import torch.nn.functional as F
from hypothesis import given
from transformers import GPT2Config, GPT2LMHeadModel

from tests.parity.problems import assert_same, few, problems, rename
from transformer_lab.feed_forward import FeedForward
from transformer_lab.model import DecoderModel, ModelConfig
from transformer_lab.norm import LayerNorm, PreNorm
from transformer_lab.parameters import initialise_normal
from transformer_lab.positional_encoding import LearnedPositions, token_positions

NAMES = {
    "transformer.wte": "embeddings.tokens",
    "transformer.wpe": "embeddings.positions.table",
    "transformer.h": "decoder.layers",
    "transformer.ln_f": "decoder.norm",
    "attn.c_proj": "attention.output",
    "ln_1": "attention_residual.norm",
    "ln_2": "feed_forward_residual.norm",
    "mlp.c_fc": "feed_forward.up",
    "mlp.c_proj": "feed_forward.down",
    "lm_head": "output",
}


def gpt2_weights(theirs):
    """GPT-2 stores matrices as (in, out), and query, key and value as one."""
    weights = {}
    for name, tensor in theirs.items():
        if ".attn.c_" in name or ".mlp.c_" in name:
            tensor = tensor.mT if tensor.dim() == 2 else tensor
        if "attn.c_attn" in name:
            for part, piece in zip(("query", "key", "value"), tensor.chunk(3), strict=True):
                weights[name.replace("attn.c_attn", f"attention.{part}")] = piece
        else:
            weights[name] = tensor
    return rename(weights, NAMES)


def gpt2_config(theirs):
    return ModelConfig(
        vocabulary=theirs.vocab_size,
        d_model=theirs.n_embd,
        heads=theirs.n_head,
        d_ff=theirs.n_inner,
        layers=theirs.n_layer,
        tokens=torch.nn.Embedding,
        positions=partial(LearnedPositions, max_length=theirs.n_positions),
        feed_forward=partial(FeedForward, activation=partial(F.gelu, approximate="tanh")),
        norm=partial(LayerNorm, eps=theirs.layer_norm_epsilon),
        final_norm=partial(LayerNorm, eps=theirs.layer_norm_epsilon),
        residual=PreNorm,
        initialise=initialise_normal,
    )


@given(problems())
@few
def test_logits_equal_gpt2(problem):
    config = GPT2Config(
        vocab_size=problem.vocabulary,
        n_embd=problem.d_model,
        n_head=problem.heads,
        n_inner=problem.d_ff,
        n_layer=problem.layers,
        n_positions=12,
        attn_implementation="eager",
    )
    theirs = problem.random_weights(GPT2LMHeadModel(config))
    ours = DecoderModel(gpt2_config(config)).to(problem.dtype).eval()
    ours.load_state_dict(gpt2_weights(theirs.state_dict()))
    ids, real = problem.ids(problem.length), problem.real(problem.length)
    expected = theirs(ids, attention_mask=real.long(), position_ids=token_positions(real)).logits
    assert_same(ours(ids, real)[real], expected[real], problem.dtype)
