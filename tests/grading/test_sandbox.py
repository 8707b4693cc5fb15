"""The sandbox: late, dying and greedy answers end, and leave nothing behind."""

import os
import sys
import time
from pathlib import Path

import pytest
import torch

from transformer_lab.grading.sandbox import Died, Sandbox, TimedOut
from transformer_lab.grading.worker import Missing, Raised


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox() as sandbox:
        yield sandbox


@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        ("while True: print('x' * 1000)", TimedOut),
        ("import os; os._exit(3)", Died),
        ("import ctypes; ctypes.string_at(0)", Died),
        ("raise KeyboardInterrupt", Died),
    ],
)
def test_what_ends_the_worker_is_told_and_leaves_nothing(code, outcome):
    with Sandbox(deadline=1.0) as sandbox:
        folder = Path(sandbox._folder.name)
        assert folder.is_dir()
        assert isinstance(sandbox.run("cell", code), outcome)
        assert not sandbox.alive
        assert sandbox._process.returncode is not None
        assert not folder.exists()


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("exit()", "SystemExit"),
        ("x = 'a' * 10**11", "MemoryError"),
        ("import torch; torch.ones(10**11)", "RuntimeError"),
        ("open('big', 'w').write('a' * 10**7)", "OSError"),
        ("import transformer_lab.attention", "ModuleNotFoundError"),
        ("from transformer_lab import scaled_dot_product_attention", "ImportError"),
        ("def f(): f()\nf()", "RecursionError"),
        ("1 +", "SyntaxError"),
    ],
)
def test_what_fails_in_a_cell_is_told_and_the_worker_lives(sandbox, code, kind):
    if kind in {"MemoryError", "RuntimeError"} and sys.platform != "linux":
        return
    assert sandbox.run("cell", code).type == kind
    assert sandbox.alive


def test_the_worker_has_an_inert_check_an_empty_environment_and_its_own_folder(monkeypatch):
    monkeypatch.setenv("A_SECRET", "do not tell")
    code = """
import os
from transformer_lab import check
assert check("anything", None) is None
assert "A_SECRET" not in os.environ
assert os.path.realpath(os.environ["HOME"]) == os.path.realpath(os.getcwd())
assert os.read(0, 1) == b""
assert os.getsid(0) == os.getpid()
"""
    with Sandbox() as sandbox:
        assert sandbox.run("cell", code) is None


def test_what_a_worker_started_ends_with_it():
    code = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
raise ValueError(child.pid)
"""
    with Sandbox() as sandbox:
        outcome = sandbox.run("cell", code)
    if outcome.type == "ValueError":  # else the system did not let it start anything
        assert is_gone(int(outcome.message))


def is_gone(pid):
    """Wait for a process to disappear; one that is only not yet collected counts as gone."""
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except ProcessLookupError:
            return True
        except FileNotFoundError:  # no /proc here
            state = ""
        if state == "Z":
            return True
        time.sleep(0.1)
    return False


def test_beginning_again_forgets(sandbox):
    assert sandbox.run("cell", "def f(x): return x") is None
    assert torch.equal(sandbox.call("f", (torch.ones(2),)).value, torch.ones(2))
    sandbox.begin()
    assert sandbox.call("f", (torch.ones(2),)) == Missing("f")


def test_foreign_text_cannot_command_the_terminal(sandbox):
    outcome = sandbox.run("cell", "raise ValueError('\\x1b[2J' + 'a' * 9999)")
    assert isinstance(outcome, Raised)
    assert outcome.message.isprintable()
    assert len(outcome.message) < 1000


def test_a_worker_that_cannot_start_says_so(monkeypatch):
    monkeypatch.setattr("transformer_lab.grading.sandbox.worker.__file__", "/nonexistent.py")
    with pytest.raises(ChildProcessError, match="import torch"):
        Sandbox()
