"""A line to a process, and how long whoever is at its other end may take."""

import contextlib
import io
import socket
from collections.abc import Callable
from typing import Any

from tensorgrader.sandbox.stopwatch import Stopwatch, Waiting

START_DEADLINE = 120.0


class Line(io.RawIOBase):
    """An end of a connection to a process, on which whatever takes too long raises TimeoutError.

    While the machine is too busy for either end, no time passes.
    """

    def __init__(self, connection: socket.socket, process: int):
        """Take the connection, and who is at its other end."""
        self._connection = connection
        self._waiting: tuple[Waiting, ...] = Waiting(process), Waiting("thread-self")
        self.give(START_DEADLINE)

    def give(self, seconds: float) -> Stopwatch:
        """Allow so many seconds for all that follows; return the watch that counts them."""
        self._seconds, self._watch = seconds, Stopwatch(*self._waiting)
        return self._watch

    def waits_for(self, process: int) -> None:
        """Let no time pass either while the machine is too busy for this one."""
        self._waiting = *self._waiting, Waiting(process)

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
