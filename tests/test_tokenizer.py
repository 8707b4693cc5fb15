"""transformer_lab.tokenizer: merges by hand and by another library, and back to any text."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from transformer_lab.tokenizer import BytePairTokenizer, learn_merges, merge_pair, split_pieces

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest widest"
TOKENIZER = BytePairTokenizer.train(TEXT, vocabulary=270, special=["<start>", "<end>"])
# What GPT-2's byte-level libraries write for each byte: themselves, or the next free letter.
PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
LETTER = {byte: chr(byte) for byte in PRINTABLE} | {
    byte: chr(256 + i) for i, byte in enumerate(sorted(set(range(256)) - set(PRINTABLE)))
}
words = st.text("abc", min_size=1, max_size=8)
near = st.text(" \n.,'lowernstid0é国🙂", max_size=60)  # what the merges were learned on, and more


@given(st.text() | near)
def test_pieces_joined_are_the_text(text):
    assert "".join(split_pieces(text)) == text


def test_words_and_signs_take_one_space_along():
    text = "The cat,  it's\n\n 3 o'clock  "
    pieces = ["The", " cat", ",", " ", " it", "'", "s", "\n\n", " 3", " o", "'", "clock", "  "]
    assert split_pieces(text) == pieces


def test_merging_goes_from_left_to_right():
    assert merge_pair((1, 1, 1, 2, 1, 1), (1, 1), 9) == (9, 1, 2, 9)


def test_the_example_of_sennrich_and_others():
    """Their figure 1 without the end of a word: es, est, lo, low; ties here by lower bytes."""
    text = "\n".join(["low"] * 5 + ["lower"] * 2 + ["newest"] * 6 + ["widest"] * 3)
    tokenizer = BytePairTokenizer(learn_merges(text, 5))
    assert tokenizer.bytes[256:] == [b"es", b"est", b"lo", b"low", b"ew"]
    cut = [tokenizer.bytes[token] for token in tokenizer.encode("lowest")]
    assert cut == [b"low", b"est"]


@given(st.lists(words, min_size=4, max_size=30), words)
def test_merges_and_their_order_are_those_of_the_tokenizers_library(corpus, word):
    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.Whitespace()
    theirs.train_from_iterator([" ".join(corpus)], trainers.BpeTrainer(show_progress=False))
    expected = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
    tokenizer = BytePairTokenizer(learn_merges("\n".join(corpus), len(expected)))
    token = [token.decode("latin1") for token in tokenizer.bytes]
    assert [(token[left], token[right]) for left, right in tokenizer.merged] == expected
    known = "".join(letter for letter in word if letter in "".join(corpus))
    assert [token[i] for i in tokenizer.encode(known)] == theirs.encode(known).tokens


@given(st.text() | near)
def test_tokens_are_those_of_the_tokenizers_library(text):
    written = ["".join(LETTER[byte] for byte in token) for token in TOKENIZER.bytes[:268]]
    pairs = [(written[left], written[right]) for left, right in TOKENIZER.merged]
    vocabulary = {token: i for i, token in enumerate(written)}
    theirs = Tokenizer(models.BPE(vocabulary, pairs))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    expected = [token for piece in split_pieces(text) for token in theirs.encode(piece).ids]
    assert TOKENIZER.encode(text) == expected


@given(st.text() | near)
def test_any_text_comes_back(text):
    ids = TOKENIZER.encode(text)
    assert TOKENIZER.decode(ids) == text
    assert TOKENIZER.decode(torch.tensor(ids)) == text
    assert not set(ids) & set(TOKENIZER.special.values())


def test_special_tokens_have_the_last_ids_and_no_text_makes_one():
    assert len(TOKENIZER) == 270
    assert TOKENIZER.special == {"<start>": 268, "<end>": 269}
    assert TOKENIZER.decode([*TOKENIZER.encode("low"), 269]) == "low<end>"
    assert 269 not in TOKENIZER.encode("low<end>")


def test_half_a_letter_is_marked():
    assert TOKENIZER.decode(TOKENIZER.encode("é")[:1]) == "�"


def test_equally_frequent_pairs_are_merged_by_lower_tokens():
    assert learn_merges("dc ba dc ba".replace(" ", "\n"), 2) == [(98, 97), (100, 99)]
    assert learn_merges("ac\nab", 1) == [(97, 98)]


def test_a_text_without_enough_pairs_is_refused():
    with pytest.raises(ValueError, match=r"after 2 merges .* no 3 to learn.*longer text"):
        learn_merges("abc", 3)


def test_a_vocabulary_below_the_bytes_is_refused():
    with pytest.raises(ValueError, match=r"256 bytes and 1 special .* at least 257, but is 256"):
        BytePairTokenizer.train(TEXT, vocabulary=256, special=["<end>"])


def test_merges_of_what_is_not_there_are_refused():
    with pytest.raises(ValueError, match=r"merge 1 joins tokens 97 and 257.* from 0 to 256"):
        BytePairTokenizer([(97, 98), (97, 257)])


def test_special_tokens_of_one_name_are_refused():
    with pytest.raises(ValueError, match="a name of its own"):
        BytePairTokenizer([], special=["<end>", "<end>"])


def test_special_tokens_are_no_bare_text():
    for make in (
        lambda: BytePairTokenizer([], special="<end>"),
        lambda: BytePairTokenizer.train(TEXT, vocabulary=257, special="<end>"),
    ):
        with pytest.raises(TypeError, match=r"a list of names.*\['<end>'\]"):
            make()


@pytest.mark.parametrize("shape", [(), (2, 1), (2, 3)])
def test_only_one_text_is_decoded_at_a_time(shape):
    with pytest.raises(ValueError, match=r"shape .*one text at a time: \[tokenizer.decode\(row\)"):
        TOKENIZER.decode(torch.full(shape, 97))


@pytest.mark.parametrize("strange", [-1, 270])
def test_ids_out_of_range_are_named(strange):
    with pytest.raises(ValueError, match=rf"between 0 and 269.* but hold {strange}"):
        TOKENIZER.decode([strange])


def test_what_is_no_text_is_refused(as_readers_run_it):
    with pytest.raises(TypeError, match="text must be a str, but is a bytes"):
        TOKENIZER.encode(b"low")
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        TOKENIZER.encode("\ud800")
