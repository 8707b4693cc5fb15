"""A deadline for code on the main thread of this process, by a signal."""

import contextlib
import signal
import threading
from collections.abc import Iterator

from tensorgrader.in_process import Late
from tensorgrader.sandbox.stopwatch import Stopwatch, Waiting


@contextlib.contextmanager
def by_alarm(seconds: float) -> Iterator[None]:
    """Raise Late after so many seconds; without signals, or off the main thread, do nothing.

    The alarm repeats, so that a bare `except:` in a loop does not stop it.
    """
    on_main = threading.current_thread() is threading.main_thread()
    if not on_main or not hasattr(signal, "setitimer"):
        yield
        return

    waiting = Waiting("thread-self")
    watch = Stopwatch(waiting)

    def late(*_: object) -> None:
        if watch.seconds() >= seconds:
            raise Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        waiting.close()
