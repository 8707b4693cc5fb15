"""Weights in 8 bits: what is packed can be read again, and is as near as can be."""

import json

import safetensors.torch
import torch

from book._ext import packed_models as packed
from transformer_lab.pretrained import load_translator
from transformer_lab.pretrained._model import dequantise


def test_a_rounded_matrix_is_within_half_a_step_of_each_group():
    weight = torch.randn(5, 96, generator=torch.Generator().manual_seed(0))
    whole, scales = packed.quantise(weight)
    assert (whole.dtype, scales.dtype, scales.shape) == (torch.int8, torch.float16, (5, 3))
    again = dequantise({"w": whole, "w.scale": scales})["w"]
    far = (again - weight).abs().unflatten(-1, (3, 32)).amax(-1)
    assert (far <= 0.51 * scales.float()).all()
    assert whole.abs().amax() <= 127


def test_the_translators_weights_stay_what_they_are():
    ours = dequantise(packed.translator_weights())
    model = load_translator("en-pt").model.state_dict()
    for name, weight in ours.items():
        theirs = model[name][:32_000] if name in (packed.TOKENS, "output.bias") else model[name]
        assert (weight - theirs).abs().max() <= 1e-6 * theirs.abs().max(), name
    shared = {"decoder_embeddings.tokens.weight", "output.weight"}
    assert ours.keys() == model.keys() - shared


def test_the_translators_files_hold_its_tokenizer():
    files = packed.packed_translator()
    weights = safetensors.torch.load(files["translator.safetensors"])
    pieces = files["translator-pieces.txt"].decode().split("\n")
    assert len(pieces) == len(weights["scores"]) == 32_000
    assert json.dumps(pieces[:3]) == '["</s>", "<unk>", ","]'
