"""Show the package in a notebook: a definition's source as code, numbers as a table."""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from html import escape
from importlib.metadata import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from IPython.display import HTML, Markdown

#: Matches texts that stand for numbers, and empty ones.
NUMBER = re.compile(r"[-−+–]?(\d|inf|nan|$)")
WIDTH = 76  # the width of a listing that the page shows without scrolling
DISTRIBUTION = "transformer-lab-book"
DOCUMENTED = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def source(definition: Callable) -> "Markdown":
    """Show the idea of a function or class: its source without what is not its idea.

    Docstrings, checks, type annotations and conversions of dtype and device are left out; shapes
    are comments. A link leads to the file. In float32 on a CPU, the listing computes the same.

    Raises TypeError for anything that has no Python source, such as a built-in function.
    """
    try:
        whole = inspect.unwrap(definition)
        text = textwrap.dedent(inspect.getsource(whole))
        first = inspect.getsourcelines(whole)[1]
    except (TypeError, OSError):
        raise TypeError(
            f"source shows a function or class written in Python, but was given {definition!r}."
        ) from None
    from IPython.display import Markdown

    shown = f"```python\n{_Listing(text).text()}\n```"
    top, _, path = whole.__module__.partition(".")
    if top == "transformer_lab":
        urls = dict(url.split(", ", 1) for url in metadata(DISTRIBUTION).get_all("Project-URL", []))
        path = f"{top}/{path.replace('.', '/')}.py"
        name = path.rpartition("/")[2]
        shown += f"\n\n[Shortened from {name}]({urls['Repository']}/blob/main/{path}#L{first})"
    return Markdown(shown)


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> "HTML":
    """Show rows as a table, in pages and notebooks.

    Floats get three significant digits, integers a comma for thousands, and booleans "yes" and "no
    ✗". Raises ValueError for a row whose length is not that of the header, and for a column without
    a name, which screen readers couldn't announce.
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
    """Return a table row of these cells."""
    return f"<tr>{''.join(cells)}</tr>"


def _align(column: Sequence[object], *, names: bool) -> str:
    """Return how a column is aligned: numbers right, so that digits line up, words left."""
    words = (isinstance(v, str) if names else not NUMBER.match(_text(v)) for v in column)
    return "left" if any(words) else "right"


def _cell(value: object, align: str, scope: str) -> str:
    """Return one cell, under its column's heading or, with `scope`, as a heading itself."""
    style = f'style="padding: 0.2em 0.4em; text-align: {align}"'
    text = _text(value)
    if not scope:
        return f"<td {style}>{text}</td>"
    text = re.sub(r"\b([A-Za-z])_(\w+)", r"<i>\1</i><sub>\2</sub>", text)  # as in formulas
    return f"<th scope={scope} {style}>{text}</th>"


def _text(value: object) -> str:
    """Return one value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no ✗"
    if isinstance(value, float):
        return f"{value:.3g}"
    return escape(f"{value:,}" if isinstance(value, int) else str(value))


class _Listing:
    """A definition's source, from which lines and parts of lines are removed."""

    def __init__(self, text: str):
        """Find what to remove: each edit is a part of a line, and its replacement."""
        self.whole, self.lines = text, text.splitlines()
        self.dropped: set[int] = set()
        self.edits: dict[int, list[tuple[int, int, str]]] = {}
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, DOCUMENTED):
                self._drop_docstring(node)
            if isinstance(node, ast.Expr) and _is_check(node.value):
                self._drop(node)
            if isinstance(node, ast.Assign) and _is_conversion(node.value):
                self._drop(node)
            if isinstance(node, ast.If) and not node.orelse and all(map(_goes, node.body)):
                self._drop(node)
            if isinstance(node, ast.Call):
                self._drop_conversion(node)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                self._plain_signature(node)
            if isinstance(node, ast.FunctionDef) and node.name.startswith("check_"):
                self._drop(node)

    def text(self) -> str:
        """Return what is left, without blank lines at the start of a body."""
        kept: list[str] = []
        for number in sorted({*range(len(self.lines))} - self.dropped):
            line = self._edited(number)
            if line.strip() or (kept and kept[-1].strip() and not kept[-1].endswith(":")):
                kept.append(line.rstrip())
        return "\n".join(kept).rstrip()

    def _edited(self, number: int) -> str:
        line = self.lines[number]
        for start, end, new in sorted(self.edits.get(number, []), reverse=True):
            line = f"{line[:start]}{new}{line[end:]}"
        return line

    def _drop(self, node: ast.stmt) -> None:
        self.dropped.update(range(node.lineno - 1, node.end_lineno or node.lineno))

    def _drop_docstring(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        rest = [part for part in node.body if not _goes(part)]
        if ast.get_docstring(node) is not None:
            self._drop(node.body[0])
        if not rest:
            last = node.body[-1]
            number = (last.end_lineno or last.lineno) - 1
            self.dropped.discard(number)
            self.lines[number] = f"{' ' * last.col_offset}..."
            self.edits.pop(number, None)
        for decorator in node.decorator_list:
            if ast.unparse(decorator) != "staticmethod":
                self.dropped.add(decorator.lineno - 1)

    def _plain_signature(self, node: ast.FunctionDef) -> None:
        """Return the signature without annotations, in a line, and shapes as comments."""
        first, last = node.lineno - 1, node.body[0].lineno - 2
        while not self.lines[last].split("#")[0].rstrip().endswith(":"):
            last -= 1
        shapes = [
            f"{arg.arg} {shape}"
            for arg in (*node.args.args, *node.args.kwonlyargs)
            if (shape := _shape(arg.annotation))
        ]
        written = self._arguments(node.args)
        self.dropped.update(range(first + 1, last + 1))
        self.edits.pop(first, None)
        given, shape, note = node.body[-1], _shape(node.returns), ", ".join(shapes)
        number = (given.end_lineno or given.lineno) - 1
        if shape and isinstance(given, ast.Return) and "#" not in self.lines[number]:
            if len(f"{self._edited(number)}  # {shape}") <= WIDTH:
                end = len(self.lines[number])
                self.edits.setdefault(number, []).append((end, end, f"  # {shape}"))
            else:
                note = f"{note} -> {shape}".lstrip()
        indent = " " * node.col_offset
        lead = f"\n{indent}    # "
        whole = re.sub(r"(?<=\w) (?=\()| (?=[^()]*\))", "\xa0", note)  # a shape is not broken
        notes = textwrap.wrap(whole, WIDTH - len(indent) - 6)
        comment = "".join(lead + line for line in notes).replace("\xa0", " ")
        head = f"{indent}def {node.name}({written}):"
        if len(head) > WIDTH:
            head = f"{indent}def {node.name}(\n{indent}    {written}\n{indent}):"
        self.lines[first] = head + comment

    def _arguments(self, args: ast.arguments) -> str:
        """Return the arguments without annotations, dtype and device; defaults are kept."""
        for arg in (*args.args, *args.kwonlyargs, args.vararg, args.kwarg):
            if arg is not None:
                arg.annotation = None
        text = ast.unparse(args)
        for default in (*args.defaults, *args.kw_defaults):
            if default is not None:
                same = ast.get_source_segment(self.whole, default) or ast.unparse(default)
                text = text.replace(f"={ast.unparse(default)}", f"={same}")
        text = re.sub(r", (dtype|device)=[\w.]+", "", text)
        return re.sub(r", \*(?=$)", "", text)

    def _drop_conversion(self, node: ast.Call) -> None:
        """Remove `.to(...)` and the arguments dtype= and device=."""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "to":
            self._cut(node.func.value.end_lineno, node.func.value.end_col_offset, node)
        for keyword in node.keywords:
            if keyword.arg in {"dtype", "device"}:
                line = self.lines[keyword.lineno - 1].encode()
                start = line.rindex(b",", 0, keyword.col_offset)
                self._edit(keyword.lineno, start, keyword.end_col_offset or 0)

    def _cut(self, line: int | None, start: int | None, node: ast.expr) -> None:
        if line == node.end_lineno and line and start is not None:
            self._edit(line, start, node.end_col_offset or start)

    def _edit(self, line: int, start: int, end: int) -> None:
        """Remove bytes from a line: `ast` counts columns in bytes."""
        raw = self.lines[line - 1].encode()
        columns = (len(raw[:column].decode()) for column in (start, end))
        self.edits.setdefault(line - 1, []).append((*columns, ""))  # type: ignore[arg-type]


def _is_check(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("check_")


def _is_conversion(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.promote_types"


def _goes(node: ast.stmt) -> bool:
    """Return whether a statement is left out: a docstring, a check, the choice of a dtype."""
    value = getattr(node, "value", None)
    constant = isinstance(node, ast.Expr) and isinstance(value, ast.Constant)
    return constant or (value is not None and (_is_check(value) or _is_conversion(value)))


def _shape(annotation: ast.expr | None) -> str:
    """Return the shape in a jaxtyping annotation as the chapters write it, or ""."""
    found = re.findall(r"\[Tensor, '([^']*)'\]", ast.unparse(annotation)) if annotation else []
    shapes = []
    for axes in found:
        names = [re.sub(r"[#{}]", "", name) for name in axes.split()]
        names = ["..." if name.startswith(("*", "_")) else name for name in names]
        if names not in ([], ["..."]):
            shapes.append(f"({', '.join(names)}{',' * (len(names) == 1)})")
    return ", ".join(shapes)
