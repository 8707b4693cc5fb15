"""Remove from this process what no answer needs: files, the network, other processes, privileges.

Linux only; loaded by path into the zygote, so it imports the standard library only. Landlock is
used through its system calls (kernel documentation: userspace-api/landlock); it binds every later
child and cannot be undone. The same holds for the filter of `system_calls`.
"""

import ctypes
import os
import resource
import struct
from collections.abc import Iterable
from pathlib import Path

NOBODY = 65534
PR_SET_KEEPCAPS, PR_SET_NO_NEW_PRIVS = 8, 38
CAP_DAC_READ_SEARCH = 1 << 2
CAPABILITY_VERSION = 0x20080522
LANDLOCK = {"create": 444, "add": 445, "restrict": 446}  # the same on every architecture
FILE_RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}  # by version of Landlock
READ_FILE, READ_FOLDER, WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
TCP, OTHERS = 0b11, 0b11  # bind and connect; abstract sockets and signals
TCP_SINCE, OTHERS_SINCE = 4, 6  # versions of Landlock
_libc = ctypes.CDLL(None, use_errno=True)


def missing() -> str:
    """Return what this system lacks to restrict files, or ""."""
    if _landlock_version() < 1:
        return "this kernel does not offer Landlock (Linux 5.13 or newer, switched on)"
    return ""


def drop_privileges() -> None:
    """Drop all privileges for good; as root, become nobody, who may read but not write.

    Reading is left to Landlock: without CAP_DAC_READ_SEARCH, a Python below /root is out of reach.
    """
    _done(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    if os.geteuid() == 0:
        _done(_libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "keepcaps")
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        if not _keep_capabilities(CAP_DAC_READ_SEARCH):  # a container may not have it
            _done(_keep_capabilities(0) - 1, "capset")


def restrict_files(readable: Iterable[Path], listable: Iterable[Path]) -> None:
    """Make all files unwritable but /dev/null, and unreadable but these (Landlock)."""
    handled = FILE_RIGHTS[min(_landlock_version(), max(FILE_RIGHTS))]
    rules = struct.pack("Q", handled)
    ruleset = _done(_libc.syscall(LANDLOCK["create"], rules, len(rules), 0), "landlock")
    granted = [(path, READ_FILE | (READ_FOLDER if path.is_dir() else 0)) for path in readable]
    granted += [(path, READ_FOLDER) for path in listable]
    for path, rights in [*granted, (Path(os.devnull), READ_FILE | WRITE_FILE)]:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        rule = struct.pack("=Qi", rights, place)
        _done(_libc.syscall(LANDLOCK["add"], ruleset, 1, rule, 0), f"landlock for {path}")
        os.close(place)
    _done(_libc.syscall(LANDLOCK["restrict"], ruleset, 0), "landlock")
    os.close(ruleset)


def isolate() -> None:
    """Block TCP, abstract sockets and signals to other processes, as far as Landlock can."""
    version = _landlock_version()
    if version >= TCP_SINCE:
        handled = (0, TCP, OTHERS) if version >= OTHERS_SINCE else (0, TCP)
        rules = struct.pack(f"{len(handled)}Q", *handled)
        ruleset = _done(_libc.syscall(LANDLOCK["create"], rules, len(rules), 0), "landlock")
        _done(_libc.syscall(LANDLOCK["restrict"], ruleset, 0), "landlock")
        os.close(ruleset)


def address_space() -> int:
    """Return the bytes of memory this process has mapped."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def limit_resources(memory: int, cpu_seconds: int) -> None:
    """Limit memory, processor time, files and processes."""
    limits = {"AS": memory, "CPU": cpu_seconds, "FSIZE": 0, "CORE": 0, "NPROC": 0, "NOFILE": 64}
    for name, limit in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (bound, bound))


def _landlock_version() -> int:
    """Return the version of Landlock that the kernel offers, or less than 1."""
    return _libc.syscall(LANDLOCK["create"], None, ctypes.c_size_t(0), 1)


def _keep_capabilities(kept: int) -> bool:
    """Drop all capabilities but these."""
    header = struct.pack("Ii", CAPABILITY_VERSION, 0)
    return _libc.capset(header, struct.pack("6I", kept, kept, 0, 0, 0, 0)) == 0


def _done(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
