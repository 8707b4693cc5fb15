"""Statements of a cell, run as a notebook runs them: with top-level await.

Neither a sandbox nor a page has sockets, so there is an event loop that needs none. Loaded by path
into the worker, so it imports the standard library only.
"""

import __future__

import ast
import asyncio
import inspect
import time
import types
import warnings
from typing import Any


class _Clock:
    """A selector that only waits for time to pass."""

    def select(self, timeout: float | None) -> list:
        """Sleep until the next event. Raises RuntimeError if there will be none."""
        if timeout is None:
            raise RuntimeError("it awaits something that never happens")
        time.sleep(timeout)
        return []


class Loop(asyncio.BaseEventLoop):
    """A loop without files, sockets and threads."""

    _selector = _Clock()

    def _process_events(self, events: list) -> None:
        """Do nothing: there are none."""

    def _write_to_self(self) -> None:
        """Do nothing: no other thread has to wake it."""


def begin() -> None:
    """Make asyncio use such loops."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)

        class Policy(asyncio.DefaultEventLoopPolicy):
            _loop_factory = Loop

        asyncio.set_event_loop_policy(Policy())
    asyncio._set_running_loop(None)


def run(statement: ast.stmt, filename: str, names: dict) -> Any:
    """Run a statement with these names; return the value of an expression."""
    code = compiled(statement, filename, names)
    value = eval(code, names)
    if not code.co_flags & inspect.CO_COROUTINE:
        return value
    around, loop = asyncio._get_running_loop(), Loop()
    asyncio._set_running_loop(None)
    try:
        return loop.run_until_complete(value)
    finally:
        loop.close()
        asyncio._set_running_loop(around)


def compiled(statement: ast.stmt, filename: str, names: dict) -> types.CodeType:
    """Compile a statement of a cell, which may contain await, with the present future flags."""
    flags = _future(names) | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    if isinstance(statement, ast.Expr):
        return compile(ast.Expression(statement.value), filename, "eval", flags)
    return compile(ast.Module([statement], type_ignores=[]), filename, "exec", flags)


def _future(names: dict) -> int:
    """Return the flags of what was imported from __future__, which stay; no annotation is run."""
    features = {value for value in names.values() if type(value) is __future__._Feature}
    return sum(feature.compiler_flag for feature in features | {__future__.annotations})
