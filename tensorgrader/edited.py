"""What a function calls, and a function or class after an edit: a known mistake in one line."""

import __future__

import dis
import inspect
import linecache
import math
import sys
import textwrap
from collections.abc import Callable
from functools import cache
from types import CodeType, FunctionType
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
    outside = getattr(function, "__globals__", None) or vars(sys.modules[function.__module__])
    exec(code, NAMES | outside, made)
    return made[function.__name__]


@cache
def edited_piece(function: Callable[..., Any], edits: Edits) -> Callable[..., Any]:
    """Return the first of a function and those it calls in which all of the code stands once."""
    pieces = (piece for piece in (function, *reached(function)) if _holds(piece, edits))
    return next(pieces, function)


def _holds(piece: Callable[..., Any], edits: Edits) -> bool:
    """Return whether the code stands once in a function; a page lacks the source of some."""
    try:
        return all(_source(piece).count(old) == 1 for old, _ in edits)
    except OSError:
        return False


@cache
def reached(function: Callable[..., Any]) -> dict[Callable[..., Any], None]:
    """Return what a function calls by names of its module, directly or indirectly, in order."""
    reached: dict[Callable[..., Any], None] = {}
    waiting = [function] if isinstance(inspect.unwrap(function), FunctionType) else []
    while waiting:
        called = [v for v in used(waiting.pop(0))[1].values() if isinstance(v, FunctionType)]
        waiting += [step for step in called if step not in reached]
        reached |= dict.fromkeys(called)
    return reached


def used(function: Callable[..., Any]) -> tuple[CodeType, dict[str, Any]]:
    """Return the code of a function, and the names of its module that it uses."""
    whole = inspect.unwrap(function)
    names = ["__builtins__", *_names(whole.__code__)]
    return whole.__code__, {n: whole.__globals__[n] for n in names if n in whole.__globals__}


@cache
def _names(code: CodeType) -> tuple[str, ...]:
    within = [_names(inner) for inner in code.co_consts if isinstance(inner, CodeType)]
    read = [step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"]
    return tuple(dict.fromkeys([*read, *(name for names in within for name in names)]))


@cache
def _source(function: Callable[..., Any]) -> str:
    return textwrap.dedent(inspect.getsource(function))


def _unclear(function: str, name: str, old: str, count: int, source: str) -> str:
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
