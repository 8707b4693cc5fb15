"""Processes that must end."""

from contextlib import suppress

import psutil


def wait_for_the_end_of(pid):
    """Wait until a process is no more. If it stays, the limit of the test is what fails."""
    with suppress(psutil.NoSuchProcess):
        psutil.Process(pid).wait()
