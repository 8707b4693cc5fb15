"""transformer_lab.trace: it sees everything, names it rightly, and leaves nothing behind."""

import inspect
import itertools
from dataclasses import replace
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from transformer_lab import layers, multi_head, norm
from transformer_lab.feed_forward import SwiGLU
from transformer_lab.model import DecoderModel, EncoderDecoderModel, EncoderModel, ModelConfig
from transformer_lab.multi_head import GroupedQueryAttention, MultiHeadAttention
from transformer_lab.norm import PreNorm, RMSNorm
from transformer_lab.positional_encoding import NoPositions, RotaryPositions
from transformer_lab.trace import ablate_heads, trace

PAPER = ModelConfig(vocabulary=11, d_model=8, heads=4, d_ff=12, layers=2)
LLAMA = replace(
    PAPER,
    positions=NoPositions,
    attention=partial(GroupedQueryAttention, kv_heads=2, positions=RotaryPositions()),
    feed_forward=SwiGLU,
    norm=RMSNorm,
    residual=PreNorm,
    final_norm=RMSNorm,
)
IDS = torch.randint(11, (2, 5), generator=torch.Generator().manual_seed(0))
SOURCE = torch.randint(11, (2, 7), generator=torch.Generator().manual_seed(1))
MODELS = {
    "encoder": (EncoderModel(PAPER), (IDS,)),
    "decoder": (DecoderModel(PAPER), (IDS,)),
    "Llama's type": (DecoderModel(LLAMA), (IDS,)),
    "encoder-decoder": (EncoderDecoderModel(PAPER), (SOURCE, IDS)),
}
all_models = pytest.mark.parametrize(("model", "ids"), MODELS.values(), ids=MODELS)


def hooks(model):
    return sum(len(module._forward_hooks) for module in model.modules())


@all_models
def test_every_module_that_runs_is_recorded_after_its_parts(model, ids):
    with trace(model) as record:
        logits = model(*ids)
    names = [call.name for call in record.calls]
    silent = {"encoder.layers", "decoder.layers"}  # a ModuleList is never called
    assert set(names) == {name for name, _ in model.named_modules()} - silent
    first = {name: names.index(name) for name in names}
    for whole, part in itertools.permutations(first, 2):
        assert first[part] < first[whole] or not part.startswith(f"{whole}.")
    assert names[-1] == ""
    assert torch.equal(record.latest("").output, logits)
    assert record.latest("").kind is type(model)


@all_models
def test_values_are_those_the_model_computed_without_gradients(model, ids):
    with trace(model) as record:
        model(*ids)
    for call in record.calls:
        assert not any(x.requires_grad for x in (*call.inputs, *call.outputs))
        if call.kind is nn.Linear:
            module = model.get_submodule(call.name)
            expected = F.linear(call.inputs[0], module.weight, module.bias)
            torch.testing.assert_close(call.output, expected)


def test_weights_come_by_the_name_of_their_attention():
    model, ids = MODELS["encoder-decoder"]
    with trace(model) as record:
        model(*ids)
    shapes = {name: tuple(weights.shape) for name, weights in record.attention().items()}
    assert shapes == {
        "encoder.layers.0.attention": (2, 4, 7, 7),
        "encoder.layers.1.attention": (2, 4, 7, 7),
        "decoder.layers.0.attention": (2, 4, 5, 5),
        "decoder.layers.0.cross_attention": (2, 4, 5, 7),
        "decoder.layers.1.attention": (2, 4, 5, 5),
        "decoder.layers.1.cross_attention": (2, 4, 5, 7),
    }
    call = record.latest("decoder.layers.1.cross_attention")
    _, expected = model.get_submodule(call.name)(*call.inputs)
    assert torch.equal(record.attention()[call.name], expected)


def test_inputs_hold_arguments_with_and_without_names_and_what_they_contain():
    class Odd(nn.Module):
        def forward(self, pair, *, more, word):
            return {"sum": pair[0] + pair[1], "rest": [more["x"], word, None]}

    x = torch.arange(3.0)
    with trace(odd := Odd()) as record:
        odd((x, x + 1), more={"x": x + 2}, word="a")
    (call,) = record.calls
    assert [t.tolist() for t in call.inputs] == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    assert [t.tolist() for t in call.outputs] == [[1, 3, 5], [2, 3, 4]]


def test_each_call_has_its_line_of_code():
    model, ids = MODELS["encoder"]
    with trace(model) as record:
        model(*ids)  # this line
    called = record.latest("").line
    assert (called.file, called.text) == (__file__, "model(*ids)  # this line")
    expected = {
        "encoder.layers.1.attention": (layers, "self.attention(x, mask=mask"),
        "encoder.layers.1.attention.query": (multi_head, "self.query(x)"),
        "encoder.layers.1.attention_residual": (layers, "self.attention_residual(x"),
        "encoder.layers.1.attention_residual.norm": (norm, "self.norm(x + self.dropout(added))"),
        "encoder.layers.1.feed_forward": (norm, "sublayer(x)"),
    }
    for name, (module, text) in expected.items():
        line = record.latest(name).line
        assert line.file == module.__file__
        assert text in line.text
        assert inspect.getsource(module).splitlines()[line.number - 1].strip() == line.text


def test_a_module_called_again_has_a_call_for_each_time():
    model, _ = MODELS["decoder"]
    with trace(model, "*.attention") as record:
        for length in (1, 2, 3):
            model(IDS[:, :length])
    name = "decoder.layers.1.attention"
    weights = [call.outputs[1] for call in record.calls if call.name == name]
    assert [tuple(w.shape) for w in weights] == [(2, 4, n, n) for n in (1, 2, 3)]
    assert record.latest(name).outputs[1] is weights[-1]
    assert record.attention()[name] is weights[-1]


def test_hooks_are_gone_afterwards_also_after_an_error():
    model, ids = MODELS["decoder"]
    with trace(model) as record:
        model(*ids)
    calls = len(record.calls)
    model(*ids)
    with pytest.raises(RuntimeError, match="mine"), trace(model) as record:  # noqa: PT012
        model(*ids)
        raise RuntimeError("mine")
    assert len(record.calls) == calls
    assert hooks(model) == 0


def test_the_model_computes_what_it_does_untraced():
    model, ids = MODELS["encoder-decoder"]
    with trace(model):
        traced = model(*ids)
    torch.testing.assert_close(traced, model(*ids))  # untraced, its attention is fused
    assert traced.requires_grad


def test_shapes_make_a_table():
    attention = MultiHeadAttention(d_model=8, heads=4)
    with trace(attention) as record:
        attention(torch.randn(2, 5, 8), torch.randn(2, 7, 8))
    assert record.shapes(B=2, T=5, S=7, D=8, H=4) == [
        ("query", "Linear", "(B, T, D)"),
        ("key", "Linear", "(B, S, D)"),
        ("value", "Linear", "(B, S, D)"),
        ("output", "Linear", "(B, T, D)"),
        ("(whole)", "MultiHeadAttention", "(B, T, D), (B, H, T, S)"),
    ]
    assert record.shapes()[-1][-1] == "(2, 5, 8), (2, 4, 5, 7)"


def test_wrong_names_are_told_what_there_is():
    model, ids = MODELS["decoder"]
    with pytest.raises(ValueError, match=r"\*\.attenton"):  # noqa: SIM117
        with trace(model, "*.attenton"):
            pass
    with trace(model) as record:
        with pytest.raises(ValueError, match="nothing ran"):
            record.latest("decoder")
        model(*ids)
    with pytest.raises(ValueError, match=r"'decoder\.norms'.* decoder\.norm,"):
        record.latest("decoder.norms")


@pytest.mark.parametrize("kind", [MultiHeadAttention, partial(GroupedQueryAttention, kv_heads=2)])
@pytest.mark.parametrize("silent", [[], [0], [1, 3], range(4)])
def test_silent_heads_add_nothing_and_the_others_what_they_added(kind, silent):
    attention, x = kind(d_model=8, heads=4), torch.randn(2, 5, 8)
    found = [head(x)[0] for head in multi_head.separate_heads(attention)]
    for head in silent:
        found[head] = torch.zeros_like(found[head])
    with ablate_heads(attention, silent):
        output, _ = attention(x)
    torch.testing.assert_close(output, attention.output(torch.cat(found, dim=-1)))
