"""The page knows what PyTorch has, and says what of it is missing."""

import subprocess
import sys

import pytest
import torch

from page_torch import torch as small
from page_torch.torch.missing import NotOnThisPage
from tests.page_torch.names import PATH


def test_the_list_of_names_is_that_of_pytorch():
    """In a process of its own: what other tests import adds to PyTorch's names."""
    code = "from tests.page_torch.names import written; print(written(), end='')"
    fresh = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert PATH.read_text("utf8") == fresh.stdout, "python -m tests.page_torch.names"


def test_what_pytorch_has_and_the_page_has_not_is_said_and_caught_by_no_one():
    for use in (
        lambda: small.fft.fft(small.zeros(2)),
        lambda: small.polar(small.zeros(2), small.zeros(2)).sum(),
        lambda: print(small.polar(small.zeros(2), small.zeros(2))),
        lambda: small.zeros(2).floor(),
        lambda: small.zeros(2).stride(),
        lambda: small.set_default_dtype(small.float64),
        lambda: small.div(small.ones(2), 2, rounding_mode="floor"),
        lambda: small.isin(small.ones(2), 1, invert=True),
        lambda: small.stack([small.polar(small.zeros(2), small.zeros(2))] * 2),
        lambda: small.zeros(2, dtype=small.complex64),
        lambda: small.nn.functional.conv1d(small.zeros(2), small.zeros(2)),
        lambda: small.nn.LSTM(2, 3),
        lambda: small.nn.Linear(2, 3).register_forward_hook(print),
        lambda: small.nn.Linear.half,
        lambda: small.zeros(2).numpy(),
        lambda: small.zeros(2) / 1j,
        lambda: small.tensor(1j),
        lambda: small.nn.functional.dropout(small.zeros(2), 0.5),
        lambda: small.add(small.zeros(2), 1, out=small.zeros(2)),
        lambda: small.zeros(2, device="cuda"),
        lambda: small.arange(2) << 1,
        lambda: 4 >> small.arange(2),
        lambda: small.arange(2).__ilshift__(1),
    ):
        with pytest.raises(NotOnThisPage, match="not your mistake"):
            swallowing(use)
    assert not issubclass(NotOnThisPage, Exception)


def test_every_operator_of_pytorchs_tensors_is_there_or_said_to_be_missing():
    others = {"__array_priority__", "__cuda_array_interface__", "__delitem__", "__setstate__"}
    others |= {"__div__", "__rdiv__", "__idiv__", "__long__", "__nonzero__"}  # Python 2's
    others |= {"__slotnames__"}  # written by copyreg, once a tensor was copied
    lacking = {name for name in dir(torch.Tensor) if name.startswith("__")} - set(dir(small.Tensor))
    assert not {n for n in lacking - others if not n.startswith(("__array", "__dlpack", "__torch"))}


def test_what_is_missing_of_gradients_is_said():
    x = small.ones(2, requires_grad=True)
    for use in (
        lambda: small.linalg.pinv(x[:, None]).sum().backward(),
        lambda: small.autograd.grad(x.sum(), x, create_graph=True),
        lambda: small.autograd.functional.jacobian(small.exp, x),
        lambda: small.optim.LBFGS([x]),
    ):
        with pytest.raises(NotOnThisPage, match="open the notebook"):
            swallowing(use)


def swallowing(use):
    try:
        use()
    except Exception:
        pytest.fail("an error that a learner's code could swallow")
