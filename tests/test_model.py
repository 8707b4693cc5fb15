"""transformer_lab.model: what must hold for all three architectures, whatever their parts."""

import copy
import pickle
from dataclasses import replace
from functools import partial

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from tests.models import (
    CONFIGS,
    GPT,
    IN_BOTH_DIRECTIONS,
    LLAMA,
    NEAR,
    PAPER,
    V,
    between,
    ids,
    lengths,
    lively,
    nearly,
    same,
    seeds,
    some,
)
from tests.sweeps import once
from tests.unchecked import unchecked
from transformer_lab.embedding import ScaledEmbedding, untied_output
from transformer_lab.loss import IGNORED, shift_right
from transformer_lab.model import DecoderModel, EncoderDecoderModel, EncoderModel
from transformer_lab.multi_head import MultiHeadAttention

one_of_each = partial(once, key=lambda kind, _: kind)  # the others differ in parts only
KINDS = [(DecoderModel, "alibi")] + [
    (kind, name)
    for kind in (EncoderModel, DecoderModel, EncoderDecoderModel)
    for name in IN_BOTH_DIRECTIONS
]


@pytest.mark.parametrize("name", CONFIGS)
@given(kept=lengths, changed=lengths, seed=seeds)
@some
@unchecked()
def test_causality_of_decoders(name, kept, changed, seed):
    model = lively(DecoderModel, CONFIGS[name], seed)
    text = ids(2, kept + changed)
    other = torch.cat([text[:, :kept], (text[:, kept:] + 1) % V], dim=1)
    same(model(text)[:, :kept], model(other)[:, :kept])
    same(model(text)[:, :kept], model(text[:, :kept]))
    assert not torch.allclose(model(text)[:, kept:], model(other)[:, kept:])


@pytest.mark.parametrize("kind", [EncoderModel, DecoderModel])
@pytest.mark.parametrize("name", IN_BOTH_DIRECTIONS)
@given(length=lengths, before=st.integers(0, 3), after=st.integers(0, 3), seed=seeds)
@some
@unchecked()
def test_padding_changes_nothing(kind, name, length, before, after, seed):
    model = lively(kind, CONFIGS[name], seed)
    text = ids(2, length)
    padded, real = between(text, before, after)
    same(model(padded, real)[real].unflatten(0, text.shape), model(text))


@pytest.mark.parametrize("name", IN_BOTH_DIRECTIONS)
@given(length=lengths, before=st.integers(0, 3), after=st.integers(0, 3), seed=seeds)
@some
@unchecked()
def test_padding_on_either_side_changes_no_translation(name, length, before, after, seed):
    model = lively(EncoderDecoderModel, CONFIGS[name], seed)
    source, text = ids(2, length), ids(2, 7 - length)
    padded_source, source_real = between(source, before, after)
    padded, real = between(text, before, after)
    logits = model(padded_source, padded, source_real, real)
    same(logits[real].unflatten(0, text.shape), model(source, text))


@given(length=st.integers(2, 6), before=st.integers(0, 3), seed=seeds)
@some
@unchecked()
def test_padding_changes_nothing_under_alibi(length, before, seed):
    model = lively(DecoderModel, CONFIGS["alibi"], seed)
    text = ids(2, length)
    padded, real = between(text, before, 1)
    same(model(padded, real)[real].unflatten(0, text.shape), model(text))


@pytest.mark.parametrize("name", [n for n in CONFIGS if n not in ("no positions", "alibi")])
def test_with_positions_order_matters(name):
    model = lively(EncoderModel, CONFIGS[name])
    text = torch.tensor([[2, 7, 5, 3]])
    assert not torch.allclose(model(text.flip(1)), model(text).flip(1), atol=1e-3)


def test_losses_are_cross_entropies_with_one_shift():
    targets = torch.tensor([[3, 5, 2], [4, 2, IGNORED]])
    read = torch.tensor([[1, 3, 5], [1, 4, 2]])
    assert torch.equal(shift_right(targets, 1), read)
    text, source = ids(2, 3), ids(2, 4)
    source_real = torch.tensor([[True] * 4, [True] * 2 + [False] * 2])
    encoder, decoder = lively(EncoderModel, PAPER), lively(DecoderModel, GPT)
    both = lively(EncoderDecoderModel, PAPER)
    real = torch.tensor([[True] * 3, [True, True, False]])
    for loss, logits in [
        (partial(encoder.loss, text, targets, real), encoder(text, real)),
        (partial(decoder.loss, targets), decoder(read)),
        (partial(both.loss, source, targets, source_real), both(source, read, source_real)),
    ]:
        for how in ({}, {"label_smoothing": 0.1}):
            same(loss(**how), F.cross_entropy(logits.flatten(0, 1), targets.flatten(), **how))


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_every_parameter_learns_from_the_loss(kind, name):
    torch.manual_seed(0)
    model = kind(CONFIGS[name])
    texts = (ids(3, 5),) if kind is DecoderModel else (ids(3, 4), ids(3, 4))
    model.loss(*texts).backward()
    missing = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    # A bias on all keys alike adds the same to a row of scores, which a softmax ignores.
    assert [n for n in missing if not n.endswith("key.bias")] == []


def test_weights_are_tied_unless_told_otherwise():
    tied, untied = EncoderDecoderModel(PAPER), DecoderModel(LLAMA)
    table = tied.embeddings.tokens.weight
    assert tied.decoder_embeddings.tokens.weight is table
    assert tied.output.weight is table
    assert untied.output.weight is not untied.embeddings.tokens.weight


def test_depths_and_beginnings_come_from_the_config():
    torch.manual_seed(0)
    model = EncoderDecoderModel(replace(PAPER, layers=3, decoder_layers=1, dropout=0.25))
    assert (len(model.encoder.layers), len(model.decoder.layers)) == (3, 1)
    assert len(EncoderDecoderModel(PAPER).decoder.layers) == PAPER.layers
    dropouts = [part.p for part in model.modules() if isinstance(part, nn.Dropout)]
    assert dropouts == [0.25] * (1 + 3 * 2 + 1 + 3)
    large = replace(GPT, vocabulary=500, d_model=32)
    assert DecoderModel(large).embeddings.tokens.weight.std().item() == pytest.approx(0.02, rel=0.1)
    scaled = EncoderModel(replace(PAPER, vocabulary=500, d_model=32)).embeddings.tokens
    assert isinstance(scaled, ScaledEmbedding)
    assert scaled.weight.std().item() == pytest.approx(32**-0.5, rel=0.1)


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_a_mask_that_hides_everything_gives_finite_logits(kind, name):
    model, text = lively(kind, CONFIGS[name]), ids(2, 3)
    nothing = torch.zeros(2, 3, dtype=torch.bool)
    texts = (text, text) if kind is EncoderDecoderModel else (text,)
    assert model(*texts, *(nothing for _ in texts)).isfinite().all()


@pytest.mark.parametrize("name", IN_BOTH_DIRECTIONS)
@pytest.mark.parametrize("dtype", NEAR)
def test_half_precision_on_cpu(name, dtype):
    model, source, text = lively(EncoderDecoderModel, CONFIGS[name]), ids(2, 4), ids(2, 5)
    expected = model(source, text)
    rounded = model.to(dtype)(source, text)
    assert rounded.dtype == dtype
    nearly(rounded, expected, NEAR[dtype])


def test_bad_ids_are_named(as_readers_run_it):
    model = DecoderModel(GPT)
    with pytest.raises(ValueError, match=r"12 positions.*13.*at most 12"):
        model(ids(1, 13))


@pytest.mark.parametrize("name", CONFIGS)
def test_empty_texts_and_batches_have_logits_of_their_shape(name):
    decoder = lively(DecoderModel, CONFIGS[name])
    assert decoder(ids(2, 0)).shape == (2, 0, V)
    assert decoder(ids(0, 3)).shape == (0, 3, V)
    both = lively(EncoderDecoderModel, CONFIGS[name])
    assert both(ids(2, 0), ids(2, 3)).isfinite().all()


def request(kind):
    """Give what a model of a kind reads: texts of two lengths, and which ids are real."""
    text, real = ids(2, 4), torch.tensor([[True] * 4, [True, True, False, False]])
    if kind is EncoderDecoderModel:
        return ids(2, 5), text, torch.ones(2, 5).bool(), real
    return text, real


@pytest.mark.parametrize(
    ("kind", "name"),
    one_of_each([pair for pair in KINDS if pair[1] in {"paper", "llama", "alibi"}]),
)
def test_torch_export_takes_the_whole_model(kind, name):
    model, given = lively(kind, CONFIGS[name]), request(kind)
    same(torch.export.export(model, given).module()(*given), model(*given))


def test_nan_in_one_text_stays_in_it():
    model = lively(DecoderModel, LLAMA)
    model.embeddings.tokens.weight.data[5] = torch.nan
    logits = model(torch.tensor([[1, 2, 3], [1, 2, 5]]))
    assert logits[0].isfinite().all()
    assert logits[1].isnan().all()  # the earlier tokens too: hidden or not, 0 · NaN is NaN


class Adapted(nn.Module):
    """An adapter around a table, of which nothing but the call is like the table's."""

    def __init__(self, base):
        super().__init__()
        self.base = base

    def forward(self, ids):
        return self.base(ids)


def asked(model):
    source, text = torch.tensor([[3, 1, 4], [1, 5, 9]]), torch.tensor([[2, 6, 5, 3], [5, 8, 9, 7]])
    return model(source, text) if isinstance(model, EncoderDecoderModel) else model(text)


def in_the_decoder(model):
    return getattr(model, "decoder_embeddings", model.embeddings)


@pytest.mark.parametrize("kind", [EncoderModel, DecoderModel, EncoderDecoderModel])
def test_a_tied_output_stays_tied(kind):
    model = lively(kind, PAPER)
    right, count = asked(model), len([*model.parameters()])
    saved = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    with torch.device("meta"):
        assigned, emptied = kind(PAPER).double(), kind(PAPER).double()
    assigned.load_state_dict(saved, assign=True)
    emptied.to_empty(device="cpu").load_state_dict(saved)
    for twin in (assigned, emptied, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        same(asked(twin.train(model.training)), right)
        assert len([*twin.parameters()]) == count
        assert twin.state_dict().keys() == saved.keys()
        step = torch.optim.SGD(twin.parameters(), lr=0.1)
        asked(twin).square().sum().backward()
        step.step()
        table = in_the_decoder(twin).tokens.weight
        assert torch.equal(twin.output.weight, table)
        assert not torch.equal(table, in_the_decoder(model).tokens.weight)
    table = in_the_decoder(model.half()).tokens.weight
    assert model.output.weight is table
    assert table.dtype == torch.half


def test_a_table_without_a_weight_cannot_be_tied():
    model = lively(DecoderModel, PAPER)
    model.embeddings.tokens = Adapted(model.embeddings.tokens)
    with pytest.raises(TypeError, match="weight"):
        asked(model)


class LowRank(nn.Module):
    """LoRA by hand: the module in whose place it stands, plus what is zero at first."""

    def __init__(self, base):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(base.weight.new_ones(base.in_features, 2))
        self.up = nn.Parameter(base.weight.new_zeros(2, base.out_features))

    def forward(self, x):
        return self.base(x) + x @ self.down @ self.up


def replace_each(model, kind, replacement):
    for part in [*model.modules()]:
        for name, child in [*part.named_children()]:
            if type(child) is kind:
                setattr(part, name, replacement(child))


@pytest.mark.parametrize("name", ["paper", "gpt", "llama"])
@pytest.mark.parametrize("kind", [EncoderModel, DecoderModel, EncoderDecoderModel])
@pytest.mark.parametrize("replaced", [nn.Linear, nn.Embedding])
def test_parts_may_be_replaced_by_modules_of_any_kind(name, kind, replaced):
    config = CONFIGS[name]
    if replaced is nn.Embedding:
        config = replace(config, tokens=nn.Embedding, output=untied_output)
    if name == "llama" and kind is not DecoderModel:
        config = replace(config, attention=partial(MultiHeadAttention, bias=False))
    model = lively(kind, config)
    right = asked(model)
    replace_each(model, replaced, LowRank if replaced is nn.Linear else Adapted)
    same(asked(model), right)


@pytest.mark.parametrize("kind", [EncoderModel, DecoderModel, EncoderDecoderModel])
def test_a_tied_output_follows_a_new_table(kind):
    model = lively(kind, PAPER)
    count = len([*model.parameters()])
    model.embeddings.tokens = in_the_decoder(model).tokens = ScaledEmbedding(V + 4, 8).double()
    assert asked(model).size(-1) == V + 4
    assert len([*model.parameters()]) == count
    model.embeddings.tokens.weight = nn.Parameter(torch.randn(V + 6, 8, dtype=torch.double))
    texts = [torch.tensor([[V + 5, 1]])] * (1 + (kind is EncoderDecoderModel))
    assert model(*texts).size(-1) == V + 6
    nn.utils.parametrize.register_parametrization(model.embeddings.tokens, "weight", nn.Tanh())
    before = model(*texts)
    with torch.no_grad():
        model.embeddings.tokens.parametrizations.weight.original.mul_(2)
    assert not torch.allclose(model(*texts), before)
    model.load_state_dict(model.state_dict())
