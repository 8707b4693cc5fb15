"""The learner's answer in a notebook: a function, and the cell in which it was written."""

import ast
import inspect
import linecache
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from tensorgrader.bindings import gives, may_give, read, sets_out
from tensorgrader.cells import parse
from tensorgrader.exercise import Exercise
from tensorgrader.sandbox.no_compile import as_written


def found(exercise: Exercise, names: Mapping[str, Any]) -> tuple[Callable[..., Any] | None, str]:
    """Return an exercise's function and "", or None and why there is none.

    Or the function, and what of its cell isn't valid Python. Among the executed cells, which
    IPython keeps, the last one counts that defined the name or was meant to: if that isn't valid
    Python, an older definition is no answer.
    """
    name = exercise.function
    value = names.get(name)
    function = value if callable(value) else None
    kept = names.get("In")
    cells = [cell for cell in kept if isinstance(cell, str)] if isinstance(kept, list) else []
    written = _text(function)
    is_known = any(cell.rstrip() == written for cell in cells)
    problem = ""
    for cell in reversed(cells):
        code, problem, rest = read(cell)
        if gives(code, name) or cell.rstrip() == written or may_give(code, is_known):
            break
        if problem and sets_out(rest, name):
            function = None
            break
        problem = ""
    return function, problem or ("" if function else missing_function(exercise))


def _text(function: Any) -> str:
    """Return the text of the cell in which a function was written, if Python has kept it."""
    if isinstance(function, type):  # a class was written where its methods were
        function = next(filter(inspect.isfunction, vars(function).values()), None)
    own = inspect.unwrap(function) if isinstance(function, FunctionType) else None
    lines = linecache.getlines(own.__code__.co_filename) if isinstance(own, FunctionType) else []
    return "".join(lines).rstrip() or "nothing is known"


def missing_function(
    exercise: Exercise, where: str = "yet. Run the cell above that defines it"
) -> str:
    """Return the message that there is no function to check."""
    return f"There is no function `{exercise.function}` {where}."


def source_of(function: Any) -> str:
    """Return the source of a function or a class, or "" if none is kept."""
    try:
        if isinstance(function, type):  # of whose cell Python keeps nothing before 3.13
            return _of_class(_text(function), function.__name__)
        return inspect.getsource(as_written(function))
    except (OSError, TypeError):
        return ""


def _of_class(text: str, name: str) -> str:
    _, tree, _ = parse(text)
    classes = (node for node in tree.body if isinstance(node, ast.ClassDef)) if tree else ()
    found = [ast.get_source_segment(text, node) for node in classes if node.name == name]
    return (found and found[-1]) or ""
