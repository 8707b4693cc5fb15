"""What is cut off from the gradient is told where the result depends on it, and only there."""

import math

import pytest
import torch

from tensorgrader.sandbox.worker import apply


def exponentials(x):
    return (x - x.amax(-1, keepdim=True)).exp()


def denominator(x):
    e = exponentials(x)
    return e / e.sum(-1, keepdim=True).detach()


def mean_without_gradient(x):
    with torch.no_grad():
        mean = x.mean(-1, keepdim=True)
    return x - mean


def largest_taken_off(x):
    return (x - x.detach().amax(-1, keepdim=True)).softmax(-1)


def a_check_of_its_own(x):
    weights = x.softmax(-1)
    assert weights.sum(-1).detach().allclose(torch.ones(len(x)))
    return weights


@pytest.fixture
def x():
    return torch.randn(3, 4, generator=torch.Generator().manual_seed(1))


CUT = {
    "a denominator": denominator,
    "a mean without gradient": mean_without_gradient,
    "a deviation as a number": lambda x: x / x.std().item(),
    "a deviation by math": lambda x: x / math.sqrt(x.var()),
    "data": lambda x: x * x.data,
    "joined": lambda x: torch.cat([x[:1], x[1:].detach() * x[:1]]),
}
FREE = {
    "exponentials": exponentials,
    "the largest": largest_taken_off,
    "the largest as a number": lambda x: (x - x.max().item()).softmax(-1),
    "made anew": lambda x: x * torch.ones_like(x) + x.new_full((x.size(-1),), 2.0),
    "places": lambda x: x.masked_fill(x.detach() > 0, 0.0) + x.argmax(-1, keepdim=True),
    "a check of its own": a_check_of_its_own,
}


@pytest.mark.filterwarnings("ignore")  # PyTorch's own, of what these do
@pytest.mark.parametrize("function", CUT.values(), ids=CUT)
def test_a_result_that_depends_on_what_is_cut_off_is_severed(function, x):
    told = apply(function, (x,), trains=(0,))
    assert told.severed == (0,)
    assert told.value.equal(function(x))


@pytest.mark.parametrize("function", FREE.values(), ids=FREE)
def test_what_makes_no_difference_may_be_cut_off(function, x):
    assert apply(function, (x,), trains=(0,)).severed == ()


def test_large_numbers_are_moved_by_so_little_that_nothing_overflows(x):
    assert apply(largest_taken_off, (x * 1e4,), trains=(0,)).severed == ()


def test_of_several_results_each_is_told_of():
    def results(x):
        return x.exp(), x.detach(), x / x.sum().detach()

    assert apply(results, (torch.rand(4),), trains=(0,)).severed == (1, 2)


def test_a_second_call_that_gives_something_else_is_no_error(x):
    def one_or_two(x):
        return x.exp() if x.mean().item() == mean else (x, x)

    mean = x.mean().item()
    assert apply(one_or_two, (x,), trains=(0,)).severed == ()


def test_where_nothing_trains_nothing_is_told(x):
    assert apply(denominator, (x,)).severed == ()


def test_the_second_call_gets_what_the_first_was_given(x):
    def in_place(x, n, mask):
        n += 1
        mask += 1
        return largest_taken_off(x) * n * mask

    told = apply(in_place, (x, torch.ones(1)), torch.ones(1), trains=(0,))
    assert told.value.allclose(x.softmax(-1) * 4)
    assert told.severed == ()


def weights_set_to_0(x):
    weights = x.softmax(-1)
    weights[0] = 0
    return weights


def exponentials_divided_in_place(x):
    e = x.exp()
    e /= e.sum(-1, keepdim=True)
    return e


@pytest.mark.parametrize("function", [weights_set_to_0, exponentials_divided_in_place])
def test_what_writes_into_what_its_gradient_needs_raises_an_error(function, x):
    told = apply(function, (x,), trains=(0,))
    assert "gradient computation" in told.message
    assert apply(function, (x,)).value.shape == x.shape  # where nothing trains, it may


def test_what_no_gradient_needs_may_be_written_into(x):
    def summed(x):
        total = x + 1
        total *= 2
        return total.exp()

    assert apply(summed, (x,), trains=(0,)).origins == ((0,),)
