"""transformer_lab.cache: reading bit by bit gives what reading all at once gives."""

import copy
import pickle

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.models import (
    CONFIGS,
    GPT,
    IN_BOTH_DIRECTIONS,
    LLAMA,
    PAPER,
    V,
    ids,
    lively,
    same,
    seeds,
    some,
)
from tests.unchecked import unchecked
from transformer_lab.cache import Cache
from transformer_lab.model import DecoderModel, EncoderDecoderModel

lengths, pieces = st.integers(1, 12), st.integers(1, 4)
REAL = torch.tensor([[True] * 4, [False, False, True, True]])


def bit_by_bit(model, text, real, size):
    cache, logits = Cache(), []
    for piece, note in zip(text.split(size, dim=1), real.split(size, dim=1), strict=True):
        logits.append(model(piece, note, cache=cache))
    assert cache.length == text.size(1)
    return torch.cat(logits, dim=1)


def padded_left(batch, length, seed):
    torch.manual_seed(seed)
    missing = torch.randint(length, (batch, 1))
    missing[0] = 0
    return ids(batch, length), torch.arange(length) >= missing


@pytest.mark.parametrize("name", CONFIGS)
@given(length=lengths, size=pieces, seed=seeds)
@some
@unchecked()
def test_a_decoder_reads_bit_by_bit_as_at_once(name, length, size, seed):
    model = lively(DecoderModel, CONFIGS[name], seed)
    text, real = padded_left(3, length, seed)
    same(bit_by_bit(model, text, real, size)[real], model(text, real)[real])


@pytest.mark.parametrize("name", IN_BOTH_DIRECTIONS)
@given(length=lengths, size=pieces, seed=seeds)
@some
@unchecked()
def test_an_encoder_decoder_writes_bit_by_bit_as_at_once(name, length, size, seed):
    model = lively(EncoderDecoderModel, CONFIGS[name], seed)
    source, source_real = padded_left(3, 5, seed)
    text, real = padded_left(3, length, seed + 1)
    memory = model.encode(source, source_real)

    def decode(piece, note, cache):
        return model.decode(piece, memory, source_real, note, cache)

    written = bit_by_bit(decode, text, real, size)
    same(written[real], model(source, text, source_real, real)[real])


def test_only_new_tokens_are_read_and_a_memory_once():
    model, cache = lively(EncoderDecoderModel, PAPER), Cache()
    read = {"attention": [], "cross_attention": []}
    for layer in model.decoder.layers:
        for name, lengths in read.items():
            getattr(layer, name).key.register_forward_hook(
                lambda _, inputs, __, lengths=lengths: lengths.append(inputs[0].size(-2))
            )
    memory, text = model.encode(ids(2, 6)), ids(2, 5)
    for piece in text.split([3, 1, 1], dim=1):
        model.decode(piece, memory, cache=cache)
    assert read == {"attention": [3, 3, 1, 1, 1, 1], "cross_attention": [6, 6]}


@pytest.mark.parametrize("kind", ["gpt", "llama", "multi-query, rotary"])
def test_its_size_is_that_of_keys_and_values(kind):
    config, cache = CONFIGS[kind], Cache()
    assert (cache.length, cache.nbytes) == (0, 0)
    model = DecoderModel(config)
    model(ids(3, 4), cache=cache)
    model(ids(3, 2), cache=cache)
    kv_heads, d_k = model.decoder.layers[0].attention.kv_heads, config.d_model // config.heads
    assert cache.nbytes == 2 * config.layers * 3 * kv_heads * 6 * d_k * 4


@given(rows=st.lists(st.integers(0, 1), min_size=1, max_size=4), seed=seeds)
@some
@unchecked()
def test_reordered_rows_go_on_from_what_they_have_read(rows, seed):
    model, cache = lively(DecoderModel, LLAMA, seed), Cache()
    text, rows = ids(2, 4), torch.tensor(rows)
    model(text, REAL, cache=cache)
    cache.reorder(rows)
    new = ids(len(rows), 2)
    all_real = torch.cat([REAL[rows], torch.ones_like(new).bool()], dim=1)
    expected = model(torch.cat([text[rows], new], dim=1), all_real)
    same(model(new, cache=cache), expected[:, -2:])


def test_texts_in_two_caches_do_not_meet_and_nothing_stays_in_the_model():
    model = lively(DecoderModel, GPT)
    before = {name: dict(part.__dict__) for name, part in model.named_modules()}
    texts, caches = [ids(1, 5), ids(2, 5)], [Cache(), Cache()]
    pieces = zip(*(text.split(1, dim=1) for text in texts), strict=True)
    logits = [[model(x, cache=c) for x, c in zip(pair, caches, strict=True)] for pair in pieces]
    for text, steps in zip(texts, zip(*logits, strict=True), strict=True):
        same(torch.cat(steps, dim=1), model(text))
    assert {name: part.__dict__ for name, part in model.named_modules()} == before


def test_what_is_refused_is_not_remembered(as_readers_run_it):
    model, cache, text = lively(DecoderModel, GPT), Cache(), ids(2, 4)
    model(text[:, :3], cache=cache)
    with pytest.raises(ValueError, match="2 texts"):
        model(ids(3, 1), cache=cache)
    with pytest.raises(ValueError, match=r"\(2, 1\).*\(2, 4\)"):
        model(text[:, 3:], torch.ones(2, 4).bool(), cache=cache)
    with pytest.raises(IndexError):
        model(torch.full((2, 1), V), cache=cache)
    with pytest.raises(ValueError, match=r"12 positions.*13"):
        model(ids(2, 10), cache=cache)
    same(model(text[:, 3:], cache=cache), model(text)[:, 3:])


@pytest.mark.parametrize("read", [0, 3])
def test_a_reading_that_is_interrupted_leaves_what_was_kept(read):
    model, cache, text = lively(DecoderModel, GPT), Cache(), ids(2, 4)
    if read:
        model(text[:, :read], cache=cache)

    def interrupt(*_):
        raise KeyboardInterrupt

    hook = model.decoder.layers[-1].register_forward_pre_hook(interrupt)
    with pytest.raises(KeyboardInterrupt):
        model(text[:, read:], cache=cache)
    hook.remove()
    same(model(text[:, read:], cache=cache), model(text)[:, read:])


COPIES = {"copy": copy.copy, "deepcopy": copy.deepcopy, "its own": Cache.copy}


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("name", ["paper", "llama"])
@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copied_cache_goes_on_by_itself(copied, name, grad):
    model, text = lively(DecoderModel, CONFIGS[name]), ids(2, 4)
    other = (text[:, 3:] + 1) % V
    with torch.set_grad_enabled(grad):
        first = Cache()
        model(text[:, :3], REAL[:, :3], cache=first)
        second = copied(first)
        same(model(text[:, 3:], cache=first), model(text, REAL)[:, 3:])
        changed = torch.cat([text[:, :3], other], dim=1)
        same(model(other, cache=second), model(changed, REAL)[:, 3:])
        second.reorder(torch.tensor([1]))
        same(model(other, cache=first)[:1], model(torch.cat([text, other], dim=1))[:1, 4:])
    assert first.length == 5


def test_a_memory_that_is_refused_on_the_way_leaves_what_was_kept(as_readers_run_it):
    model, cache = lively(EncoderDecoderModel, PAPER), Cache()
    memory, text = model.encode(ids(2, 3)), ids(2, 4)
    model.decode(text[:, :3], memory, cache=cache)
    with pytest.raises(ValueError, match="another memory"):
        model.decode(text[:, 3:], memory + 1, cache=cache)
    same(model.decode(text[:, 3:], memory, cache=cache), model.decode(text, memory)[:, 3:])


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copied_cache_keeps_the_memory_of_an_encoder_decoder(copied):
    model, text = lively(EncoderDecoderModel, PAPER), ids(2, 4)
    memory, first = model.encode(ids(2, 5)), Cache()
    model.decode(text[:, :3], memory, cache=first)
    second = copied(first)
    for cache in (first, second):
        got = model.decode(text[:, 3:], memory, cache=cache)
        same(got, model.decode(text, memory)[:, 3:])


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda pair: pickle.loads(pickle.dumps(pair))], ids=["deep", "pickle"]
)
def test_a_cache_copied_with_its_model_belongs_to_the_copy(copied):
    model, cache, text = lively(DecoderModel, GPT), Cache(), ids(2, 4)
    with torch.no_grad():
        model(text[:, :3], cache=cache)
        twin, kept = copied((model, cache))
        twin.decoder.norm.weight.mul_(2)  # of what was read, nothing is kept behind it
        same(twin(text[:, 3:], cache=kept), twin(text)[:, 3:])
        same(model(text[:, 3:], cache=cache), model(text)[:, 3:])
