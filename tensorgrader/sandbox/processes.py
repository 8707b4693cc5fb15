"""Where workers come from: forked by a zygote on Linux, in a sandbox; elsewhere a Python each."""

import atexit
import contextlib
import io
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from io import BufferedIOBase
from typing import Any

from tensorgrader.sandbox import zygote_process
from tensorgrader.sandbox.connection import START_DEADLINE, Line
from tensorgrader.sandbox.spawn import Spawned
from tensorgrader.sandbox.stopwatch import Stopwatch

ZYGOTE_DEADLINE = 10.0  # its requests take milliseconds
BUFFER = 2**16


def lacking() -> str:
    """Return why there can be no sandbox here, or ""."""
    if sys.platform != "linux":
        return "it needs Linux"
    from tensorgrader.sandbox import confine, system_calls

    return confine.missing() or system_calls.missing()


class Forked:
    """A worker that a zygote forked."""

    reusable = False

    def __init__(
        self,
        zygote: "Zygote",
        pid: int,
        connection: socket.socket,
        line: socket.socket | None = None,
    ):
        self.pid = pid
        self._zygote, self._connection, self._holders = zygote, connection, line
        self._line = Line(connection, pid)
        self.requests: BufferedIOBase = io.BufferedWriter(self._line, BUFFER)
        self.replies: BufferedIOBase = io.BufferedReader(self._line, BUFFER)

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[Stopwatch]:
        """Stop sending or receiving after a while, so that no worker can block the grader."""
        yield self._line.give(seconds)

    def holder(self) -> "Forked":
        """Return a process that holds the functions that this one's code calls."""
        assert self._holders
        with self._holders as line:
            holder = self._zygote.hold(line)
        self._line.waits_for(holder.pid)
        return holder

    def end(self, patience: float = 0.0) -> int:
        """Wait a while for it to end, then end it and all it started; return its exit code."""
        if self._holders:
            self._holders.close()
        code = self._zygote.end(self.pid, patience)
        with contextlib.suppress(OSError):
            self.requests.close()
        self._connection.close()
        return code


class Zygote:
    """A process that forks workers, confined from the start or, on request, with limits only."""

    def __init__(self, confined: bool):
        self._process, self._control = zygote_process.take(confined)
        self._lock = threading.Lock()
        self._control.settimeout(START_DEADLINE)
        try:
            self._receive()
        except OSError:
            self._control.close()
            self._process.kill()
            said = self._process.communicate()[1].decode(errors="replace").strip()
            raise did_not_start(said.rpartition("\n")[2]) from None
        assert self._process.stderr  # a pipe
        self._process.stderr.close()

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def fork(self, forbidden: Iterable[str]) -> Forked:
        """Fork a worker in which these ready-made functions are forbidden.

        Raises ConnectionError or TimeoutError if the zygote has ended or hangs.
        """
        holders, asking = socket.socketpair()
        with asking:
            try:
                return Forked(self, *self._forked(sorted(forbidden), asking), holders)
            except OSError:
                holders.close()
                raise

    def hold(self, line: socket.socket) -> Forked:
        """Fork a process that runs no learner's code, and answers on this line."""
        return Forked(self, *self._forked(None, line))

    def _forked(
        self, forbidden: list[str] | None, line: socket.socket
    ) -> tuple[int, socket.socket]:
        """Fork a process; return its process id and our end of its connection."""
        ours, theirs = socket.socketpair()
        request = json.dumps({"forbidden": forbidden}).encode()
        with theirs, self._lock:
            try:
                self._control.settimeout(ZYGOTE_DEADLINE)
                socket.send_fds(self._control, [request], [theirs.fileno(), line.fileno()])
                reply = self._receive()
            except OSError:
                ours.close()
                raise
        if "error" in reply:
            ours.close()
            raise did_not_start(reply["error"])
        return reply["pid"], ours

    def end(self, pid: int, patience: float) -> int:
        """End a worker and return its exit code; if the zygote doesn't answer, end everything."""
        with self._lock:
            try:
                self._control.settimeout(patience + ZYGOTE_DEADLINE)
                self._control.send(json.dumps({"end": pid, "patience": patience}).encode())
                return self._receive()["code"]
            except OSError:
                self.close()
                return -signal.SIGKILL

    def close(self) -> None:
        """End it and its workers by hanging up; kill it if it stays."""
        self._control.close()
        try:
            self._process.wait(ZYGOTE_DEADLINE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _receive(self) -> dict[str, Any]:
        line = self._control.recv(2**16)
        if not line:
            raise ConnectionError("the zygote has gone")
        return json.loads(line)


_zygotes: dict[bool, Zygote] = {}
_starting = threading.Lock()


@atexit.register
def close_zygotes() -> None:
    """End the zygotes that are kept for the next worker."""
    while _zygotes:
        _zygotes.popitem()[1].close()


def start_worker(confined: bool, forbidden: Iterable[str]) -> Forked | Spawned:
    """Return a fresh worker; its zygote is kept for the next one."""
    if sys.platform != "linux":
        return Spawned()
    for _ in range(2):
        zygote = _living_zygote(confined)
        try:
            return zygote.fork(forbidden)
        except (ConnectionError, TimeoutError):
            zygote.close()
    raise did_not_start("a second one did not answer either")


def _living_zygote(confined: bool) -> Zygote:
    """Return the zygote that is kept, or another if that has ended."""
    with _starting:
        if confined in _zygotes and not _zygotes[confined].alive:
            _zygotes.pop(confined).close()
        if confined not in _zygotes:
            _zygotes[confined] = Zygote(confined)
        return _zygotes[confined]


def did_not_start(why: str) -> ChildProcessError:
    """Return an error that says there is no worker, and where to look."""
    return ChildProcessError(
        f"the grader's worker process did not start{': ' if why else ''}{why}. See whether "
        f"`{sys.executable} -I -c 'import torch'` works."
    )
