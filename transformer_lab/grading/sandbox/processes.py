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
from collections.abc import Callable, Iterable, Iterator
from io import BufferedIOBase
from typing import Any

from transformer_lab.grading.sandbox import started
from transformer_lab.grading.sandbox.spawned import Spawned
from transformer_lab.grading.sandbox.stopwatch import Stopwatch, Waiting

START_DEADLINE = 120.0
ZYGOTE_DEADLINE = 10.0  # what it does takes milliseconds
BUFFER = 2**16


def lacking() -> str:
    """Say why there can be no sandbox here, or nothing where there can."""
    if sys.platform != "linux":
        return "it needs Linux"
    from transformer_lab.grading.sandbox import confine, system_calls

    return confine.missing() or system_calls.missing()


class Line(io.RawIOBase):
    """An end of a connection to a process, on which whatever takes too long raises TimeoutError.

    While the machine is too busy for either end, no time passes.
    """

    def __init__(self, connection: socket.socket, process: int):
        """Take the connection, and who is at its other end."""
        self._connection = connection
        self._waiting = Waiting(process), Waiting("thread-self")
        self.give(START_DEADLINE)

    def give(self, seconds: float) -> Stopwatch:
        """Give all that follows so many seconds, and the watch that counts them."""
        self._seconds, self._watch = seconds, Stopwatch(*self._waiting)
        return self._watch

    def close(self) -> None:
        """Ask no more how long anybody waited."""
        for waiting in self._waiting:
            waiting.close()
        super().close()

    def readable(self) -> bool:
        """Say yes."""
        return True

    def writable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read what there is, as soon as there is any."""
        return self._in_time(self._connection.recv_into, buffer)

    def write(self, data: Any) -> int:
        """Write what there is room for, as soon as there is any."""
        return self._in_time(self._connection.send, data)

    def _in_time(self, step: Callable[[Any], int], data: Any) -> int:
        """Take a step while there is time."""
        while (left := self._seconds - self._watch.seconds()) > 0:
            self._connection.settimeout(left)
            with contextlib.suppress(TimeoutError):
                return step(data)
        raise TimeoutError


class Forked:
    """A worker that a zygote forked."""

    reusable = False

    def __init__(self, zygote: "Zygote", pid: int, connection: socket.socket):
        """Take the worker's number and the grader's end of its connection."""
        self.pid = pid
        self._zygote, self._connection = zygote, connection
        self._line = Line(connection, pid)
        self.requests: BufferedIOBase = io.BufferedWriter(self._line, BUFFER)
        self.replies: BufferedIOBase = io.BufferedReader(self._line, BUFFER)

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[Stopwatch]:
        """Give up sending or receiving after a while: no worker can stop the grader."""
        yield self._line.give(seconds)

    def end(self, patience: float = 0.0) -> int:
        """Wait a while for it to end, then end it and all it started; give its exit code."""
        code = self._zygote.end(self.pid, patience)
        with contextlib.suppress(OSError):
            self.requests.close()
        self._connection.close()
        return code


class Zygote:
    """A process that forks workers, sealed off from the start or, waived, with limits only."""

    def __init__(self, confined: bool):
        """Start it; it loads PyTorch, which takes a second or two."""
        self._process, self._control = started.take(confined)
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
        """Whether it can still be asked."""
        return self._process.poll() is None

    def fork(self, forbidden: Iterable[str]) -> Forked:
        """Fork a worker in which these ready-mades are refused.

        Raises ConnectionError or TimeoutError if it has gone or is silent.
        """
        ours, theirs = socket.socketpair()
        request = json.dumps({"forbidden": sorted(forbidden)}).encode()
        with theirs, self._lock:
            try:
                self._control.settimeout(ZYGOTE_DEADLINE)
                socket.send_fds(self._control, [request], [theirs.fileno()])
                reply = self._receive()
            except OSError:
                ours.close()
                raise
        if "error" in reply:
            ours.close()
            raise did_not_start(reply["error"])
        return Forked(self, reply["pid"], ours)

    def end(self, pid: int, patience: float) -> int:
        """End a worker and give its exit code; one that cannot be asked for it ends with all."""
        with self._lock:
            try:
                self._control.settimeout(patience + ZYGOTE_DEADLINE)
                self._control.send(json.dumps({"end": pid, "patience": patience}).encode())
                return self._receive()["code"]
            except OSError:
                self.close()
                return -signal.SIGKILL

    def close(self) -> None:
        """End it, and with it its workers: it is asked by hanging up, and killed if it stays."""
        self._control.close()
        try:
            self._process.wait(ZYGOTE_DEADLINE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _receive(self) -> dict[str, Any]:
        """Read one answer."""
        line = self._control.recv(2**16)
        if not line:
            raise ConnectionError("the zygote has gone")
        return json.loads(line)


_zygotes: dict[bool, Zygote] = {}
_starting = threading.Lock()


@atexit.register
def close_zygotes() -> None:
    """End the processes kept for the next worker."""
    while _zygotes:
        _zygotes.popitem()[1].close()


def start_worker(confined: bool, forbidden: Iterable[str]) -> Forked | Spawned:
    """Give a fresh worker; the zygote it comes from is kept for the next."""
    if sys.platform != "linux":
        return Spawned()
    for _ in range(2):
        zygote = _living_zygote(confined)
        try:
            return zygote.fork(forbidden)
        except (ConnectionError, TimeoutError):
            zygote.close()
    raise did_not_start("a second one was silent as well")


def _living_zygote(confined: bool) -> Zygote:
    """Give the zygote that is kept, or another if that has ended."""
    with _starting:
        if confined in _zygotes and not _zygotes[confined].alive:
            _zygotes.pop(confined).close()
        if confined not in _zygotes:
            _zygotes[confined] = Zygote(confined)
        return _zygotes[confined]


def did_not_start(why: str) -> ChildProcessError:
    """Say that there is no worker, and where to look."""
    return ChildProcessError(
        f"the grader's worker process did not start{': ' if why else ''}{why}. See whether "
        f"`{sys.executable} -I -c 'import torch'` works."
    )
