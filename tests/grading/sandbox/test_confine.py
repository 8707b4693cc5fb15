"""Each layer of the sandbox holds by itself, also for an ordinary user."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from transformer_lab.grading.sandbox.processes import FOLDER, lacking

pytestmark = pytest.mark.skipif(bool(lacking()), reason=f"no sandbox: {lacking()}")

LOAD = f"""
import errno, importlib.util, os, resource, socket, sys
spec = importlib.util.spec_from_file_location("confine", {str(FOLDER / "confine.py")!r})
confine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(confine)
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
confine.drop_privileges()
assert os.geteuid() != 0
status = Path("/proc/self/status").read_text()
assert "NoNewPrivs:\\t1" in status
capabilities = int(status.split("CapEff:\\t")[1].split()[0], 16)
assert capabilities in ((0, confine.CAP_DAC_READ_SEARCH) if root else (0,))
""")


def test_seccomp_refuses_what_is_not_listed():
    python("""
import ctypes, threading
confine.drop_privileges()
confine.restrict_system_calls()
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


def test_limits_are_set_for_good():
    python("""
confine.limit_resources(confine.address_space() + 2**28, 7)
assert resource.getrlimit(resource.RLIMIT_CPU) == (7, 7)
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
confine.restrict_system_calls()
assert refused(os.fork) and refused(open, "/etc/passwd") and os.getuid() == 1234
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests are run by an ordinary user")
def test_an_ordinary_user_gets_the_same(tmp_path):
    copy = tmp_path / "confine.py"
    copy.write_text((FOLDER / "confine.py").read_text("utf8"), "utf8")
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
    [(1, "x86_64-linux-gnu/asm/unistd_64.h"), (2, "asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_kernels_headers(column, path):
    from transformer_lab.grading.sandbox import confine

    path = Path("/usr/include") / path
    if not path.exists():
        pytest.skip(f"no {path}: it comes with linux-libc-dev")
    known = header(path)
    for entry in confine.SYSTEM_CALLS.split(","):
        name, number = entry.split()[0], entry.split()[column]
        name = {"newfstatat": "fstatat"}.get(name, name) if column == 2 else name
        if number != "-":
            assert known[name] == number, name
