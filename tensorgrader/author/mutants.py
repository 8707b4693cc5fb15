"""Mutants: the solution of an exercise after one of the edits that `tensorgrader.repair` tries.

Some do what the solution does, so not all can lose points.
"""

import ast
import io
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import cache
from typing import Any, NamedTuple

import torch

from tensorgrader.course import Course
from tensorgrader.difference import change, finding
from tensorgrader.exercise import IMPORTS, Exercise, Function, Inputs, Property
from tensorgrader.in_process import Late, Without, capturing
from tensorgrader.outcome import Outcome, TimedOut
from tensorgrader.repair.edits import Cell, edits
from tensorgrader.repair.traced import Traced
from tensorgrader.repair.tree import MOST_TURNS, TURN, Turns, at, compiled, replaced
from tensorgrader.trial import Case, Question, Questions, apply_here, compared

#: Questions, each with its requirement.
Asked = list[tuple[Property, Question]]


class Mutant(NamedTuple):
    """A solution after an edit: where, what was written, and what is now."""

    line: int
    old: str
    new: str
    tree: ast.Module


@cache
def names(course: Course, chapter: str) -> dict[str, Any]:
    """Return what an answer may use: imports, what is given, and the solutions of the chapter."""
    given, solved = course.chapters[chapter].given_source, course.solutions(chapter)
    found: dict[str, Any] = {}
    exec("\n\n".join([IMPORTS, given, *solved.values()]), found)
    return found


def solved(course: Course, exercise: Exercise) -> tuple[ast.Module, dict[str, Any]]:
    """Return the solution of an exercise, and what it may use."""
    tree = ast.parse(course.solutions(exercise.chapter)[exercise.id])
    return tree, names(course, exercise.chapter)


def mutants(
    exercise: Exercise, tree: ast.Module, names: dict[str, Any], asked: Asked
) -> Iterator[Mutant]:
    """Yield the mutants of an answer that differ from it by their code."""
    some = [question.inputs for _, question in (*asked[:2], asked[-1])]
    for edit in edits(tried_out(exercise, tree, names, some)):
        new = ast.unparse(ast.fix_missing_locations(edit.new))
        # what does nothing to a right answer
        if edit.sort == "clone" or ".to(" in new:
            continue
        changed: Any = ast.fix_missing_locations(replaced(tree, edit.path, edit.new))
        if ast.unparse(changed) != ast.unparse(tree):
            old = at(tree, edit.path)
            yield Mutant(getattr(old, "lineno", 0), ast.unparse(old), new, changed)


def questions(exercise: Exercise, seed: int) -> Asked:
    """Return each question of an exercise with its requirement."""
    drawn = Questions(exercise, seed)
    return [(p, q) for p in exercise.properties for q in drawn.drawn(p.id, p.inputs)]


def tried_out(
    exercise: Exercise, tree: ast.Module, names: dict[str, Any], some: list[Inputs]
) -> Cell:
    """Return a solution with the kinds of its values, as some inputs show them."""
    traced = Traced(tree, exercise.function, names, Turns())
    with capturing(io.StringIO()):
        traced.try_out(some)
    return traced.cell


def applying(
    exercise: Exercise, tree: ast.Module, names: dict[str, Any], turns: Turns
) -> Callable[[list[Inputs]], Iterator[Outcome]]:
    """Define a function beside others; return what applies it to inputs, within so many turns."""
    own = names | {TURN: turns}
    exec(compiled(*tree.body), own)
    function: Function = own[exercise.function]

    bare = Without(exercise.forbidden) if exercise.forbidden else nullcontext()

    def apply(batch: list[Inputs]) -> Iterator[Outcome]:
        for inputs in batch:
            turns.left = MOST_TURNS * 10
            try:
                with bare:
                    outcome: Outcome = apply_here(function, inputs)
            except Late:
                outcome = TimedOut(1.0)
            yield outcome

    return apply


def passes(
    exercise: Exercise, tree: ast.Module, names: dict[str, Any], asked: Asked, seed: int = 0
) -> bool:
    """Return whether a mutant is right on all questions; one that fails it comes first.

    The seed is that of the random numbers it draws in the first, the next in the second, and so on.
    """
    try:
        apply = applying(exercise, tree, names, Turns())
    except Exception:
        return False
    outcomes = apply([question.inputs for _, question in asked])
    with capturing(io.StringIO()):
        for place, (prop, question) in enumerate(asked):
            torch.default_generator.manual_seed(seed + place)
            if not holds(exercise, prop, question, next(outcomes)):
                asked.insert(0, asked.pop(place))
                return False
    return True


def holds(exercise: Exercise, prop: Property, question: Question, outcome: Outcome) -> bool:
    """Return whether the outcome of an answer is right on a question."""
    case = Case(question, compared(question, outcome))
    return not (finding(exercise, case) or (prop.unchanged and change(exercise, case)))


def survivors(
    exercise: Exercise, tree: ast.Module, names: dict[str, Any]
) -> tuple[list[Mutant], int]:
    """Return the mutants of an answer that lose no point, and how many there are."""
    asked = questions(exercise, 1)
    made = [*mutants(exercise, tree, names, asked)]
    return [mutant for mutant in made if passes(exercise, mutant.tree, names, asked)], len(made)
