"""The mask playground's masks against loops, its weights against PyTorch's own attention."""

import itertools

import pytest
import torch
import torch.nn.functional as F

from tests.widgets.reading import baked as read
from transformer_lab.masking import causal_mask
from transformer_lab.widgets import MaskPlayground
from transformer_lab.widgets.mask_playground import (
    ENGLISH,
    NOT_CAUSAL,
    PAD,
    PADDING,
    PORTUGUESE,
    TOO_FAR,
    embedding,
    projections,
)

KINDS = MaskPlayground.kind.stops
FILLS = MaskPlayground.fill.stops


def sequences(kind, length):
    padded = [*ENGLISH[: length - 2], PAD, PAD]
    return {
        "causal": (ENGLISH[:length],) * 2,
        "window": (ENGLISH[:length],) * 2,
        "padding": (padded,) * 2,
        "causal + padding": (padded,) * 2,
        "causal + left padding": ([PAD, PAD, *ENGLISH[: length - 2]],) * 2,
        "cross": ([*PORTUGUESE[: length - 2], PAD], padded),
    }[kind]


def why_hidden(kind, queries, keys, i, j):
    later = j > i and kind not in ("padding", "cross")
    far = i - j >= 3 and kind == "window"
    return NOT_CAUSAL * later + PADDING * (keys[j] == PAD) + TOO_FAR * far


@pytest.fixture(scope="module")
def frames():
    data, frames = read("mask_playground")
    assert list(data["axes"]) == ["kind", "length", "fill"]
    assert len(frames) == len(KINDS) * 5 * len(FILLS)
    return frames


@pytest.mark.parametrize("kind", KINDS)
def test_every_mask_hides_what_it_should(frames, kind):
    for length, fill in itertools.product(range(4, 9), FILLS):
        frame = frames[kind, length, fill]
        queries, keys = sequences(kind, length)
        assert (frame["queries"], frame["keys"]) == (queries, keys)
        expected = [
            why_hidden(kind, queries, keys, i, j)
            for i, j in itertools.product(range(len(queries)), range(len(keys)))
        ]
        assert list(frame["hidden"]) == expected


@pytest.mark.parametrize("fill", FILLS)
def test_every_weight_is_torchs_within_its_quantisation(frames, fill):
    W_q, W_k = projections(0, 16)
    for kind, length in itertools.product(KINDS, range(4, 9)):
        frame = frames[kind, length, fill]
        queries, keys = sequences(kind, length)
        shape = len(queries), len(keys)
        q, k = embedding(queries) @ W_q, embedding(keys) @ W_k
        mask = torch.tensor(list(frame["hidden"])).view(shape) == 0
        said, drawn = (
            torch.frombuffer(bytearray(frame[n]), dtype=torch.float16).view(shape).float()
            for n in ("scores", "weights")
        )
        torch.testing.assert_close(said, q @ k.T / 4, rtol=1e-3, atol=1e-3)
        identity = torch.eye(len(keys))
        before = F.scaled_dot_product_attention(q[None], k[None], identity[None], mask)[0]
        after = F.scaled_dot_product_attention(q[None], k[None], identity[None])[0] * mask
        empty = ~mask.any(-1, keepdim=True)
        on_empty = {
            "-inf before softmax": torch.nan,
            "-1e9 before softmax": 1 / len(keys),
            "both": 0,
        }
        expected = after if fill == "0 after softmax" else before.masked_fill(empty, on_empty[fill])
        torch.testing.assert_close(drawn, expected, rtol=1e-3, atol=1e-3, equal_nan=True)


def test_it_shows_the_learners_causal_mask():
    upside_down = MaskPlayground(mask=lambda length: torch.ones(length, length).triu(1).bool())
    hidden = torch.tensor(list(upside_down.frame["hidden"])).view(6, 6)
    assert torch.equal(hidden > 0, torch.ones(6, 6).tril().bool())


@pytest.mark.parametrize("dtype", [torch.float32, torch.double, torch.long], ids=str)
def test_a_mask_that_is_not_boolean_is_told_in_words(dtype):
    widget = MaskPlayground(mask=lambda length: torch.zeros(length, length, dtype=dtype))
    assert f"should be boolean, True = may attend, but is {dtype}" in widget.frame["trouble"]
    widget.kind = "padding"
    assert "trouble" not in widget.frame, "no causal mask, no trouble"


def test_under_the_causal_mask_no_earlier_output_moves_and_a_late_fill_lets_all_move():
    def moves(**at):
        frame = MaskPlayground(**at).frame
        return torch.tensor(list(frame["moves"])).bool().view(len(frame["queries"]), -1)

    assert torch.equal(moves(length=6), causal_mask(6))
    assert moves(length=6, fill="0 after softmax").triu(1).any()
    padded = moves(kind="padding", length=6)
    assert padded[:4, :4].all()
    assert not padded[:4, 4:].any(), "no word's output depends on padding"


def test_the_still_picture_shows_its_frame():
    widget = MaskPlayground(kind="causal", length=4, fill="0 after softmax")
    mask, scores, weights = (
        torch.tensor(ax.images[0].get_array().data) for ax in widget.figure().axes
    )
    hidden = torch.tensor(list(widget.frame["hidden"])).view(4, 4)
    assert torch.equal(mask.bool(), hidden == 0)
    for shown, name in ((scores, "scores"), (weights, "weights")):
        drawn = torch.frombuffer(bytearray(widget.frame[name]), dtype=torch.half).view(4, 4)
        torch.testing.assert_close(shown.double(), drawn.double(), rtol=0, atol=1e-2)
