"""The share of wrong answers that loses points: `python -m tests.exercises.mutants PAGE ...`.

A mutant is the solution of an exercise after one of the edits that `tensorgrader.repair` tries.
Some do what the solution does, so not all can lose points. Exercises with a time limit of their own
are left out.
"""

import ast
import io
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch

from tensorgrader.difference import change, finding
from tensorgrader.exercise import IMPORTS
from tensorgrader.in_process import Late, Without, capturing
from tensorgrader.outcome import Returned, TimedOut
from tensorgrader.repair.edits import Cell, edits
from tensorgrader.repair.traced import Traced
from tensorgrader.repair.tree import MOST_TURNS, TURN, Turns, at, counted, replaced
from tensorgrader.trial import Case, Questions, apply_here, compared
from tests.course import CHAPTERS
from tests.exercises.table import put_into, row
from tests.written import solutions

MUTANTS = "<!-- table of the mutants -->"
#: Edits that do nothing to a right answer, as a change to a dtype of another value does.
SAFER = {"clone", "bound"}


class Mutant(NamedTuple):
    """A solution after an edit: where, what was written, and what is now."""

    line: int
    old: str
    new: str
    tree: ast.Module


@cache
def names(chapter):
    """Return what an answer may use: imports, what is given, and the other solutions."""
    found = {}
    exec(
        "\n\n".join([IMPORTS, CHAPTERS[chapter].given_source, *solutions(chapter).values()]), found
    )
    return found


def mutants(exercise, asked):
    """Yield the mutants of a solution that can be told from it by their code."""
    tree = ast.parse(solutions(exercise.chapter)[exercise.id])
    traced = Traced(tree, exercise.function, names(exercise.chapter), Turns())
    with capturing(io.StringIO()):
        traced.try_out([question.inputs for _, question in (*asked[:2], asked[-1])])
    nodes = [*ast.walk(tree)]
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    given = {node.arg for node in nodes if isinstance(node, ast.arg)}
    kinds = {}
    for path, kind in traced.kinds.items():
        if isinstance(node := at(tree, path), ast.Name) and node.id in stored | given:
            kinds.setdefault(node.id, kind)
    for edit in edits(Cell(tree, traced.kinds, kinds)):
        news = [ast.unparse(ast.fix_missing_locations(new)) for _, new in edit.changes]
        if edit.sort in SAFER or any(".to(" in new for new in news):
            continue
        changed: Any = tree
        for path, new in edit.changes:
            changed = replaced(changed, path, new)
        changed = ast.fix_missing_locations(changed)
        if ast.unparse(changed) != ast.unparse(tree):
            old = at(tree, edit.changes[0][0])
            yield Mutant(getattr(old, "lineno", 0), ast.unparse(old), news[0], changed)


def questions(exercise, seed):
    """Return each question of an exercise with its requirement."""
    drawn = Questions(exercise, seed)
    return [(p, q) for p in exercise.properties for q in drawn.drawn(p.id, p.inputs)]


def define(exercise, tree, turns):
    """Return the function, or the class, of a solution's tree."""
    own = names(exercise.chapter) | {TURN: turns}
    code = compile(ast.fix_missing_locations(counted(tree)), "<mutant>", "exec")
    exec(code, own)
    return own[exercise.function]


def holds(exercise, function, prop, question, turns):
    """Return whether an answer is right on a question."""
    turns.left = MOST_TURNS * 10
    torch.manual_seed(0)
    try:
        with capturing(io.StringIO()), Without(exercise.forbidden):
            outcome = compared(question, apply_here(function, question.inputs))
    except Late:
        outcome = TimedOut(1.0)
    case = Case(question, outcome)
    return isinstance(outcome, Returned) and not (
        finding(exercise, case) or (prop.unchanged and change(exercise, case))
    )


def passes(exercise, tree, asked):
    """Return whether a mutant is right on all questions; one that fails it comes first."""
    turns = Turns()
    try:
        function = define(exercise, tree, turns)
    except Exception:
        return False
    for place, (prop, question) in enumerate(asked):
        if not holds(exercise, function, prop, question, turns):
            asked.insert(0, asked.pop(place))
            return False
    return True


def survivors(exercise):
    """Return the mutants of an exercise that lose no point, and how many there are."""
    asked = questions(exercise, 1)
    made = [*mutants(exercise, asked)]
    return [mutant for mutant in made if passes(exercise, mutant.tree, asked)], len(made)


def table(scores):
    """Return as a Markdown table how many mutants of each function lose points, and of how many."""
    lines = [row(["function", "mutants", "caught"]), row(["---", "--:", "--:"])]
    lines += [row([f"`{name}`", of, f"{caught / of:.1%}"]) for name, (caught, of) in scores.items()]
    caught, of = map(sum, zip(*scores.values(), strict=True))
    return "\n".join([*lines, row(["**in all**", f"**{of:,}**", f"**{caught / of:.1%}**"])])


def scores():
    """Return for each function how many mutants lose points, and how many there are."""
    found = {}
    for chapter in CHAPTERS.values():
        for exercise in chapter.exercises:
            if not exercise.seconds:
                passing, of = survivors(exercise)
                found[exercise.function] = of - len(passing), of
    return found


if __name__ == "__main__":
    text = table(scores())
    print(text)
    for path in map(Path, sys.argv[1:]):
        path.write_text(put_into(path.read_text("utf8"), MUTANTS, text), "utf8")
