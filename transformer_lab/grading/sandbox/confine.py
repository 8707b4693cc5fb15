"""Take from this process what no answer needs: files, the network, other processes, privileges.

Linux only; loaded by path into the zygote, so it imports the standard library only. Landlock and
seccomp are asked for by their system calls (kernel documentation: userspace-api/landlock,
userspace-api/seccomp_filter); both bind every later child and cannot be taken back.
"""

import ctypes
import os
import platform
import resource
import struct
from collections.abc import Iterable
from pathlib import Path

NOBODY = 65534
PR_SET_KEEPCAPS, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 8, 22, 38
CAP_DAC_READ_SEARCH = 1 << 2
CAPABILITY_VERSION = 0x20080522
LANDLOCK = {"create": 444, "add": 445, "restrict": 446}  # the same on every architecture
FILE_RIGHTS = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 4: 0x7FFF, 5: 0xFFFF}  # by version of Landlock
READ_FILE, READ_FOLDER, WRITE_FILE = 1 << 2, 1 << 3, 1 << 1
ALLOW, ERROR, REFUSE = 0x7FFF0000, 0x50000, 0x50000 | 13  # SECCOMP_RET_...; 13 is EACCES
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06  # instructions of the filter
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # column below, AUDIT_ARCH

# What computing with tensors and importing modules takes: name, number on x86_64, on aarch64.
SYSTEM_CALLS = """
read 0 63, write 1 64, open 2 -, close 3 57, stat 4 -, fstat 5 80, lstat 6 -, poll 7 -, lseek 8 62,
mmap 9 222, mprotect 10 226, munmap 11 215, brk 12 214, rt_sigaction 13 134, rt_sigprocmask 14 135,
rt_sigreturn 15 139, pread64 17 67, readv 19 65, writev 20 66, access 21 -, select 23 -,
sched_yield 24 124, mremap 25 216, mincore 27 232, madvise 28 233, dup 32 23, nanosleep 35 101,
getpid 39 172, exit 60 93, uname 63 160, fcntl 72 25, getcwd 79 17, readlink 89 -,
gettimeofday 96 169, getrusage 98 165, sysinfo 99 179, times 100 153, getuid 102 174,
getgid 104 176, geteuid 107 175, getegid 108 177, getppid 110 173, getsid 124 156,
sigaltstack 131 132, gettid 186 178, time 201 -, futex 202 98, sched_getaffinity 204 123,
getdents64 217 61, clock_gettime 228 113, clock_getres 229 114, clock_nanosleep 230 115,
exit_group 231 94, openat 257 56, newfstatat 262 79, readlinkat 267 78, faccessat 269 48,
pselect6 270 72, ppoll 271 73, set_robust_list 273 99, getcpu 309 168, getrandom 318 278,
membarrier 324 283, statx 332 291, rseq 334 293, faccessat2 439 439
"""

_libc = ctypes.CDLL(None, use_errno=True)


def missing() -> str:
    """Say what this system lacks for a sandbox, or nothing."""
    if platform.machine() not in MACHINES:
        return f"it knows the system calls of {' and '.join(MACHINES)}, not {platform.machine()}"
    if _landlock_version() < 1:
        return "this kernel does not offer Landlock (Linux 5.13 or newer, switched on)"
    action = ctypes.c_uint32(ERROR)
    number = {"x86_64": 317, "aarch64": 277}[platform.machine()]
    if _libc.syscall(number, 2, 0, ctypes.byref(action)) != 0:
        return "this kernel does not offer seccomp filters"
    return ""


def drop_privileges() -> None:
    """Gain no privilege any more; as root, become nobody, who may read but not write.

    Reading is left to Landlock: without CAP_DAC_READ_SEARCH, a Python below /root is out of reach.
    """
    _done(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    if os.geteuid() == 0:
        _done(_libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "keepcaps")
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        if not _keep_capabilities(CAP_DAC_READ_SEARCH):  # a container may not have it to keep
            _done(_keep_capabilities(0) - 1, "capset")


def restrict_files(readable: Iterable[Path], listable: Iterable[Path]) -> None:
    """Make nothing writable but /dev/null, and nothing readable but what is named (Landlock)."""
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


def address_space() -> int:
    """Give the bytes of memory this process has mapped."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def limit_resources(memory: int, cpu_seconds: int) -> None:
    """Bound memory, processor time, files and processes."""
    limits = {"AS": memory, "CPU": cpu_seconds, "FSIZE": 0, "CORE": 0, "NPROC": 0, "NOFILE": 64}
    for name, limit in limits.items():
        kind = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(kind)[1]
        bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (bound, bound))


def restrict_system_calls() -> None:
    """Refuse every system call but those of the list, for good (seccomp)."""
    column, machine = MACHINES[platform.machine()]
    numbers = [entry.split()[1 + column] for entry in SYSTEM_CALLS.split(",")]
    allowed = [int(number) for number in numbers if number != "-"]
    program = [(LOAD, 0, 0, 4), (JUMP_IF_EQUAL, 1, 0, machine), (RETURN, 0, 0, REFUSE)]
    program.append((LOAD, 0, 0, 0))
    for behind, number in zip(reversed(range(len(allowed))), allowed, strict=True):
        program.append((JUMP_IF_EQUAL, behind + 1, 0, number))
    program += [(RETURN, 0, 0, REFUSE), (RETURN, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    filtering = struct.pack("HP", len(program), ctypes.addressof(code))
    _done(_libc.prctl(PR_SET_SECCOMP, 2, filtering, 0, 0), "seccomp")


def _landlock_version() -> int:
    """Give the version of Landlock that the kernel offers, or less than 1."""
    return _libc.syscall(LANDLOCK["create"], None, ctypes.c_size_t(0), 1)


def _keep_capabilities(kept: int) -> bool:
    """Give up all capabilities but these."""
    header = struct.pack("Ii", CAPABILITY_VERSION, 0)
    return _libc.capset(header, struct.pack("6I", kept, kept, 0, 0, 0, 0)) == 0


def _done(result: int, what: str) -> int:
    """Pass on the result of a call that may not fail."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result
