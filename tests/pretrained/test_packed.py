"""Weights in 8 bits: what is packed can be read again, and is as near as can be."""

import json

import pytest
import safetensors.torch
import torch

from tests.stated import PAGE
from transformer_lab.pretrained import load_translator, packed


def test_a_rounded_matrix_is_within_half_a_step_of_each_group():
    weight = torch.randn(5, 96, generator=torch.Generator().manual_seed(0))
    whole, scales = packed.quantise(weight)
    assert (whole.dtype, scales.dtype, scales.shape) == (torch.int8, torch.float16, (5, 3))
    again = packed.dequantise({"w": whole, "w.scale": scales})["w"]
    far = (again - weight).abs().unflatten(-1, (3, 32)).amax(-1)
    assert (far <= 0.51 * scales.float()).all()
    assert whole.abs().amax() <= 127


def test_of_the_scales_the_one_is_taken_that_loses_least():
    weight = torch.randn(200, 32, generator=torch.Generator().manual_seed(0))
    again = packed.dequantise(dict(zip(("w", "w.scale"), packed.quantise(weight), strict=True)))
    scale = (weight.abs().amax(-1, keepdim=True) / 127).half().float()
    plain = (weight / scale).round() * scale
    assert (again["w"] - weight).square().mean() < 0.9 * (plain - weight).square().mean()


def test_a_matrix_of_nothing_stays_nothing():
    whole, scales = packed.quantise(torch.zeros(2, 32))
    assert not packed.dequantise({"w": whole, "w.scale": scales})["w"].any()


def test_a_width_that_makes_no_groups_is_refused():
    with pytest.raises(ValueError, match="multiple of 32, but is 33"):
        packed.quantise(torch.zeros(2, 33))


def test_the_translators_weights_stay_what_they_are():
    ours = packed.dequantise(packed.translator_weights())
    model = load_translator("en-pt").model.state_dict()
    for name, weight in ours.items():
        theirs = model[name][:32_000] if name in (packed.TOKENS, "output.bias") else model[name]
        assert (weight - theirs).abs().max() <= 1e-6 * theirs.abs().max(), name
    shared = {"decoder_embeddings.tokens.weight", "output.weight"}
    assert ours.keys() == model.keys() - shared


def test_the_table_of_tokens_lies_in_parts():
    files = packed.packed_minilm()
    parts = [name for name in files if "-tokens-" in name]
    assert len(parts) == 120
    assert "MiniLM's table of tokens comes in 120 parts" in PAGE.read_text("utf8")
    last = safetensors.torch.load(files["minilm-tokens-119.safetensors"])
    assert last["weight"].shape == (30_522 - 119 * 256, 384)
    words = files["minilm-vocabulary.txt"].decode().split("\n")
    assert (len(words), words[101], words[1996]) == (30_522, "[CLS]", "the")


def test_the_translators_files_hold_its_tokenizer():
    files = packed.packed_translator()
    weights = safetensors.torch.load(files["translator.safetensors"])
    pieces = files["translator-pieces.txt"].decode().split("\n")
    assert len(pieces) == len(weights["scores"]) == 32_000
    assert json.dumps(pieces[:3]) == '["</s>", "<unk>", ","]'
