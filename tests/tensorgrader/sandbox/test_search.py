"""A machine looks through PyTorch for what computes a refused step: it finds nothing new."""

import pytest

from tests.course import part
from tests.tensorgrader.sandbox.search import ways_round

ATTENTION = part("ready_made").ATTENTION
NORMS = part("ready_made").NORMS
SOFTMAX = part("ready_made").SOFTMAX

REFUSED = {
    "softmax": SOFTMAX | ATTENTION,
    "log_softmax": SOFTMAX | ATTENTION,
    "attention": ATTENTION,
    "layer_norm": NORMS,
    "rms_norm": NORMS,
}


@pytest.mark.slow  # thousands of functions are called, in pieces
def test_the_search_finds_what_is_not_refused():
    found, _, _ = ways_round([], "softmax", depth=0)
    assert {"torch.softmax", "torch.special_softmax"} & set(found)


@pytest.mark.slow
@pytest.mark.parametrize("target", REFUSED)
def test_nothing_that_pytorch_has_computes_a_refused_step(target):
    found, count, lost = ways_round(sorted(REFUSED[target]), target, depth=1)
    assert found == []
    assert count > 5000
    assert len(lost) < 50, lost
