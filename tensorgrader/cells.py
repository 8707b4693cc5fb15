"""The source of a cell: parsed, with what it imports and defines, without running any of it."""

import ast
import warnings
from collections.abc import Iterable, Iterator

from tensorgrader.explain_error import syntax_error
from tensorgrader.magic import outdented, without_magic
from tensorgrader.outcome import UNWRITTEN
from tensorgrader.sandbox.values import clean

CELL_LIMIT = 100_000
PARSES_LIMIT = 3


def parse(source: str) -> tuple[str, ast.Module | None, str]:
    """Parse a cell, with IPython's syntax if need be: its source, its tree, the problem."""
    if len(source) > CELL_LIMIT:
        return source, None, f"is longer than {CELL_LIMIT} characters"
    text, problem = source, ""
    for _ in range(PARSES_LIMIT):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return text, ast.parse(text), ""
        except SyntaxError as error:
            line = clean((error.text or "").strip()[:80])
            problem = f"{syntax_error(clean(error.msg), error.lineno)}\n{line}".rstrip()
            without = without_magic(text, error.lineno or 1)
            if without == text:
                without = outdented(text)
        except (ValueError, RecursionError, MemoryError) as error:
            problem = f"cannot be read as Python: {type(error).__name__} {clean(str(error))}"
            without = text
        if without == text:
            break
        text = without
    return source, None, problem


def is_unwritten(cell: ast.Module, function: str) -> bool:
    """Return whether a cell is that function or class alone, and still raises UNWRITTEN."""
    match cell.body:
        case [ast.FunctionDef(name=name) | ast.ClassDef(name=name) as definition]:
            return name == function and is_stub(definition)
    return False


def is_stub(statement: ast.stmt) -> bool:
    """Return whether a statement is a function, or a class of such, that only raises UNWRITTEN."""
    match statement:
        case ast.FunctionDef(decorator_list=[], body=body):
            *before, last = body[ast.get_docstring(statement) is not None :] or body
            begun = [line for line in before if ast.unparse(line) != "super().__init__()"]
            return not begun and _raises_it(last)
        case ast.ClassDef(decorator_list=[], body=body):
            methods = body[ast.get_docstring(statement) is not None :]
            return bool(methods) and all(map(is_stub, methods))
    return False


def statements(sources: Iterable[str]) -> list[ast.stmt]:
    """Return the statements of all cells that can be parsed."""
    trees = (parse(source)[1] for source in sources)
    return [statement for tree in trees if tree for statement in tree.body]


def imports(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports that run with a cell, including those in blocks, but not in functions."""
    apart = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.ExceptHandler
    nodes: list[ast.AST] = [*body]
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        if not isinstance(node, apart):
            nodes += ast.iter_child_nodes(node)


def defined(body: list[ast.stmt]) -> set[str]:
    """Return the names these statements define or assign, imports apart."""
    names = set()
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            names.add(statement.name)
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            stored = (n for n in ast.walk(statement) if isinstance(n, ast.Name))
            names |= {n.id for n in stored if isinstance(n.ctx, ast.Store)}
    return names


def _raises_it(statement: ast.stmt) -> bool:
    """Return whether a statement is `raise NotImplementedError`, with or without a message."""
    match statement:
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name), keywords=[])):
            given = getattr(statement.exc, "args", [])
            return name == UNWRITTEN.type and all(isinstance(a, ast.Constant) for a in given)
    return False
