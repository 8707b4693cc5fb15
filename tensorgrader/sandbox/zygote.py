"""A process with PyTorch loaded that confines itself and forks a worker for each exercise.

Started by path with `python -I` and the number of a socket whose other end is the grader's. It runs
no learner's code and holds no reference. A line of JSON asks for a worker (its connection comes
along) or for the end of one; a line of JSON answers. When the grader ends, everything here ends.
"""

import contextlib
import ctypes
import gc
import importlib
import importlib.util
import io
import itertools
import json
import linecache
import os
import signal
import socket
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy
import torch

MEMORY = 2**30
CPU_SECONDS = 120
LINE_LIMIT = 2**16
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
SITES = {"site-packages", "dist-packages"}  # the grader and its references are there
# Modules in C that the loader of an older glibc (before 2.39) finds only while it may use `stat`.
EXTENSIONS = (
    "_decimal", "_elementtree", "_lsprof", "_statistics", "_zoneinfo", "numpy.fft", "numpy.random",
)  # fmt: skip
LAZY = ("sympy", "mpmath")  # what PyTorch loads on first use of, say, broadcast_shapes

REHEARSAL = """
def f(x):
    weights = (x @ x.mT / x.size(-1) ** 0.5).masked_fill(x.new_zeros(()).bool(), 0.0).exp()
    return weights / weights.sum(dim=-1, keepdim=True)
"""

FEW = 8  # the maximum of workers for one notebook; a class has more zygotes
HUGE_PAGE, AT_ONCE = 2**21, 16
MADV_HUGEPAGE, MADV_COLLAPSE = 14, 25

libc = ctypes.CDLL(None)
libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def sibling(name: str) -> ModuleType:
    """Load a file beside this one without making its package importable."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(control: socket.socket, confined: bool) -> None:
    """Serve the grader until it hangs up."""
    confine, proxy, proxy_server, file_status, ready_made, system_calls, worker = map(
        sibling,
        ("confine", "proxy", "proxy_server", "file_status", "ready_made", "system_calls", "worker"),
    )
    prepare(worker)
    memory = confine.address_space() + MEMORY
    pages = huge_pages()
    known = {path: os.stat(path) for path in sys.path if os.path.isdir(path)}
    if confined:
        confine.drop_privileges()
        confine.restrict_files(libraries(), listable=[Path(sysconfig.get_path("stdlib"))])

    def work(connection: socket.socket, line: socket.socket, forbidden: list[str] | None) -> None:
        control.close()
        confine.limit_resources(memory, CPU_SECONDS)
        ready_made.refuse(forbidden or [])
        requests, replies = streams(connection)
        coming, going = streams(line)
        if confined:
            confine.isolate()
            file_status.by_opening(known)
            system_calls.restrict()
        if forbidden is None:
            proxy_server.hold(worker.values, requests, replies, coming, going)
        else:
            worker.no_compile.compile_nothing()
            stands_for = proxy.Asker(worker.values, going, coming).given
            worker.serve(requests, replies, worker.main_module.main_module(), stands_for)

    def start(forbidden: list[str] | None, connection: socket.socket, line: socket.socket) -> dict:
        if next(workers) > FEW:
            collapse(pages)
        ready_made.look_up(forbidden or [])  # once, for all later forks
        with connection, line:
            return fork(work, connection, line, forbidden, living=living)

    living: set[int] = set()
    workers = itertools.count(1)
    serve(control, start, living)
    for pid in list(living):
        end(pid, 0.0, living)
    os._exit(0)  # Python's and PyTorch's clean-up at exit takes a while, and isn't needed


def prepare(worker: ModuleType) -> None:
    """Prepare this process to be forked often and cheaply, without input and output."""
    with contextlib.suppress(OSError):  # out of memory, kill a worker, not the grader
        Path("/proc/self/oom_score_adj").write_text("1000")
    worker.silence()
    worker.statements.begin()
    # Parts that PyTorch loads later need a cache folder, but only check that it exists.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(Path(torch.__file__).parent)
    tempfile.tempdir = "/tmp"  # otherwise tempfile tries to write everywhere
    for name in EXTENSIONS:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    torch.set_num_threads(1)
    torch.zeros(1).half()  # PyTorch inspects the processor here, which the sandbox forbids later
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    rehearse(worker)
    linecache.clearcache()  # otherwise tracebacks look for our sources again
    if len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("a process of several threads must not fork")
    gc.freeze()


def libraries() -> list[Path]:
    """Return what a worker may read: the standard library and PyTorch, with their dependencies."""
    standard = Path(sysconfig.get_path("stdlib"))
    found = [p for p in standard.iterdir() if p.name not in SITES and p.exists()]
    found += [Path(str(module.__file__)).parent for module in (torch, numpy)]
    specs = [importlib.util.find_spec(name) for name in LAZY]
    return found + [Path(spec.origin).parent for spec in specs if spec and spec.origin]


def serve(control: socket.socket, start: Callable[..., dict], living: set[int]) -> None:
    """Start workers and end them as the grader asks, until it hangs up."""
    control.send(b'{"ready": true}')
    while line := socket.recv_fds(control, LINE_LIMIT, 2):
        text, connections, *_ = line
        if not text:
            return
        request = json.loads(text)
        if "end" in request:
            reply = {"code": end(request["end"], request["patience"], living)}
        else:
            both = (socket.socket(fileno=connection) for connection in connections)
            reply = start(request["forbidden"], *both)
        control.send(json.dumps(reply).encode())


def streams(connection: socket.socket) -> tuple[io.BufferedReader, io.BufferedWriter]:
    """Return streams that read from a connection, and write to it."""
    stream = connection.detach()
    return os.fdopen(stream, "rb"), os.fdopen(os.dup(stream), "wb")


def rehearse(worker: ModuleType) -> None:
    """Do what every worker will do, so that forks inherit what Python and PyTorch set up."""
    requests = io.BytesIO()
    for _ in range(8):  # as often as Python needs to specialise the code
        tensors: list[torch.Tensor] = []
        calls = [worker.values.encode(((torch.ones(2, 3),), None), tensors) for _ in range(4)]
        run = {"do": "run", "cells": [["rehearsal", REHEARSAL]], "without": [], "token": ""}
        worker.values.send(requests, run, [])
        call = {"do": "call", "name": "f", "calls": calls, "held": [], "token": ""}
        worker.values.send(requests, call, tensors)
    requests.seek(0)
    worker.serve(requests, io.BytesIO())


def huge_pages() -> list[int]:
    """Return the memory regions that fit large pages; inside a sandbox they can't be listed."""
    with open("/proc/self/maps") as file:
        areas = [line.split() for line in file]
    pages: list[int] = []
    for place, rights, _, _, inode, *_ in areas:
        if rights.startswith("rw") and inode == "0":
            start, stop = (int(address, 16) for address in place.split("-"))
            first = -(-start // HUGE_PAGE) * HUGE_PAGE
            pages += range(first, stop - HUGE_PAGE + 1, HUGE_PAGE)
    return pages


def collapse(pages: list[int]) -> None:
    """Request the next few as large pages, of which a fork copies far fewer than of small ones.

    If the system doesn't grant them, forks are just slower.
    """
    for page in pages[:AT_ONCE]:
        libc.madvise(page, HUGE_PAGE, MADV_HUGEPAGE)
        libc.madvise(page, HUGE_PAGE, MADV_COLLAPSE)
    del pages[:AT_ONCE]


def fork(work: Callable[..., None], *given: object, living: set[int]) -> dict:
    """Run a function in a child with a session of its own, which dies when this process does."""
    try:
        pid = os.fork()
    except OSError as error:
        return {"error": str(error)}
    if pid == 0:
        try:
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            os.setsid()
            work(*given)
        except BaseException:
            os._exit(1)
        os._exit(0)
    living.add(pid)
    return {"pid": pid}


def end(pid: int, patience: float, living: set[int]) -> int:
    """Wait a while for a worker to end, then end it and all it started; return its exit code."""
    late = time.monotonic() + patience
    done, status = os.waitpid(pid, os.WNOHANG)
    while not done and time.monotonic() < late:
        time.sleep(0.002)
        done, status = os.waitpid(pid, os.WNOHANG)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    if not done:
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
    living.discard(pid)
    while not living and (orphans := children()):
        for orphan in orphans:
            os.kill(orphan, signal.SIGKILL)
            os.waitpid(orphan, 0)
    return os.waitstatus_to_exitcode(status)


def children() -> list[int]:
    """Return this process's children; in the sandbox /proc is closed, but nothing forks."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), confined=sys.argv[2] == "confined")
