"""The attention explorer's numbers against PyTorch's own attention."""

import pytest
import torch
import torch.nn.functional as F

from tests.widgets.reading import baked as read
from transformer_lab.widgets import AttentionExplorer
from transformer_lab.widgets.attention_explorer import HEADS, TOKENS, embedding, projections, values


def by_pytorch(d_k, length, scaled, tokens=TOKENS):
    """Scores and weights without any code of ours but the random vectors."""
    x = embedding(list(tokens[:length]))
    length = len(x)
    scores, weights = [], []
    for head in range(HEADS):
        W_q, W_k = projections(head, d_k)
        q, k = x @ W_q, x @ W_k
        scale = d_k**-0.5 if scaled else 1.0
        # With the identity for values, the output is the weights.
        identity = torch.eye(length)
        weights.append(
            F.scaled_dot_product_attention(q[None], k[None], identity[None], scale=scale)[0]
        )
        scores.append(scale * q @ k.T)
    return torch.stack(scores), torch.stack(weights)


@pytest.fixture(scope="module")
def baked():
    """The baked file, read as the page reads it: frames by their place on the grid."""
    return read("attention_explorer")


def numbers(frame, length, every):
    """Read a frame's weights and scores as the page does."""
    weights = torch.frombuffer(bytearray(frame["weights"]), dtype=torch.uint8) / 255
    scores = torch.frombuffer(bytearray(frame["scores"]), dtype=torch.float16).float()
    return weights.view(HEADS, length, length), scores.view(HEADS, every, every)


def test_every_baked_frame_is_torchs_within_its_quantisation(baked):
    data, frames = baked
    assert list(data["axes"]) == ["d_k", "length", "scaled", "tokens"]
    assert len(frames) == 7 * 9 * 2 * 3
    for (d_k, length, scaled, tokens), frame in frames.items():
        scores, weights = by_pytorch(d_k, length, scaled, tokens)
        drawn, said = numbers(frame, length, len(tokens))
        torch.testing.assert_close(drawn, weights, rtol=0, atol=0.5 / 255 + 1e-5)
        torch.testing.assert_close(said[:, :length, :length], scores, rtol=1e-3, atol=1e-3)
        largest = weights.amax(-1).mean(-1)
        torch.testing.assert_close(torch.tensor(frame["largest"]), largest, rtol=0, atol=6e-4)


def test_the_values_of_a_sentence_are_arrows_of_length_1(baked):
    _, frames = baked
    packed = bytearray(frames[4, 5, False, tuple(TOKENS)]["values"])
    drawn = torch.frombuffer(packed, dtype=torch.float16).float().view(len(TOKENS), 2)
    torch.testing.assert_close(drawn, values(TOKENS), rtol=1e-3, atol=1e-3)
    torch.testing.assert_close(drawn.norm(dim=1), torch.ones(len(TOKENS)), rtol=0, atol=1e-3)
    assert torch.equal(drawn[0], drawn[4])  # The, the


def test_what_the_chapter_says_about_the_sliders():
    def largest(**sliders):
        frame = AttentionExplorer(length=10, **sliders).frame
        return sum(frame["largest"]) / HEADS

    widths = AttentionExplorer.grid()["d_k"]
    raw = [largest(d_k=d_k, scaled=False) for d_k in widths]
    assert raw == sorted(raw), "without scaling, wider keys sharpen the rows"
    assert raw[-1] > 0.7
    assert max(largest(d_k=d_k) for d_k in widths) < 0.35
    by_length = [largest(), sum(AttentionExplorer(length=2).frame["largest"]) / HEADS]
    assert by_length == sorted(by_length), "more words, thinner rows"


def test_own_words_are_computed_even_if_fewer_than_the_slider_says():
    words = ["my", "own", "words"]
    frame = AttentionExplorer(tokens=words, length=6).frame
    drawn, said = numbers(frame, 3, 3)
    scores, weights = by_pytorch(16, 6, True, words)
    torch.testing.assert_close(drawn, weights, rtol=0, atol=0.5 / 255 + 1e-5)
    torch.testing.assert_close(said, scores, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("returns_weights", [True, False])
def test_it_shows_what_the_learners_function_does(returns_weights):
    def wrong_axis(q, k, v):
        weights = (q @ k.mT).softmax(dim=-2)
        return (weights @ v, weights) if returns_weights else weights @ v

    drawn, _ = numbers(AttentionExplorer(attention=wrong_axis).frame, 6, 10)
    torch.testing.assert_close(drawn.sum(-2), torch.ones(HEADS, 6), rtol=0, atol=6 / 255)
    assert (drawn.sum(-1) - 1).abs().max() > 0.5


def test_weights_that_cannot_be_weights_are_named():
    widget = AttentionExplorer(attention=lambda q, k, v: q @ k.mT @ v)
    assert "between 0 and 1, but go from -" in widget.frame["trouble"]
    assert "Is the softmax missing?" in widget.frame["trouble"]
