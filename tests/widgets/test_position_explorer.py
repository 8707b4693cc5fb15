"""The position explorer's numbers against loops, cosines and PyTorch's own attention."""

import itertools
import math

import pytest
import torch
import torch.nn.functional as F

import transformer_lab as lab
from tests.widgets.reading import baked as read
from transformer_lab.widgets import PositionExplorer

KINDS, WIDTHS, BASES = (PositionExplorer.grid()[name] for name in ("kind", "d_model", "base"))
SLOPES = [2.0**-i for i in range(1, 9)]


@pytest.fixture(scope="module")
def frames():
    data, frames = read("position_explorer")
    assert list(data["axes"]) == ["kind", "d_model", "base"]
    assert len(frames) == len(KINDS) * len(WIDTHS) * len(BASES)
    return frames


def halves(packed, rows):
    return torch.frombuffer(bytearray(packed), dtype=torch.half).double().view(rows, -1)


def encoding(positions, d_model, base):
    table = torch.zeros(positions, d_model).double()
    for t, feature in itertools.product(range(positions), range(d_model)):
        angle = t / base ** ((feature - feature % 2) / d_model)
        table[t, feature] = math.cos(angle) if feature % 2 else math.sin(angle)
    return table


def test_the_table_is_the_papers(frames):
    for d_model, base in itertools.product(WIDTHS, BASES):
        frame = frames["sinusoidal", d_model, base]
        assert frame["columns"] == d_model
        table = halves(frame["table"], 64)
        torch.testing.assert_close(table, encoding(64, d_model, base), rtol=0, atol=3e-4)


def test_no_position_is_nothing_and_alibi_is_slope_times_distance(frames):
    for d_model, base in itertools.product(WIDTHS, BASES):
        assert not halves(frames["none", d_model, base]["table"], 64).any()
        fading = frames["ALiBi", d_model, base]
        expected = torch.tensor([[-slope * t for slope in SLOPES] for t in range(64)]).double()
        torch.testing.assert_close(halves(fading["table"], 64), expected)


def test_rotary_scores_depend_on_the_distance_alone():
    table = PositionExplorer().table("rotary", 8, 100.0)
    q = k = torch.tensor([1.0, 0.0]).repeat(4).expand(64, -1)
    q, k = lab.RotaryPositions(base=100.0)(q[None, None], k[None, None])
    torch.testing.assert_close(table, (q @ k.mT)[0, 0] / 4, rtol=0, atol=1e-5)


def cosines(d_model, base, shift=0):
    """Average cos(ω Δ) over the hands, for distances Δ from -63 to 63."""
    return torch.tensor(
        [
            sum(math.cos((d + shift) / base ** (2 * i / d_model)) for i in range(d_model // 2))
            / (d_model / 2)
            for d in range(-63, 64)
        ]
    ).double()


def test_every_curve_is_its_formula(frames):
    for d_model, base in itertools.product(WIDTHS, BASES):
        even, turned = cosines(d_model, base), cosines(d_model, base, shift=3)
        fades = [[s * d if d <= 0 else math.nan for d in range(-63, 64)]
                 for s in (1 / 2, 1 / 16, 1 / 256)]  # fmt: skip
        for kind, expected in {
            "none": torch.zeros(1, 127).double(),
            "sinusoidal": torch.stack([even, even]),
            "rotary": torch.stack([even, turned]),
            "ALiBi": torch.tensor(fades).double(),
        }.items():
            frame = frames[kind, d_model, base]
            drawn = halves(frame["curves"], len(frame["names"]))
            torch.testing.assert_close(drawn, expected, rtol=1e-3, atol=6e-4, equal_nan=True)


def turned(x, base):
    pairs = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    width = x.size(-1)
    angles = torch.tensor(
        [[t / base ** (2 * i / width) for i in range(width // 2)] for t in range(len(x))]
    ).double()
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten(-2)


def test_the_weights_are_pytorchs(frames):
    names = ["bites", "dog", "man"]
    for (kind, d_model, base), frame in frames.items():
        dice = torch.Generator().manual_seed(3)
        vectors = torch.randn(3, d_model, generator=dice)
        W_q, W_k = torch.randn(2, d_model, d_model, generator=dice) / d_model**0.5
        for words, weights in zip(
            ("dog bites man", "man bites dog"), frame["weights"], strict=True
        ):
            x = torch.stack([vectors[names.index(word)] for word in words.split()]).double()
            x = x + encoding(3, d_model, base) * (kind == "sinusoidal")
            q, k = x @ W_q.double(), x @ W_k.double()
            if kind == "rotary":
                q, k = turned(q, base), turned(k, base)
            mask = None
            if kind == "ALiBi":
                back = torch.arange(3)[:, None] - torch.arange(3)
                mask = (-back / 2).masked_fill(back < 0, -torch.inf).double()
            expected = F.scaled_dot_product_attention(
                q[None], k[None], torch.eye(3).double()[None], mask
            )[0]
            torch.testing.assert_close(torch.tensor(weights).double(), expected, rtol=0, atol=6e-4)


def test_the_learners_encoding_is_asked_only_where_it_is_shown():
    widget = PositionExplorer(encoding=lambda t, d, base: None)
    assert "return missing" in widget.frame["trouble"]
    for kind in ("none", "rotary", "ALiBi"):
        widget.kind = kind
        assert "trouble" not in widget.frame
