"""What stands in the learner's notebook: a function, the cell it was written in, what it reads."""

import inspect
import re
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

from torch import Tensor

from transformer_lab.grading.exercise import Exercise
from transformer_lab.grading.submission import parse

DATA = (Tensor, bool, int, float, str, list, tuple, dict)


def broken_cell(exercise: Exercise, names: Mapping[str, Any]) -> str:
    """Say what is wrong with the cell of a function, where the last one run is no Python.

    IPython keeps the cells that were run; elsewhere nothing is known.
    """
    cells = names.get("In")
    written = re.compile(rf"^\s*def\s+{exercise.function}\b", re.MULTILINE)
    for source in reversed(cells if isinstance(cells, list) else []):
        if isinstance(source, str) and written.search(source):
            _, tree, problem = parse(source)
            words, _, line = problem.partition("\n")
            code = f"\n`{line}`" if line else ""
            return "" if tree else f"Its cell {words}{code}"
    return ""


def missing_function(exercise: Exercise) -> str:
    """Say that there is no function to check."""
    return f"There is no function `{exercise.function}` yet. Run the cell above that defines it."


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
