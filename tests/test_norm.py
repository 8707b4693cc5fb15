"""transformer_lab.norm against torch.nn, and the two residual wirings against their formulas."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn

from transformer_lab.norm import LayerNorm, PostNorm, PreNorm, RMSNorm, layer_norm, rms_norm

# Half precision is rounded at other places than PyTorch rounds it.
TOLERANCE = {
    torch.float64: dict(rtol=1e-12, atol=1e-12),
    torch.float32: dict(rtol=1e-5, atol=1e-5),
    torch.bfloat16: dict(rtol=2e-2, atol=2e-2),
    torch.float16: dict(rtol=2e-3, atol=2e-3),
}


@st.composite
def problems(draw):
    """Vectors with a mean far from 0, a spread far from 1, and γ and β that show.

    Nearly constant vectors are left out: there rounding alone decides, in PyTorch as here.
    """
    leading = draw(st.lists(st.integers(1, 3), max_size=2))
    width = draw(st.integers(2, 9))
    dtype = draw(st.sampled_from(list(TOLERANCE)))
    g = torch.Generator().manual_seed(draw(st.integers(0, 2**16)))
    spread, mean = draw(st.sampled_from([1.0, 5.0])), draw(st.sampled_from([-3.0, 0.0, 2.0]))
    x = spread * torch.randn(*leading, width, generator=g) + mean
    assume(x.std(-1).min() > 0.2)
    weight, bias = torch.randn(width, generator=g), torch.randn(width, generator=g)
    return x.to(dtype), weight.to(dtype), bias.to(dtype), draw(st.sampled_from([1e-12, 1e-5, 0.1]))


@given(problems())
@settings(max_examples=200)
def test_norms_equal_pytorch(problem):
    x, weight, bias, eps = problem
    for ours, theirs in [
        (layer_norm(x, weight, bias, eps), F.layer_norm(x, weight.shape, weight, bias, eps)),
        (rms_norm(x, weight, eps), F.rms_norm(x, weight.shape, weight, eps)),
    ]:
        assert ours.dtype == x.dtype
        torch.testing.assert_close(ours, theirs, **TOLERANCE[x.dtype])


@pytest.mark.parametrize(("ours", "theirs"), [(LayerNorm, nn.LayerNorm), (RMSNorm, nn.RMSNorm)])
def test_modules_load_pytorchs_weights_and_give_its_gradients(ours, theirs):
    theirs = theirs(6, eps=1e-3).double()
    for p in theirs.parameters():
        nn.init.normal_(p)
    ours = ours(d_model=6, eps=1e-3).double()
    ours.load_state_dict(theirs.state_dict())
    x = torch.randn(2, 3, 6, dtype=torch.float64, requires_grad=True)
    aim = torch.randn_like(x)
    gradients = [
        torch.autograd.grad((norm(x) * aim).sum(), [x, *norm.parameters()])
        for norm in (ours, theirs)
    ]
    for mine, expected in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, expected, rtol=1e-10, atol=1e-10)


def test_a_constant_vector_gives_beta_and_zeros_give_zeros():
    bias = torch.tensor([1.0, -2.0, 0.5])
    assert torch.equal(layer_norm(torch.full((2, 3), 7.0), torch.ones(3), bias), bias.expand(2, 3))
    assert torch.equal(layer_norm(torch.ones(1), torch.ones(1), bias[:1]), bias[:1])
    assert not rms_norm(torch.zeros(3), torch.ones(3)).any()


@pytest.mark.parametrize(("norm", "function"), [(LayerNorm, layer_norm), (RMSNorm, rms_norm)])
def test_float16_does_not_overflow(norm, function):
    x = torch.tensor([400.0, -400.0, 800.0]).half()  # whose squares float16 cannot hold
    module = norm(d_model=3)
    exact = module(x.float())
    weights = module.half().parameters()
    for y in (module(x), function(x, *weights)):
        torch.testing.assert_close(y.float(), exact, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("wiring", [PostNorm, PreNorm])
def test_dropout_falls_on_the_sublayer_alone(wiring):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4)
    wired = wiring(norm=nn.Identity(), dropout=0.5)
    added = wired(x, torch.ones_like) - x
    assert set(added.round(decimals=3).unique().tolist()) == {0.0, 2.0}
    torch.testing.assert_close(wired.eval()(x, torch.ones_like), x + 1)
