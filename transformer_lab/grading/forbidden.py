"""Ready-mades that would be the answer: found in the source, before anything runs."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Statement:
    """A statement at top level: the names it binds, the names in it, and what may be forbidden.

    `marks` are pairs: the bare name of an attribute, of an import from torch or of the text given
    to getattr, and how it is spelled there.
    """

    binds: frozenset[str]
    names: frozenset[str]
    marks: tuple[tuple[str, str], ...]


def statements(tree: ast.Module) -> list[Statement]:
    """Read a piece of code statement by statement."""
    return [_statement(statement) for statement in tree.body]


def ready_made(
    roots: Iterable[str], code: Iterable[Statement], forbidden: frozenset[str]
) -> str | None:
    """Give the first forbidden name that is reached from the functions called `roots`.

    A name is forbidden as an attribute (torch.softmax, x.softmax), as an import from torch, also
    under an alias, and as the text given to getattr. A function the learner wrote and called
    `softmax` is not.
    """
    binding: dict[str, list[Statement]] = {}
    for statement in code:
        for name in statement.binds:
            binding.setdefault(name, []).append(statement)
    waiting, seen = list(roots), set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for statement in binding.get(name, ()):
            for mark, spelled in statement.marks:
                if mark in forbidden:
                    return spelled
            waiting += sorted(statement.names)
    return None


def refusal(found: str) -> str:
    """Say what is forbidden, and what is asked instead."""
    return (
        f"It uses the ready-made `{found}`, which is what this exercise asks you to write. "
        "Write it with basic tensor operations and the functions you wrote before."
    )


def used_names(tree: ast.AST) -> set[str]:
    """Give every plain name a piece of code reads."""
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def called_names(tree: ast.AST) -> set[str]:
    """Give every plain name a piece of code calls."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}


def _statement(statement: ast.stmt) -> Statement:
    """Read one statement and all that is in it."""
    binds, names, marks = set(), set(), []
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            binds.add(node.name)
        elif isinstance(node, ast.Name):
            names.add(node.id)
            if isinstance(node.ctx, ast.Store):
                binds.add(node.id)
        elif isinstance(node, ast.alias):
            binds.add(node.asname or node.name.partition(".")[0])
        else:
            marks += _marks(node)
    return Statement(frozenset(binds), frozenset(names), tuple(marks))


def _marks(node: ast.AST) -> list[tuple[str, str]]:
    """Give what this one node takes from elsewhere: the bare name, and how it is spelled."""
    if isinstance(node, ast.Attribute):
        of = node.value.id if isinstance(node.value, ast.Name) else ""
        return [(node.attr, f"{of}.{node.attr}")]
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
        return [(a.name, f"{node.module}.{a.name}") for a in node.names]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        return [(text, text) for text in texts if isinstance(text, str)]
    return []
