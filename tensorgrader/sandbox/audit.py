"""What the cells of a notebook try to do outside of themselves: a hint for teachers, no evidence.

Python calls an audit hook before it acts (PEP 578; the events are listed in the library reference,
"Audit events table"). Recorded is what a learner's line asks for, by itself or through a library;
what a library does on its own behalf (it reads sources for a traceback, settings, folders of
packages) is not. Code that bypasses Python, or reaches into this file, goes unnoticed: no verdict
depends on it. Loaded by path into the worker, so it imports the standard library only.
"""

import inspect
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Any

MOST, LENGTH = 20, 120
#: Calls of libraries between a learner's line and an event. Deeper down, in the imports of imports,
#: a library acts for itself, and to look further costs more than the events do.
DEEPEST = 25
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
TRIED = {
    event: what
    for what, events in {
        "change a file": "os.chmod os.chown os.truncate",
        "delete a file": "os.remove",
        "delete a folder": "os.rmdir shutil.rmtree",
        "make a folder": "os.mkdir",
        "make a link": "os.link os.symlink",
        "rename a file": "os.rename",
        "run a command": "os.system",
        "run a program": "os.exec os.posix_spawn subprocess.Popen",
        "send a signal": "os.kill os.killpg",
        "start a process": "os.fork os.forkpty",
        "use the network": "socket.bind socket.connect socket.getaddrinfo socket.gethostbyname "
        "socket.sendto",
    }.items()
    for event in events.split()
}

#: Events of libraries themselves, too: they count if the learner has named their object.
NAMED = ("open", "subprocess.Popen")

cells: dict[str, str] = {}  # by the file name of their code
noted: dict[str, None] = {}  # in the order in which it was tried
_begun: list[bool] = []  # a hook can't be removed


def begin() -> None:
    """Start recording."""
    if not _begun:
        _begun.append(True)
        sys.addaudithook(_hook)


def _hook(event: str, args: tuple) -> None:
    if len(noted) >= MOST or not (event in TRIED or event == "open"):
        return
    if not (cell := _cell(event, args)):
        return
    if event == "os.mkdir" and _looked_at(args[0]) == "there":
        return  # libraries with a cache create its folder again
    if tried := TRIED.get(event) or _opening(*args):
        noted[f"{tried} ({_told(args)}) in {cell}"] = None


def _cell(event: str, args: tuple) -> str:
    """Return the cell that causes an event, by a line of its own or through a library."""
    library, imports = None, False
    frame: FrameType | None = sys._getframe(2)
    depth = 0
    while frame is not None and _is_library(frame):
        depth += 1
        if frame.f_code.co_filename == __file__ or depth > DEEPEST:
            return ""
        imports |= frame.f_code.co_filename.startswith("<frozen importlib")
        library, frame = frame, frame.f_back
    by_name = event in NAMED and not (event == "open" and args[2] & WRITES)
    if library and (imports or by_name) and not _asks(library, args):
        return ""
    while frame is not None and frame.f_code.co_filename not in cells:
        frame = frame.f_back
    return cells[frame.f_code.co_filename] if frame else ""


def _is_library(frame: FrameType) -> bool:
    return frame.f_code.co_filename not in cells and "__spec__" in frame.f_globals


def _asks(library: FrameType, args: tuple) -> bool:
    """Return whether a learner's call of a library names an event's object, or a folder above."""
    tried = set(_texts(args, 2))
    given = {text for value in _arguments(library) for text in _texts(value, 2)}
    return any(_is_named(one, other) for one in tried for other in given)


def _arguments(frame: FrameType) -> Iterator[Any]:
    """Yield the arguments of a call, and the attributes of the object whose method it is."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount
    count += sum(
        bool(code.co_flags & kind) for kind in (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
    )
    names = code.co_varnames[:count]
    values = [frame.f_locals.get(name) for name in names]
    yield from values
    if names[:1] == ("self",):
        yield list(getattr(values[0], "__dict__", {}).values())


def _texts(value: Any, depth: int) -> Iterator[str]:
    """Yield the texts and paths in a value, and the source file of a module, class or function."""
    if type(value) in (tuple, list, dict):
        for part in (value.values() if type(value) is dict else value) if depth else ():
            yield from _texts(part, depth - 1)
    elif not isinstance(value, TracebackType):
        is_text = isinstance(value, str | bytes | os.PathLike)
        with suppress(Exception):
            yield os.fsdecode(value) if is_text else inspect.getfile(value)


def _is_named(tried: str, given: str) -> bool:
    """Return whether a given text is a path, a folder above it, or a command that contains it."""
    if not os.path.isabs(given) and len(tried) > 1 and tried in given:
        return True
    path, folder = os.path.abspath(tried), os.path.abspath(given)
    return path == folder or (folder != os.sep and path.startswith(folder + os.sep))


def _opening(path: Any, _mode: Any, flags: int) -> str:
    """Return that a file is opened for writing, or for reading without permission, or ""."""
    if isinstance(path, int) or path == os.devnull:
        return ""
    if flags & WRITES:
        return "write a file"
    return "read a file" if _looked_at(path) == "closed" else ""


def _looked_at(path: Any, *, look: Any = os.open, end: Any = os.close) -> str:
    """Return whether a file or folder can be read ("there"), can't ("closed"), or is missing."""
    try:
        end(look(path, os.O_RDONLY | os.O_NONBLOCK))
    except PermissionError:
        return "closed"
    except (OSError, ValueError):
        return ""
    return "there"


def _told(args: tuple) -> str:
    for arg in args:
        arg = os.fspath(arg) if isinstance(arg, os.PathLike) else arg
        if type(arg) in (tuple, list):
            arg = " ".join(str(part) for part in arg if type(part) in (str, int))
        if type(arg) is bytes:
            arg = arg.decode(errors="replace")
        if type(arg) is str and arg:
            return arg[:LENGTH]
    return "…"
