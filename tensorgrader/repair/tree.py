"""Syntax trees: paths to nodes, copies with one node replaced, and the kinds of values seen."""

import ast
import re
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from tensorgrader.in_process import Late

#: The way from the root of a tree to a node: a field, and a place in it if it is a list.
Path = tuple[tuple[str, int | None], ...]
MODULES = {"torch", "math", "F", "nn", "np", "numpy", "itertools", "functools"}
OF_MODULE = re.compile(rf"({'|'.join(MODULES)})(\.\w+)*")
MOST_TURNS = 20_000
DRAWN = {"rand", "randn", "randint", "randperm", "manual_seed"}
TURN = "__turn__"  # what counted trees call


class Kind(NamedTuple):
    """What an expression was when it was run, such as floats of 2 axes; -1 axes if that differs."""

    name: str = "?"
    axes: int = -1

    @property
    def is_tensor(self) -> bool:
        """Whether it was a tensor."""
        return self.name in ("floats", "ints", "bools")

    def is_like(self, other: "Kind") -> bool:
        """Return whether such a value may stand in the place of the other."""
        alike = UNKNOWN in (self, other) or {self.name, other.name} <= {"int", "float"}
        return alike or self == other or (self.is_tensor and other.is_tensor)


UNKNOWN = Kind()


def children(node: ast.AST) -> Iterator[tuple[tuple[str, int | None], ast.AST]]:
    """Yield each child with its step."""
    for field, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            yield (field, None), value
        elif isinstance(value, list):
            for place, item in enumerate(value):
                if isinstance(item, ast.AST):
                    yield (field, place), item


def walk(node: ast.AST, path: Path = ()) -> Iterator[tuple[Path, ast.AST]]:
    """Yield every node with its path, from the top down."""
    yield path, node
    for step, child in children(node):
        yield from walk(child, (*path, step))


def at(node: Any, path: Path) -> Any:
    """Return the node at a path."""
    for field, place in path:
        node = getattr(node, field)
        node = node if place is None else node[place]
    return node


def altered(node: ast.AST, **fields: Any) -> Any:
    """Return a copy of a node with other fields."""
    copied = type(node)()
    copied.__dict__.update(node.__dict__ | fields)
    return copied


def with_children(node: Any, new: Callable[[tuple[str, int | None], ast.AST], ast.AST]) -> Any:
    """Return a copy of a node with other children, each made of its step and the old one."""
    copied = altered(node)
    for (field, place), child in children(node):
        if place is None:
            setattr(copied, field, new((field, place), child))
        else:
            if getattr(copied, field) is getattr(node, field):
                setattr(copied, field, [*getattr(node, field)])
            getattr(copied, field)[place] = new((field, place), child)
    return copied


def replaced(node: ast.AST, path: Path, new: ast.AST) -> ast.AST:
    """Return a tree with another node at a path; it shares all else."""
    if not path:
        return new
    (field, place), rest = path[0], path[1:]
    value = getattr(node, field)
    if place is None:
        return altered(node, **{field: replaced(value, rest, new)})
    changed = [*value]
    changed[place] = replaced(value[place], rest, new)
    return altered(node, **{field: changed})


def values(tree: ast.AST) -> Iterator[tuple[Path, ast.expr, ast.AST]]:
    """Yield the expressions that have a value, with their paths and parents."""
    for path, node in walk(tree):
        if path and isinstance(node, ast.expr):
            parent = at(tree, path[:-1])
            if has_value(path, node, parent):
                yield path, node, parent


def has_value(path: Path, node: ast.expr, parent: ast.AST) -> bool:
    """Return whether an expression is computed: not stored to, called, or a name of a module."""
    text = ast.JoinedStr | ast.FormattedValue
    is_named = isinstance(node, ast.Name | ast.Attribute)
    return not (
        isinstance(node, ast.Slice | ast.Starred | text)
        or isinstance(parent, text | ast.arg)
        or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
        or (is_named and OF_MODULE.fullmatch(ast.unparse(node)))
        or (isinstance(node, ast.Tuple) and any(isinstance(one, ast.Slice) for one in node.elts))
        or path[-1][0] in ("func", "annotation", "returns", "decorator_list")
        or (isinstance(parent, ast.Expr) and isinstance(node, ast.Constant))  # a docstring
    )


def made_up(tree: ast.AST, path: Path) -> bool:
    """Return whether an expression is part of inputs that an answer draws or writes out."""
    above = [at(tree, path[:n]) for n in range(len(path))]
    called = {getattr(node.func, "attr", "") for node in above if isinstance(node, ast.Call)}
    in_list = any(isinstance(node, ast.List) for node in above)
    return bool(called & DRAWN) or ("tensor" in called and in_list)


def counted(node: Any) -> Any:
    """Return a tree that calls `__turn__` in each round of a loop and each call of a function."""
    copied = with_children(node, lambda step, child: counted(child))
    if isinstance(node, ast.For | ast.While | ast.FunctionDef):
        copied.body = [ast.Expr(ast.Call(ast.Name(TURN, ast.Load()), [], [])), *copied.body]
    return copied


def compiled(*nodes: ast.stmt) -> CodeType:
    """Compile statements, with their rounds and calls counted."""
    tree = ast.Module([counted(node) for node in nodes], [])
    return compile(ast.fix_missing_locations(tree), "<edited>", "exec", dont_inherit=True)


def kind_of(value: Any) -> Kind:
    """Return the kind of a value."""
    if not isinstance(value, Tensor):
        return Kind("none" if value is None else type(value).__name__)
    name = "floats" if value.is_floating_point() else "ints"
    return Kind("bools" if value.dtype == torch.bool else name, value.dim())


class Turns:
    """Called in each round of a loop; raises Late where there are too many of them."""

    def __init__(self) -> None:
        self.left = MOST_TURNS

    def __call__(self) -> None:
        """Count one more."""
        self.left -= 1
        if self.left < 0:
            raise Late
