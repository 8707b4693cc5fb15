"""The attention chapter: what its own cells cannot check."""

import math
import re

import pytest
import torch
from torch import nn

from tests.book.chapters import Chapter
from transformer_lab import AttentionHead, scaled_dot_product_attention

CHAPTER = Chapter("attention")


def test_the_heat_map_says_in_words_what_it_shows():
    scores = torch.tensor([[1.0, 2.0, 0.0], [2.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    (text,) = [alt for alt in CHAPTER.alts.values() if "three queries by three keys" in alt]
    told = [float(number) for number in re.findall(r"0\.\d\d", text)]
    torch.testing.assert_close(torch.tensor(told), scores.softmax(-1).flatten(), atol=0.006, rtol=0)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_said_about_scaling_does_not_hang_on_the_seed(seed):
    generator = torch.Generator().manual_seed(seed)
    q = torch.randn(4000, 1, 512, generator=generator)
    k = torch.randn(4000, 10, 512, generator=generator)
    _, scaled = scaled_dot_product_attention(q, k, k)
    _, raw = scaled_dot_product_attention(q * math.sqrt(512), k, k)

    def response(a):
        return (torch.diag_embed(a) - a[..., :, None] * a[..., None, :]).flatten(1).norm(dim=1)

    assert raw.amax(-1).mean().item() == pytest.approx(0.95, abs=0.01)
    assert scaled.amax(-1).mean().item() == pytest.approx(0.32, abs=0.01)
    assert response(raw[:, 0]).mean().item() == pytest.approx(0.06, abs=0.006)
    assert response(scaled[:, 0]).mean().item() == pytest.approx(0.35, abs=0.005)
    assert 0.64 < (response(raw[:, 0]) < 0.01).float().mean() < 0.72
    assert not (response(scaled[:, 0]) < 0.01).any()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_raw_words_look_at_themselves_whatever_the_seed(seed):
    x = torch.randn(10, 64, generator=torch.Generator().manual_seed(seed))
    _, weights = scaled_dot_product_attention(x, x, x)
    assert weights.diagonal().mean() > 0.95


@pytest.mark.parametrize("width", [32, 128])
def test_an_open_forget_gate_keeps_the_gradient_at_other_widths_and_seeds(width):
    torch.manual_seed(7)
    lstm = nn.LSTM(width, width, batch_first=True)
    nn.init.constant_(lstm.bias_hh_l0.data[width : 2 * width], 3)
    x = torch.randn(16, 101, width, requires_grad=True)
    lstm(x)[0][:, -1].sum().backward()
    left = x.grad.norm(dim=-1).mean(0)
    assert left[0] > 0.2 * left[-1]


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("d_model", "d_k"), [(512, 64), (64, 64), (256, 256)])
def test_new_heads_begin_a_third_as_wide_whatever_the_seed_and_the_sizes(d_model, d_k, seed):
    torch.manual_seed(seed)
    head = AttentionHead(d_model=d_model, d_k=d_k)
    with torch.no_grad():
        x = torch.randn(200, 10, d_model)
        scores = head.query(x) @ head.key(x).mT / math.sqrt(d_k)
    assert scores.std().item() == pytest.approx(1 / 3, abs=0.03)
