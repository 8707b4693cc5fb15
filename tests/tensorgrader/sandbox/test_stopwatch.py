"""A stopwatch stands still while a process waits for a processor."""

import contextlib
import os
import subprocess
import sys
import time

import pytest

from tensorgrader import in_process
from tensorgrader.exercise import Inputs
from tensorgrader.sandbox.client import Sandbox
from tensorgrader.sandbox.stopwatch import Stopwatch, Waiting
from tests.course import EXERCISES
from tests.tensorgrader.asking import call, here, run

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
    with contextlib.closing(Waiting("thread-self")) as waiting:
        begun, watch = time.monotonic(), Stopwatch(waiting)
        before = waiting.seconds()
        while (waited := waiting.seconds() - before) < 0.2:
            pass
        assert watch.seconds() <= time.monotonic() - begun - waited
        assert watch.seconds() > 0


def test_who_has_gone_turns_no_time_back(monkeypatch):
    told = iter([7.0, 0.0])  # a process's queue, and nothing of one that has ended
    monkeypatch.setattr(Waiting, "seconds", lambda waiting: next(told))
    assert 0 <= Stopwatch(Waiting(0)).seconds() < 7


@linux
def test_a_process_that_has_ended_waits_no_more():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with contextlib.closing(Waiting(process.pid)) as waiting:
        process.communicate(b"\n")
        assert waiting.seconds() == 0.0


@pytest.fixture
def always_queueing(monkeypatch):
    """Have every process wait for a processor all the time, as far as the system tells."""
    monkeypatch.setattr(Waiting, "seconds", lambda waiting: time.monotonic())


SLOW = "import time\ndef f(x): time.sleep(0.5); return x"


def test_a_worker_that_waits_for_a_processor_is_not_late(always_queueing):
    with Sandbox(deadline=0.1) as sandbox:
        run(sandbox, SLOW)
        assert call(sandbox, 2).value == 2


def test_nor_is_a_function_of_this_process(always_queueing, monkeypatch):
    monkeypatch.setattr(in_process, "DEADLINE", 0.1)
    names = {}
    exec(SLOW, names)
    (outcome,) = here(EXERCISES["attention-lookup"], names["f"]).apply([Inputs((2,))])
    assert outcome.value == 2
