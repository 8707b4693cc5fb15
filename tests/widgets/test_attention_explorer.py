"""The attention explorer's numbers against PyTorch's own attention."""

import base64
import itertools
import json
import re

import pytest
import torch
import torch.nn.functional as F

from transformer_lab.widgets import AttentionExplorer
from transformer_lab.widgets.attention_explorer import HEADS, TOKENS, embedding, projections


def by_pytorch(d_k, length, scaled):
    """Scores and weights without any code of ours but the random vectors."""
    x = embedding(TOKENS[:length])
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
    name, text, blob = re.fullmatch(
        r'transformerLab\.baked\("(\w+)",(.*),"([^"]*)"\);\n', AttentionExplorer.bake()
    ).groups()
    assert name == "attention_explorer"
    data, blob = json.loads(text), base64.b64decode(blob)
    places = itertools.product(*data["axes"].values())
    frames = {}
    for place, frame in zip(places, data["frames"], strict=True):
        cut = {
            name: blob[frame[name]["from"] :][: frame[name]["size"]]
            for name in ("weights", "scores")
        }
        frames[place] = frame | cut
    return data, frames


def test_every_baked_frame_is_torchs_within_its_quantisation(baked):
    data, frames = baked
    assert list(data["axes"]) == ["d_k", "length", "scaled"]
    assert len(frames) == 7 * 9 * 2
    for (d_k, length, scaled), frame in frames.items():
        scores, weights = by_pytorch(d_k, length, scaled)
        shape = (HEADS, length, length)
        drawn = torch.frombuffer(bytearray(frame["weights"]), dtype=torch.uint8).view(shape) / 255
        torch.testing.assert_close(drawn, weights, rtol=0, atol=0.5 / 255 + 1e-5)
        said = torch.frombuffer(bytearray(frame["scores"]), dtype=torch.float16).view(shape)
        torch.testing.assert_close(said.float(), scores, rtol=1e-3, atol=1e-3)
        largest = weights.amax(-1).mean(-1)
        torch.testing.assert_close(torch.tensor(frame["largest"]), largest, rtol=0, atol=6e-4)


def test_a_live_frame_is_the_baked_one(baked):
    _, frames = baked
    live = AttentionExplorer(d_k=4, length=5, scaled=False).frame
    assert {n: live[n] for n in ("weights", "scores", "largest")} == frames[4, 5, False]


def test_the_page_starts_where_the_kernel_would(baked):
    data, _ = baked
    widget = AttentionExplorer()
    assert data["state"] == {
        "d_k": 16, "heads": 4, "length": 6, "scaled": True,
        "stops": widget.grid(), "tokens": TOKENS,
    }  # fmt: skip


def test_the_same_word_has_the_same_vector_wherever_it_stands():
    x = embedding(TOKENS)
    assert torch.equal(x[0], x[4])  # The, the
    assert not torch.allclose(x[0], x[1])


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
