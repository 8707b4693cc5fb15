"""What stands in the learner's notebook: a function, the cell it was written in, what it reads."""

import inspect
import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from torch import Tensor

from tensorgrader.bindings import gives, may_give, read, sets_out
from tensorgrader.exercise import Exercise

DATA = (Tensor, bool, int, float, str, list, tuple, dict)


@dataclass(frozen=True)
class Answer:
    """What is to be judged, or None; why it is not there, or what of its cell is no Python.

    `is_given` tells that it was not looked for.
    """

    function: Callable[..., Any] | None
    problem: str = ""
    is_given: bool = False


def found(exercise: Exercise, names: Mapping[str, Any]) -> Answer:
    """Find the function of an exercise among a notebook's names.

    Of the cells that were run, which IPython keeps, the last counts that gave the name its value or
    was to: where that one is no Python, what an older one gave is no answer.
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
    return Answer(function, problem or ("" if function else missing_function(exercise)))


def _text(function: Any) -> str:
    """Return the text of the cell that a function was written in, if Python has kept it."""
    own = inspect.unwrap(function) if isinstance(function, FunctionType) else None
    lines = linecache.getlines(own.__code__.co_filename) if isinstance(own, FunctionType) else []
    return "".join(lines).rstrip() or "nothing is known"


def missing_function(
    exercise: Exercise, where: str = "yet. Run the cell above that defines it"
) -> str:
    """Say that there is no function to check."""
    return f"There is no function `{exercise.function}` {where}."


def stray_globals(exercise: Exercise, function: Callable[..., Any]) -> tuple[str, ...]:
    """Say which data of the notebook's a function reads, where its arguments were meant."""
    if not isinstance(function, FunctionType):
        return ()
    read = inspect.getclosurevars(function).globals.items()
    stray = [name for name, value in read if isinstance(value, DATA) and not name.isupper()]
    if not stray:
        return ()
    listed = ", ".join(f"`{name}`" for name in exercise.arguments)
    return (
        f"It reads `{stray[0]}`, which belongs to the notebook. Its own arguments are {listed}.",
    )
