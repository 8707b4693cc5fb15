"""Time that does not run while a busy machine keeps somebody waiting."""

import time
from pathlib import Path


class Stopwatch:
    """Counts seconds from its making on, but none in which its processes wait for a processor.

    Whoever is late for that reason is not to blame.
    """

    def __init__(self, *processes: int | str):
        """Take the processes by number; `thread-self` is the thread that asks."""
        self._processes = processes
        self._begun, self._queued = time.monotonic(), self._in_queue()

    def seconds(self) -> float:
        """Give the seconds so far."""
        return time.monotonic() - self._begun - max(0.0, self._in_queue() - self._queued)

    def _in_queue(self) -> float:
        """Add up how long the processes have waited for a processor."""
        return sum(map(queued, self._processes))


def queued(process: int | str) -> float:
    """Give the seconds that a process has waited for a processor; 0 where no system tells.

    Source: the second number of Linux' /proc/PID/schedstat, in nanoseconds.
    """
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text("ascii").split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
