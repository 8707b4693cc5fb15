"""Find faults for hunts: edits of a course's solutions that make a known mistake each.

Difficulty is the sum of what makes a fault hard to find:

- 4 times the share of inputs for which the function is right;
- 2 times the share of wrong outcomes that do not stand out: no error, and the expected shape;
- the logarithm (base 2) of the number of statements;
- 1 if only one name, number or operator is other than in the solution;
- 2 times the share without a name among the wrong answers that people wrote to this exercise
  without knowing the grader: where these are many, mistakes are subtle.
"""

import ast
import io
import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

from tensorgrader.author.mutants import applying, tried_out
from tensorgrader.course import Course
from tensorgrader.difference import change, finding
from tensorgrader.exercise import Exercise
from tensorgrader.hunt.bank import Fault
from tensorgrader.in_process import capturing
from tensorgrader.judge import judge
from tensorgrader.outcome import Returned, TimedOut
from tensorgrader.repair.edits import Edit, edits
from tensorgrader.repair.tree import Turns, at, replaced
from tensorgrader.trial import Case, Questions, Trial, tensors

#: The seeds whose inputs must all show a fault.
SEEDS = (1, 2, 3)
#: How many faults of a function are kept, and how many of one name.
MOST, OF_A_NAME = 8, 2
#: Edits that put something where nobody would.
ODD = {"new axis", "clone", "bound", "dtype"}
#: How many edits of a solution are judged, so that this takes minutes and not hours.
TRIED = 80


def faults(
    course: Course, exercise: Exercise, code: str, names: dict[str, Any], unnamed: float
) -> Iterator[Fault]:
    """Yield faults of a solution that the grader names, the same at each call.

    `names` are those that the solution may use, `unnamed` is the share of wrong answers that got no
    name.
    """
    questions = [Questions(exercise, seed) for seed in SEEDS]
    statements = sum(isinstance(n, ast.stmt) for n in ast.walk(ast.parse(code))) - 1  # no docstring
    every = list(mutants(exercise, code, names, questions[0]))
    random.Random(exercise.id).shuffle(every)
    often = Counter[str]()
    for line, text in every[:TRIED]:
        fault = Fault(exercise.id, line, text, "", 0.0)
        with capturing(io.StringIO()):
            shown = _shown(course, questions, fault.put_into(code), names)
        if not shown or often[shown[0]] == OF_A_NAME:
            continue
        name, right, quiet = shown
        often[name] += 1
        small = _words(code.split("\n")[line - 1], text) == 1
        difficulty = 4 * right + 2 * quiet + math.log2(statements) + small + 2 * unnamed
        yield fault._replace(name=name, difficulty=round(difficulty, 1))
        if often.total() == MOST:
            break


def mutants(
    exercise: Exercise, code: str, names: dict[str, Any], questions: Questions
) -> Iterator[tuple[int, str]]:
    """Yield edits of a solution: the number of a line, and what stands there instead."""
    tree, first, told = ast.parse(code), exercise.properties[0], set()
    some = [question.inputs for question in questions.drawn(first.id, first.inputs)]
    for edit in edits(tried_out(exercise, tree, names, some)):
        text = None if edit.sort in ODD else _line(code, tree, edit)
        if text and text not in told:
            told.add(text)
            yield text


def _line(code: str, tree: ast.Module, edit: Edit) -> tuple[int, str] | None:
    """Return a line's number and the line after an edit of an expression in it."""
    old, lines = at(tree, edit.path), code.split("\n")
    if not isinstance(old, ast.expr) or old.lineno != old.end_lineno:
        return None
    wanted = ast.unparse(ast.fix_missing_locations(replaced(tree, edit.path, edit.new)))
    line = lines[old.lineno - 1].encode()
    before, after = line[: old.col_offset].decode(), line[old.end_col_offset :].decode()
    for written in (ast.unparse(edit.new), f"({ast.unparse(edit.new)})"):
        lines[old.lineno - 1] = f"{before}{written}{after}"
        try:
            same = ast.unparse(ast.parse("\n".join(lines))) == wanted != ast.unparse(tree)
        except SyntaxError:
            continue
        is_bare = lines[old.lineno - 1].strip().isidentifier()
        if same and not is_bare and len(lines[old.lineno - 1]) <= 100:
            return old.lineno, lines[old.lineno - 1]
    return None


def _shown(
    course: Course, questions: Iterable[Questions], code: str, names: dict[str, Any]
) -> tuple[str, float, float] | None:
    """Return the name of a fault, how often it does not show, and how often it does quietly.

    Return None if it has no name, more than one, or does not always cost a point.
    """
    turns, cases = Turns(), list[tuple[Case, bool]]()
    trials = []
    for asked in questions:
        exercise = asked.exercise
        try:
            trial = Trial(asked, applying(exercise, ast.parse(code), names, turns))
        except Exception:  # what the edit made of it cannot be defined
            return None
        here = [
            (case, bool(finding(exercise, case) or (prop.unchanged and change(exercise, case))))
            for prop in exercise.properties
            for case in trial.cases(prop)
        ]
        endless = any(isinstance(case.outcome, TimedOut) for case, _ in here)
        if endless or not any(is_wrong for _, is_wrong in here):
            return None
        cases += here
        trials.append(trial)
    results = judge(course, trials[0], trials[0].exercise.properties)
    named = {frozenset(m.name for m in result.mistakes) for result in results if result.finding}
    if len(named) != 1 or len(names_of_it := next(iter(named))) != 1:
        return None
    wrong = [case for case, is_wrong in cases if is_wrong]
    quiet = sum(map(_is_quiet, wrong)) / len(wrong)
    return next(iter(names_of_it)), 1 - len(wrong) / len(cases), quiet


def _is_quiet(case: Case) -> bool:
    """Return whether a wrong outcome is no error, and has the shapes that were expected."""
    if not isinstance(case.outcome, Returned):
        return False
    yours, theirs = ([t.shape for t in tensors(v)] for v in (case.outcome.value, case.expected))
    return yours == theirs


def _words(old: str, new: str) -> int:
    """Return how many words differ between two lines: names, numbers, signs."""
    one, other = (re.findall(r"\w+|\S", text) for text in (old, new))
    steps = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for what, a, b, c, d in steps if what != "equal")
