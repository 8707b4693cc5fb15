"""The map of PyTorch's Transformer names every argument, with its default."""

import inspect
import re

import pytest
from torch import nn

from tests.book.chapters import Chapter

PROSE = Chapter("pytorch_map").prose
ROW = re.compile(r"^\| `([\w`, ]+)` \| (?:`([^`]+)`)? ?\|", re.MULTILINE)
LEFT_OUT = {"self", "device", "dtype"}  # as the page says


def under(heading):
    """Give the arguments told below a heading: name → default, as written."""
    text = re.search(rf"^### {heading}$(.+?)^(?:### |\()", PROSE, re.MULTILINE | re.DOTALL)[1]
    return {n: default for names, default in ROW.findall(text) for n in names.split("`, `")}


def arguments(*functions):
    """Give the arguments of PyTorch's functions: name → default, as the page writes it."""
    found = [p for f in functions for p in inspect.signature(f).parameters.values()]
    return {
        p.name: ""
        if p.default is inspect.Parameter.empty
        else getattr(p.default, "__name__", None) or repr(p.default)
        for p in found
        if p.name not in LEFT_OUT
    }


@pytest.mark.parametrize(
    ("heading", "functions"),
    [
        ("Multi-head attention",
         [nn.MultiheadAttention.__init__, nn.MultiheadAttention.forward]),
        ("The encoder layer",
         [nn.TransformerEncoderLayer.__init__, nn.TransformerEncoderLayer.forward]),
        ("The decoder layer", [nn.TransformerDecoderLayer.forward]),
        ("Encoder and decoder", [nn.TransformerEncoder.__init__, nn.TransformerEncoder.forward]),
        ("The whole", [nn.Transformer.__init__]),
    ],
)  # fmt: skip
def test_every_argument_and_its_default_is_on_the_map(heading, functions):
    assert under(heading) == arguments(*functions)


def test_the_decoders_arguments_are_as_it_is_said():
    def same(one, other):
        return arguments(one) == arguments(other)

    assert same(nn.TransformerDecoderLayer.__init__, nn.TransformerEncoderLayer.__init__)
    assert [*arguments(nn.TransformerDecoder.__init__)] == ["decoder_layer", "num_layers", "norm"]
    assert [*arguments(nn.TransformerDecoder.forward)] == [
        *arguments(nn.TransformerDecoderLayer.forward)
    ]
    called = {*arguments(nn.Transformer.forward)}
    parts = {"src", "tgt", "memory"}
    assert called == {"src", "tgt"} | {
        f"{part}_{what}" for part in parts for what in ("mask", "key_padding_mask", "is_causal")
    }
