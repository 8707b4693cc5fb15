"""Tensors are printed as PyTorch prints them."""

import pytest
import torch
from hypothesis import given

from page_torch import torch as small
from tests.page_torch.programs import build, tensors


@given(tensors())
def test_a_tensor_is_printed_as_by_pytorch(spec):
    assert repr(build(small, spec)) == repr(build(torch, spec))


@pytest.mark.parametrize("make", [
    lambda side: side.arange(2000.0),
    lambda side: side.arange(3000).reshape(50, 60),
    lambda side: side.arange(30.0) / 7,
    lambda side: side.linspace(-1e5, 1e5, 7),
    lambda side: side.ones(2, 3).softmax(-1).max(-1),
    lambda side: side.nn.Parameter(side.ones(2)),
    lambda side: side.zeros(2, 3).shape,
    lambda side: (side.float32, side.device("cpu"), side.zeros(1).device),
    lambda side: f"{side.tensor(2.5):.3f} {side.tensor(3)} {side.tensor([1.5])}",
    lambda side: side.nn.Sequential(side.nn.Linear(2, 3), side.nn.ReLU()),
    lambda side: [getattr(side.finfo(side.float16), n) for n in ("min", "max", "eps", "tiny")],
])  # fmt: skip
def test_what_describes_a_tensor_is_printed_as_by_pytorch(make):
    assert repr(make(small)) == repr(make(torch))
