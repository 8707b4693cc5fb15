"""transformer_lab.feed_forward: the formulas, the sizes, one position at a time."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F

from transformer_lab.feed_forward import FeedForward, SwiGLU

GELU_TANH = partial(F.gelu, approximate="tanh")


@pytest.mark.parametrize("activation", [F.relu, F.gelu, GELU_TANH, F.silu])
def test_feed_forward_is_its_formula(activation):
    torch.manual_seed(0)
    network = FeedForward(d_model=3, d_ff=5, activation=activation)
    x = torch.randn(2, 4, 3)
    w1, b1, w2, b2 = network.parameters()
    torch.testing.assert_close(network(x), activation(x @ w1.T + b1) @ w2.T + b2)


def test_swiglu_is_its_formula():
    torch.manual_seed(0)
    network = SwiGLU(d_model=3, d_ff=5)
    x = torch.randn(2, 4, 3)
    gate, widen, narrow = network.gate.weight, network.up.weight, network.down.weight
    opened = x @ gate.T * torch.sigmoid(x @ gate.T)
    torch.testing.assert_close(network(x), (opened * (x @ widen.T)) @ narrow.T)


def test_sizes_of_the_paper_and_of_llama():
    def count(network):
        return sum(p.numel() for p in network.parameters())

    assert count(FeedForward(d_model=512)) == 2 * 512 * 2048 + 2048 + 512
    assert count(FeedForward(d_model=512, bias=False)) == 2_097_152
    assert count(SwiGLU(d_model=768)) == count(FeedForward(d_model=768, bias=False))
    assert count(SwiGLU(d_model=4, d_ff=6, bias=True)) == 3 * 24 + 6 + 6 + 4
    assert count(SwiGLU(d_model=4, d_ff=6)) == 3 * 24
