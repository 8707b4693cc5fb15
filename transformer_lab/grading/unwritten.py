"""Answers that nobody has begun: seen in the source, so that no worker is needed to find out."""

import ast

from transformer_lab.grading.worker import Raised

UNWRITTEN = Raised("NotImplementedError", "", 0, "")


def is_unwritten(cell: ast.Module, function: str) -> bool:
    """Tell whether a cell is that function alone, and the function only raises UNWRITTEN."""
    match cell.body:
        case [ast.FunctionDef(name=name, decorator_list=[], body=body) as definition]:
            lines = 1 + (ast.get_docstring(definition) is not None)
            return name == function and len(body) == lines and _raises_it(body[-1])
    return False


def _raises_it(statement: ast.stmt) -> bool:
    """Tell whether a statement is `raise NotImplementedError`, with words or without."""
    match statement:
        case ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name), keywords=[])):
            given = getattr(statement.exc, "args", [])
            return name == UNWRITTEN.type and all(isinstance(a, ast.Constant) for a in given)
    return False
