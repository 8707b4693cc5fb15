"""The sandbox: late, dying and greedy answers end, and leave nothing behind."""

import contextlib
import ctypes
import io
import os
import platform
import signal
import socket
import sys
import textwrap
import threading
from pathlib import Path

import pytest
import torch

from tensorgrader.exercise import Inputs
from tensorgrader.outcome import Died, Missing, Raised, Returned, TimedOut
from tensorgrader.sandbox import processes, values, zygote_process
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.sandbox.connection import Line
from tests.course import COURSE
from tests.gone import wait_for_the_end_of
from tests.tensorgrader.asking import call, run
from tests.test_structure import imports

CALLING = zygote_process.FOLDER / "call.py"
HERE = [False] if processes.lacking() else [True, False]  # confined or not


@pytest.mark.skipif(sys.platform != "linux", reason="it needs Linux")
def test_where_the_kernel_offers_landlock_there_is_a_sandbox():
    """Else the tests of the sandbox would all be skipped, and nobody would see it."""
    create_ruleset, only_the_version = 444, 1
    asked = (create_ruleset, None, ctypes.c_size_t(0), only_the_version)
    if platform.machine() not in {"x86_64", "aarch64"} or ctypes.CDLL(None).syscall(*asked) < 1:
        pytest.skip("this kernel has no Landlock, or none that we know how to ask")
    assert not processes.lacking()


@pytest.fixture(scope="module")
def shared():
    with Sandbox(hidden=COURSE.packages) as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(shared):
    """Return a sandbox that has forgotten everything, with another worker if the last one ended."""
    shared.begin()
    return shared


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("while True: print('x' * 1000)", TimedOut),
        ("import os; os._exit(3)", Died),
        ("import ctypes; ctypes.string_at(0)", Died),
        ("raise KeyboardInterrupt", Died),
    ],
)
@pytest.mark.parametrize("confined", HERE)
def test_what_ends_the_worker_is_told_and_leaves_nothing(code, outcome, confined):
    with Sandbox(deadline=1.0, confined=confined) as sandbox:
        pid = sandbox._process.pid
        assert isinstance(run(sandbox, code), outcome)
        assert not sandbox.alive
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("exit()", "SystemExit"),
        ("x = 'a' * 10**11", "MemoryError"),
        ("import torch; torch.ones(10**11)", "RuntimeError"),
        ("import transformer_lab.attention", "ModuleNotFoundError"),
        ("import tensorgrader.trial", "ModuleNotFoundError"),
        ("from transformer_lab import scaled_dot_product_attention", "ImportError"),
        ("def f(): f()\nf()", "RecursionError"),
        ("1 +", "SyntaxError"),
    ],
)
def test_what_fails_in_a_cell_is_told_and_the_worker_lives(sandbox, code, kind):
    if kind in {"MemoryError", "RuntimeError"} and sys.platform != "linux":
        return
    assert run(sandbox, code).type == kind
    assert sandbox.alive


USEFUL = """
import dataclasses, decimal, functools, itertools, math, random, statistics, typing
import xml.etree.ElementTree
import _decimal, _elementtree, _statistics, cProfile, zoneinfo
import inspect, warnings
import numpy as np
import numpy.ma
np.random.default_rng(0).normal(), np.fft.fft(np.ones(4)), np.polynomial.Polynomial([1, 2])
import torch
import torch.optim.swa_utils
import torch.nn.functional as F
from torch import nn
from transformer_lab import check
assert check("anything", None) is None
print("loud"), warnings.warn("louder")
x = torch.randn(3, 4, requires_grad=True)
(x @ x.mT).softmax(-1).sum().backward()
nn.LSTM(4, 5)(x)
torch.linalg.svd(x.detach())
assert "in_features" in inspect.getsource(nn.Linear)
assert np.asarray(x.detach()).shape == (3, 4)
"""


@pytest.mark.parametrize("confined", HERE)
def test_what_an_answer_needs_is_there(confined):
    with Sandbox(hidden=COURSE.packages, confined=confined) as sandbox:
        assert run(sandbox, USEFUL) is None


@pytest.mark.parametrize("confined", HERE)
def test_the_worker_has_an_empty_environment_and_a_session_of_its_own(monkeypatch, confined):
    monkeypatch.setenv("A_SECRET", "do not tell")
    code = """
import os
assert "A_SECRET" not in os.environ
assert os.path.realpath(os.environ["HOME"]) == os.path.realpath(os.getcwd())
assert os.read(0, 1) == b""
assert not any("tensorgrader" in path for path in os.sys.path)
"""
    with Sandbox(confined=confined) as sandbox:
        assert run(sandbox, code) is None
        assert os.getsid(sandbox._process.pid) == sandbox._process.pid


@pytest.mark.parametrize("apart", [False, True])
def test_what_a_worker_started_ends_with_it(apart):
    code = f"""
import subprocess, sys
wait = [sys.executable, "-c", "import time; time.sleep(9999)"]
raise ValueError(subprocess.Popen(wait, start_new_session={apart}).pid)
"""
    with contextlib.ExitStack() as another:
        if not apart:  # what went into a session of its own ends when no worker is left
            another.enter_context(Sandbox(confined=False))
        with Sandbox(confined=False) as sandbox:
            outcome = run(sandbox, code)
        if outcome.type == "ValueError":  # else the system did not let it start anything
            wait_for_the_end_of(int(outcome.message))


def test_without_forks_each_worker_is_a_python_of_its_own(monkeypatch):
    monkeypatch.setattr("tensorgrader.sandbox.processes.sys.platform", "other")
    with Sandbox(deadline=20.0) as sandbox:
        assert isinstance(sandbox._process, processes.Spawned)
        assert run(sandbox, "def f(x): return x") is None
        assert torch.equal(call(sandbox, torch.ones(2)).value, torch.ones(2))
        sandbox.begin()
        assert call(sandbox, torch.ones(2)) == Missing("f")
        folder = Path(sandbox._process._folder.name)
        assert run(sandbox, "import os; os._exit(3)").how.endswith("(exit code 3)")
        assert not folder.exists()
    assert processes.lacking() == "it needs Linux"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here")
def test_without_a_sandbox_a_child_that_holds_the_line_is_not_waited_for(monkeypatch):
    monkeypatch.setattr("tensorgrader.sandbox.processes.sys.platform", "other")
    code = "import os, time\ndef f(x):\n    os.fork() and os._exit(3)\n    time.sleep(600)"
    with Sandbox(deadline=4.0) as sandbox:
        assert run(sandbox, code) is None
        assert isinstance(call(sandbox, 1), TimedOut | Died)


def test_who_asks_for_a_sandbox_gets_no_worker_without(monkeypatch):
    monkeypatch.setattr("tensorgrader.sandbox.processes.sys.platform", "other")
    with pytest.raises(ChildProcessError, match="Linux"):
        Sandbox(confined=True)


@pytest.mark.parametrize(
    "stem",
    ["confine", "file_status", "ready_made", "system_calls", "values", "zygote", "zygote_process"],
)
def test_what_a_worker_descends_from_imports_nothing_of_ours(stem):
    tops = {module.split(".")[0] for module in imports(zygote_process.FOLDER / f"{stem}.py")}
    assert tops <= {"torch", "numpy"} | sys.stdlib_module_names


def test_beginning_again_forgets(sandbox):
    assert run(sandbox, "def f(x): return x") is None
    assert torch.equal(call(sandbox, torch.ones(2)).value, torch.ones(2))
    sandbox.begin()
    assert call(sandbox, torch.ones(2)) == Missing("f")


def test_foreign_text_cannot_command_the_terminal(sandbox):
    outcome = run(sandbox, "raise ValueError('\\x1b[2J' + 'a' * 9999)")
    assert isinstance(outcome, Raised)
    assert outcome.message.isprintable()
    assert len(outcome.message) < 1000


def test_cells_run_together_have_an_outcome_each(sandbox):
    sandbox.begin()
    good, bad = sandbox.run({"one": "x = 1", "two": "x + y"})
    assert good is None
    assert bad.type == "NameError"
    assert sandbox.run({}) == []


def test_calls_sent_together_have_an_outcome_each(sandbox):
    sandbox.begin()
    assert run(sandbox, "def f(x): return 1 / x") is None
    first, second, third = sandbox.call("f", [Inputs((x,)) for x in (2, 0, 4)])
    assert (first.value, third.value) == (0.5, 0.25)
    assert second.type == "ZeroDivisionError"
    assert list(sandbox.call("g", [Inputs((1,))] * 3)) == [Missing("g")]
    assert call(sandbox, 2).value == 0.5


def test_each_call_has_the_deadline_for_itself():
    with Sandbox(deadline=1.0) as sandbox:
        run(sandbox, "import time\ndef f(x): time.sleep(x); return x")
        batch = [Inputs((x,)) for x in (0.6, 0.6, 0.6, 9.0, 0.6)]
        *some, late = sandbox.call("f", batch)
    assert [outcome.value for outcome in some] == [0.6] * 3
    assert late == TimedOut(1.0)


def test_who_answers_byte_by_byte_is_late_all_the_same():
    ours, theirs = socket.socketpair()
    line, over = Line(ours, os.getpid()), threading.Event()
    line.give(0.5)

    def dribble():
        while not over.wait(0.1):
            theirs.send(b"x")

    with ours, theirs, io.BufferedReader(line) as reader:
        dribbling = threading.Thread(target=dribble)
        dribbling.start()
        with pytest.raises(TimeoutError):
            reader.read(100)
        over.set()
        dribbling.join()


def test_an_answer_to_another_question_is_no_answer(sandbox, monkeypatch):
    sandbox.begin()
    tokens = iter(["one", "two"])
    monkeypatch.setattr("tensorgrader.sandbox.client.secrets.token_hex", lambda _: next(tokens))
    monkeypatch.setattr("tensorgrader.sandbox.client.values.send", forget_token)
    assert isinstance(run(sandbox, "x = 1"), Died)
    assert not sandbox.alive


def forget_token(stream, header, tensors, send=values.send):
    send(stream, header | {"token": "another"}, tensors)


def test_a_zygote_that_cannot_start_or_has_gone_says_so(monkeypatch):
    monkeypatch.setattr("tensorgrader.sandbox.zygote_process.FOLDER", Path("/nonexistent"))
    monkeypatch.setattr("tensorgrader.sandbox.processes._zygotes", {})
    with pytest.raises(ChildProcessError, match="import torch"):
        Sandbox()


@pytest.mark.skipif(sys.platform != "linux", reason="no zygote")
def test_a_zygote_that_falls_silent_is_ended_and_replaced(monkeypatch):
    monkeypatch.setattr("tensorgrader.sandbox.processes._zygotes", {})
    monkeypatch.setattr("tensorgrader.sandbox.processes.ZYGOTE_DEADLINE", 0.5)

    def stop():
        (zygote,) = processes._zygotes.values()
        os.kill(zygote._process.pid, signal.SIGSTOP)
        return zygote

    with Sandbox(deadline=1.0) as sandbox:
        worker = sandbox._process.pid
        first = stop()
        assert isinstance(run(sandbox, "import time; time.sleep(9999)"), TimedOut)
    assert not first.alive
    wait_for_the_end_of(worker)
    with Sandbox():
        pass
    second = stop()
    with Sandbox() as sandbox:
        assert run(sandbox, "x = 1") is None
    assert not second.alive
    third = stop()
    processes.close_zygotes()
    assert not third.alive


@pytest.mark.skipif(bool(processes.lacking()), reason="no sandbox")
def test_a_worker_shares_with_others_nothing_but_its_connection(sandbox):
    sandbox.begin()
    proc = Path(f"/proc/{sandbox._process.pid}")
    shared = [line for line in (proc / "maps").read_text().splitlines() if "ws " in line[:80]]
    assert not [line for line in shared if line.split()[1] == "rw-s"]
    opened = [os.readlink(path) for path in (proc / "fd").iterdir()]
    assert {place.partition(":")[0] for place in opened} == {os.devnull, "socket"}
    assert len(opened) == 7
    ways = {place for place in opened if place.startswith("socket")}
    assert len(ways) == 2  # to the grader, and to what holds the things it is given to call
    assert (proc / "oom_score_adj").read_text() == "1000\n"


def test_an_exception_tells_the_learners_line_and_what_they_had_there(sandbox):
    sandbox.begin()
    inner = "def g(z):\n    w = 2\n    return z.nothing\n"
    run(sandbox, f"{inner}def f(x):\n    return g(x * 2)")
    raised = call(sandbox, torch.ones(2, 3))
    assert (raised.line, raised.code) == (3, "return z.nothing")
    assert raised.had == ("z (2, 3)", "w = 2")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("import os; os.system('rm -rf /tmp/nothing')", "run a command (rm -rf /tmp/nothing)"),
        ("import subprocess; subprocess.run(['id', '-u'])", "run a program (id)"),
        ("import socket; socket.getaddrinfo('example.org', 80)", "use the network (example.org)"),
        ("import pathlib; pathlib.Path('kept').write_text('x')", "write a file (kept)"),
        ("open('/etc/passwd').read()", "read a file (/etc/passwd)"),
        ("import os; os.remove(b'/tmp/nothing')", "delete a file (/tmp/nothing)"),
        ("import os; exec('os.mkdir(\"made\")')", "make a folder (made)"),
        ("import inspect, sys; inspect.getsource(sys._getframe(1))", f"read a file ({CALLING})"),
    ],
)
@pytest.mark.skipif(bool(processes.lacking()), reason="nothing is stopped here")
def test_what_the_sandbox_stops_is_told(line, told):
    code = f"def f(x):\n    try:\n        {line}\n    finally:\n        return x"
    with Sandbox() as sandbox:
        assert run(sandbox, code) is None
        assert call(sandbox, 1) == Returned(1, (1, None))
    assert list(sandbox.tried) == [f"{told} in cell"]


def test_a_cell_that_takes_too_long_tells_the_statement_and_can_go_without_it():
    code = "x = 1\nwhile x: pass\ny = 2"
    with Sandbox(deadline=1.0) as sandbox:
        assert run(sandbox, code) == TimedOut(1.0, statement=1)
        sandbox.begin()
        assert sandbox.run({"cell": code, "next": "y"}, without=[1]) == [None, None]


def test_a_worker_that_tells_of_statements_without_end_is_late():
    forged = "import sys\nat = sys._getframe(2).f_locals['at']\nwhile True: at(1)"
    with Sandbox(deadline=1.0) as sandbox:
        assert isinstance(run(sandbox, forged), TimedOut | Died)


def test_an_error_in_another_cells_function_tells_the_line_that_calls_it(sandbox):
    sandbox.begin()
    given, own = "def g(z):\n\n\n\n    return z @ z\n", "def f(x):\n    y = x\n    return g(y)"
    assert sandbox.run({"given": given, "cell": own}) == [None, None]
    raised = call(sandbox, torch.ones(2, 3))
    assert (raised.line, raised.code, raised.within) == (3, "return g(y)", "g")
    assert raised.had == ("x (2, 3)", "y (2, 3)")


@pytest.mark.parametrize(
    "line",
    [
        "torch.manual_seed(0)",
        "import no_such",
        "import decimal; open('/dev/null'); open(decimal.__file__)",
        "import warnings; warnings.warn('x', stacklevel=3)",
        "import traceback; traceback.print_stack()",
        "import logging; logging.warning('x', stack_info=True)",
        "import inspect; inspect.stack(); inspect.getsource(torch.nn.Linear)",
        "import linecache, inspect; linecache.clearcache(); inspect.stack()",
        "import linecache; linecache.checkcache()",
        "import tempfile; tempfile.gettempdir()",
        "import zoneinfo; zoneinfo.ZoneInfo('Europe/Berlin')",
        "import platform; platform.freedesktop_os_release()",
        "import pkgutil; list(pkgutil.iter_modules())",
        "import importlib.metadata as m; m.version('torch')",
        "import ctypes.util; ctypes.util.find_library('c')",
        "import numpy.testing, torch.utils.tensorboard",
        "import doctest; doctest.testmod()",
        "breakpoint()",
        "torch.compile(f, backend='eager')(x)",
    ],
)
def test_what_libraries_do_on_their_own_behalf_is_not_told(line):
    inside = f"try:\n    {line}\nexcept Exception:\n    pass\n"
    code = f"import torch\ndef f(x):\n{textwrap.indent(inside, '    ')}    return x\n"
    with Sandbox(deadline=60.0) as sandbox:
        run(sandbox, code)
        call(sandbox, 1, name="f")
        run(sandbox, f"import torch\nx = torch.ones(2)\n{inside}")
        assert sandbox.alive
    assert not sandbox.tried
