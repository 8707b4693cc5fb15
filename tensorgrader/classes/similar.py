"""Answers that look alike: a hint where to look, never a verdict.

Two answers are alike if their syntax trees are equal without names, docstrings, annotations,
comments and the lines of the stub. Short answers, and those that many wrote, say nothing.
"""

import ast
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from itertools import combinations
from typing import Any

from tensorgrader.cells import parse

LEAST = 40  # nodes of the tree, below which answers are alike by chance
USUAL = 0.25  # of those who wrote it: what many write is the usual way

Answers = Mapping[str, Mapping[str, str]]  # code by student and exercise
Pair = tuple[str, str]


def similar(answers: Answers, stubs: Mapping[str, str]) -> list[tuple[Pair, list[str]]]:
    """Return pairs of students with the exercises that they wrote alike, most first."""
    alike: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for student, codes in answers.items():
        for exercise, code in codes.items():
            if mark := fingerprint(code, stubs.get(exercise, "")):
                alike[exercise][mark].append(student)
    pairs: dict[Pair, list[str]] = defaultdict(list)
    for exercise, groups in alike.items():
        wrote = sum(map(len, groups.values()))
        for group in groups.values():
            if len(group) <= max(2, USUAL * wrote):
                for one, other in combinations(sorted(group), 2):
                    pairs[one, other].append(exercise)
    return sorted(pairs.items(), key=lambda item: (-len(item[1]), item[0]))


def fingerprint(code: str, stub: str = "") -> str:
    """Return a hash of the student's own code; "" if it is too short or isn't valid Python."""
    tree = parse(code)[1]
    if tree is None:
        return ""
    try:
        bare = _Bare(_given(stub)).visit(tree)
        if sum(1 for _ in ast.walk(bare)) < LEAST:
            return ""
        return sha256(ast.dump(_Nameless().visit(bare)).encode()).hexdigest()
    except RecursionError:  # nobody wrote that
        return ""


def is_untouched(code: str, stub: str) -> bool:
    """Return whether an answer is the original stub, comments and docstrings aside."""
    return bool(stub) and (code == stub or _told(code) == _told(stub))


@lru_cache(maxsize=256)
def _told(code: str) -> str:
    """Return Python code in normal form, or the whole text if it isn't valid."""
    tree = parse(code)[1]
    try:
        return ast.dump(_Bare(frozenset()).visit(tree)) if tree else code
    except RecursionError:
        return code


@lru_cache(maxsize=256)
def _given(stub: str) -> frozenset[str]:
    """Return the simple statements of a stub, unparsed."""
    nodes = ast.walk(parse(stub)[1] or ast.parse(""))
    return frozenset(ast.unparse(node) for node in nodes if _is_line(node))


def _is_line(node: ast.AST) -> bool:
    """Return whether a node is a simple statement."""
    return isinstance(node, ast.stmt) and not hasattr(node, "body")


class _Bare(ast.NodeTransformer):
    """Leaves out docstrings, annotations, imports and the lines that were given."""

    def __init__(self, given: frozenset[str]):
        """Store the stub's lines."""
        self._given = given

    def visit(self, node: ast.AST) -> Any:
        """Remove a node, or visit what is in it."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            return None
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return None
        if self._given and _is_line(node) and ast.unparse(node) in self._given:
            return None
        for part in ("annotation", "returns"):
            if hasattr(node, part) and not isinstance(node, ast.AnnAssign):
                setattr(node, part, None)
        return self.generic_visit(node)


class _Nameless(ast.NodeTransformer):
    """Numbers the names that a function defines, and keeps others."""

    def __init__(self) -> None:
        """Start counting."""
        self._numbers: dict[str, str] = {}

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Collect the names that are defined here."""
        for part in ast.walk(node):
            if isinstance(part, ast.arg):
                self._numbers.setdefault(part.arg, f"v{len(self._numbers)}")
            elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self._numbers.setdefault(part.id, f"v{len(self._numbers)}")
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Number an argument."""
        node.arg = self._numbers[node.arg]
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Number a name."""
        node.id = self._numbers.get(node.id, node.id)
        return node
