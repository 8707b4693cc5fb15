"""A bank entry's source with everything it leans on, and nothing of the package."""

import ast
import builtins
import inspect
import sys
import textwrap
from symtable import symtable
from types import FunctionType, ModuleType

from tensorgrader.find_answer import source_of
from tests.course import PACKAGE

OURS = ("transformer_lab", "tensorgrader", PACKAGE, "<run_path>")


def standing_alone(function):
    """Give source that defines a function, its helpers and constants in a process apart."""
    parts, seen = [], set()

    def add(name, value):
        if name in seen or hasattr(builtins, name):
            return
        seen.add(name)
        if isinstance(value, ModuleType):
            parts.append(f"import {value.__name__} as {name}")
        elif isinstance(value, FunctionType | type):
            if value.__module__.partition(".")[0] not in OURS:
                parts.append(f"from {value.__module__} import {value.__qualname__} as {name}")
                return
            value = inspect.unwrap(value)
            source = source_of(value) or inspect.getsource(value)
            tree = ast.parse(textwrap.dedent(source))
            bare(tree)
            right = namespace(value).get(name)
            if isinstance(right, FunctionType) and inspect.unwrap(right) is not value:
                called = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name]
                if called:  # an edit that calls what it was made of
                    seen.remove(name)
                    add(name, right)
                    parts.append(f"right_{name} = {name}")
                for node in called:
                    node.id = f"right_{name}"
                seen.add(f"right_{name}")
            source = ast.unparse(tree)
            for used in sorted(taken_from_outside(symtable(source, "", "exec"))):
                if used in namespace(value):
                    add(used, namespace(value)[used])
            parts.append(source)
        else:
            parts.append(f"{name} = {value!r}")

    add(function.__name__, function)
    return "\n\n".join(parts)


def taken_from_outside(table):
    """Give the names that a piece of source reads and that none of its functions define."""
    here = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
    return here.union(*map(taken_from_outside, table.get_children()))


def namespace(value):
    """Give the names of the module in which a function or class is written."""
    if isinstance(value, FunctionType):
        return value.__globals__
    return vars(sys.modules[value.__module__])


def bare(tree):
    """Drop decorators and annotations, which need names that a worker does not have."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = []
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
