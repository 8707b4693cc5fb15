"""The chapter on normalisation: what its own cells cannot check."""

import pytest
import torch
from torch import nn

from transformer_lab import EncoderLayer, PostNorm, PreNorm, Stack, initialise_xavier


@pytest.mark.parametrize("seed", [3, 4, 5])
@pytest.mark.parametrize(("residual", "grows"), [(PostNorm, False), (PreNorm, True)])
def test_only_the_stream_of_pre_norm_grows_whatever_the_seed(seed, residual, grows):
    torch.manual_seed(seed)
    layers = [EncoderLayer(d_model=64, heads=4, d_ff=256, residual=residual) for _ in range(32)]
    stack = Stack(layers, nn.Identity()).apply(initialise_xavier)
    with torch.no_grad():
        size = stack(torch.randn(8, 10, 64)).square().mean().sqrt().item()
    assert 4 < size < 9 if grows else size == pytest.approx(1, abs=1e-3)
