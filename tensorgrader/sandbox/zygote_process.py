"""The process of a zygote, which may be forked before the package is loaded here.

So it imports the standard library only; a command may load it by path.
"""

import atexit
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Started(NamedTuple):
    """A process, and our end of the line to it."""

    process: "subprocess.Popen[bytes] | Copy"
    control: socket.socket


class Copy:
    """A fork of this process, with the parts of subprocess.Popen that a zygote needs."""

    def __init__(self, pid: int, stderr: int):
        self.pid, self.stderr = pid, FileIO(stderr)
        self._ended = False

    def poll(self) -> int | None:
        """Return a number if it has ended."""
        self._ended = self._ended or os.waitpid(self.pid, os.WNOHANG) != (0, 0)
        return 0 if self._ended else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired if that is too late."""
        if self.poll() is None:
            with FileIO(os.pidfd_open(self.pid)) as end:
                if not select.select([end], [], [], timeout)[0]:
                    raise subprocess.TimeoutExpired("zygote", timeout or 0.0)
            self.poll()
        return 0

    def kill(self) -> None:
        """Kill it."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def communicate(self) -> tuple[bytes, bytes]:
        """Wait for its end; return its error output."""
        self.wait()
        with self.stderr:
            return b"", self.stderr.readall()


_ahead: dict[bool, Started] = {}


def fork(main: Callable[[socket.socket, bool], None]) -> None:
    """Fork a confined zygote for later use, with what this process has loaded now."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    said, says = os.pipe()
    if pid := os.fork():
        theirs.close()
        os.close(says)
        _ahead[True] = Started(Copy(pid, said), ours)
        return
    try:
        os.setsid()
        os.chdir("/")
        os.dup2(says, 2)
        os.closerange(3, theirs.fileno())
        os.closerange(theirs.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
        main(theirs, True)
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(1)


def take(confined: bool) -> Started:
    """Return the zygote that was forked ahead, or start one."""
    return _ahead.pop(confined, None) or _start(confined)


def environment(folder: str) -> dict[str, str]:
    """Return an environment with one thread, an empty home and nothing of ours."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    home = {"HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8"}
    return kept | home | dict.fromkeys(ONE_THREAD, "1")


@atexit.register
def discard() -> None:
    """End the zygotes that were not used."""
    while _ahead:
        _, (process, control) = _ahead.popitem()
        control.close()
        process.kill()
        process.communicate()


def _start(confined: bool) -> Started:
    """Start a zygote, confined or, on request, with limits only."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    how = "confined" if confined else "free"
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", str(FOLDER / "zygote.py"), str(theirs.fileno()), how],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
            env=environment("/"),
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    return Started(process, ours)
