"""Search for the smallest edit of a learner's function after which every requirement holds.

It says where a mistake is, without a list of mistakes. The idea is of Singh, Gulwani and
Solar-Lezama (2013), Automated Feedback Generation for Introductory Programming Assignments.
"""

import ast
import contextlib
import difflib
import inspect
import io
import re
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from tensorgrader.difference import change, finding
from tensorgrader.in_process import Late, Without, capturing
from tensorgrader.outcome import Returned
from tensorgrader.repair.edits import Edit, edits
from tensorgrader.repair.harmless import functions, methods
from tensorgrader.repair.traced import Grafts, Traced
from tensorgrader.repair.tree import MOST_TURNS, TURN, Path, Turns, at, compiled, replaced
from tensorgrader.trial import Case, Question, Questions, apply_here, compared, same
from tensorgrader.trial import size as numbers_in

MOST, LIKELY = 2000, 120  # how many single edits are tried, and how many of them in pairs
FURTHER = 1.0  # how much more than the first edit that holds another may cost, to be tried as well
SLOW = 1.0  # the seconds of computing that all questions may take, to be asked with many edits
STUB = 0.4  # a smaller part of the reference's size is no answer yet that an edit could make right
LARGEST, FEW = 0.5, 6  # the part of an answer that an edit may change, and the words it always may
PART = 6.0  # what a value of the reference costs, in words that an edit adds
ODD = {"new axis": 0.3, "number": 0.5, "clone": 0.3}  # how much rather other edits are told
Repairs = Iterator["Repair | None"]


class Step(NamedTuple):
    """One edit of a repair: its sort, what is old, and the code around that."""

    sort: str
    old: str
    within: str


@dataclass(frozen=True, eq=False)
class Repair:
    """One or two edits that make an answer right; the lower its `penalty`, the more natural."""

    steps: tuple[Step, ...]
    lines: tuple[int, ...]
    changes: tuple[tuple[str, str], ...]  # statements before and after
    penalty: float


def search(questions: Questions, function: Any) -> Repairs:
    """Try one edit of a function's cell after the other: yield it if it makes the answer right.

    Else yield None, so that the caller may stop at any time. What holds for the questions that the
    answer failed is tried on others too, so that no hint fits only some numbers. There is nothing
    to try if an answer is far from right, or its cell may do more than compute.
    """
    function = inspect.unwrap(function) if isinstance(function, FunctionType | type) else None
    with contextlib.suppress(RecursionError):
        code = functions(function) if function else {}
        if code and not _is_far(questions, function, code):
            yield from _Search(questions, function, [*code.values()]).found()


def _is_far(questions: Questions, function: Any, code: Collection[str]) -> bool:
    """Return whether an answer is so short that an edit would be the answer itself."""
    names = methods(function)[0].__globals__
    written = [names[name] for name in code if isinstance(names.get(name), FunctionType | type)]
    return _length(*written, function) < STUB * _length(questions.exercise.reference)


def _length(*some: Any) -> int:
    return sum(len(code.co_code) for code in {m.__code__ for one in some for m in methods(one)})


class _Search:
    def __init__(self, questions: Questions, function: Any, code: list[ast.stmt]):
        self._exercise, self._questions = questions.exercise, questions
        self._name, self._names = function.__name__, dict(methods(function)[0].__globals__)
        self._tree = ast.Module(code, [])
        self._compiled: dict[ast.stmt, CodeType] = {node: compiled(node) for node in code}
        self._turns, self._apart = Turns(), list[Question]()
        self._unchanged = any(prop.unchanged for prop in self._exercise.properties)

    def found(self) -> Repairs:
        """Yield what comes of each edit; where none makes it right, of two at once."""
        asked = self._ordered()
        single, is_found = self._edits(asked) if asked else [], False
        alike = defaultdict(list)  # the same edit wherever the same code stands
        for e in single:
            alike[e.sort, e.part, ast.dump(at(self._tree, e.path)), ast.dump(e.new)].append(e)
        groups = (group for group in alike.values() if 1 < len(group) < 7 and not group[0].part)
        some = [(edit,) for edit in single] + [(*group,) for group in groups]
        some.sort(key=lambda together: together[0].cost + 0.3 * (len(together) > 1))
        for repair in self._tried(asked, some):
            is_found = is_found or bool(repair)
            yield repair
        if not is_found:
            likely = [edit for edit in single if edit.sort not in ("part", "number")]
            yield from self._tried(asked, _pairs(likely))

    def _tried(self, asked: list[Question], some: Iterable[tuple[Edit, ...]]) -> Repairs:
        """Yield what comes of some edits together, until others would cost much more."""
        most = float("inf")
        for together in some:
            cost = sum({edit.sort: edit.cost for edit in together}.values())
            if cost > most:
                return
            tree, first, repair = self._edited(together), together[0], None
            function = self._grafts.function(first) if first.part else self._loaded(tree)
            if function and all(self._holds(function, question) for question in asked):
                self._apart = self._apart or self._asked(
                    Questions(self._exercise, self._questions.seed + 1), probes=True
                )
                if all(self._holds(function, question) for question in self._apart):
                    repair = _repair(self._tree, tree, together)
                    most = min(most, cost + FURTHER) if repair else most
            yield repair

    def _asked(self, questions: Questions, probes: bool = False) -> list[Question]:
        drawn = [(prop.id, prop.inputs) for prop in self._exercise.properties]
        drawn += [(draw.__name__, draw) for draw in self._exercise.probes if probes]
        return [question for one in drawn for question in questions.drawn(*one)]

    def _ordered(self) -> list[Question]:
        """Return the questions, those it fails and small ones first; none of an answer too slow."""
        asked, begun, failing = self._asked(self._questions), time.process_time(), list[Question]()
        function = self._loaded(self._tree)
        for question in asked:
            failing += [] if function and self._holds(function, question) else [question]
            if time.process_time() > begun + SLOW:
                return []
        small = sorted(failing, key=lambda q: (bool(q.inputs.trains), numbers_in(q.inputs)))
        return failing and [*small, *(question for question in asked if question not in failing)]

    def _loaded(self, tree: ast.Module) -> Any:
        """Return the function of a cell, defined beside the notebook's names."""
        names = {**self._names, TURN: self._turns}
        try:
            with capturing(io.StringIO()):
                for node in tree.body:
                    exec(self._compiled.get(node) or compiled(node), names)
        except (Exception, Late):
            return None
        return names.get(self._name)

    def _holds(self, function: Any, question: Question) -> bool:
        """Return whether a function is right on a question, and leaves its arguments alone."""
        self._turns.left = MOST_TURNS
        try:
            with capturing(io.StringIO()), Without(self._exercise.forbidden):
                outcome = compared(question, apply_here(function, question.inputs))
        except KeyboardInterrupt:
            raise
        except BaseException:  # too late, or what a page has not
            return False
        if not isinstance(outcome, Returned) or not same(outcome.value, question.expected):
            return False
        case = Case(question, outcome)
        if question.inputs.trains and finding(self._exercise, case):
            return False
        return not (self._unchanged and change(self._exercise, case))

    def _edited(self, together: tuple[Edit, ...]) -> ast.Module:
        tree: Any = self._tree
        for edit in together:
            tree = replaced(tree, edit.path, edit.new)
        return ast.fix_missing_locations(tree)

    def _edits(self, asked: list[Question]) -> list[Edit]:
        some = [question.inputs for question in (asked[-1], *asked[1::-1])]  # it fails the last
        mine = Traced(self._tree, self._name, self._names, self._turns)
        with capturing(io.StringIO()):
            mine.try_out(some)
        found = edits(mine.cell)
        with contextlib.suppress(OSError, AttributeError):  # a reference that is a class has none
            self._grafts = Grafts(self._exercise, mine, self._turns, some)
            if not self._exercise.seconds:  # else it may train or fill what the learner should
                found += self._grafts.edits()
        return sorted(found, key=lambda edit: edit.cost)[:MOST]


def _pairs(single: list[Edit]) -> Iterator[tuple[Edit, ...]]:
    """Yield two edits at a time of different places, the likeliest first."""
    pairs = combinations(single[:LIKELY], 2)
    for one, other in sorted(pairs, key=lambda pair: pair[0].cost + pair[1].cost):
        apart = min(len(one.path), len(other.path))
        if one.path[:apart] != other.path[:apart]:
            yield one, other


def _repair(tree: ast.Module, edited: ast.Module, together: tuple[Edit, ...]) -> Repair | None:
    """Return what edits change, and how much code they add; None if one changes most of it."""
    in_order = sorted(together, key=lambda edit: at(tree, edit.path).lineno)
    penalties = [_penalty(tree, edit) for edit in in_order]
    if None in penalties:
        return None
    olds = [(e.sort, ast.unparse(at(tree, e.path)), _within(tree, e.path)) for e in in_order]
    changes = (_lines(tree, edited, edit.path) for edit in in_order if not edit.part)
    return Repair(
        tuple(Step(*old) for old in olds),
        tuple(at(tree, edit.path).lineno for edit in in_order),
        tuple(dict.fromkeys(changes)),
        sum(filter(None, penalties)),
    )


def _penalty(tree: ast.Module, edit: Edit) -> float | None:
    """Return how unnatural an edit is; None if it changes most of the answer."""
    old = at(tree, edit.path)
    added, gone = _added_and_gone(ast.unparse(old), ast.unparse(edit.new))
    penalty = added + 0.08 * gone if added else min(0.08 * gone, 0.9)
    if edit.part:
        gone = len(_words(ast.unparse(old)))
        penalty = PART + 0.3 * old.lineno + 0.02 * gone  # rather where it is made
    body = (part for node in tree.body for part in getattr(node, "body", ()))
    code = [part for part in body if not isinstance(getattr(part, "value", 0), ast.Constant)]
    size = len(_words("\n".join(map(ast.unparse, code))))
    if added + gone > max(LARGEST * size, FEW * (not edit.part)):
        return None
    return ODD.get(edit.sort, 0.0) + 0.1 * edit.cost + penalty


def _within(tree: ast.Module, path: Path) -> str:
    """Write the nearest expression around a node that says what it is for."""
    small = ast.Constant | ast.Name | ast.UnaryOp | ast.keyword | ast.Tuple | ast.List | ast.Slice
    node = at(tree, path)
    while isinstance(node, small) and not isinstance(above := at(tree, path[:-1]), ast.stmt):
        node, path = above, path[:-1]
    return ast.unparse(node)


def _lines(tree: ast.Module, edited: ast.Module, path: Path) -> tuple[str, str]:
    """Write the statement of a node before and after; of one with a block, the node alone."""
    ends = [n for n in range(len(path) + 1) if isinstance(at(tree, path[:n]), ast.stmt)]
    place = path[: ends[-1]]
    if hasattr(at(tree, place), "body"):
        place = path
    return ast.unparse(at(tree, place)), ast.unparse(at(edited, place))


def _words(code: str) -> list[str]:
    return [] if code == "pass" else re.findall(r"\w+|[^\w\s]", code)


def _added_and_gone(old: str, new: str) -> tuple[int, int]:
    one, other = _words(old), _words(new)
    matcher = difflib.SequenceMatcher(None, one, other, False)
    kept = sum(block.size for block in matcher.get_matching_blocks())
    return len(other) - kept, len(one) - kept
