"""The verdict on a notebook: its answer cells, run in workers and judged here."""

import ast
import re
import sys
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import repeat
from pathlib import Path

from tensorgrader.cells import is_unwritten, parse
from tensorgrader.course import asked_now_by
from tensorgrader.difference import slow
from tensorgrader.exercise import IMPORTS, Exercise
from tensorgrader.explain_error import uncompiled
from tensorgrader.judge import Result, blaming, judge, refused
from tensorgrader.misplaced import astray
from tensorgrader.outcome import UNWRITTEN, Outcome, Raised
from tensorgrader.ready_made import called_names, ready_made, refusal, statements
from tensorgrader.sandbox.pool import LIMITS, Limits, WorkerPool
from tensorgrader.submission import Submission, read_submission
from tensorgrader.trial import Questions, Trial

#: The packages that an answer may import.
THERE = {"torch", "numpy", *sys.stdlib_module_names}


@dataclass(frozen=True)
class Grade:
    """A notebook's results, property by property, and the seed its inputs were drawn from.

    `tried` is what its code was seen to try outside of itself, `seconds` what its workers took.
    `retired` are its answers to what is no longer asked: they are not counted.
    """

    notebook: str
    seed: int
    results: tuple[Result, ...]
    tried: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    @property
    def earned(self) -> int:
        """The points gained."""
        return sum(result.earned for result in self.results)

    @property
    def points(self) -> int:
        """The points there are."""
        return sum(result.points for result in self.results)


def grade_notebook(
    path: Path, seed: int, limits: Limits = LIMITS, confined: bool | None = None
) -> Grade:
    """Grade a notebook. Raises SubmissionError for a file that cannot be graded."""
    return grade_submission(str(path), read_submission(path), seed, limits, confined)


def grade_submission(
    name: str,
    submission: Submission,
    seed: int,
    limits: Limits = LIMITS,
    confined: bool | None = None,
) -> Grade:
    """Grade what was read from a notebook; unless told, in a sandbox where there can be one.

    As in the notebook, each function is judged before the answers after it are run. Answers to what
    is no longer asked are run before all, since others may call them.
    """
    workers = WorkerPool(limits, confined)
    chapter = submission.chapter
    given = [IMPORTS, *submission.imports, chapter.given_source]
    for number, source in enumerate(given):
        workers.add(f"given-{number}", source)
    code = statements(ast.parse("\n".join(submission.imports)))
    retired = tuple(filter(asked_now_by, submission.answers))
    for old in retired:
        source, tree, _ = parse(submission.answers[old])
        if tree:
            workers.add(old, source)
            code += statements(tree)
    results: list[Result] = []
    try:
        for exercise in chapter.exercises:
            if exercise.id not in submission.answers:
                missing = f"The answer cell `{exercise.id}` is missing."
                results += refused(exercise, "\n".join([missing, *astray(exercise, submission)]))
                continue
            source, tree, problem = parse(submission.answers[exercise.id])
            if tree is None:
                results += refused(exercise, f"The answer cell `{exercise.id}` {problem}")
                continue
            workers.add(exercise.id, source)
            code += statements(tree)
            if taken := ready_made([exercise.function], code, exercise.forbidden):
                results += refused(exercise, refusal(taken))
                continue
            wrong = _wrong_steps(tree, results)
            if is_unwritten(tree, exercise.function):
                found = _unwritten(exercise, seed)
            else:
                workers.begin(exercise)
                trial = Trial(_questions(exercise, seed), partial(workers.call, exercise))
                found = judge(trial, exercise.properties)
                if any(result.finding for result in found):
                    workers.close()  # what went wrong here must not go on in the next exercise
            notes = (*_split(exercise, submission), *astray(exercise, submission))
            notes += _left_out(workers.raised(exercise), found)
            late = workers.slow.get(exercise.id)
            if late and not any(_outcome(result) is late for result in found):
                found = [replace(result, beside=slow(late.seconds)) for result in found]
            results += [_explained(result, notes, wrong, submission) for result in found]
    finally:
        workers.close()
    tried = tuple(workers.tried)
    return Grade(name, seed, tuple(results), tried, retired, workers.seconds)


@lru_cache(maxsize=256)
def _questions(exercise: Exercise, seed: int) -> Questions:
    """Return what an exercise asks, drawn once for all who answer it."""
    return Questions(exercise, seed)


@lru_cache(maxsize=256)
def _unwritten(exercise: Exercise, seed: int) -> list[Result]:
    """Judge an answer that nobody has begun, once for all who have not."""
    trial = Trial(_questions(exercise, seed), lambda batch: repeat(UNWRITTEN, len(batch)))
    return judge(trial, exercise.properties)


def _explained(
    result: Result, notes: tuple[str, ...], wrong: list[str], submission: Submission
) -> Result:
    """Add to a failure what else is known of it."""
    if not result.finding:
        return result
    notes += _not_there(result, submission)
    return blaming(replace(result, notes=notes), wrong)


def _outcome(result: Result) -> Outcome | None:
    """Return what came of the smallest case that fails, if one does."""
    return result.case.outcome if result.case else None


def _split(exercise: Exercise, submission: Submission) -> tuple[str, ...]:
    """Note that an answer came in several cells."""
    if exercise.id not in submission.split:
        return ()
    return (f"Several cells are called `{exercise.id}`: they were read one after the other.",)


def _left_out(raised: Raised | None, results: list[Result]) -> tuple[str, ...]:
    """Note what was no Python in an answer that ran without it, where no result tells of it."""
    outcomes = (result.case.outcome for result in results if result.case)
    told = [outcome for outcome in outcomes if isinstance(outcome, Raised)]
    return () if raised in told else uncompiled(raised)


def _wrong_steps(tree: ast.Module, results: list[Result]) -> list[str]:
    """Return the functions judged before that are called here and are not right yet."""
    wrong = {result.exercise.function for result in results if result.finding}
    return sorted(wrong & called_names(tree)) if wrong else []


def _not_there(result: Result, submission: Submission) -> tuple[str, ...]:
    """Note why a name is missing: its import comes late or fails here, or its cell is no answer."""
    outcome = _outcome(result)
    if not isinstance(outcome, Raised) or outcome.type != "NameError":
        return ()
    match = re.match(r"name '(\w+)'", outcome.message)
    name = match[1] if match else ""
    if package := submission.imported.get(name):
        return (
            f"`{name}` is not there: its import fails, or stands below the line that needs it."
            if package in THERE
            else f"`{name}` is not there: of what you import, the grader has only torch, numpy and "
            "the standard library.",
        )
    if name not in submission.elsewhere:
        return ()
    return (
        f"You define `{name}` in a cell that is not an answer cell; only answer cells are "
        "graded. Move it into the answer.",
    )
