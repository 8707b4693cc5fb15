"""A connection to a process, with a time limit for the other end."""

import contextlib
import io
import socket
from collections.abc import Callable
from typing import Any

from tensorgrader.sandbox.stopwatch import Stopwatch, Waiting

START_DEADLINE = 120.0


class Line(io.RawIOBase):
    """An end of a connection to a process; raises TimeoutError if something takes too long.

    Time during which the machine is too busy for either end doesn't count.
    """

    def __init__(self, connection: socket.socket, process: int):
        self._connection = connection
        self._waiting: tuple[Waiting, ...] = Waiting(process), Waiting("thread-self")
        self.give(START_DEADLINE)

    def give(self, seconds: float) -> Stopwatch:
        """Set the time limit for all that follows; return the stopwatch that counts."""
        self._seconds, self._watch = seconds, Stopwatch(*self._waiting)
        return self._watch

    def waits_for(self, process: int) -> None:
        """Don't count the time during which this process waits for a processor, either."""
        self._waiting = *self._waiting, Waiting(process)

    def close(self) -> None:
        """Stop watching how long the processes waited."""
        for waiting in self._waiting:
            waiting.close()
        super().close()

    def readable(self) -> bool:
        """Return True."""
        return True

    def writable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the available bytes as soon as there are any."""
        return self._in_time(self._connection.recv_into, buffer)

    def write(self, data: Any) -> int:
        """Write as many bytes as there is room for, as soon as there is any."""
        return self._in_time(self._connection.send, data)

    def _in_time(self, step: Callable[[Any], int], data: Any) -> int:
        """Call a function until it succeeds or the time is over."""
        while (left := self._seconds - self._watch.seconds()) > 0:
            self._connection.settimeout(left)
            with contextlib.suppress(TimeoutError):
                return step(data)
        raise TimeoutError
