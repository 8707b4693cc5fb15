"""The doors that are shut behind Pyodide's start, in a Python of their own."""

import os
import subprocess
import sys
from pathlib import Path

from page import doors

ROOT = Path(__file__).parents[2]

TRIED = """
import sys
from page.doors import SHUT, shut
import ctypes
shut()
assert not SHUT & set(sys.modules)
for name in [*sorted(SHUT), "pyodide.http", "_pyodide._importhook"]:
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        assert error.name == name.partition(".")[0]
    else:
        raise AssertionError(name)
import _imp, json
from importlib.machinery import BuiltinImporter, ModuleSpec
try:
    _imp.create_builtin(ModuleSpec("_ctypes", BuiltinImporter))
except ModuleNotFoundError:
    print("shut")
"""

LACKING = """
import torch.nn.functional
from page.doors import shut
shut()
for name in ("torch.distributed", "torch.utils.data", "tkinter.nothing"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error.name, "not your mistake" in str(error))
"""


def test_what_leads_to_the_browser_is_forgotten_and_refused():
    done = subprocess.run([sys.executable, "-c", TRIED], capture_output=True, text=True, check=True)
    assert done.stdout == "shut\n"
    assert {"js", "pyodide_js", "pyodide", "_pyodide_core", "_ctypes"} <= doors.SHUT


def test_modules_that_the_page_lacks_are_no_mistake():
    command = [sys.executable, "-c", LACKING]
    path = [*map(str, (Path(doors.__file__).parent / "stand_ins", ROOT / "page_torch", ROOT))]
    place = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=place)
    names = ("torch.distributed", "torch.utils", "tkinter.nothing")
    assert done.stdout == "".join(f"{name} True\n" for name in names)


WAITING = """
import asyncio, builtins, functools, sys, time
def wrapped(function):
    return functools.wraps(function)(lambda *_: gone(function))
time.sleep, asyncio.run = wrapped(time.sleep), wrapped(asyncio.run)
from page.doors import shut
shut()
time.sleep(0.01)
async def two():
    await asyncio.sleep(0.01)
    return 2
print(asyncio.run(two()))
try:
    asyncio.run(asyncio.Event().wait())
except RuntimeError as error:
    print(error)
"""
ASKING = """
import os, subprocess, sys, threading
from concurrent.futures import ThreadPoolExecutor
from page.doors import shut
shut()
asks = [
    input, sys.stdin.readline, sys.stdin.read, lambda: list(sys.stdin),
    threading.Thread(target=print).start, lambda: ThreadPoolExecutor().submit(print),
    lambda: subprocess.run(["ls"]), lambda: os.system("ls"), lambda: os.popen("ls"),
]
for ask in asks:
    try:
        ask()
    except (EOFError, RuntimeError) as error:
        print(error)
"""


def ran(script):
    """Run a script in a Python of its own; give the lines that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout.splitlines()


def test_what_pyodide_has_wrapped_works_without_it():
    two, never = ran(WAITING)
    assert two == "2"
    assert "never happens" in never


def test_what_would_ask_or_start_others_says_that_it_cannot_here():
    lines = ran(ASKING)
    assert len(lines) == 9
    assert all("not your mistake" in line for line in lines)
    assert all("cannot ask" in line for line in lines[:4])
    assert all("threads" in line for line in lines[4:6])
