"""The tokenizer's pieces against the package's, and what they are to show."""

import unittest.mock

import pytest

from tests.browser.test_every_widget import TEXTS
from transformer_lab.pretrained import smollm2
from transformer_lab.tasks.shakespeare import SYMBOLS
from transformer_lab.tokenizer import BytePairTokenizer
from transformer_lab.widgets import TokenizerLab
from transformer_lab.widgets.tokenizer_lab import MERGES, TABLES, TEXT, learned, table


def cut(text, **at):
    return TokenizerLab(text=text, **at).frame["pieces"]


@pytest.mark.parametrize("text", [TEXT, *TEXTS])
@pytest.mark.parametrize("merges", [0, 1, 57, MERGES])
def test_it_cuts_as_the_packages_tokenizer_does(text, merges):
    tokenizer = BytePairTokenizer([pair for pair, _ in learned()[:merges]])
    frame = TokenizerLab(text=text, merges=merges).frame
    assert frame["ids"] == tokenizer.encode(text)
    assert tokenizer.decode(frame["ids"]) == text
    assert frame["lengths"][merges] == len(frame["ids"])


def test_what_is_no_ascii_is_bytes_to_one_and_unknown_to_the_other():
    assert cut("é") == ["‹C3›", "‹A9›"]
    frame = TokenizerLab(text="né", by="characters").frame
    assert frame["pieces"] == ["n", "é"]
    assert frame["ids"] == [SYMBOLS.index("n"), -1]


def test_real_models_cut_each_in_its_way():
    cuts = {name: cut("Lowliest café 12", model=name) for name in TABLES}
    assert cuts["MiniLM"] == ["[CLS]", "low", "##liest", "cafe", "12", "[SEP]"]
    assert (cuts["translator"][0], cuts["translator"][-1]) == ("▁Low", "</s>")
    assert cuts["SmolLM2"][-4:] == [" café", " ", "1", "2"]
    assert len(smollm2.read_table()[1]) == 48_900


def test_a_model_that_is_not_installed_is_told(monkeypatch):
    missing = unittest.mock.Mock(
        side_effect=ModuleNotFoundError("type: transformer-lab pretrained")
    )
    monkeypatch.setitem(TABLES, "MiniLM", missing)
    table.cache_clear()
    frame = TokenizerLab(model="MiniLM").frame
    table.cache_clear()
    assert "transformer-lab pretrained" in frame["trouble"]
