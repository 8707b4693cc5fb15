"""Our decoder against Hugging Face's Llama: RMSNorm, rotary, grouped queries, SwiGLU, no biases."""

from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM

from tests.parity.problems import assert_same, few, problems, rename
from transformer_lab.embedding import TiedOutput, untied_output
from transformer_lab.feed_forward import SwiGLU
from transformer_lab.model import DecoderModel, ModelConfig
from transformer_lab.multi_head import GroupedQueryAttention
from transformer_lab.norm import PreNorm, RMSNorm
from transformer_lab.parameters import initialise_normal
from transformer_lab.positional_encoding import HalfSplitRotaryPositions, NoPositions

NAMES = {
    "model.embed_tokens": "embeddings.tokens",
    "model.layers": "decoder.layers",
    "model.norm": "decoder.norm",
    "input_layernorm": "attention_residual.norm",
    "post_attention_layernorm": "feed_forward_residual.norm",
    "self_attn.q_proj": "attention.query",
    "self_attn.k_proj": "attention.key",
    "self_attn.v_proj": "attention.value",
    "self_attn.o_proj": "attention.output",
    "mlp.gate_proj": "feed_forward.gate",
    "mlp.up_proj": "feed_forward.up",
    "mlp.down_proj": "feed_forward.down",
    "lm_head": "output",
}


def llama_config(theirs):
    norm = partial(RMSNorm, eps=theirs.rms_norm_eps)
    return ModelConfig(
        vocabulary=theirs.vocab_size,
        d_model=theirs.hidden_size,
        heads=theirs.num_attention_heads,
        d_ff=theirs.intermediate_size,
        layers=theirs.num_hidden_layers,
        tokens=nn.Embedding,
        positions=NoPositions,
        attention=partial(
            GroupedQueryAttention,
            kv_heads=theirs.num_key_value_heads,
            bias=False,
            positions=HalfSplitRotaryPositions(base=theirs.rope_parameters["rope_theta"]),
        ),
        feed_forward=SwiGLU,
        norm=norm,
        final_norm=norm,
        residual=PreNorm,
        output=TiedOutput if theirs.tie_word_embeddings else untied_output,
        initialise=initialise_normal,
    )


class ExactAngles(nn.Module):
    """The angles of Llama's rotations, in the model's own dtype."""

    def __init__(self, d_k, base):
        super().__init__()
        self.d_k, self.base = d_k, base

    def forward(self, x, position_ids):
        steps = [self.base ** (-2 * i / self.d_k) for i in range(self.d_k // 2)] * 2
        radians = position_ids[..., None].to(x.dtype) * torch.tensor(steps, dtype=x.dtype)
        return radians.cos(), radians.sin()


def in_float64(theirs, d_k, base):
    """Hugging Face computes angles and norms in float32 whatever the dtype: mend that."""
    theirs.model.rotary_emb = ExactAngles(d_k, base)
    for name, norm in list(theirs.named_modules()):
        if type(norm).__name__ == "LlamaRMSNorm":
            exact = nn.RMSNorm(norm.weight.numel(), eps=norm.variance_epsilon).double()
            exact.load_state_dict(norm.state_dict())
            theirs.set_submodule(name, exact)


@pytest.mark.parametrize("kv_heads", ["one", "half", "all"])
@given(problem=problems(), tied=st.booleans(), base=st.sampled_from([100.0, 10_000.0]))
@few
def test_logits_equal_llama(kv_heads, problem, tied, base):
    heads = 2 * problem.heads
    config = LlamaConfig(
        vocab_size=problem.vocabulary,
        hidden_size=2 * problem.d_model,
        num_attention_heads=heads,
        num_key_value_heads={"one": 1, "half": heads // 2, "all": heads}[kv_heads],
        intermediate_size=problem.d_ff,
        num_hidden_layers=problem.layers,
        rope_parameters={"rope_type": "default", "rope_theta": base},
        tie_word_embeddings=tied,
        # The eager softmax is float32 whatever the dtype; the fused one is not.
        attn_implementation="eager" if problem.dtype == torch.float32 else "sdpa",
    )
    theirs = problem.random_weights(LlamaForCausalLM(config))
    if problem.dtype == torch.float64:
        in_float64(theirs, problem.d_k, base)
    ours = DecoderModel(llama_config(config)).to(problem.dtype).eval()
    ours.load_state_dict(rename(theirs.state_dict(), NAMES))
    ids, real = problem.ids(problem.length), problem.real(problem.length)
    position_ids = (real.cumsum(-1) - 1).clamp(min=0)
    expected = theirs(ids, attention_mask=real.long(), position_ids=position_ids).logits
    assert_same(ours(ids, real)[real], expected[real], problem.dtype)
