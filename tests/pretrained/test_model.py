"""The tokenizer around real tokenizers, and models that own what they are given."""

import pytest
import torch
from tokenizers import Tokenizer, models
from torch import nn

from transformer_lab.model import DecoderModel, ModelConfig
from transformer_lab.pretrained._model import PretrainedTokenizer, assemble

TINY = ModelConfig(vocabulary=5, d_model=4, heads=2, d_ff=8, layers=1)


def weights():
    given = {name: x.clone() for name, x in DecoderModel(TINY).state_dict().items()}
    table = nn.Parameter(given["embeddings.tokens.weight"])
    return given | {"embeddings.tokens.weight": table, "output.weight": table}


def test_a_model_owns_its_weights_without_a_copy():
    given = weights()
    model = assemble(DecoderModel, TINY, given)
    for name, parameter in model.state_dict().items():
        assert parameter.data_ptr() == given[name].data_ptr()
    assert model.output.weight is model.embeddings.tokens.weight
    assert not model.training
    assert not any(parameter.requires_grad for parameter in model.parameters())


@pytest.mark.parametrize(
    ("missing", "extra"), [("decoder.layers.0.attention.key.bias", None), (None, "x")]
)
def test_a_name_without_a_counterpart_is_an_error(missing, extra):
    given = weights()
    given.pop(missing, None)
    given |= {extra: torch.zeros(1)} if extra else {}
    with pytest.raises(RuntimeError, match=missing or extra):
        assemble(DecoderModel, TINY, given)


@pytest.mark.parametrize("name", ["minilm", "en-pt"])
def test_shorter_texts_are_padded_on_the_right(minilm, translators, name):
    tokenizer = (translators | {"minilm": minilm})[name].tokenizer
    ids, real = tokenizer.encode(["The cat", "The cat sat on the mat"])
    length = int(real[0].sum())
    assert 0 < length < ids.size(-1)
    assert real.tolist() == [
        [place < length for place in range(ids.size(-1))],
        [True] * ids.size(-1),
    ]
    assert (ids[0, length:] == tokenizer.padding_id).all()
    assert torch.equal(ids[0, :length], tokenizer.encode(["The cat"])[0][0])


def test_half_a_character_is_named_before_a_library_meets_it(as_readers_run_it):
    tokenizer = PretrainedTokenizer(Tokenizer(models.WordLevel({"a": 0})), padding_id=0)
    with pytest.raises(ValueError, match=r"texts\[1\].*'\\ud83d', at index 2"):
        tokenizer.encode(["a", "a \ud83d"])
    with pytest.raises(TypeError, match="texts"):
        tokenizer.encode(b"a")
    with pytest.raises(TypeError, match="None"):
        tokenizer.encode(["a", None])
