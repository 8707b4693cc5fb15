"""What of a cell may be run a thousand times: functions that only compute, as far as words tell.

Nothing else of the cell is run, and nothing at all where one of them might read or write a file,
ask, wait, or change what is not its own.
"""

import ast
import builtins
import inspect
import linecache
import math
import re
from types import FunctionType, ModuleType
from typing import Any

from tensorgrader.cells import parse
from tensorgrader.in_process import DATA

#: What an answer may call of Python's own, besides its types.
HARMLESS = re.compile("(abs|all|any|divmod|isinstance|len|max|min|pow|print|round|sorted|sum)$")
#: The modules that an answer may use, and what of them it may not.
USABLE = {"torch", "math", "itertools", "functools", "collections", "operator", "numpy"}
Defined = ast.FunctionDef | ast.ClassDef
HARMFUL = re.compile(r"__|(save|load|set_|from_?file|to_?file|manual_seed|seed|compile|jit|hub)")


def methods(function: FunctionType | type) -> list[FunctionType]:
    """Return the functions of a class, or a function alone."""
    found = vars(function).values() if isinstance(function, type) else [function]
    return [one for one in found if isinstance(one, FunctionType)]


def functions(function: FunctionType | type) -> dict[str, Defined]:
    """Return a function or class, and those of its cell that it calls; none if any may do harm."""
    if not methods(function):
        return {}
    own, called = methods(function)[0].__code__, function.__name__
    tree = parse("".join(linecache.getlines(own.co_filename)))[1]
    defined = {n.name: n for n in (tree.body if tree else ()) if isinstance(n, Defined)}
    mine: Any = defined.get(called)
    begins = [mine.lineno, *(d.lineno for d in mine.decorator_list)] if mine else [math.inf]
    if not (min(begins) <= own.co_firstlineno and own.co_firstlineno <= mine.end_lineno):
        return {}
    reached, waiting = {}, [called]
    while waiting:
        name = waiting.pop()
        reached[name] = defined[name]
        used = {n.id for n in ast.walk(defined[name]) if isinstance(n, ast.Name)}
        waiting += [other for other in used & defined.keys() if other not in reached]
    names = methods(function)[0].__globals__
    is_safe = all(_is_harmless(node, names, {*reached}) for node in reached.values())
    return reached if is_safe else {}


def _is_harmless(function: Defined, names: dict[str, Any], known: set[str]) -> bool:
    """Return whether a function only computes, as far as its words tell."""
    own = {arg.arg for arg in ast.walk(function) if isinstance(arg, ast.arg)} | known
    for node in ast.walk(function):
        match node:
            case ast.Name(name, ast.Store()):
                own.add(name)
            case ast.Import(aliases) | ast.ImportFrom(names=aliases):
                own |= {(a.asname or a.name).partition(".")[0] for a in aliases}
                of = [getattr(node, "module", None) or a.name for a in aliases]
                if any(one.partition(".")[0] not in USABLE for one in of):
                    return False
            case ast.ClassDef() if node is function:
                continue
            case ast.Global() | ast.ClassDef() | ast.Await() | ast.AsyncWith():
                return False
            case ast.Attribute(ast.Call(ast.Name("super")), "__init__"):
                continue
            case ast.Attribute(_, attribute) if HARMFUL.match(attribute):
                return False
    used = {n.id for n in ast.walk(function) if isinstance(n, ast.Name)} - own
    return all(_is_usable(name, names) for name in used)


def _is_usable(name: str, names: dict[str, Any]) -> bool:
    """Return whether a name of the notebook's, or of Python's, can be used without any harm."""
    if name not in names:
        value = getattr(builtins, name, ValueError)  # or nobody's
        return bool(HARMLESS.match(name)) or isinstance(value, type)
    value = names[name]
    if isinstance(value, FunctionType | type) and methods(value):
        unwrapped = inspect.unwrap(value)
        if methods(unwrapped)[0].__globals__ is names:
            return bool(functions(unwrapped))
    if isinstance(value, DATA):
        return name.isupper() or isinstance(value, bool | int | float | str)
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", "")
    return str(module).partition(".")[0] in USABLE and not HARMFUL.match(name)
