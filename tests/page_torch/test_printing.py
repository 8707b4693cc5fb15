"""Tensors are printed as PyTorch prints them."""

import math
import subprocess
import sys

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
    lambda side: side.finfo(side.float16),
    lambda side: side.iinfo(side.int8),
    lambda side: side.view_as_complex(side.arange(12.0).reshape(2, 3, 2)),
    lambda side: side.polar(side.ones(30), side.arange(30.0)),
    lambda side: side.complex(side.tensor(math.nan), side.tensor(-math.inf)),
    lambda side: side.arange(3, dtype=side.float64) * 1j,
    lambda side: side.exp(1j * side.arange(600).reshape(2, 300) * 1e-5),
    lambda side: side.view_as_complex(side.zeros(0, 2)),
])  # fmt: skip
def test_what_describes_a_tensor_is_printed_as_by_pytorch(make):
    assert repr(make(small)) == repr(make(torch))


def test_the_first_complex_number_of_a_process_may_be_pythons():
    code = """
from page_torch import torch
x = torch.arange(3.0)
print([1j * x, x * 1j, x.mul(1j), torch.add(x, 1j)])
"""
    x = torch.arange(3.0)
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert fresh.stdout == f"{[1j * x, x * 1j, x.mul(1j), torch.add(x, 1j)]}\n"
