"""Forbidden ready-made functions: found in the source, before anything runs."""

import ast
import symtable
from bisect import bisect_left
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass
from itertools import chain

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
MODULES = frozenset({"torch", "F", "nn"})  # imported in every answer


@dataclass(frozen=True)
class Statement:
    """A statement at top level: the global names it binds and reads, and forbidden candidates.

    `settles` are the names that it binds in any case, hiding what they were before. `marks` are the
    bare name of an attribute, of an import from torch or of the text given to getattr, how it is
    spelled there, and the name it begins with, if any. `imports` are names of imported modules,
    `owns` the attributes of the learner's own classes and objects.
    """

    binds: frozenset[str]
    settles: frozenset[str]
    names: frozenset[str]
    marks: tuple[tuple[str, str, str], ...]
    imports: frozenset[str]
    owns: frozenset[str]


def statements(tree: ast.Module) -> list[Statement]:
    """Read a piece of code statement by statement."""
    return [_statement(statement) for statement in tree.body]


def ready_made(
    roots: Iterable[str], code: Iterable[Statement], forbidden: frozenset[str]
) -> str | None:
    """Return the first forbidden name that is reached from the functions called `roots`.

    A name is forbidden as an attribute (torch.softmax, x.softmax), as an import from torch, also
    under an alias, and as the text given to getattr. A function called `softmax` that the learner
    wrote is not, and neither is a method: whether an object is a module may only show when it runs.
    A statement reads what was bound last before it, or after it.
    """
    code = list(code)
    modules = MODULES.union(*(statement.imports for statement in code))
    own = frozenset().union(*(statement.owns for statement in code))
    eras: dict[str, list[list[int]]] = {}  # by name, the statements that bind it
    for number, statement in enumerate(code):
        for name in statement.binds:
            known = eras.setdefault(name, [])
            if name in statement.settles or not known:
                known.append([])
            known[-1].append(number)
    waiting = [(root, len(code)) for root in roots]
    reached: dict[str, int] = {}
    seen = set()
    while waiting:
        name, before = waiting.pop()
        known = eras.get(name, [])
        first = max(bisect_left(known, [before]) - 1, 0)
        fresh = known[first : reached.get(name)]
        reached[name] = min(first, reached.get(name, first))
        for number in chain.from_iterable(fresh):
            if number in seen:
                continue
            seen.add(number)
            for mark, spelled, begins in code[number].marks:
                if mark in forbidden and (mark not in own or begins in modules):
                    return spelled
            waiting += [(read, number) for read in sorted(code[number].names)]
    return None


def refusal(found: str) -> str:
    """Return the message that says what is forbidden, and what to do instead."""
    return (
        f"It uses the ready-made `{found}`, which is not allowed here, because this exercise asks "
        f"you to write it. Use basic tensor operations and the functions you wrote before."
    )


def used_names(tree: ast.AST) -> set[str]:
    """Return every plain name a piece of code reads."""
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def called_names(tree: ast.AST) -> set[str]:
    """Return every plain name a piece of code calls."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}


def _statement(statement: ast.stmt) -> Statement:
    nodes = list(ast.walk(statement))
    try:
        binds, names = _globals(statement)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # too deep: count all its names
        fields = chain.from_iterable(map(ast.iter_fields, nodes))
        binds = names = frozenset(value for _, value in fields if isinstance(value, str))
    marks = tuple(mark for node in nodes for mark in _marks(node))
    imports = (alias for node in nodes if isinstance(node, ast.Import) for alias in node.names)
    return Statement(
        binds,
        binds & _settled(statement),
        names,
        marks,
        frozenset(alias.asname or alias.name.partition(".")[0] for alias in imports),
        frozenset(own for node in nodes for own in _owned(node)),
    )


def _globals(statement: ast.stmt) -> tuple[frozenset[str], frozenset[str]]:
    """Return the global names that a statement binds, and those it reads, in all scopes."""
    if any(isinstance(node, COMPREHENSIONS) for node in ast.walk(statement)):
        statement = _Generators().visit(deepcopy(statement))
    top = symtable.symtable(ast.unparse(statement), "<answer>", "exec")
    binds, names, scopes = set(), set(), [top]
    for scope in scopes:
        scopes += scope.get_children()
        for symbol in scope.get_symbols():
            outward = scope is top or symbol.is_global()
            if outward and (symbol.is_assigned() or symbol.is_imported()):
                binds.add(symbol.get_name())
            if symbol.is_referenced() and (outward or isinstance(scope, symtable.Class)):
                names.add(symbol.get_name())
    return frozenset(binds), frozenset(names)


class _Generators(ast.NodeTransformer):
    """Rewrites comprehensions as generators: since Python 3.12 only these have scopes."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Rewrite a node after its children."""
        super().generic_visit(node)
        match node:
            case ast.ListComp() | ast.SetComp():
                return ast.GeneratorExp(node.elt, node.generators)
            case ast.DictComp():
                pair = ast.Tuple([node.key, node.value], ast.Load())
                return ast.GeneratorExp(pair, node.generators)
        return node


def _settled(statement: ast.stmt) -> set[str]:
    """Return the names that a definition or an assignment at top level stores."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            return {name}
    return set()


def _owned(node: ast.AST) -> set[str]:
    """Return the attributes that a node gives to a class or an object of the learner's."""
    match node:
        case ast.ClassDef(body=body):
            return set().union(*map(_settled, body))
        case ast.Attribute(attr=name, ctx=ast.Store()):
            return {name}
        case ast.keyword(arg=str(name)):  # such as types.SimpleNamespace
            return {name}
    return set()


def _marks(node: ast.AST) -> list[tuple[str, str, str]]:
    """Return what this node takes from elsewhere: bare, as spelled, and what it begins with."""
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        of = node.value.id if isinstance(node.value, ast.Name) else ""
        return [(node.attr, f"{of}.{node.attr}", _beginning(node))]
    if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "torch":
        return [(a.name, f"{node.module}.{a.name}", "torch") for a in node.names]
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "getattr":
        texts = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
        begins = _beginning(node.args[0]) if node.args else ""
        return [(text, text, begins) for text in texts if isinstance(text, str)]
    return []


def _beginning(node: ast.AST) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
