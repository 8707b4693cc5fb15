"""The scaling explorer's baked frames against torch's own softmax, entropy and gradients."""

import math

import pytest
import torch
from torch.distributions import Categorical

from tests.widgets.reading import baked
from transformer_lab.widgets import ScalingExplorer
from transformer_lab.widgets.scaling_explorer import WIDTHS, dot_products

every_width = pytest.mark.parametrize("d_k", WIDTHS)


@pytest.fixture(scope="module")
def frames():
    data, frames = baked("scaling_explorer")
    assert data["axes"] == {"d_k": [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]}
    return {d_k: frame for (d_k,), frame in frames.items()}


def jacobians(scores):
    return torch.func.vmap(torch.func.jacrev(lambda row: row.softmax(-1)))(scores)


@every_width
def test_the_scores_are_dot_products_of_random_vectors(d_k):
    raw = dot_products()[d_k]
    assert raw.shape == (2000, 10)
    assert raw.var().item() == pytest.approx(d_k, rel=0.1)
    assert abs(raw.mean().item()) < 0.05 * math.sqrt(d_k)


@every_width
def test_every_average_is_torchs(frames, d_k):
    frame = frames[d_k]
    for i, divisor in enumerate((1, math.sqrt(d_k))):
        scores = dot_products()[d_k] / divisor
        moves = jacobians(scores).flatten(1).norm(dim=1)
        expected = {
            "spread": scores.std(),
            "largest": scores.softmax(-1).amax(-1).mean(),
            "entropy": Categorical(logits=scores).entropy().mean(),
            "response": moves.mean(),
            "saturated": 100 * (moves < 0.01).float().mean(),
        }
        for name, value in expected.items():
            assert frame[name][i] == pytest.approx(value.item(), abs=1e-3), name


@every_width
def test_every_picture_is_torchs_within_its_quantisation(frames, d_k):
    weights = torch.frombuffer(bytearray(frames[d_k]["weights"]), dtype=torch.uint8)
    often = torch.frombuffer(bytearray(frames[d_k]["often"]), dtype=torch.float16)
    for i, divisor in enumerate((1, math.sqrt(d_k))):
        scores = dot_products()[d_k] / divisor
        shown = weights.view(2, 8, 10)[i] / 255
        torch.testing.assert_close(shown, scores[:8].softmax(-1), rtol=0, atol=0.51 / 255)
        counts = torch.stack(
            [((low <= scores) & (scores < low + 2)).sum() for low in range(-61, 61, 2)]
        )
        drawn = often.view(2, 61)[i].float()
        torch.testing.assert_close(drawn, counts / counts.max(), rtol=0, atol=1e-3)


def test_it_shows_the_learners_scale():
    widget = ScalingExplorer(d_k=64, scale=lambda scores, d_k: scores / d_k)
    undivided, own = widget.frame["spread"]
    assert own == pytest.approx(undivided / 64, abs=1e-3)
    assert widget.frame["entropy"][1] > 2.29, "nearly even"
    assert widget.frame["names"] == ["not divided", "your own"]
