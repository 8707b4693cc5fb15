"""A function or a class after an edit of its source: a known mistake in one line."""

import __future__

import inspect
import linecache
import math
import sys
import textwrap
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import nn

#: What every answer may use.
NAMES = {"F": nn.functional, "math": math, "nn": nn, "torch": torch}
#: What replaces what, in this order.
Edits = tuple[tuple[str, str], ...]


@cache
def edited(function: Callable[..., Any], edits: Edits, name: str) -> Any:
    """Return a function in whose source code is replaced; `name` is that of the mistake.

    Raises ValueError for code that does not stand there exactly once, or a result that is not
    Python.
    """
    source = _source(function)
    for old, new in edits:
        if (count := source.count(old)) != 1:
            raise ValueError(_unclear(function.__name__, name, old, count, source))
        source = source.replace(old, new)
    file = f"<{function.__module__}.{function.__name__}: {name}, {dict(edits)}>"
    try:
        code = compile(source, file, "exec", __future__.annotations.compiler_flag)
    except SyntaxError as error:
        raise ValueError(
            f"the mistake {name!r}: after its edit, `{function.__name__}` is not Python: "
            f"{error.msg}, in `{(error.text or '').strip()}`."
        ) from None
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    made: dict[str, Any] = {}
    exec(code, NAMES | _outside(function), made)
    return made[function.__name__]


def _outside(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the names of the module in which a function or a class is written."""
    return getattr(function, "__globals__", None) or vars(sys.modules[function.__module__])


@cache
def _source(function: Callable[..., Any]) -> str:
    return textwrap.dedent(inspect.getsource(function))


def _unclear(function: str, name: str, old: str, count: int, source: str) -> str:
    """Return why an edit cannot be made, and what to do."""
    lines = [line.strip() for line in source.splitlines() if old in line]
    if not count:
        how = f"Copy the code to replace from `{function}`, the reference, with its spaces."
    else:
        among = " and in ".join(f"`{line}`" for line in lines)
        how = (
            f"Write more of the code around it, so that only one place is meant: it is in {among}."
        )
    often = "never" if not count else "twice" if count == 2 else f"{count} times"
    return f"the mistake {name!r} replaces `{old}`, which is {often} in `{function}`. {how}"
