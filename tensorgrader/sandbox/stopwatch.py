"""Time that does not run while a busy machine keeps somebody waiting."""

import os
import time
from contextlib import suppress
from io import FileIO


class Waiting:
    """How long a process, by its number, has waited for a processor; it is asked often.

    `thread-self` is the thread that makes this. Source: the second number of Linux'
    /proc/PID/schedstat, in nanoseconds. The file stays open, since opening takes most of the time.
    """

    def __init__(self, process: int | str):
        """Open the file, if the system has one."""
        self._file: FileIO | None = None
        with suppress(OSError):
            self._file = FileIO(f"/proc/{process}/schedstat")

    def seconds(self) -> float:
        """Return the seconds; 0 where no system tells, and of a process that has gone."""
        try:
            return int(os.pread(self._file.fileno(), 64, 0).split()[1]) / 1e9 if self._file else 0.0
        except (OSError, ValueError, IndexError):
            return 0.0

    def close(self) -> None:
        """Close the file."""
        if self._file:
            self._file.close()


class Stopwatch:
    """Counts seconds from its making on, but none in which somebody waits for a processor.

    Whoever is late for that reason is not to blame.
    """

    def __init__(self, *waiting: Waiting):
        """Take those whose waiting does not count."""
        self._waiting = waiting
        self._begun, self._queued = time.monotonic(), self._in_queue()

    def seconds(self) -> float:
        """Return the seconds so far: none where several have waited at once, and longer in all."""
        queued = max(0.0, self._in_queue() - self._queued)
        return max(0.0, time.monotonic() - self._begun - queued)

    def _in_queue(self) -> float:
        """Add up how long they have waited."""
        return sum(waiting.seconds() for waiting in self._waiting)
