"""What a process holds for a worker can do all that it could do beside the learner's code."""

import io
import socket
import threading

import pytest
import torch

from tensorgrader.exercise import Inputs
from tensorgrader.outcome import Died, Raised, TimedOut
from tensorgrader.sandbox import proxy, proxy_server, values
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.sandbox.processes import lacking
from tensorgrader.sandbox.values import Made
from tests.tensorgrader.asking import run

pytestmark = pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")


def cubes():
    def cube(x, times=1, *, writes=False, more=()):
        if writes:
            x += 1
        for one in more:
            x = x + one
        if not torch.is_tensor(x) or x.dim() > 3:
            raise ValueError("x has at most three axes")
        return times * x**3

    return cube


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as sandbox:
        yield sandbox


def answered(sandbox, body, recipe=cubes):
    assert run(sandbox, f"import torch, numpy as np\ndef f(given):\n    {body}") is None
    (outcome,) = sandbox.call("f", [Inputs((Made("", recipe, ()),))])
    return outcome


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("return given(torch.tensor([2.0])).tolist()", [8.0]),
        ("return given(torch.tensor([2.0]), times=2).tolist()", [16.0]),
        ("return given(x=torch.tensor([2.0]), more=[1, 1.0]).tolist()", [64.0]),
        ("return given(torch.zeros(1), more={1}).tolist()", [1.0]),
        ("return given(torch.zeros(1), more=np.ones(2)).tolist()", [8.0]),
        ("return given(torch.zeros(1), np.float64(1.0)).dtype == torch.float32", True),
        ("x = torch.ones(2); given(x, writes=True); return x.tolist()", [2.0, 2.0]),
        ("x = torch.ones(2, 2); given(x[0], writes=True); return x.tolist()", [[2, 2], [1, 1]]),
        ("x = torch.ones(2); given(x); return x._version", 0),
        ("x = torch.ones(2, requires_grad=True); given(x).sum().backward(); return x.grad[0]", 3.0),
        ("x = torch.ones(2); return torch.func.jacrev(given)(x).tolist()", [[3, 0], [0, 3]]),
        ("return torch.func.grad(lambda x: given(x).sum())(torch.ones(2)).tolist()", [3.0, 3.0]),
        ("return torch.vmap(given)(torch.tensor([1.0, 2.0])).tolist()", [1.0, 8.0]),
        ("return given(torch.ones(1, requires_grad=True)).requires_grad", True),
    ],
)
def test_it_is_called_as_if_it_were_there(sandbox, body, value):
    got = answered(sandbox, body).value
    assert (got.item() if isinstance(got, torch.Tensor) else got) == value


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("return given(torch.ones(1, 1, 1, 1))", "ValueError", "at most three axes"),
        ("return given()", "TypeError", "missing 1 required"),
        ("return given(torch.ones(2, requires_grad=True), writes=True)", "RuntimeError", "leaf"),
        ("return given(object())", "TypeError", "not object"),
        ("return given(torch.ones(3_000, 3_000))", "ValueError", "MiB"),
        ("x = 1\n    for _ in range(50): x = [x]\n    return given(x)", "ValueError", "deep"),
    ],
)
def test_an_error_is_told_as_its_own(sandbox, body, kind, words):
    outcome = answered(sandbox, body)
    assert isinstance(outcome, Raised)
    assert outcome.type == kind
    assert words in outcome.message
    assert outcome.within == 0


def endless():
    def loop():
        while True:
            pass

    return loop


def test_what_never_answers_stops_nobody():
    with Sandbox(deadline=1.0) as sandbox:
        assert answered(sandbox, "return given()", endless) == TimedOut(1.0)
        assert not sandbox.alive


def test_a_worker_that_sends_no_question_harms_itself_only():
    body = "line = given._line; line._asks.write(b'x' * 99); line._asks.flush(); return given()"
    with Sandbox(deadline=2.0) as sandbox:
        assert isinstance(answered(sandbox, body), Raised | TimedOut)
        if sandbox.alive:
            (outcome,) = sandbox.call("f", [Inputs((Made("", cubes, ()),))])
            assert isinstance(outcome, Died)
    with Sandbox() as sandbox:
        assert answered(sandbox, "return given(torch.ones(())).item()").value == 1.0


def test_there_is_an_end_to_the_calls(monkeypatch):
    monkeypatch.setattr(proxy_server, "MOST_CALLS", 3)
    (ours, its), (asks, gives) = socket.socketpair(), socket.socketpair()
    ends = [end.makefile(mode) for end in (its, gives) for mode in ("rb", "wb")]
    tensors = []
    with ours, its, asks, gives:
        request = ours.makefile("wb")
        things = values.encode((Made("", cubes, ()),), tensors)
        values.send(request, {"things": things, "token": ""}, tensors)
        thread = threading.Thread(target=until_the_end, args=ends)
        thread.start()
        values.receive(ours.makefile("rb"))
        given = proxy.Asker(values, asks.makefile("wb"), asks.makefile("rb")).given(0)
        assert [given(torch.ones(()) * n).item() for n in range(3)] == [0, 1, 8]
        with pytest.raises(RuntimeError, match="more than 3 times"):
            given(torch.ones(()))
        ours.shutdown(socket.SHUT_RDWR)
        thread.join()


def until_the_end(*ends: io.BufferedIOBase):
    with pytest.raises(EOFError):
        proxy_server.hold(values, *ends)
