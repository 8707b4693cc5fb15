"""The trusted end of the pipe to a worker: starts it, asks it, and ends it when it is late."""

import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from torch import Tensor

from transformer_lab.grading import worker
from transformer_lab.grading.worker import Missing, Raised, Returned

START_DEADLINE = 120.0
DEADLINE = 5.0


class TimedOut(NamedTuple):
    """The worker did not answer in so many seconds, and was ended."""

    seconds: float


class Died(NamedTuple):
    """The worker's process ended, or answered something that is no answer."""

    how: str


Outcome = Returned | Raised | Missing | TimedOut | Died


class Sandbox:
    """One worker process: own session, empty environment, temporary folder, bounded resources.

    Linux and macOS. Without process groups (Windows) only the worker itself is ended, and
    nothing but the deadline bounds it; macOS does not bound memory.
    """

    def __init__(self, deadline: float = DEADLINE):
        """Start a worker that has `deadline` seconds for each answer."""
        self.deadline = deadline
        self._folder = tempfile.TemporaryDirectory(
            prefix="transformer-lab-", ignore_cleanup_errors=True
        )
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(Path(worker.__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env=_environment(self._folder.name),
            start_new_session=True,
        )
        self._replies: queue.Queue = queue.Queue(maxsize=2)
        threading.Thread(target=self._listen, daemon=True).start()
        self.alive = True
        if isinstance(self._wait(START_DEADLINE), TimedOut | Died):
            self.close()
            raise ChildProcessError(
                "the grader's worker process did not start. See whether "
                f"`{sys.executable} -I -c 'import torch'` works."
            )

    def __enter__(self) -> "Sandbox":
        """Give the sandbox itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End the worker."""
        self.close()

    def begin(self) -> None:
        """Forget everything defined so far."""
        self._ask({"do": "begin"}, [])

    def run(self, cell: str, code: str) -> Raised | TimedOut | Died | None:
        """Execute an answer cell; None means that it ran to its end."""
        return self._ask({"do": "run", "cell": cell, "code": code}, [])

    def call(self, name: str, args: tuple, mask: Tensor | None = None) -> Outcome:
        """Apply the learner's function of that name."""
        tensors: list[Tensor] = []
        encoded = worker.encode((args, mask), tensors)
        outcome = self._ask({"do": "call", "name": name, "args": encoded}, tensors)
        return Died("sent no answer") if outcome is None else outcome

    def close(self) -> None:
        """End the worker and all it started, and remove its folder."""
        self.alive = False
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._process.stdin.close()
        self._folder.cleanup()

    def _ask(self, request: dict, tensors: list[Tensor]) -> Any:
        """Send one request and wait for its outcome; afterwards a late worker is gone."""
        unasked = not self._replies.empty()
        late = threading.Timer(self.deadline, self._process.kill)
        late.start()
        try:
            worker.send(self._process.stdin, request, tensors)
        except OSError:
            pass  # it has gone: the wait below says how
        finally:
            late.cancel()
        outcome = self._wait(self.deadline)
        if unasked:
            outcome = Died("ended, or answered, before it was asked")
        if isinstance(outcome, TimedOut | Died):
            self.close()
        return outcome

    def _wait(self, seconds: float) -> Any:
        """Take the next reply, or say that there is none."""
        try:
            reply = self._replies.get(timeout=seconds)
        except queue.Empty:
            return TimedOut(seconds)
        if reply is None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1.0)
            return Died(_ending(self._process.returncode))
        try:
            return _outcome(*reply)
        except (ValueError, TypeError, IndexError, RecursionError):
            return Died("sent no answer")

    def _listen(self) -> None:
        """Queue every reply, and None at the end of the stream."""
        with self._process.stdout as stream, suppress(EOFError, ValueError, OSError):
            while True:
                self._replies.put(worker.receive(stream))
        self._replies.put(None)


def _outcome(header: dict, tensors: list[Tensor]) -> Any:
    """Read a reply into an outcome."""
    match header:
        case {"returned": [value, after]}:
            return Returned(worker.decode(value, tensors), worker.decode(after, tensors))
        case {"raised": [str(kind), str(message), int(line), str(code)]}:
            return Raised(*(_clean(text) for text in (kind, message)), line, _clean(code))
        case {"missing": str(name)}:
            return Missing(_clean(name))
    return None


def _clean(text: str) -> str:
    """Cut a foreign text short and drop what could command a terminal."""
    return "".join(c if c.isprintable() else " " for c in text[: worker.TEXT_LIMIT])


def _ending(code: int | None) -> str:
    """Say how a process ended."""
    if code is None:
        return "closed the connection to the grader"
    if code < 0:
        return f"was stopped by the system ({signal.Signals(-code).name})"
    return f"ended the Python process (exit code {code})"


def _environment(folder: str) -> dict[str, str]:
    """Give a worker nothing of ours: one thread, and a home that is its own folder."""
    one_thread = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    home = {"HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8"}
    return kept | home | dict.fromkeys(one_thread, "1")
