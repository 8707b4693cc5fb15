"""The process of a zygote, which may be started before PyTorch is loaded here.

Hence it imports the standard library only, and `transformer_lab_command` loads it by path.
"""

import atexit
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
ONE_THREAD = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Started(NamedTuple):
    """A process, and our end of the line to it."""

    process: subprocess.Popen[bytes]
    control: socket.socket


_ahead: dict[bool, Started] = {}


def begin(confined: bool) -> None:
    """Start a zygote for whoever will take it."""
    _ahead[confined] = _start(confined)


def take(confined: bool) -> Started:
    """Give the zygote that was started ahead, or start one."""
    return _ahead.pop(confined, None) or _start(confined)


def environment(folder: str) -> dict[str, str]:
    """Give nothing of ours: one thread, and a home that is somewhere else."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    home = {"HOME": folder, "TMPDIR": folder, "LC_ALL": "C.UTF-8"}
    return kept | home | dict.fromkeys(ONE_THREAD, "1")


@atexit.register
def discard() -> None:
    """End what nobody took."""
    while _ahead:
        _, (process, control) = _ahead.popitem()
        control.close()
        process.kill()
        process.communicate()


def _start(confined: bool) -> Started:
    """Start a zygote, sealed off or, waived, with limits only."""
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
