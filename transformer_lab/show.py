"""Show the package in a notebook: a definition's source as code, measured numbers as a table."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.display import HTML, Markdown

#: What a text begins with that says a number; nothing at all is no word either.
NUMBER = re.compile(r"[-−+–]?(\d|inf|nan|$)")
DOCUMENTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


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
    from IPython.display import Markdown

    return Markdown(f"```python\n{_without_docstrings(text)}\n```")


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> "HTML":
    """Show rows as a table, a page's and a notebook's alike.

    Floats get three significant digits, whole numbers a comma for thousands, and truth values
    "yes" and "no ✗". Raises ValueError for a row whose length is not that of the header, and for a
    column without a name, which nobody could hear.
    """
    if "" in header:
        raise ValueError(f"each column needs a name, but the header is {list(header)}.")
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"the header has {len(header)} cells, but {row!r} has {len(row)}.")
    columns = list(zip(*rows, strict=True)) or [()] * len(header)
    aligned = [_align(column, names=i == 0) for i, column in enumerate(columns)]
    head = _row(map(_cell, header, aligned, ["col"] * len(header)))
    kinds = ["row"] + [""] * (len(header) - 1)
    body = "\n".join(_row(map(_cell, row, aligned, kinds)) for row in rows)
    from IPython.display import HTML

    return HTML(
        f'<table class="dataframe">\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>'
    )


def _row(cells: Iterable[str]) -> str:
    """Join the cells of one line."""
    return f"<tr>{''.join(cells)}</tr>"


def _align(column: Sequence[object], *, names: bool) -> str:
    """Set numbers to the right, where digits line up, and words to the left, as names of rows."""
    words = (isinstance(v, str) if names else not NUMBER.match(_text(v)) for v in column)
    return "left" if any(words) else "right"


def _cell(value: object, align: str, scope: str) -> str:
    """Write one cell, under its column's heading or, with `scope`, as a heading itself."""
    style = f'style="padding: 0.2em 0.4em; text-align: {align}"'
    text = _text(value)
    if not scope:
        return f"<td {style}>{text}</td>"
    text = re.sub(r"\b([A-Za-z])_(\w+)", r"<i>\1</i><sub>\2</sub>", text)  # as in formulas
    return f"<th scope={scope} {style}>{text}</th>"


def _text(value: object) -> str:
    """Write one value."""
    if isinstance(value, bool):
        return "yes" if value else "no ✗"
    if isinstance(value, float):
        return f"{value:.3g}"
    return escape(f"{value:,}" if isinstance(value, int) else str(value))


def _without_docstrings(text: str) -> str:
    """Drop the lines of every docstring, and the blank line that would be left after it."""
    lines = text.splitlines()
    dropped: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, DOCUMENTED) or ast.get_docstring(node) is None:
            continue
        last = node.body[0].end_lineno or node.body[0].lineno
        if len(node.body) == 1:  # nothing else stands there
            lines[last - 1], last = f"{' ' * node.body[0].col_offset}...", last - 1
        dropped.update(range(node.body[0].lineno - 1, last))
        if last < len(lines) and not lines[last].strip():
            dropped.add(last)
    return "\n".join(line for number, line in enumerate(lines) if number not in dropped)
