"""A function whose values are seen while it runs, and that can be given others in their place.

So the reference's values are tried in the place of the learner's: where an answer is right with
one of them, there is its mistake, however the right value is written.
"""

import ast
import contextlib
import functools
import inspect
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from tensorgrader.edited import reached
from tensorgrader.exercise import Exercise, Inputs
from tensorgrader.in_process import Late
from tensorgrader.repair.edits import Cell, Edit, number
from tensorgrader.repair.tree import (
    TURN,
    UNKNOWN,
    Kind,
    Path,
    Turns,
    altered,
    at,
    compiled,
    has_value,
    kind_of,
    made_up,
    with_children,
)
from tensorgrader.trial import apply_here, same

SEEN = "__seen__"  # what traced trees call


class Traced:
    """A function of a tree, with the values that its expressions had when it was called last."""

    def __init__(self, tree: ast.Module, name: str, names: dict[str, Any], turns: Turns):
        self.tree, nodes = tree, [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
        self.local = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
        self._paths: list[Path] = []
        seen = self._handing_over(tree, (), tree)
        names = names | {SEEN: self._seen, TURN: turns}
        self.kinds: dict[Path, Kind] = {}
        self.values: dict[Path, list] = defaultdict(list)
        self.result: Any = None
        self.instead: tuple[Path, Iterator[Any]] = ((), iter(()))  # of what, and what
        exec(compiled(*seen.body), names)
        function = names[name]

        @functools.wraps(function)
        def anew(*args: Any, **words: Any) -> Any:
            self.values.clear()  # those of the call before
            self.result = function(*args, **words)
            return self.result

        self.function = anew

    def try_out(self, some: list[Inputs]) -> None:
        """Apply it to some inputs, to see the kinds of its values."""
        with contextlib.suppress(Exception, Late):  # what was seen until then is seen
            for inputs in some:
                apply_here(self.function, inputs)

    @property
    def cell(self) -> Cell:
        """The tree, with the kinds of its values and of its local names."""
        given = {node.arg for node in ast.walk(self.tree) if isinstance(node, ast.arg)}
        names = dict.fromkeys(sorted(self.local | given), UNKNOWN)
        for path, kind in self.kinds.items():
            name = getattr(at(self.tree, path), "id", "")
            if names.get(name) == UNKNOWN:
                names[name] = kind
        return Cell(self.tree, self.kinds, names)

    def is_to_blame(self, path: Path) -> bool:
        """Return whether a value may be wrong by itself: not passed on, added up, or made up."""
        parts: list[ast.expr] = []
        match at(self.tree, path):
            case ast.Name(name) if name in self.local:
                return False
            case ast.Constant(int() | float()) | ast.UnaryOp(ast.USub(), ast.Constant()):
                return False
            case ast.Call(_, args, []):
                parts = [one for one in args if number(one) is None]
            case ast.BinOp(left, _, right):
                parts = [left, right]
        names = [getattr(part, "id", "") for part in parts]
        is_passed_on = bool(names) and all(names) and not self.local.isdisjoint(names)
        above, further = at(self.tree, path[:-1]), at(self.tree, path[:-2])
        is_summand = isinstance(getattr(above, "op", None), ast.Add | ast.Sub)
        is_summand &= isinstance(further, ast.Return) or not self.kinds[path].is_tensor
        parts_of_it = getattr(above, "targets", [None])  # several results at once
        is_returned = isinstance(above, ast.Return) or isinstance(parts_of_it[0], ast.Tuple)
        return not (is_passed_on or is_summand or is_returned or made_up(self.tree, path))

    def _handing_over(self, node: Any, path: Path, parent: ast.AST) -> Any:
        """Return a node that hands each value to `__seen__` with its number."""
        copied = with_children(node, lambda s, child: self._handing_over(child, (*path, s), node))
        if not (isinstance(node, ast.expr) and has_value(path, node, parent)):
            return copied
        self._paths.append(path)
        number = ast.Constant(len(self._paths) - 1)
        return ast.Call(ast.Name(SEEN, ast.Load()), [number, copied], [])

    def _seen(self, number: int, value: Any) -> Any:
        path = self._paths[number]
        if path == self.instead[0]:
            value = next(self.instead[1], value)
        before, kind = self.kinds.get(path), kind_of(value)
        is_new = before is None or before.name == "none" or before == kind
        self.kinds[path] = kind if is_new else Kind(before.name)  # type: ignore[union-attr]
        self.values[path].append(value)
        return value


class Grafts:
    """The learner's function, with a value of the reference in the place of one of its own."""

    def __init__(self, exercise: Exercise, mine: Traced, turns: Turns, some: list[Inputs]):
        """Store the learner's function after it was tried out on the same inputs.

        Raises OSError where no source of the reference is kept.
        """
        names: dict[str, Any] = exercise.reference.__globals__
        pieces = (exercise.reference, *reached(exercise.reference))  # those of its file
        its = [one for one in pieces if one.__globals__ is names]
        code: list[Any] = [ast.parse(inspect.getsource(piece)).body[0] for piece in its]
        tree = ast.Module([altered(node, decorator_list=[]) for node in code], [])
        self._mine, self._reference = mine, Traced(tree, exercise.function, names, turns)
        self._reference.try_out(some)

    def edits(self) -> Iterator[Edit]:
        """Yield an edit for each value that can stand in the place of another, and is another."""
        mine, reference = self._mine, self._reference
        every = reference.values.items()  # the whole result would do wherever it is put
        inner = {n: new for n, new in every if not same(new[-1:], [reference.result])}
        for path, kind in mine.kinds.items():
            old, node = mine.values[path], at(mine.tree, path)
            its = reference.kinds
            like = {other: new for other, new in inner.items() if its[other].is_like(kind)}
            is_right = kind.is_tensor and any(same(old, new) for new in like.values())
            if is_right or not mine.is_to_blame(path):
                continue
            for other, new in like.items():
                is_one = len(new) >= len(old) and all(same(new[0], one) for one in new)
                if isinstance(node, ast.Name) and not is_one:
                    continue  # a name has one value in all rounds
                cost = 3.0 + 0.05 * sum(1 for _ in ast.walk(node)) + 0.1 * len(other)
                yield Edit(cost, "part", path, node, other)

    def function(self, edit: Edit) -> Callable[..., Any]:
        """Return the learner's function with the value that an edit wants."""
        mine, reference = self._mine, self._reference

        @functools.wraps(mine.function)
        def grafted(*args: Any, **words: Any) -> Any:
            reference.function(*args, **words)
            mine.instead = edit.path, iter([*reference.values[edit.part]])
            try:
                return mine.function(*args, **words)
            finally:
                mine.instead = ((), iter(()))

        return grafted
