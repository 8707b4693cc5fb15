"""The block walk: the translator's operations against a layer written with torch's functions."""

import linecache
import math

import pytest
import torch
import torch.nn.functional as F

from transformer_lab.trace import ablate_heads
from transformer_lab.widgets import BlockWalk
from transformer_lab.widgets._real import real_model
from transformer_lab.widgets.block_walk import FEATURES, SENTENCES, walk

pytestmark = pytest.mark.usefixtures("as_readers_run_it")  # it would take most of their time


def by_name(part, sentence=SENTENCES[0]):
    return {o.name: o for o in walk(sentence) if o.part == part}


def test_the_first_layer_is_the_one_written_out_with_torchs_functions():
    translator = real_model("translator")
    ids, _ = translator.tokenizer.encode([SENTENCES[0]])
    model, layer = translator.model, translator.model.encoder.layers[0]
    seen = by_name("encoder.layers.0")

    def linear(x, name):
        module = layer.get_submodule(name)
        return F.linear(x, module.weight, module.bias)

    def normal(x, name):
        norm = layer.get_submodule(name)
        return F.layer_norm(x, (256,), norm.weight, norm.bias, eps=1e-6)

    x = model.embeddings(ids)[0]
    q, k, v = (linear(x, f"attention.{name}") for name in ("query", "key", "value"))
    weights = (q[:, :32] @ k[:, :32].T / math.sqrt(32)).softmax(-1)
    heads = [t.unflatten(-1, (8, 32)).transpose(0, 1)[None] for t in (q, k, v)]
    mixed = F.scaled_dot_product_attention(*heads)[0].transpose(0, 1).flatten(1)
    output = linear(mixed, "attention.output")
    between = normal(x + output, "attention_residual.norm")
    wide = linear(between, "feed_forward.up")
    narrow = linear(wide.relu(), "feed_forward.down")
    expected = {
        "attention.query": q,
        "attention.key": k,
        "attention.value": v,
        "attention.weights": weights,
        "attention.output": output,
        "attention_residual.norm": between,
        "feed_forward.up": wide,
        "feed_forward.down": narrow,
        "feed_forward_residual.norm": normal(between + narrow, "feed_forward_residual.norm"),
    }
    assert list(seen) == list(expected), "in the order in which they are done"
    for name, values in expected.items():
        first = seen[name].values if name != "attention.weights" else seen[name].values[0]
        torch.testing.assert_close(first, values[:, :FEATURES], rtol=1e-4, atol=1e-4)
        shape = f"= {tuple(values.shape)}" if name != "attention.weights" else "= (8, 6, 6)"
        assert seen[name].shape.endswith(shape)


def test_the_last_steps_choose_the_translation():
    output = by_name("output")
    scores, chosen = output["output"], output["choose"]
    assert chosen.columns == scores.columns == ["O", "gato", "come", "peixe", "</s>"]
    assert chosen.rows == ["(start)", "O", "gato", "come", "peixe"]
    assert chosen.values.argmax(-1).tolist() == [0, 1, 2, 3, 4]
    assert chosen.values.diagonal().min() > 0.8
    assert (scores.values.diagonal() > 5).all()
    assert (
        by_name("decoder.layers.1")["cross_attention.weights"].values[0, 1, 1] > 0.95
    )  # gato: cat


def test_each_line_of_code_stands_where_it_is_said_to_stand():
    for operation in walk(SENTENCES[0]):
        line = operation.line
        assert linecache.getline(line.file, line.number).strip() == line.text
    layer = by_name("encoder.layers.0")
    assert "self.query(" in layer["attention.query"].line.text
    assert layer["attention.weights"].line.text == "weights = scores.softmax(dim=-1)"
    assert "argmax" in by_name("output")["choose"].line.text


def test_silent_heads_of_both_kinds_of_layers_are_torchs_ablation():
    translator = real_model("translator")
    ids, _ = translator.tokenizer.encode(["The cat eats fish."])
    encoder, decoder = translator.model.encoder.layers, translator.model.decoder.layers
    with (
        ablate_heads(encoder[2].attention, [3]),
        ablate_heads(decoder[0].cross_attention, [5]),
        torch.no_grad(),
    ):
        memory = translator.model.encode(ids)[0]
    changed = walk("The cat eats fish.", ((2, 3), (6, 5)))
    last = {o.name: o for o in changed if o.part == "encoder.layers.5"}[
        "feed_forward_residual.norm"
    ]
    torch.testing.assert_close(last.values, memory[:, :FEATURES], rtol=0, atol=1e-5)
    sentence = ["The", "cat", "eats", "fish."]
    frame = BlockWalk(model="translator", tokens=sentence, silent=[[6, 5]]).frame
    assert frame["outcome"] == ["“O gato gato começ”", "“O gato come peixe.”"]
