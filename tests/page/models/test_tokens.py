"""The page's tokenizers give the tokens that the real ones give."""

import unicodedata

import pytest

from tests.page.models.sentences import sentences
from transformer_lab.pretrained import load_minilm, load_translator
from transformer_lab.widgets import TokenizerLab
from transformer_lab.widgets._real import pieces
from transformer_lab.widgets.tokenizer_lab import TEXT, cut_by

LOADERS = {"minilm": load_minilm, "translator": lambda: load_translator("en-pt")}
#: Marks and signs that came with Unicode 9 or later, which the real MiniLM's tables do not know.
NEWER = 658


@pytest.fixture(scope="module", params=LOADERS)
def real(request):
    model = LOADERS[request.param]()
    model.tokenizer._tokenizer.no_padding()
    return request.param, model


def theirs(model, texts):
    return [e.ids for e in model.tokenizer._tokenizer.encode_batch(texts)]


@pytest.mark.parametrize("count", [300, pytest.param(5000, marks=pytest.mark.slow)])
def test_tokens_are_the_real_ones(real, ask, count):
    name, model = real
    texts = sentences(count)
    assert len(texts) == count
    ours = ask("tokens", model=name, texts=texts)
    different = [
        text for text, a, b in zip(texts, ours, theirs(model, texts), strict=True) if a != b
    ]
    assert not different


@pytest.mark.slow
def test_every_letter_there_is_gives_the_real_tokens(real, ask):
    name, model = real
    letters = map(chr, range(0x110000))
    texts = [f"a{c}b" for c in letters if unicodedata.category(c) not in ("Co", "Cs")]
    ours = ask("tokens", model=name, texts=texts)
    different = [
        text for text, a, b in zip(texts, ours, theirs(model, texts), strict=True) if a != b
    ]
    assert len(different) <= (NEWER if name == "minilm" else 0)
    assert all(text[1] > "\u0600" for text in different)


def test_labels_and_texts_are_the_real_ones(real, ask):
    name, model = real
    ids = list(range(0, 30_000, 37))
    labels = [label.strip() or "''" for label in ask("labels", model=name, ids=ids)]
    assert labels == pieces(model, ids)
    if name == "translator":
        texts = [[100, 2000, 3, 9000, 0], [5, 6, 7], [1, 1, 4, 0], [0]]
        assert ask("text", ids=texts) == [model.tokenizer._tokenizer.decode(t) for t in texts]


@pytest.mark.parametrize("model", ["MiniLM", "translator", "SmolLM2"])
def test_a_table_alone_cuts_as_the_model_reads(ask, model):
    texts = [
        *sentences(40),
        "",
        TEXT,
        "<|im_start|>user 1234½ […] <|im_end",
        "e\u0301\t\n  x\u200d😀",
    ]
    for text, frame in zip(texts, ask("pieces", model=model, texts=texts), strict=True):
        assert (frame["pieces"], frame["ids"]) == cut_by(model, text), text
    assert TokenizerLab(model=model).frame["lengths"] == frame["lengths"] == []
