"""The page's own exp, log, cos and sin, PyTorch's random numbers, and the rate of gpt.py."""

import math

import pytest
import torch

from tests.page.train.reference import gpt


def test_functions_are_those_of_the_standard_library(ask):
    x = [1e-7, 0.2, 0.7071, 1, 2.5, 9.3, 63.5, 500]
    for value, (exp, log, cos, sin) in zip(x, ask("numbers", x=x), strict=True):
        assert exp == pytest.approx(math.exp(-value), rel=1e-12)
        assert log == pytest.approx(math.log(value), rel=1e-14, abs=1e-15)
        assert (cos, sin) == pytest.approx((math.cos(value), math.sin(value)), abs=1e-13)


@pytest.mark.parametrize("size", [16, 64, 107])
def test_a_seed_gives_torchs_numbers(ask, size):
    generator = torch.Generator().manual_seed(5)
    bits = torch.randint(2**27, (700,), generator=generator)  # so many that all 624 are renewed
    normal = torch.randn(size, generator=generator)
    below = torch.randint(53_000, (700,), generator=generator)

    told = ask("random", seed=5, bits=700, normal=size, below=53_000)

    assert [n % 2**27 for n in told["bits"]] == bits.tolist()
    torch.testing.assert_close(torch.tensor(told["normal"]), normal, rtol=1e-5, atol=1e-6)
    assert told["below"] == below.tolist()


@pytest.mark.parametrize(
    "plan", [{"steps": 60, "peak": 4e-3, "warmUp": 50}, {"steps": 7, "peak": 1, "warmUp": 2}]
)
def test_the_rate_is_that_of_gpt_py(ask, plan):
    expected = [
        gpt.learning_rate(step, plan["steps"], plan["peak"], plan["warmUp"])
        for step in range(1, plan["steps"] + 1)
    ]
    assert ask("rates", plan=plan) == pytest.approx(expected, abs=1e-15)


def test_without_warm_up_the_rate_begins_at_its_peak(ask):
    first, *_, last = ask("rates", plan={"steps": 100, "peak": 1, "warmUp": 0})
    assert first > 0.99
    assert last == pytest.approx(0, abs=1e-15)
