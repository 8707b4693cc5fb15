"""A stopwatch stands still while a process waits for a processor."""

import os
import subprocess
import sys
import time

import pytest

from transformer_lab.grading.sandbox import stopwatch
from transformer_lab.grading.sandbox.stopwatch import Stopwatch, queued

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who waited")


@pytest.fixture
def crowded():
    """Share one processor with a process that is never done."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    yield
    other.kill()
    other.wait()
    os.sched_setaffinity(0, before)


@linux
def test_what_is_spent_in_a_queue_does_not_count(crowded):
    begun, watch = time.monotonic(), Stopwatch("thread-self")
    before = queued("thread-self")
    while (waited := queued("thread-self") - before) < 0.2:
        pass
    assert watch.seconds() <= time.monotonic() - begun - waited
    assert watch.seconds() > 0


def test_where_no_system_tells_all_seconds_count(monkeypatch):
    assert queued(2**22 + 1) == 0.0  # no process has such a number
    monkeypatch.setattr(stopwatch, "queued", lambda process: 0.0)
    begun, watch = time.monotonic(), Stopwatch("thread-self")
    assert 0 <= watch.seconds() <= time.monotonic() - begun


def test_who_has_gone_turns_no_time_back(monkeypatch):
    told = iter([7.0, 0.0])  # a process's queue, and nothing of one that has ended
    monkeypatch.setattr(stopwatch, "queued", lambda process: next(told))
    assert 0 <= Stopwatch(1).seconds() < 7
