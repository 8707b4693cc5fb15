"""Block the ways from the learner's Python to the browser.

The browser itself is the wall: the worker has an origin of its own, and a policy that lets nothing
out. This closes the doors besides.
"""

import _imp
import asyncio
import gc
import inspect
import io
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any, NoReturn

from tensorgrader.sandbox import statements

#: The modules with which Pyodide reaches the browser, or WebAssembly's memory.
SHUT = frozenset({"js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core", "ctypes", "_ctypes"})


def _refuse(name: str, *_: Any) -> None:
    """Raise ModuleNotFoundError for a blocked module."""
    if name.partition(".")[0] in SHUT:
        raise ModuleNotFoundError(f"this page has no module {name!r}", name=name)


def _lacks(name: str, *_: Any) -> None:
    """Raise ModuleNotFoundError for a module of Python or PyTorch that the page doesn't have."""
    if name.partition(".")[0] in {"torch", *sys.stdlib_module_names}:
        words = (
            f"this page has no module {name!r}; it is not your mistake: try another way, or the "
            "notebook"
        )
        raise ModuleNotFoundError(words, name=name)


class _Nobody(io.TextIOBase):
    """Standard input on a page, where nobody can be asked."""

    def read(self, size: int | None = -1, /) -> str:
        """Raise EOFError, as `input` does at the end of its input."""
        raise EOFError(
            "this page cannot ask for input; it is not your mistake: write the value into your code"
        )

    readline = read  # type: ignore[assignment]


def _without(what: str) -> Callable[..., NoReturn]:
    """Return a function that raises RuntimeError for what the page doesn't have."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(
            f"this page has no {what}; it is not your mistake: try another way, or the notebook"
        )

    return refuse


def _stand_alone() -> None:
    """Make sleeping work without the browser, and make missing features say so."""
    for module, name in ((time, "sleep"), (asyncio, "run")):  # Pyodide has wrapped them
        setattr(module, name, inspect.unwrap(getattr(module, name)))
    statements.begin()
    sys.stdin = _Nobody()
    threading.Thread.start = _without("threads")  # type: ignore[method-assign]
    os.system = _without("other programs")
    subprocess.Popen.__init__ = _without("other programs")  # type: ignore[method-assign]


def shut() -> None:
    """Empty and remove the blocked modules, and block their import from now on."""
    _stand_alone()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in SHUT:
            if isinstance(module, ModuleType):
                vars(module).clear()
            del sys.modules[name]
    ours = ("_pyodide.", "pyodide.")
    sys.meta_path[:] = [f for f in sys.meta_path if not _module(f).startswith(ours)]
    first, last = (SimpleNamespace(find_spec=find) for find in (_refuse, _lacks))
    sys.meta_path[:] = [first, *sys.meta_path, last]
    _imp.create_builtin = _refusing(_imp.create_builtin)
    gc.collect()


def _module(value: Any) -> str:
    """Return the name of the module of a class, or of an object's class."""
    return getattr(value, "__module__", None) or type(value).__module__


def _refusing(create: Callable[[ModuleSpec], ModuleType]) -> Callable[[ModuleSpec], ModuleType]:
    def create_builtin(spec: ModuleSpec) -> ModuleType:
        _refuse(spec.name)
        return create(spec)

    return create_builtin
