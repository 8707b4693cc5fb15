"""Time that stops while a busy machine keeps a process waiting."""

import os
import time
from contextlib import suppress
from io import FileIO


class Waiting:
    """How long a process, by its number, has waited for a processor; called often.

    `thread-self` is the thread that creates this. Source: the second number of Linux'
    /proc/PID/schedstat, in nanoseconds. The file stays open, since opening takes most of the time.
    """

    def __init__(self, process: int | str):
        self._file: FileIO | None = None
        with suppress(OSError):
            self._file = FileIO(f"/proc/{process}/schedstat")

    def seconds(self) -> float:
        """Return the seconds; 0 if the system doesn't count them or the process has ended."""
        try:
            return int(os.pread(self._file.fileno(), 64, 0).split()[1]) / 1e9 if self._file else 0.0
        except (OSError, ValueError, IndexError):
            return 0.0

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()


class Stopwatch:
    """Counts seconds, except those in which one of these processes waits for a processor.

    A process that is late for that reason is not to blame.
    """

    def __init__(self, *waiting: Waiting):
        self._waiting = waiting
        self._begun, self._queued = time.monotonic(), self._in_queue()

    def seconds(self) -> float:
        """Return the seconds so far; never negative, even if several waited at once."""
        queued = max(0.0, self._in_queue() - self._queued)
        return max(0.0, time.monotonic() - self._begun - queued)

    def _in_queue(self) -> float:
        return sum(waiting.seconds() for waiting in self._waiting)
