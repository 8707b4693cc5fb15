"""A browser with a quarter of one core, as on an old phone.

All of its processes share one core, and are stopped three quarters of the time: workers too, which
Chromium's own throttling leaves out.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

PERIOD, SHARE = 0.1, 0.25  # seconds, and the share of them in which it runs


@contextmanager
def quarter_of_a_core() -> Iterator[None]:
    """Slow down the browser that this process has started."""
    group, done = browser(), threading.Event()
    cores = os.sched_getaffinity(0)
    for process in members(group):
        os.sched_setaffinity(process.pid, {min(cores)})

    def hold() -> None:
        while not done.wait(SHARE * PERIOD):
            os.killpg(group, signal.SIGSTOP)
            done.wait((1 - SHARE) * PERIOD)
            os.killpg(group, signal.SIGCONT)

    holding = threading.Thread(target=hold, daemon=True)
    holding.start()
    try:
        yield
    finally:
        done.set()
        holding.join()
        for process in members(group):
            os.sched_setaffinity(process.pid, cores)


def browser() -> int:
    """Return the process group of the browser that this process has started."""
    ours = psutil.Process().children(recursive=True)
    (group,) = {os.getpgid(p.pid) for p in ours if p.name().startswith(("chrom", "headless"))}
    return group


def members(group: int) -> list[psutil.Process]:
    """Return the processes of a group."""
    ours = psutil.Process().children(recursive=True)
    return [process for process in ours if os.getpgid(process.pid) == group]


def megabytes(group: int) -> float:
    """Return the memory of a group's processes, counting shared memory once."""
    return sum(process.memory_full_info().pss for process in members(group)) / 1e6
