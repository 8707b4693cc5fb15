"""all-MiniLM-L6-v2 in our parts, against Hugging Face's BERT and tokenizer on the same files."""

import pytest
import torch

from transformer_lab.pretrained import embed
from transformer_lab.pretrained import minilm as module
from transformer_lab.pretrained._installed import find_file

SENTENCES = [
    "The cat sat.",
    "A cat sits on the mat.",
    "Stop!",
    "The kitten is taking a nap in the warm kitchen.",
    "Share prices fell sharply this morning.",
    "x",
    "What is the capital of France?",
    "Paris is the capital of France.",
    "He plays the guitar, the piano and — badly — the violin.",
    "Attention weights add up to one in every row.",
    "the same words in lower case",
    "THE SAME WORDS IN LOWER CASE",
    "O gato come peixe.",
    "Größe, naïve, façade, Ελλάδα, 東京, 🙂",
    "3.14159 is not 22/7",
    "antidisestablishmentarianism",
    "She reads a book every night before she sleeps, and in the morning she remembers nothing.",
    "A transformer reads a sentence all at once.",
    "It rained. " * 12,
    "Yesterday, " * 9,
]


LONG = ["word " * 300]  # the tokenizer's file says: cut after 128


@pytest.fixture(scope="module")
def reference():
    """Hugging Face's tokenizer and model, from the same folder."""
    from transformers import AutoTokenizer, BertModel  # seconds, for the one worker that wants it

    file = find_file(module.PACKAGE, module.WEIGHTS, sha256=module.WEIGHTS_SHA256)
    tokenizer = AutoTokenizer.from_pretrained(file.parent)
    return tokenizer, BertModel.from_pretrained(file.parent, attn_implementation="eager").eval()


@pytest.mark.parametrize("sentences", [SENTENCES, LONG], ids=["unequal", "long"])
def test_tokens_and_sentence_vectors_equal_berts(minilm, reference, sentences):
    tokenizer, bert = reference
    theirs = tokenizer(sentences, padding=True, truncation=False, return_tensors="pt")
    ids, real = minilm.tokenizer.encode(sentences)
    assert torch.equal(ids, theirs.input_ids)
    assert torch.equal(real, theirs.attention_mask.bool())
    with torch.no_grad():
        vectors = bert(**theirs).last_hidden_state
    weight = real.unsqueeze(-1)
    mean = (vectors * weight).sum(1) / weight.sum(1)
    expected = mean / mean.norm(dim=-1, keepdim=True)
    assert (embed(minilm, sentences) - expected).abs().max() <= 1e-5
    assert (minilm.model.encode(ids, real) - vectors)[real].abs().max() <= 1e-5


def test_a_sentence_has_the_same_vector_alone_and_in_a_batch(minilm):
    together = embed(minilm, SENTENCES)
    for row in (0, 13, 18):
        assert (embed(minilm, SENTENCES[row : row + 1])[0] - together[row]).abs().max() <= 1e-5


def test_too_long_a_text_is_refused_with_the_length_that_fits(minilm):
    with pytest.raises(ValueError, match="512 positions"):
        embed(minilm, ["word " * 600])
