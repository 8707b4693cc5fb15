"""The edits that a search tries: each changes an expression or a statement of the learner's tree.

Their costs order them: what is forgotten or mixed up most often is tried first.
"""

import ast
import contextlib
import math
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

from tensorgrader.repair.tree import MODULES, UNKNOWN, Kind, Path, altered, made_up, values, walk

Tried = tuple[float, str, ast.AST]  # the cost, the sort (a key of `hint.SORTS`), and what is new


class Edit(NamedTuple):
    """What takes the place of the node at a path, with its cost and sort.

    Of sort "part" it changes no code: a value gets the place of another, and `part` says which.
    """

    cost: float
    sort: str
    path: Path
    new: ast.AST
    part: Path = ()


class Cell(NamedTuple):
    """A learner's tree, the kinds its expressions had, and what may be put into it."""

    tree: ast.Module
    kinds: dict[Path, Kind]
    names: dict[str, Kind]


def _words(text: str) -> set[str]:
    return set(text.split())


AXIS_WORDS = {"dim", "axis", "dims", "dim0", "dim1", "start_dim", "end_dim"}
REDUCTIONS = _words("sum mean amax amin prod max min var std argmax argmin all any logsumexp")
#: Methods whose arguments are axes from the first or from the second on.
FIRST = REDUCTIONS | _words(
    """softmax log_softmax cumsum cumprod unsqueeze squeeze size flatten flip sort argsort unbind
    permute transpose swapaxes movedim unflatten"""
)
SECOND = _words(
    "chunk split roll repeat_interleave topk index_select gather scatter narrow norm cat stack"
)
#: Families of what is mixed up with each other.
MIXED_UP = """sum mean amax amin prod max min logsumexp | sqrt square rsqrt abs | view reshape
| half float double long bool | relu gelu silu sigmoid tanh | softmax log_softmax sigmoid | var std
| sin cos | exp log | any all | cat stack | tril triu | argmax argmin | unsqueeze squeeze"""
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv)
NEAR = ({ast.Add, ast.Sub}, {ast.Mult, ast.Div}, {ast.Div, ast.FloorDiv}, {ast.BitAnd, ast.BitOr})
LOGIC = (ast.BitAnd, ast.BitOr, ast.BitXor)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
#: What is dropped most often, since it cuts a gradient, loses precision or does nothing.
CUTS = _words("detach item tolist clone contiguous numpy float long double half round dropout")
#: What is left out before a value: its cost and sort, the kinds and fewest axes of the value, and
#: how it is written.
INSERTED = (
    (1.4, "sign", "bools", 0, "~§"),
    (1.4, "sign", "bool", 0, "not §"),
    (2.0, "sign", "floats ints float", 0, "-§"),
    (1.6, "root", "int float", 0, "math.sqrt(§)"),
    (1.8, "root", "floats", 0, "§.sqrt()"),
    (1.6, "off by one", "int", 0, "§ + 1"),
    (1.6, "off by one", "int", 0, "§ - 1"),
    (2.2, "dtype", "ints", 0, "§.bool()"),
    (1.6, "transpose", "floats ints bools", 2, "§.transpose(-2, -1)"),
    (2.2, "new axis", "floats ints bools", 0, "§.unsqueeze(-1)"),
    (2.2, "new axis", "floats ints bools", 1, "§.unsqueeze(-2)"),
    (2.2, "clone", "floats ints bools", 0, "§.clone()"),
)
WHOLE = ast.Slice(None, None, None)


def edits(cell: Cell) -> list[Edit]:
    """Return the single edits of code, equal ones once."""
    parents = dict(walk(cell.tree))
    found: list[Edit] = []
    for path, node, parent in values(cell.tree):
        if path[1][0] == "body" and ("args", None) not in path[:3]:  # nor defaults, nor decorators
            tried = _Expression(path, node, parent, cell, parents).edits()
            found += [Edit(cost, sort, path, new) for cost, sort, new in tried]
    for path, statement in parents.items():
        if isinstance(statement, ast.stmt):
            found += [Edit(cost, sort, path, new) for cost, sort, new in _statement(statement)]
    kept: dict[tuple, Edit] = {}
    for edit in sorted(found, key=lambda edit: edit.cost):
        kept.setdefault((edit.path, ast.dump(edit.new)), edit)
    return [*kept.values()]


def number(node: ast.AST) -> int | float | None:
    """Return the value of a number that is written out, with its sign."""
    with contextlib.suppress(ValueError, TypeError, SyntaxError):
        value = ast.literal_eval(re.sub(r"\w+\.inf\b", "1e999", ast.unparse(node)))
        return value if type(value) in (int, float) else None
    return None


def _put(text: str, node: ast.expr) -> ast.expr:
    return ast.parse(text.replace("§", f"({ast.unparse(node)})"), mode="eval").body


def _const(value: Any) -> ast.expr:
    return ast.parse(repr(value).replace("inf", "math.inf"), mode="eval").body


def _also(call: ast.Call, **words: Any) -> ast.Call:
    more = [ast.keyword(word, _const(value)) for word, value in words.items()]
    return altered(call, keywords=[*call.keywords, *more])


def _swapped(items: list, one: int, other: int) -> list:
    moved = [*items]
    moved[one], moved[other] = items[other], items[one]
    return moved


class _Expression:
    def __init__(
        self, path: Path, node: ast.expr, parent: ast.AST, cell: Cell, parents: dict[Path, ast.AST]
    ):
        self.path, self.node, self.parent = path, node, parent
        self.cell, self.parents = cell, parents
        self.kind = cell.kinds.get(path, UNKNOWN)

    def edits(self) -> Iterator[Tried]:
        """Yield all that may take the expression's place."""
        if isinstance(self.parent, ast.UnaryOp) and number(self.parent) is not None:
            return  # the sign belongs to the number
        if number(self.node) is not None:
            yield from self._numbers(number(self.node))
        else:
            yield from self._inserted()
        yield from self._operators()
        if isinstance(self.node, ast.Call):
            yield from self._calls(self.node)
        yield from self._places()

    def _is_axis(self) -> bool:
        """Return whether a number tells which axis is meant."""
        for back in range(1, min(3, len(self.path)) + 1):  # inside of a tuple, or behind a sign
            step, above = self.path[-back], self.parents.get(self.path[:-back])
            match above:
                case ast.keyword(word):
                    return word in AXIS_WORDS
                case ast.Call(func) if step[0] == "args":
                    called = getattr(func, "attr", "")
                    of = getattr(func, "value", None)
                    apart = isinstance(of, ast.Name) and of.id in MODULES
                    apart = apart and called not in ("cat", "stack")
                    first = 0 if called in FIRST else 1 if called in SECOND else 99
                    return (step[1] or 0) >= first + apart
                case ast.Subscript(ast.Attribute(_, "shape")):
                    return True
                case ast.Tuple() | ast.List() | ast.UnaryOp():
                    continue
            return False
        return False

    def _numbers(self, value: Any) -> Iterator[Tried]:
        """Yield other numbers, other axes, and what is one more or less."""
        if made_up(self.cell.tree, self.path):
            return
        if isinstance(value, int) and self._is_axis():
            yield from ((1.0, "axis", _const(axis)) for axis in (-1, -2, -3, 0, 1, 2))
        elif isinstance(value, int) and abs(value) < 64:
            near = [(1.5, value + 1), (1.5, value - 1), (2.0, -value)]
            other = [(2.5, n) for n in (0, 1, 2, 3, -1, value * 2, value / 2)]
            yield from ((cost, "number", _const(n)) for cost, n in near + other if n != value)
        else:
            others = [value * by for by in (10, 0.1, 100, 0.01, 1000, 0.001, -1, 0.5, 2)]
            others += [0.0, 1.0, 0.5, -math.inf]
            yield from ((2.5, "number", _const(n)) for n in others if n == n != value)

    def _inserted(self) -> Iterator[Tried]:
        """Yield the expression within a step that is missing, and names it was mixed up with."""
        node, kind = self.node, self.kind
        never = {"off by one"} if isinstance(getattr(self.parent, "op", None), ast.Mult) else set()
        if ("test", None) in self.path:  # there, it would only make an error or the opposite
            never |= {"transpose", "new axis", "clone", "dtype"}
        for cost, sort, kinds, fewest, text in INSERTED:
            fits = kind.name in kinds.split() and (kind.axes >= fewest or kind.axes < 0)
            if fits and sort not in never:
                yield cost, sort, _put(text, node)
        alike = ({"floats", "ints", "bools"}, {"int", "float"}, {kind.name, "?"})
        for other, its_kind in self.cell.names.items():
            if kind.is_tensor and its_kind.name == "floats":
                yield 2.4, "dtype", _put(f"§.to({other}.dtype)", node)
            is_like = any({kind.name, its_kind.name} <= one for one in alike)
            if isinstance(node, ast.Name) and other != node.id and is_like:
                yield 2.0, "name", ast.Name(other, ast.Load())

    def _operators(self) -> Iterator[Tried]:
        """Yield other operators, another order, and an operand left out."""
        match self.node:
            case ast.Constant(bool(value)):
                yield 1.2, "truth", ast.Constant(not value)
            case ast.BinOp(left, op, right):
                for other in LOGIC if isinstance(op, LOGIC) else ARITHMETIC:
                    if not isinstance(op, other):
                        near = {type(op), other} in NEAR
                        yield 1.5 if near else 2.5, "operator", ast.BinOp(left, other(), right)
                if not isinstance(op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr):
                    yield 1.5, "operands", ast.BinOp(right, op, left)
                one = isinstance(op, ast.Add | ast.Sub) and number(right) is not None
                yield 1.3 if one else 2.0, "dropped", left
                yield 2.2, "dropped", right
                yield from self._regrouped(left, op, right)
            case ast.Compare(left, ops, comparators):
                for wanted in COMPARISONS if isinstance(ops[0], COMPARISONS) else ():
                    changed = ast.Compare(left, [wanted(), *ops[1:]], comparators)
                    yield 1.2, "comparison", changed
            case ast.BoolOp(joins, operands):
                turned = ast.Or() if isinstance(joins, ast.And) else ast.And()
                yield 1.5, "operator", ast.BoolOp(turned, operands)
                yield from ((1.8, "dropped", operand) for operand in operands)
            case ast.UnaryOp(_, operand) if number(self.node) is None:
                yield 1.2, "sign", operand
            case ast.IfExp(_, body, orelse):
                yield 1.8, "condition", body
                yield 1.8, "condition", orelse

    def _regrouped(self, left: ast.expr, op: ast.operator, right: ast.expr) -> Iterator[Tried]:
        """Yield the operands in other parentheses."""
        if isinstance(right, ast.BinOp):
            first = ast.BinOp(left, op, right.left)
            yield 1.8, "parentheses", ast.BinOp(first, right.op, right.right)
        if isinstance(left, ast.BinOp):
            last = ast.BinOp(left.right, op, right)
            yield 1.8, "parentheses", ast.BinOp(left.left, left.op, last)

    def _calls(self, node: ast.Call) -> Iterator[Tried]:
        """Yield what else may be called, with what, and in which order."""
        args, words = node.args, node.keywords
        of = node.func.value if isinstance(node.func, ast.Attribute) else None
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        is_method = of is not None and ast.unparse(of).split(".")[0] not in MODULES
        for place, operand in enumerate([*([of] if is_method and of else []), *args]):
            if not isinstance(operand, ast.Starred):
                yield 1.2 if called in CUTS else 1.6 + 0.4 * bool(place), "dropped", operand
        if of or called in ("max", "min", "sum", "any", "all"):
            families = [_words(one) for one in MIXED_UP.split("|")]
            alike = set[str]().union(*(one for one in families if called in one))
            for sibling in sorted(alike - {called}):
                function = altered(node.func, **{"attr" if of else "id": sibling})
                yield 1.8, "call", altered(node, func=function)
        if called.endswith("_") and is_method:
            yield 1.0, "in place", altered(node, func=altered(node.func, attr=called[:-1]))
        for place, word in enumerate(words):
            if word.arg:
                yield 1.8, "keyword", altered(node, keywords=words[:place] + words[place + 1 :])
        for pair in combinations(range(len(args)), 2):
            yield 1.5, "arguments", altered(node, args=_swapped(args, *pair))
        if is_method and len(args) == 1 and not words:
            turned = altered(node.func, value=args[0])
            yield 1.8, "arguments", altered(node, func=turned, args=[of])
        yield from self._options(node, called, is_method)
        if is_method and of and called in ("view", "reshape", "flatten"):
            for axes in ("1, 2", "-2, -3", "-1, -2", "0, 1"):
                moved = _put(f"§.transpose({axes}).{called.replace('view', 'reshape')}", of)
                yield 1.8, "swap", altered(node, func=moved)

    def _options(self, node: ast.Call, called: str, is_method: bool) -> Iterator[Tried]:
        """Yield calls with a keyword that is missing."""
        given = {word.arg for word in node.keywords}
        rank = 1 if called == "repeat_interleave" or not is_method else 0
        has_axis = bool(given & AXIS_WORDS) or len(node.args) > rank
        if called in REDUCTIONS and isinstance(node.func, ast.Attribute):
            if has_axis and "keepdim" not in given:
                yield 1.0, "keepdim", _also(node, keepdim=True)
            if called in ("var", "std") and not given & {"unbiased", "correction"}:
                yield 1.0, "correction", _also(node, correction=0)
        with_axis = {"repeat_interleave", "stack", "cat", "softmax", "cumsum", "squeeze"}
        if called in REDUCTIONS | with_axis and not has_axis:
            for axis in (-1, -2, 0, 1):
                yield 1.4, "axis", _also(node, dim=axis)
                if called in REDUCTIONS:
                    yield 1.5, "axis", _also(node, dim=axis, keepdim=True)
        if called in ("tril", "triu") and "diagonal" not in given:
            yield from ((1.2, "number", _also(node, diagonal=n)) for n in (1, -1))
        if called in ("sort", "argsort") and "descending" not in given:
            yield 1.4, "keyword", _also(node, descending=True)
        if called == "range":
            yield 1.8, "number", altered(node, args=node.args[1:] or [_const(1), node.args[0]])

    def _places(self) -> Iterator[Tried]:
        """Yield other indices and slices, and the parts of a tuple in another order."""
        match self.node:
            case ast.Tuple(elts) | ast.List(elts) if 2 <= len(elts) <= 8:
                for one, other in combinations(range(len(elts)), 2):
                    moved = _swapped(elts, one, other)
                    yield 1.1 + 0.2 * (other - one), "order", altered(self.node, elts=moved)
            case ast.Subscript(value, index):
                yield 2.2, "dropped", value
                for cost, another in _indices(index):
                    yield cost, "index", ast.Subscript(value, another, ast.Load())
            case ast.Attribute(value, "T" | "mT"):
                yield 2.0, "dropped", value
                yield 1.0, "mT", altered(self.node, attr="mT")


def _indices(index: ast.expr) -> Iterator[tuple[float, ast.expr]]:
    elts = index.elts if isinstance(index, ast.Tuple) else [index]
    for place, one in enumerate(elts):
        before, after = elts[:place], elts[place + 1 :]
        others = [ast.Slice(one), ast.Slice(None, one)]
        if isinstance(one, ast.Slice):
            lower, upper = one.lower, one.upper
            others = [WHOLE, ast.Slice(upper, lower), ast.Slice(lower), ast.Slice(None, upper)]
            others += [ast.Slice(lower or _const(1), upper), ast.Slice(lower, upper or _const(-1))]
        yield from ((1.8, _indexed([*before, other, *after])) for other in others)
        yield from ((1.6, _indexed(_swapped(elts, other, place))) for other in range(place))
        if len(elts) > 2:
            yield 2.2, _indexed([*before, *after])
    for front in ([WHOLE], [ast.Constant(...)], [WHOLE, WHOLE], [ast.Constant(None)]):
        yield 2.0, _indexed([*front, *elts])


def _indexed(elts: list[ast.expr]) -> ast.expr:
    return elts[0] if len(elts) == 1 else ast.Tuple(elts, ast.Load())


def _block(body: list[ast.stmt]) -> ast.stmt:
    return ast.If(ast.Constant(True), body, []) if body else ast.Pass()


def _statement(node: ast.stmt) -> Iterator[Tried]:
    """Yield statements left out, and what is not written in place."""
    match node:
        case ast.FunctionDef(decorator_list=[_, *rest]):
            yield 1.0, "statement", altered(node, decorator_list=rest)
        case ast.If(test, body, orelse):
            yield 1.6, "condition", _block(body)
            yield 1.6, "condition", _block(orelse)
            yield 2.0, "condition", altered(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.With(_, body):
            yield 1.2, "statement", _block(body)
        case ast.AugAssign(target, op, value):
            if isinstance(target, ast.Name):
                changed = ast.BinOp(ast.Name(target.id, ast.Load()), op, value)
                yield 1.0, "in place", ast.Assign([target], changed)
            yield 2.2, "statement", ast.Pass()
        case ast.Assign([target]):
            yield 2.2, "statement", ast.Pass()
            if isinstance(target, ast.Tuple) and len(target.elts) <= 4:
                for pair in combinations(range(len(target.elts)), 2):
                    moved = altered(target, elts=_swapped(target.elts, *pair))
                    yield 1.8, "order", altered(node, targets=[moved])
        case ast.Expr(ast.Call()) | ast.Break() | ast.Continue():
            yield 2.0, "statement", ast.Pass()
