"""The doors that are shut behind Pyodide's start, in a Python of their own."""

import os
import subprocess
import sys
from pathlib import Path

from transformer_lab.page import doors

ROOT = Path(__file__).parents[2]

TRIED = """
import sys
from transformer_lab.page.doors import SHUT, shut
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
from transformer_lab.page.doors import shut
shut()
for name in ("torch.optim", "torch.utils.data", "tkinter.nothing"):
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error.name, "it is no mistake" in str(error))
"""


def test_what_leads_to_the_browser_is_forgotten_and_refused():
    done = subprocess.run([sys.executable, "-c", TRIED], capture_output=True, text=True, check=True)
    assert done.stdout == "shut\n"
    assert {"js", "pyodide_js", "pyodide", "_pyodide_core", "_ctypes"} <= doors.SHUT


def test_modules_that_the_page_lacks_are_no_mistake():
    command = [sys.executable, "-c", LACKING]
    path = [str(Path(doors.__file__).parent / "stand_ins"), str(ROOT)]
    place = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=place)
    names = ("torch.optim", "torch.utils", "tkinter.nothing")
    assert done.stdout == "".join(f"{name} True\n" for name in names)
