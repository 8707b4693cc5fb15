"""Each layer of the sandbox holds by itself, also for an ordinary user."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tensorgrader.sandbox import confine
from tensorgrader.sandbox.processes import lacking
from tensorgrader.sandbox.zygote_process import FOLDER

pytestmark = pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")

LOAD = f"""
import errno, importlib.util, os, resource, socket, sys
def load(name):
    spec = importlib.util.spec_from_file_location(name, {str(FOLDER)!r} + f"/{{name}}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
confine, file_status, system_calls = map(load, ("confine", "file_status", "system_calls"))
from pathlib import Path
def refused(function, *args):
    try:
        function(*args)
    except OSError as error:
        return error.errno in (errno.EACCES, errno.EPERM)
    return False
"""


def python(code, **options):
    """Run code in a Python of its own, since none of this can be undone."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", LOAD + code], capture_output=True, text=True, **options
    )
    assert done.returncode == 0, done.stderr


def test_landlock_leaves_what_is_named_and_nothing_to_write(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.write_text("may be read"), outside.write_text("may not")
    python(f"""
inside, outside = Path({str(inside)!r}), Path({str(outside)!r})
confine.drop_privileges()
confine.restrict_files([inside], listable=[])
assert inside.read_text() == "may be read"
assert refused(outside.read_text) and refused(os.listdir, "/") and refused(open, "/proc/self/maps")
assert refused(inside.write_text, "no") and refused(outside.unlink)
new = inside.with_name("new")
assert refused(new.write_text, "no") and refused(os.mkdir, new) and refused(os.symlink, inside, new)
open(os.devnull, "w").write("yes")
""")


def test_root_becomes_nobody_and_gains_nothing():
    python("""
root = os.geteuid() == 0
if root:
    os.setgroups([1, 2])
confine.drop_privileges()
assert os.geteuid() != 0
status = Path("/proc/self/status").read_text()
assert "NoNewPrivs:\\t1" in status
capabilities = int(status.split("CapEff:\\t")[1].split()[0], 16)
assert capabilities in ((0, confine.CAP_DAC_READ_SEARCH) if root else (0,))
assert not root or os.getgroups() == []
""")


def test_what_may_be_listed_may_not_be_read(tmp_path):
    (tmp_path / "file").write_text("may not be read")
    python(f"""
folder = Path({str(tmp_path)!r})
confine.restrict_files([], listable=[folder])
assert os.listdir(folder) == ["file"] and refused((folder / "file").read_text)
""")


def test_seccomp_refuses_what_is_not_listed():
    python("""
import ctypes, threading
confine.drop_privileges()
system_calls.restrict()
assert refused(os.fork) and refused(socket.socket) and refused(os.kill, os.getppid(), 0)
assert refused(os.execv, "/bin/true", ["true"]) and refused(os.pipe) and refused(os.setsid)
assert refused(resource.prlimit, 0, resource.RLIMIT_CPU) and refused(os.truncate, "/dev/null", 0)
try:
    threading.Thread(target=print).start()
except RuntimeError:
    pass
else:
    raise AssertionError("a thread was started")
""")


def test_seccomp_looks_at_arguments():
    python("""
import ctypes, fcntl, mmap, signal, time
ours, theirs = socket.socketpair()
system_calls.restrict()
assert fcntl.fcntl(ours, fcntl.F_GETFD) == fcntl.FD_CLOEXEC and fcntl.fcntl(ours, fcntl.F_DUPFD) > 2
for command, value in [
    (fcntl.F_SETOWN, os.getpid()), (10, signal.SIGSTOP), (fcntl.F_SETFL, os.O_ASYNC),
    (fcntl.F_SETFL, os.O_NONBLOCK), (15, bytes(8)), (fcntl.F_NOTIFY, fcntl.DN_ACCESS),
    (fcntl.F_SETLEASE, fcntl.F_RDLCK), (fcntl.F_SETLK, bytes(32)), (fcntl.F_GETOWN, 0),
]:
    assert refused(fcntl.fcntl, ours, command, value), command
assert refused(fcntl.ioctl, ours, 0x8901, bytes(4)) and refused(fcntl.ioctl, ours, 0x5452, bytes(4))
os.close(os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
assert refused(os.open, "/", os.O_PATH) and refused(os.open, "/tmp", os.O_TMPFILE | os.O_RDWR)
assert refused(os.stat, "/") and refused(os.lstat, "/") and refused(os.readlink, "/proc/self")
assert not os.access("/", os.F_OK)
assert os.sched_getaffinity(0) and refused(os.sched_getaffinity, os.getppid())
assert time.process_time() and refused(time.clock_gettime, ~os.getppid() << 3 | 2)
assert mmap.mmap(-1, 4096).madvise(mmap.MADV_DONTNEED) is None
assert refused(mmap.mmap(-1, 4096).madvise, 12) and refused(mmap.mmap, -1, 4096, 0x2021)
libc = ctypes.CDLL(None, use_errno=True)
word = ctypes.c_uint32(os.getppid())
for operation, number in [(128 | 1, 0), (128 | 6, errno.EACCES), (1, errno.EACCES)]:
    ctypes.set_errno(0)
    libc.syscall({"x86_64": 202, "aarch64": 98}[os.uname().machine], ctypes.byref(word), operation,
        0, None, None, 0)
    assert ctypes.get_errno() == number, operation
""")


def test_what_is_open_can_be_looked_at(tmp_path):
    inside, many = tmp_path / "inside", tmp_path / "many"
    inside.write_text("may be read")
    many.mkdir()
    for number in range(3000):
        (many / f"a file with a long name, namely {number}").touch()
    python(f"""
inside, many, outside = {str(inside)!r}, {str(many)!r}, {__file__!r}
real, folder, names = os.stat(inside), os.stat({str(tmp_path)!r}), os.listdir(many)
confine.restrict_files([Path(inside), Path(many)], listable=[])
file_status.by_opening({{{str(tmp_path)!r}: folder}})
system_calls.restrict()
assert os.listdir(many) == os.listdir(os.open(many, os.O_RDONLY)) == names and len(names) == 3000
assert refused(os.listdir, {str(tmp_path)!r}) and os.path.isdir(many)
for found in (os.stat(inside), os.lstat(Path(inside)), os.stat(os.open(inside, os.O_RDONLY))):
    assert tuple(found) == tuple(real) and found.st_mtime == int(real.st_mtime)
assert os.path.isfile(inside) and os.path.isdir({str(tmp_path)!r}) and not os.path.exists(outside)
assert refused(os.stat, outside) and os.path.realpath(inside) == inside
""")


@pytest.mark.parametrize(
    ("since", "is_refused"),
    [
        (confine.TCP_SINCE, "refused(socket.socket().connect, tcp.getsockname())"),
        (confine.OTHERS_SINCE, "refused(socket.socket(socket.AF_UNIX).connect, address)"),
        (confine.OTHERS_SINCE, "refused(os.kill, os.getppid(), 0)"),
    ],
    ids=["TCP", "sockets", "signals"],
)
def test_landlock_keeps_what_it_knows_of_in(since, is_refused):
    if (version := confine._landlock_version()) < since:
        pytest.skip(f"this kernel's Landlock, version {version}, does not know of it")
    python(f"""
confine.drop_privileges() # else whoever is root could not be sent a signal in any case
listening = socket.socket(socket.AF_UNIX)
listening.bind("") # to a name that nobody has, for a name is the whole machine's
listening.listen()
address = listening.getsockname()
tcp = socket.create_server(("127.0.0.1", 0))
child = os.fork()
if child == 0:
    confine.isolate()
    os._exit(7 if {is_refused} else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
""")


def test_every_system_call_has_its_reason():
    from tensorgrader.sandbox import system_calls

    names = [call.name for call in system_calls.CALLS]
    assert len(set(names)) == len(names)
    assert all(call.why for call in system_calls.CALLS)
    takes_a_path = re.compile(r"stat$|^open$|access|readlink|^ch|exec|link|mount|xattr|inotify")
    assert [name for name in names if takes_a_path.search(name)] == ["fstat"]
    assert not {"fork", "clone", "socket", "kill", "prctl", "ioctl", "ptrace"} & {*names}
    many, fewer = (
        sum(getattr(call, machine) is not None for call in system_calls.CALLS)
        for machine in system_calls.MACHINES
    )
    page = (Path(__file__).parents[3] / "book/grader_limits.md").read_text("utf8")
    assert f"seccomp: {many} system calls are allowed ({fewer} on ARM64)" in page


def test_limits_are_set_for_good():
    python("""
confine.limit_resources(confine.address_space() + 2**28, 7)
for name, most in {"CPU": 7, "FSIZE": 0, "CORE": 0, "NPROC": 0, "NOFILE": 64}.items():
    soft, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
    assert soft == hard <= most, name
try:
    bytes(2**29)
except MemoryError:
    pass
else:
    raise AssertionError("memory is not bounded")
""")


ORDINARY = """
confine.drop_privileges()
confine.restrict_files([], [])
confine.isolate()
system_calls.restrict()
assert refused(os.fork) and refused(open, "/etc/passwd") and os.getuid() == 1234
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests are run by an ordinary user")
def test_an_ordinary_user_gets_the_same(tmp_path):
    for name in ("confine.py", "file_status.py", "system_calls.py"):
        copy = tmp_path / name
        copy.write_text((FOLDER / name).read_text("utf8"), "utf8")
        for place in (copy, *copy.parents[:-2]):
            place.chmod(0o755)
    code = LOAD.replace(str(FOLDER), str(tmp_path)) + ORDINARY
    done = subprocess.run(
        ["/usr/bin/python3", "-I", "-c", code], user=1234, capture_output=True, text=True, cwd="/"
    )
    assert done.returncode == 0, done.stderr


def header(path):
    """Read the numbers of system calls from a header of the kernel's."""
    return dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", path.read_text()))


@pytest.mark.parametrize(
    ("column", "path"),
    [("x86_64", "x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_kernels_headers(column, path):
    from tensorgrader.sandbox import system_calls

    path = Path("/usr/include") / path
    if not path.exists():
        pytest.skip(f"no {path}: it comes with linux-libc-dev")
    known = header(path)
    for call in system_calls.CALLS:
        if (number := getattr(call, column)) is not None:
            assert known[call.name] == str(number), call.name
