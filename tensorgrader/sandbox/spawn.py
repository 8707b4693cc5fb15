"""Where workers come from if nothing can be forked: each is a Python process of its own."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from io import BufferedIOBase
from typing import cast

from tensorgrader.sandbox.stopwatch import Stopwatch
from tensorgrader.sandbox.zygote_process import FOLDER, environment


class Spawned:
    """A Python process where nothing can be forked: in an empty folder, but in no sandbox."""

    reusable = True  # starting another one takes seconds
    holder = None  # without a sandbox, given functions are built beside the learner's code

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(
            prefix="tensorgrader-", ignore_cleanup_errors=True
        )
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(FOLDER / "worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
            env=environment(self._folder.name),
            start_new_session=True,
        )
        self.pid = self._process.pid
        self.requests = cast(BufferedIOBase, self._process.stdin)
        self.replies = cast(BufferedIOBase, self._process.stdout)

    @contextlib.contextmanager
    def within(self, seconds: float) -> Iterator[Stopwatch]:
        """End the process after a while, so that it can't block the grader."""
        watch = Stopwatch()
        late = threading.Timer(seconds, self._kill)
        late.start()
        try:
            yield watch
        except (EOFError, OSError):
            if watch.seconds() >= seconds:
                raise TimeoutError from None
            raise
        finally:
            late.cancel()

    def end(self, patience: float = 0.0) -> int:
        """Wait a while for it to end, then end it and its group; return its exit code."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=patience)
        self._kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self.requests.close()
        self.replies.close()
        self._folder.cleanup()
        return self._process.returncode

    def _kill(self) -> None:
        """Kill it and its group, which may keep the pipes open as well."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        self._process.kill()
