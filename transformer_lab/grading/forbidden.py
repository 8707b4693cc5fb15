"""Ready-mades that would be the answer: found in the source, before anything runs."""

import ast
from collections.abc import Iterable


def ready_made(roots: Iterable[str], trees: list[ast.Module], names: frozenset[str]) -> str | None:
    """Give the first forbidden name that is reached from the functions called `roots`.

    A name is forbidden as an attribute (torch.softmax, x.softmax), as an import from torch, also
    under an alias, and as the text given to getattr. A function the learner wrote and called
    `softmax` is not.
    """
    bindings = _bindings(trees)
    waiting, seen = list(roots), set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for statement in bindings.get(name, ()):
            for node in ast.walk(statement):
                if found := _forbidden(node, names):
                    return found
                if isinstance(node, ast.Name):
                    waiting.append(node.id)
    return None


def refusal(found: str) -> str:
    """Say what is forbidden, and what is asked instead."""
    return (
        f"It uses the ready-made `{found}`, which is what this exercise asks you to write. "
        "Use exponentials, sums, products and the functions you wrote before."
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


def _bindings(trees: list[ast.Module]) -> dict[str, list[ast.stmt]]:
    """Map each name bound at top level to the statements that bind it."""
    bindings: dict[str, list[ast.stmt]] = {}
    for tree in trees:
        for statement in tree.body:
            for name in _bound(statement):
                bindings.setdefault(name, []).append(statement)
    return bindings


def _bound(statement: ast.stmt) -> set[str]:
    """Give the names a statement binds, wherever in it they are bound."""
    bound = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
    return bound


def _forbidden(node: ast.AST, names: frozenset[str]) -> str | None:
    """Give the forbidden name that this one node stands for."""
    if isinstance(node, ast.Attribute) and node.attr in names:
        return f"{node.value.id if isinstance(node.value, ast.Name) else ''}.{node.attr}"
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
        return next((f"{node.module}.{a.name}" for a in node.names if a.name in names), None)
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        return next((text for text in texts if text in names), None)
    return None
