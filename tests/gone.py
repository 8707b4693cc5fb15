"""Processes that must end."""

import time
from contextlib import suppress

import psutil


def wait_for_the_end_of(pid):
    """Wait until a process is no more, or a zombie. If it stays, the test ends by its limit."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        while process.status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
