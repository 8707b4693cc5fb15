"""SmolLM2 in our parts, against Hugging Face's Llama with weights dequantised another way."""

from typing import Any

import gguf
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from transformer_lab.pretrained import answer, instruction
from transformer_lab.pretrained import smollm2 as module
from transformer_lab.pretrained._installed import find_file

PROMPTS = [
    "Once upon a time, in a small village by the sea,",
    "The three primary colours are",
    instruction("What is the capital of France?"),
]
AS_LLAMA: dict[str, Any] = dict(
    vocab_size=49_152,
    hidden_size=576,
    num_attention_heads=9,
    num_key_value_heads=3,
    intermediate_size=1536,
    num_hidden_layers=30,
    max_position_embeddings=8192,
    rms_norm_eps=1e-5,
    rope_parameters={"rope_type": "default", "rope_theta": 100_000.0},
    tie_word_embeddings=True,
)
LLAMA_NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "blk": "model.layers",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_output": "self_attn.o_proj",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


@pytest.fixture(scope="module")
def gguf_file():
    return gguf.GGUFReader(find_file(module.PACKAGE, module.FILE, sha256=module.SHA256))


def dequantise(tensor):
    """GGUF's blocks of 32 weights: a scale (and in Q4_1 a minimum), then 8 or 4 bits for each."""
    shape, kind = tensor.shape.tolist()[::-1], tensor.tensor_type.name
    if kind == "F32":
        return torch.tensor(np.asarray(tensor.data))
    size = {"Q8_0": 2 + 32, "Q4_1": 2 + 2 + 16}[kind]
    blocks = torch.tensor(np.asarray(tensor.data)).reshape(-1, size)
    scale = blocks[:, :2].view(torch.float16).float()
    if kind == "Q8_0":
        return (blocks[:, 2:].view(torch.int8) * scale).reshape(shape)
    low, high = blocks[:, 4:] & 15, blocks[:, 4:] >> 4
    return (torch.cat([low, high], 1) * scale + blocks[:, 2:4].view(torch.float16)).reshape(shape)


@pytest.fixture(scope="module")
def llama(gguf_file):
    """Hugging Face's model; it rotates halves, so queries and keys change the order of features."""
    # Seconds, for the one worker that wants it.
    from transformers import LlamaConfig, LlamaForCausalLM
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

    weights = {}
    for tensor in gguf_file.tensors:
        name, weight = tensor.name, dequantise(tensor)
        if "attn_q" in name or "attn_k" in name:
            weight = weight.unflatten(0, (-1, 32, 2)).transpose(1, 2).flatten(0, 2)
        for theirs, name_here in LLAMA_NAMES.items():
            name = name.replace(theirs, name_here)
        weights[name] = weight
    config = LlamaConfig(**AS_LLAMA, attn_implementation="eager")
    with torch.device("meta"):
        model = LlamaForCausalLM(config)
    model.model.rotary_emb = LlamaRotaryEmbedding(config)
    table = weights["model.embed_tokens.weight"]
    model.load_state_dict(weights | {"lm_head.weight": table}, assign=True)
    return model.eval()


@torch.no_grad()
@pytest.mark.slow
def test_logits_equal_llamas(smollm2, llama):
    ids, real = smollm2.tokenizer.encode(PROMPTS)
    position_ids = (real.cumsum(-1) - 1).clamp(min=0)
    expected = llama(ids, attention_mask=real.long(), position_ids=position_ids).logits
    difference = (smollm2.model(ids, real) - expected)[real].abs().max()
    assert expected[real].abs().max() > 30
    assert difference <= 1e-3


def test_it_answers(smollm2):
    (text,) = answer(smollm2, ["What is the capital of France?"], max_new_tokens=16)
    assert text == "The capital of France is Paris."


@pytest.fixture(scope="module")
def reference_tokenizer(gguf_file):
    """GPT-2's, with these pieces and merges; it alone does not split numbers into digits."""
    from transformers import GPT2Tokenizer

    pieces = gguf_file.fields["tokenizer.ggml.tokens"].contents()
    merges = gguf_file.fields["tokenizer.ggml.merges"].contents()
    return GPT2Tokenizer(
        vocab={piece: id for id, piece in enumerate(pieces)},
        merges=[tuple(merge.split()) for merge in merges],
    )


# Without digits; and without control and unassigned characters, some of which have no piece.
CHARACTERS = st.characters(exclude_categories=["Nd", "Nl", "No", "Cc", "Cn", "Cs"])


@given(text=st.text(CHARACTERS, min_size=1))
def test_ids_are_gpt2s_and_come_back_as_the_text(smollm2, reference_tokenizer, text):
    ids, _ = smollm2.tokenizer.encode([text])
    assert ids[0].tolist() == reference_tokenizer.encode(text)
    assert smollm2.tokenizer.decode(ids) == [text]
