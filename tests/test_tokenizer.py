"""transformer_lab.tokenizer: merges by hand and by another library, and back to any text."""

import json
from collections import Counter
from itertools import pairwise

import pytest
import torch
from hypothesis import assume, given
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
corpora = st.lists(words, min_size=4, max_size=30).map("\n".join)
near = st.text(" \n.,'_lowernstid01é国🙂", max_size=60)  # what the merges were learned on, and more
# Where Python and Unicode differ on what is a letter or a space, or one knows more letters.
known = st.characters(
    exclude_categories=["Cn", "Cs", "Nl", "No"], exclude_characters="\x1c\x1d\x1e\x1f"
)


@given(st.text() | near)
def test_pieces_joined_are_the_text(text):
    assert "".join(split_pieces(text)) == text


@given(st.text(known) | near)
def test_pieces_are_gpt2s(text):
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    assert split_pieces(text) == [text[start:end] for _, (start, end) in theirs]


def test_the_example_of_stanfords_course():
    """CS336, assignment 1 of 2025, section 2.4: the example of Sennrich et al., ties included."""
    text = "\n".join(["low"] * 5 + ["lower"] * 2 + ["widest"] * 3 + ["newest"] * 6)
    tokenizer = BytePairTokenizer(learn_merges(text, 12))
    expected = "st est ow low west ne newest wi wid widest lowe lower"
    assert [token.decode() for token in tokenizer.bytes[256:]] == expected.split()
    assert [tokenizer.bytes[token] for token in tokenizer.encode("lowest")] == [b"low", b"est"]


def count_anew(text):
    """Yield the merges as the paper has it: count all pairs, join the best of them, repeat.

    With each comes the number of pairs that are as frequent. Tokens are bytes: their order is that
    of the code of Sennrich et al., whose letters stand in the order of their bytes.
    """
    cut = Counter(tuple(bytes([b]) for b in piece.encode()) for piece in split_pieces(text))
    while True:
        pairs = Counter()
        for word, n in cut.items():
            for pair in pairwise(word):
                pairs[pair] += n
        if not pairs:
            return
        best = max(pairs, key=lambda pair: (pairs[pair], pair))
        cut = Counter({merge_pair(word, best, b"".join(best)): n for word, n in cut.items()})
        yield best, [*pairs.values()].count(pairs[best])


def learned(text, count):
    tokenizer = BytePairTokenizer(learn_merges(text, count))
    return [(tokenizer.bytes[left], tokenizer.bytes[right]) for left, right in tokenizer.merged]


@given(corpora, words)
def test_merges_and_their_order_are_those_of_the_tokenizers_library(corpus, word):
    """As long as one pair is the most frequent: that library breaks ties in another way."""
    count = next((i for i, (_, rivals) in enumerate(count_anew(corpus)) if rivals > 1), None)
    count = len([*count_anew(corpus)]) if count is None else count
    assume(count > 0)
    letters = set(corpus) - {"\n"}
    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.Whitespace()
    trainer = trainers.BpeTrainer(vocab_size=len(letters) + count, show_progress=False)
    theirs.train_from_iterator([corpus], trainer)
    expected = [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]
    found = learned(corpus, count)
    assert [(left.decode(), right.decode()) for left, right in found] == expected
    tokenizer = BytePairTokenizer(learn_merges(corpus, count))
    spelled = "".join(letter for letter in word if letter in letters)
    cut = [tokenizer.bytes[token].decode() for token in tokenizer.encode(spelled)]
    assert cut == theirs.encode(spelled).tokens


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


def test_of_equally_frequent_pairs_the_greater_is_merged_by_its_bytes():
    assert learn_merges("dc\nba\ndc\nba", 2) == [(100, 99), (98, 97)]
    assert learn_merges("ac\nab", 1) == [(97, 99)]
    # "xy" is token 256, yet "x" sorts before "z".
    assert learned("xy\nxy\nxyq\nzq", 3) == [(b"x", b"y"), (b"z", b"q"), (b"xy", b"q")]


@pytest.mark.parametrize("read", [
    TOKENIZER.encode,
    split_pieces,
    lambda text: learn_merges(text, 1),
    lambda text: BytePairTokenizer.train(text, vocabulary=257),
    lambda text: BytePairTokenizer([], special=["<end>", text]),
])  # fmt: skip
def test_half_a_character_is_named_with_its_place_and_a_way_out(as_readers_run_it, read):
    text = "lo lo \ud83d"
    with pytest.raises(ValueError, match=r"'\\ud83d', at index 6.*replace"):
        read(text)
    assert TOKENIZER.encode(text.encode("utf-8", "replace").decode()) == TOKENIZER.encode("lo lo ?")
