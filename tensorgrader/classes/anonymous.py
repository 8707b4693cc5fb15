"""An answer as one function under a name of ours, without comments, docstrings and annotations."""

import ast
import re
from typing import Any

from tensorgrader.cells import parse
from tensorgrader.ready_made import used_names

DEFINITION = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def as_one(code: str, function: str, name: str) -> str:
    """Return an answer as one definition called `name`, with what stands beside it inside.

    Beside a class, it stays before it. Returns "" for an answer that does not define `function`, or
    that imports names which it does not list.
    """
    tree = parse(code)[1]
    definitions = [s for s in tree.body if isinstance(s, DEFINITION)] if tree else []
    definitions = [s for s in definitions if s.name == function]
    nodes = ast.walk(tree) if tree else ()
    stars = any(isinstance(node, ast.alias) and node.name == "*" for node in nodes)
    if not tree or not definitions or stars:
        return ""
    main = definitions[-1]
    bare = _Bare(function, name)
    beside = [bare.visit(s) for s in tree.body if s is not main and not _is_text(s)]
    bare.visit(main)
    if isinstance(main, ast.ClassDef):
        return "\n\n\n".join(map(ast.unparse, [*beside, main]))
    main.body = [*beside, *main.body]
    return ast.unparse(ast.fix_missing_locations(main))


def words(text: str) -> set[str]:
    """Return the words of a text, in lower case."""
    return {word.lower() for word in re.findall(r"[^\W\d_]+", text)}


def own_words(code: str) -> set[str]:
    """Return the words, in lower case, that an answer chose itself: of names and of texts."""
    tree = parse(code)[1] or ast.Module([], [])
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, DEFINITION):
            names.add(node.name)
    return {word for name in names for word in words(name)}


def called(code: str) -> set[str]:
    """Return the names that an answer uses."""
    return used_names(parse(code)[1] or ast.Module([], []))


def _is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a text, or a line that calls `check`."""
    match statement:
        case ast.Expr(ast.Constant()) | ast.Expr(ast.Call(ast.Name("check" | "print"))):
            return True
    return False


class _Bare(ast.NodeTransformer):
    """Leaves out docstrings and annotations, and gives a function another name."""

    def __init__(self, old: str, new: str):
        """Store the two names."""
        self._old, self._new = old, new

    def visit(self, node: ast.AST) -> Any:
        """Rename and bare a node, and what is in it."""
        if isinstance(node, DEFINITION):
            node.name = self._new if node.name == self._old else node.name
            node.body = [s for s in node.body if not _is_text(s)] or [ast.Pass()]
        elif isinstance(node, ast.Name) and node.id == self._old:
            node.id = self._new
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
        return self.generic_visit(node)
