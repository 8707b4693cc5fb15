"""transformer_lab.beam_search: the best texts, by a search through all texts of small models."""

import itertools
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.models import CONFIGS, GPT, PAPER, V, ids, lively, seeds, some
from tests.unchecked import unchecked
from transformer_lab.beam_search import beam_search, length_penalty
from transformer_lab.generate import GivenSource, generate, pad_left
from transformer_lab.model import DecoderModel, EncoderDecoderModel


class Bigrams(DecoderModel):
    """A model that knows only how likely each token follows another."""

    def __init__(self, probabilities):
        super().__init__(PAPER)
        self.embeddings.tokens = torch.nn.Embedding(len(probabilities), 1)
        self.table = torch.tensor(probabilities).log()
        self.output = torch.nn.Identity()

    def read(self, ids, real=None, cache=None):
        return self.table[ids]


START = torch.tensor([[0]])


def test_the_penalty_is_the_papers():
    assert length_penalty(1) == 1
    assert length_penalty(7) == pytest.approx(2**0.6)
    assert length_penalty(25, alpha=1.0) == pytest.approx(5)
    assert length_penalty(100, alpha=0.0) == 1


@given(prompt=st.lists(st.integers(0, V - 1), min_size=1, max_size=4), seed=seeds)
@some
@unchecked()
def test_with_all_beams_two_tokens_are_searched_through(prompt, seed):
    model, prompt = lively(DecoderModel, CONFIGS["llama"], seed), torch.tensor(prompt)
    found = beam_search(model, prompt[None], beams=V, max_new_tokens=2, eos_id=3, pad_id=3)
    first = model(prompt[None])[0, -1].log_softmax(-1)
    behind = torch.cat([prompt.expand(V, -1), torch.arange(V)[:, None]], dim=1)
    second = model(behind)[:, -1].log_softmax(-1)
    every = {(3, 3): first[3].item() / length_penalty(1)}
    for one, two in itertools.product({*range(V)} - {3}, range(V)):
        every[one, two] = (first[one] + second[one, two]).item() / length_penalty(2)
    best = sorted(every, key=every.get, reverse=True)
    assert tuple(found.tokens[0, 0].tolist()) == best[0]
    for text, score in zip(found.tokens[0].tolist(), found.scores[0].tolist(), strict=True):
        assert score == pytest.approx(every[tuple(text)], abs=1e-9)
    assert found.scores[0].tolist() == sorted(found.scores[0].tolist(), reverse=True)


@given(seed=seeds)
@some
@unchecked()
def test_one_beam_is_greedy(seed):
    model, prompt = lively(DecoderModel, GPT, seed), ids(3, 2)
    one = beam_search(model, prompt, beams=1, max_new_tokens=6, eos_id=3, penalty=lambda _: 1.0)
    written = generate(model, prompt, max_new_tokens=6, eos_id=3)
    assert torch.equal(one.tokens[:, 0, : written.size(1)], written)


@pytest.mark.parametrize("name", CONFIGS)
@given(beams=st.integers(1, 5), seed=seeds)
@some
@unchecked()
def test_the_same_with_a_cache_in_a_batch_and_alone(name, beams, seed):
    model = lively(DecoderModel, CONFIGS[name], seed)
    texts = [[3, 1, 4], [5], [9, 2]]
    search = partial(beam_search, model, beams=beams, max_new_tokens=5, eos_id=6)
    cached, uncached = (search(*pad_left(texts), use_cache=flag) for flag in (True, False))
    assert torch.equal(cached.tokens, uncached.tokens)
    torch.testing.assert_close(cached.scores, uncached.scores, rtol=0, atol=1e-9)
    for tokens, scores, text in zip(*cached, texts, strict=True):
        alone = search(torch.tensor([text]))
        torch.testing.assert_close(scores, alone.scores[0], rtol=0, atol=1e-9)
        length = alone.tokens.size(-1)
        assert torch.equal(tokens[:, :length], alone.tokens[0])
        assert not tokens[:, length:].any()


@given(beams=st.integers(1, 4), seed=seeds)
@some
@unchecked()
def test_translations_are_the_same_with_a_cache_in_a_batch_and_alone(beams, seed):
    model = lively(EncoderDecoderModel, PAPER, seed)
    sources = [[3, 1, 4], [5]]
    search = partial(beam_search, beams=beams, max_new_tokens=5, eos_id=6)
    given = GivenSource(model, *pad_left(sources))
    cached, uncached = (search(given, given.start, use_cache=flag) for flag in (True, False))
    assert torch.equal(cached.tokens, uncached.tokens)
    for scores, source in zip(cached.scores, sources, strict=True):
        alone = GivenSource(model, torch.tensor([source]))
        expected = search(alone, alone.start).scores[0]
        torch.testing.assert_close(scores, expected, rtol=0, atol=1e-9)


def test_fewer_texts_than_beams_is_said():
    only = Bigrams([[0.0, 1.0], [0.0, 1.0]])
    found = beam_search(only, START, beams=2, max_new_tokens=3, eos_id=1, use_cache=False)
    assert found.tokens[0, 0, 0] == 1
    assert found.scores[0].tolist() == [0, -torch.inf]
