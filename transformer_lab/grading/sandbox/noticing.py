"""What the cells of a notebook try to do outside of themselves: a hint for teachers, no evidence.

Python tells an audit hook what it is about to do (PEP 578; the events are listed in the library
reference, "Audit events table"). What reaches past Python, or into this file, goes unnoticed:
nothing rests on it. Loaded by path into the worker, so it imports the standard library only.
"""

import os
import sys
from types import FrameType
from typing import Any

MOST, LENGTH = 20, 120
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
TRIED = {
    "os.chmod": "change a file",
    "os.chown": "change a file",
    "os.exec": "run a program",
    "os.fork": "start a process",
    "os.forkpty": "start a process",
    "os.kill": "send a signal",
    "os.killpg": "send a signal",
    "os.link": "make a link",
    "os.mkdir": "make a folder",
    "os.posix_spawn": "run a program",
    "os.remove": "delete a file",
    "os.rename": "rename a file",
    "os.rmdir": "delete a folder",
    "os.symlink": "make a link",
    "os.system": "run a command",
    "os.truncate": "change a file",
    "shutil.rmtree": "delete a folder",
    "socket.bind": "use the network",
    "socket.connect": "use the network",
    "socket.getaddrinfo": "use the network",
    "socket.gethostbyname": "use the network",
    "socket.sendto": "use the network",
    "subprocess.Popen": "run a program",
}

cells: dict[str, str] = {}  # by the name that their code has for a file
noted: dict[str, None] = {}  # in the order in which it was tried
_begun: list[bool] = []  # there is no way to stop it


def begin() -> None:
    """Take note from now on."""
    if not _begun:
        _begun.append(True)
        sys.addaudithook(_hook)


def _hook(event: str, args: tuple) -> None:
    """Note what a cell tries."""
    if len(noted) >= MOST or not (event in TRIED or event == "open"):
        return
    if not (cell := _cell(event)):
        return
    if tried := TRIED.get(event) or _opening(*args):
        noted[f"{tried} ({_told(args)}) in {cell}"] = None


def _cell(event: str) -> str:
    """Find the cell whose code is at work, unless it imports, which looks for many files."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name in cells:
            return cells[name]
        if name == __file__ or (event == "open" and name.startswith("<frozen importlib")):
            return ""
        frame = frame.f_back
    return ""


def _opening(path: Any, _mode: Any, flags: int, *, look: Any = os.open, end: Any = os.close) -> str:
    """Say that a file is opened to be written, or that it may not even be read."""
    if isinstance(path, int) or path == os.devnull:
        return ""
    if flags & WRITES:
        return "write a file"
    try:
        end(look(path, os.O_RDONLY | os.O_NONBLOCK))
    except PermissionError:
        return "read a file"
    except (OSError, ValueError):
        return ""
    return ""


def _told(args: tuple) -> str:
    """Tell the first argument that says something."""
    for arg in args:
        arg = os.fspath(arg) if isinstance(arg, os.PathLike) else arg
        if type(arg) in (tuple, list):
            arg = " ".join(str(part) for part in arg if type(part) in (str, int))
        if type(arg) is bytes:
            arg = arg.decode(errors="replace")
        if type(arg) is str and arg:
            return arg[:LENGTH]
    return "…"
