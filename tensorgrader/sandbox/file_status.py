"""File status by opening files, which Landlock restricts, instead of by path.

The system calls that look at a path (`stat` and its kin) reveal any file, so workers may not use
them; and older C libraries (glibc before 2.39) use one of them even for open files. So Python's own
functions are replaced by these. Linux only; loaded by path into the zygote, so it imports the
standard library only.
"""

import ctypes
import os
import platform
import posix
import struct
from collections.abc import Mapping
from typing import Any

# The numbers of `fstat` and `getdents64`; the layout of struct stat; and where that has st_mode,
# ino, dev, nlink, uid, gid, size, atime, mtime and ctime.
MACHINES = {
    "x86_64": (5, 217, "3Q4I4q6q24x", (3, 1, 0, 2, 4, 5, 8, 11, 13, 15)),
    "aarch64": (80, 61, "2Q4I3q2iq6q8x", (2, 1, 0, 3, 4, 5, 8, 12, 14, 16)),
}
ENTRY = struct.Struct("=QqHB")  # of a folder: inode, offset, length of all, kind; then its name
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

_libc = ctypes.CDLL(None, use_errno=True)


def by_opening(known: Mapping[str, os.stat_result]) -> None:
    """Replace Python's functions for file status by ones that open the file.

    The known folders cannot be opened; the importer may assume that they are unchanged.
    """

    def look(path: Any, *, dir_fd: int | None = None, follow_symlinks: bool = True) -> Any:
        if isinstance(path, int):
            return fstat(path)
        if path in known:
            return known[path]
        flags = os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow_symlinks else os.O_NOFOLLOW)
        place = os.open(path, flags, dir_fd=dir_fd)
        try:
            return fstat(place)
        finally:
            os.close(place)

    def lstat(path: Any, *, dir_fd: int | None = None) -> os.stat_result:
        return look(path, dir_fd=dir_fd, follow_symlinks=False)

    for name, function in {"stat": look, "lstat": lstat, "fstat": fstat, "listdir": names}.items():
        setattr(os, name, function)
        setattr(posix, name, function)


def fstat(descriptor: int) -> os.stat_result:
    """Return the status of an open file, as os.fstat does."""
    number, _, layout, places = MACHINES[platform.machine()]
    found = ctypes.create_string_buffer(struct.calcsize(layout))
    _done(_libc.syscall(number, descriptor, found))
    fields = struct.unpack(layout, found)
    return os.stat_result([fields[place] for place in places])


def names(folder: Any = ".") -> list[str]:
    """Return the names in a folder, as os.listdir does."""
    number = MACHINES[platform.machine()][1]
    place = os.dup(folder) if isinstance(folder, int) else os.open(folder or ".", FOLDER)
    part, listed = ctypes.create_string_buffer(2**15), []
    try:
        while size := _done(_libc.syscall(number, place, part, len(part))):
            start = 0
            while start < size:
                length = ENTRY.unpack_from(part, start)[2]
                name = part.raw[start + ENTRY.size : start + length].partition(b"\0")[0]
                listed.append(os.fsdecode(name))
                start += length
    finally:
        os.close(place)
    return [name for name in listed if name not in (".", "..")]


def _done(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
