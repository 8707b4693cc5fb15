"""transformer_lab.generate: the same text with a cache, in a batch, alone; and where it ends."""

from dataclasses import replace
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.models import (
    CONFIGS,
    GPT,
    IN_BOTH_DIRECTIONS,
    LLAMA,
    NEAR,
    PAPER,
    V,
    ids,
    lively,
    nearly,
    seeds,
    some,
)
from tests.unchecked import unchecked
from transformer_lab.beam_search import beam_search
from transformer_lab.cache import Cache
from transformer_lab.generate import (
    GivenSource,
    generate,
    generation_steps,
    next_token_logits,
    pad_left,
)
from transformer_lab.model import DecoderModel, EncoderDecoderModel
from transformer_lab.trace import trace

PROMPT = torch.tensor([[3, 1, 4], [1, 5, 9]])
texts = st.lists(st.lists(st.integers(0, V - 1), min_size=1, max_size=5), min_size=1, max_size=3)


def one_by_one(model, prompt, length):
    """The loop as a reader would first write it."""
    for _ in range(length):
        prompt = torch.cat([prompt, model(prompt)[:, -1:].argmax(-1)], dim=1)
    return prompt[:, -length:]


@pytest.mark.parametrize("name", CONFIGS)
@given(texts=texts, seed=seeds)
@some
@unchecked()
def test_a_decoder_writes_the_same_with_a_cache_in_a_batch_and_alone(name, texts, seed):
    model = lively(DecoderModel, CONFIGS[name], seed)
    prompt, real = pad_left(texts, pad_id=7)
    cached, uncached = (
        list(generation_steps(model, prompt, real, max_new_tokens=6, use_cache=use_cache))
        for use_cache in (True, False)
    )
    for step, expected in zip(cached, uncached, strict=True):
        torch.testing.assert_close(step.logits, expected.logits, rtol=0, atol=1e-9)
    written = generate(model, prompt, real, max_new_tokens=6)
    assert torch.equal(written, torch.stack([step.tokens for step in uncached], dim=1))
    for row, text in zip(written, texts, strict=True):
        assert torch.equal(row, one_by_one(model, torch.tensor([text]), 6)[0])


@pytest.mark.parametrize("name", IN_BOTH_DIRECTIONS)
@given(texts=texts, seed=seeds)
@some
@unchecked()
def test_an_encoder_decoder_writes_the_same_with_a_cache_in_a_batch_and_alone(name, texts, seed):
    model = lively(EncoderDecoderModel, CONFIGS[name], seed)
    given = GivenSource(model, *pad_left(texts))
    written = generate(given, given.start, max_new_tokens=6)
    assert torch.equal(written, generate(given, given.start, max_new_tokens=6, use_cache=False))
    for row, text in zip(written, texts, strict=True):
        alone = partial(model, torch.tensor([text]))
        assert torch.equal(row, one_by_one(alone, torch.tensor([[model.start_id]]), 6)[0])


def test_the_source_is_read_once():
    model, calls = lively(EncoderDecoderModel, PAPER), []
    model.encoder.register_forward_hook(lambda *_: calls.append(1))
    given = GivenSource(model, ids(2, 4))
    generate(given, given.start, max_new_tokens=3)
    assert calls == [1]
    assert given.start.tolist() == [[PAPER.start_id]] * 2


def test_the_logits_are_those_of_the_next_token():
    model = lively(DecoderModel, GPT)
    expected = model(PROMPT)[:, -1]
    torch.testing.assert_close(next_token_logits(model, PROMPT), expected)
    cache = Cache()
    next_token_logits(model, PROMPT[:, :2], cache=cache)
    torch.testing.assert_close(next_token_logits(model, PROMPT, cache=cache), expected)
    with pytest.raises(ValueError, match="no token"):
        next_token_logits(model, PROMPT, cache=cache)


@pytest.mark.parametrize("use_cache", [True, False])
def test_each_text_ends_with_its_end_and_is_filled_up(use_cache):
    model, alone = lively(DecoderModel, LLAMA, seed=3), 0
    free = generate(model, PROMPT, max_new_tokens=8)
    for eos_id in range(V):
        written = generate(
            model, PROMPT, max_new_tokens=8, eos_id=eos_id, pad_id=5, use_cache=use_cache
        )
        ends = [row.index(eos_id) + 1 if eos_id in row else 8 for row in free.tolist()]
        assert written.size(1) == max(ends)
        for row, expected, end in zip(written, free, ends, strict=True):
            assert torch.equal(row[:end], expected[:end])
            assert (row[end:] == 5).all()
            alone += end < max(ends)
    assert alone  # some text ended while another went on


def test_steps_can_be_looked_at_and_left():
    model = lively(DecoderModel, LLAMA).train()
    steps = generation_steps(model, PROMPT, max_new_tokens=5)
    first = next(steps)
    torch.testing.assert_close(first.logits, model(PROMPT)[:, -1])
    assert torch.equal(first.tokens, first.logits.argmax(-1))
    assert model.training
    steps.close()


def test_dropout_is_off_and_the_models_modes_stay():
    torch.manual_seed(0)
    model = EncoderDecoderModel(replace(PAPER, dropout=0.5))
    model.encoder.eval()
    modes = [part.training for part in model.modules()]
    for _ in range(2):
        given = GivenSource(model, PROMPT)
        logits = next_token_logits(given, given.start)
        assert not logits.requires_grad
        assert [part.training for part in model.modules()] == modes
    model.eval()
    torch.testing.assert_close(logits, model(PROMPT, given.start)[:, -1])
    model.train()
    written = generate(given, given.start, max_new_tokens=4)
    model.loss(PROMPT, written).backward()  # what was written can be learned from
    model.decoder.layers[0].feed_forward.up.weight.data.fill_(torch.nan)
    with pytest.raises(ValueError, match="logits hold NaN"):
        generate(given, given.start, max_new_tokens=4)
    assert model.training


@pytest.mark.parametrize("use_cache", [True, False])
def test_the_context_is_never_exceeded(use_cache):
    """GPT learned 12 positions: the last of 13 tokens is written, but not read."""
    model = lively(DecoderModel, GPT)
    prompt, real = pad_left([[3, 1, 4, 1, 5], [9]])
    assert generate(model, prompt, real, max_new_tokens=8, use_cache=use_cache).shape == (2, 8)
    message = r"12 positions, but 5 tokens of prompt and 9 new.*need 13.*13 tokens"
    with pytest.raises(ValueError, match=message):
        generate(model, prompt, real, max_new_tokens=9, use_cache=use_cache)
    # Padding takes no position.
    _, row = pad_left([[1] * 30, [9]])
    assert generate(model, ids(1, 30), row[1:], max_new_tokens=12).shape == (1, 12)


@pytest.mark.parametrize("dtype", NEAR)
@pytest.mark.parametrize("name", ["gpt", "llama", "alibi"])
def test_half_precision_on_cpu(name, dtype):
    model = lively(DecoderModel, CONFIGS[name])
    expected = next_token_logits(model, PROMPT)
    logits = next_token_logits(model.to(dtype), PROMPT)
    assert logits.dtype == torch.float32
    nearly(logits, expected, NEAR[dtype])
    assert generate(model, PROMPT, max_new_tokens=5).shape == (2, 5)


def test_texts_are_padded_on_the_left():
    padded, real = pad_left([[3, 1, 4], [5]], pad_id=9)
    assert padded.tolist() == [[3, 1, 4], [9, 9, 5]]
    assert real.tolist() == [[True, True, True], [False, False, True]]


def test_of_a_prompt_only_the_last_place_is_scored():
    """Of 512 tokens and a large vocabulary, all other logits would cost a third of the reading."""
    model = lively(DecoderModel, GPT, 0)
    with trace(model, "output") as record:
        next_token_logits(model, PROMPT)
    assert record.latest("output").output.shape == (len(PROMPT), V)


class Few(DecoderModel):
    """A decoder that is kept from writing all but its last tokens."""

    def forward(self, ids, real=None, cache=None):
        return only_few(None, None, super().forward(ids, real, cache))


class FewOfSource(EncoderDecoderModel):
    def decode(self, *args, **options):
        return only_few(None, None, super().decode(*args, **options))


def only_few(_module, _inputs, logits):
    return logits.masked_fill(torch.arange(V) < 9, -1e9)


@pytest.mark.parametrize("use_cache", [True, False])
def test_a_forward_of_ones_own_is_asked(use_cache):
    write = partial(generate, max_new_tokens=5, use_cache=use_cache)
    plain = lively(DecoderModel, PAPER)
    hooked, changed = lively(DecoderModel, PAPER), lively(DecoderModel, PAPER)
    hooked.register_forward_hook(only_few)
    forward = changed.forward
    changed.forward = lambda *args: only_few(None, None, forward(*args))
    given = GivenSource(lively(FewOfSource, PAPER), PROMPT)
    assert (write(plain, PROMPT) < 9).any()
    expected = write(lively(Few, PAPER), PROMPT)
    assert (expected >= 9).all()
    for model in (hooked, changed):
        assert torch.equal(write(model, PROMPT), expected)
    assert (write(given, given.start) >= 9).all()
    assert (beam_search(given, given.start, beams=2, max_new_tokens=3).tokens >= 9).all()


def test_a_forward_that_writing_would_not_ask_is_refused(as_readers_run_it):
    class Halved(EncoderDecoderModel):
        def forward(self, *args):
            return super().forward(*args) / 2

    with pytest.raises(TypeError, match="decode"):
        GivenSource(Halved(PAPER), PROMPT)
