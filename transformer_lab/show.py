"""Show the package in a notebook: a definition's source as code, measured numbers as a table."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.display import Markdown


def source(definition: Callable) -> "Markdown":
    """Show the source of a function or class, without its docstrings.

    Raises TypeError for anything that has no Python source, such as a built-in function.
    """
    try:
        text = textwrap.dedent(inspect.getsource(inspect.unwrap(definition)))
    except (TypeError, OSError):
        raise TypeError(
            f"source shows a function or class written in Python, but was given {definition!r}."
        ) from None
    return _markdown(f"```python\n{_without_docstrings(text)}\n```")


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> "Markdown":
    """Show rows as a table; floats get three significant digits, everything else is printed.

    Raises ValueError for a row whose length is not that of the header.
    """
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"the header has {len(header)} cells, but {row!r} has {len(row)}.")
    lines = [header, ["---"] * len(header), *rows]
    return _markdown("\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines))


def _cell(value: object) -> str:
    """Write one cell; a bar inside would end it, so it is escaped."""
    text = f"{value:.3g}" if isinstance(value, float) else str(value)
    return text.replace("|", r"\|")


def _without_docstrings(text: str) -> str:
    """Drop the lines of every docstring, and the blank line that would be left after it."""
    lines = text.splitlines()
    dropped: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not ast.get_docstring(node):
            continue
        last = node.body[0].end_lineno or node.body[0].lineno
        dropped.update(range(node.body[0].lineno - 1, last))
        if last < len(lines) and not lines[last].strip():
            dropped.add(last)
    return "\n".join(line for number, line in enumerate(lines) if number not in dropped)


def _markdown(text: str) -> "Markdown":
    """Wrap text for display; IPython is imported only when something is shown."""
    from IPython.display import Markdown

    return Markdown(text)
