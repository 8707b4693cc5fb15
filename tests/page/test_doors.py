"""The doors that are shut behind Pyodide's start, in a Python of their own."""

import subprocess
import sys

from transformer_lab.page import doors

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


def test_what_leads_to_the_browser_is_forgotten_and_refused():
    done = subprocess.run([sys.executable, "-c", TRIED], capture_output=True, text=True, check=True)
    assert done.stdout == "shut\n"
    assert {"js", "pyodide_js", "pyodide", "_pyodide_core", "_ctypes"} <= doors.SHUT
