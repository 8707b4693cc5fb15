"""Allow this process only system calls that compute and import, with harmless arguments.

Linux only; loaded by path into the zygote, so it imports the standard library only. A filter of
seccomp (kernel documentation: userspace-api/seccomp_filter) binds every later child and cannot be
undone. It sees numbers, not what a pointer points to, so calls that take a path are blocked except
`openat`, which Landlock restricts.
"""

import ctypes
import fcntl
import mmap
import os
import platform
import struct
from collections.abc import Iterable
from typing import NamedTuple

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_...
PR_SET_SECCOMP, FILTER_MODE = 22, 2
ALLOW, REFUSE = 0x7FFF0000, 0x50000 | 13  # SECCOMP_RET_...; 13 is EACCES
LOAD, JUMP_IF_EQUAL, JUMP_IF_ANY, RETURN = 0x20, 0x15, 0x45, 0x06  # instructions of the filter
NUMBER, MACHINE, ARGUMENTS = 0, 4, 16  # their offsets in seccomp_data; an argument has 8 bytes

# Not O_PATH, which looks at any path; nor O_ASYNC, O_DIRECT, O_TMPFILE, which nobody needs.
OPEN = os.O_ACCMODE | os.O_CREAT | os.O_EXCL | os.O_TRUNC | os.O_APPEND | os.O_NONBLOCK
OPEN |= os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY
# MAP_SHARED, _PRIVATE, _FIXED, _ANONYMOUS, _DENYWRITE, _NORESERVE, _POPULATE, _STACK and
# _FIXED_NOREPLACE; not MAP_LOCKED or MAP_HUGETLB, which take memory from all.
MAP = 0x1 | 0x2 | 0x10 | 0x20 | 0x800 | 0x4000 | 0x8000 | 0x20000 | 0x100000
# Not F_SETOWN, F_SETSIG, F_NOTIFY, F_SETLEASE, F_SETFL with O_ASYNC: they send signals; no locks.
COMMANDS = (fcntl.F_DUPFD, fcntl.F_DUPFD_CLOEXEC, fcntl.F_GETFD, fcntl.F_SETFD, fcntl.F_GETFL)
# Wait, wake, requeue, wake_op, and wait and wake by bits, each in its own memory (128), one by the
# clock on the wall (256). Not those that lend a priority to whatever process they name (..._PI).
FUTEX = (*(128 | operation for operation in (0, 1, 3, 4, 5, 9, 10)), 128 | 256 | 9)
# Not those that poison pages, or merge them with those of others.
ADVICE = (
    mmap.MADV_NORMAL, mmap.MADV_RANDOM, mmap.MADV_SEQUENTIAL, mmap.MADV_WILLNEED,
    mmap.MADV_DONTNEED, mmap.MADV_FREE, mmap.MADV_HUGEPAGE, mmap.MADV_NOHUGEPAGE,
)  # fmt: skip
CLOCKS = tuple(range(8))  # the machine's and its own; negative ones belong to other processes
ITSELF = (0,)


class Call(NamedTuple):
    """A system call that is allowed, and why it does no harm.

    It is allowed with any arguments, or if argument number `which` has one of these values, or no
    bits but these.
    """

    name: str
    x86_64: int | None
    aarch64: int | None
    why: str
    which: int = 0
    values: tuple[int, ...] = ()
    bits: int = 0


FILES = [
    Call("openat", 257, 56, "Landlock decides; tells only whether a guessed path is", 2, bits=OPEN),
    Call("close", 3, 57, "gives up a descriptor of its own"),
    Call("read", 0, 63, "reads what it could open, or its connection"),
    Call("pread64", 17, 67, "as read"),
    Call("readv", 19, 65, "as read"),
    Call("write", 1, 64, "nothing is open for it but /dev/null and its connection"),
    Call("writev", 20, 66, "as write"),
    Call("lseek", 8, 62, "moves in what it opened itself"),
    Call("fstat", 5, 80, "looks at what it could open"),
    Call("getdents64", 217, 61, "lists a folder that Landlock let it open"),
    Call("dup", 32, 23, "copies a descriptor; there are 64 at most"),
    Call("fcntl", 72, 25, "copies and marks its own descriptors", 1, COMMANDS),
    Call("poll", 7, None, "waits for its own descriptors while its deadline runs"),
    Call("ppoll", 271, 73, "as poll"),
    Call("select", 23, None, "as poll"),
    Call("pselect6", 270, 72, "as poll"),
    Call("getcwd", 79, 17, "tells /"),
]
MEMORY = [
    Call("mmap", 9, 222, "memory of its own, of which there is a limit", 3, bits=MAP),
    Call("munmap", 11, 215, "its own memory"),
    Call("mremap", 25, 216, "its own memory, of which there is a limit"),
    Call("mprotect", 10, 226, "its own memory; it may run what it wrote, under this filter"),
    Call("brk", 12, 214, "its own memory, of which there is a limit"),
    Call("madvise", 28, 233, "its own memory", 2, ADVICE),
    Call("futex", 202, 98, "waits and wakes in its own memory", 1, FUTEX),
]
TIME = [
    Call("clock_gettime", 228, 113, "tells the time", 0, CLOCKS),
    Call("clock_getres", 229, 114, "tells how fine a clock is", 0, CLOCKS),
    Call("clock_nanosleep", 230, 115, "sleeps while its deadline runs", 0, CLOCKS),
    Call("nanosleep", 35, 101, "sleeps while its deadline runs"),
    Call("gettimeofday", 96, 169, "tells the time"),
    Call("time", 201, None, "tells the time"),
    Call("times", 100, 153, "tells its own time"),
    Call("getrusage", 98, 165, "tells its own use of the machine"),
    Call("sched_yield", 24, 124, "waits a moment"),
]
ITSELF_ONLY = [
    Call("getpid", 39, 172, "a number"),
    Call("gettid", 186, 178, "a number"),
    Call("getppid", 110, 173, "the zygote's number, of no use without signals"),
    Call("getuid", 102, 174, "a number"),
    Call("geteuid", 107, 175, "a number"),
    Call("getgid", 104, 176, "a number"),
    Call("getegid", 108, 177, "a number"),
    Call("sched_getaffinity", 204, 123, "on how many processors it runs", 0, ITSELF),
    Call("getcpu", 309, 168, "on which processor it runs"),
    Call("uname", 63, 160, "the kernel's version and the machine's name"),
    Call("getrandom", 318, 278, "random bytes, of which there is no end"),
    Call("rt_sigaction", 13, 134, "how it takes signals; SIGKILL, which ends it, is not asked"),
    Call("rt_sigprocmask", 14, 135, "as rt_sigaction"),
    Call("rt_sigreturn", 15, 139, "sets its own registers"),
    Call("sigaltstack", 131, 132, "its own memory"),
    Call("exit", 60, 93, "ends itself"),
    Call("exit_group", 231, 94, "ends itself"),
]
CALLS = [*FILES, *MEMORY, *TIME, *ITSELF_ONLY]


def missing() -> str:
    """Return what this system lacks for a filter, or ""."""
    if platform.machine() not in MACHINES:
        return f"it knows the system calls of {' and '.join(MACHINES)}, not {platform.machine()}"
    action = ctypes.c_uint32(REFUSE & 0xFFFF0000)
    number = {"x86_64": 317, "aarch64": 277}[platform.machine()]  # seccomp
    if ctypes.CDLL(None).syscall(number, 2, 0, ctypes.byref(action)) != 0:  # GET_ACTION_AVAIL
        return "this kernel does not offer seccomp filters"
    return ""


def restrict() -> None:
    """Block every system call that isn't listed, for good."""
    steps = program(platform.machine())
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filtering = struct.pack("HP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_SECCOMP, FILTER_MODE, filtering, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def program(machine: str) -> list[tuple[int, int, int, int]]:
    """Return the filter's steps: instruction, steps to skip if true and if false, operand."""
    steps = [
        (LOAD, 0, 0, MACHINE),
        (JUMP_IF_EQUAL, 1, 0, MACHINES[machine]),
        (RETURN, 0, 0, REFUSE),
    ]
    steps.append((LOAD, 0, 0, NUMBER))
    for call in CALLS:
        if (number := getattr(call, machine)) is not None:
            verdict = list(_verdict(call))
            steps += [(JUMP_IF_EQUAL, 0, len(verdict), number), *verdict]
    return [*steps, (RETURN, 0, 0, REFUSE)]


def _verdict(call: Call) -> Iterable[tuple[int, int, int, int]]:
    """Yield the steps that allow or block a call by its arguments, of which 32 bits count."""
    if call.values or call.bits:
        yield LOAD, 0, 0, ARGUMENTS + 8 * call.which
    if call.bits:
        yield JUMP_IF_ANY, 0, 1, ~call.bits & 0xFFFFFFFF
        yield RETURN, 0, 0, REFUSE
    for behind, value in zip(reversed(range(len(call.values))), call.values, strict=True):
        yield JUMP_IF_EQUAL, behind + 1, 0, value
    if call.values:
        yield RETURN, 0, 0, REFUSE
    yield RETURN, 0, 0, ALLOW
