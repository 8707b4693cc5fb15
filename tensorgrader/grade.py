"""The verdict on a notebook: its answer cells, run in workers and judged here."""

import ast
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import repeat
from pathlib import Path

from tensorgrader.cells import is_unwritten, parse
from tensorgrader.course import Course
from tensorgrader.difference import slow
from tensorgrader.earlier import Solved, imported, ours, parts, wanted
from tensorgrader.exercise import IMPORTS, Exercise, Inputs
from tensorgrader.explain_error import uncompiled
from tensorgrader.judge import Result, blaming
from tensorgrader.judge_answer import judge_answer
from tensorgrader.misplaced import astray
from tensorgrader.outcome import UNWRITTEN, Outcome, Raised
from tensorgrader.ready_made import Statement, called_names, ready_made, statements, used_names
from tensorgrader.sandbox.pool import LIMITS, Limits, WorkerPool
from tensorgrader.submission import Submission, SubmissionError, read_submission
from tensorgrader.trial import Questions

__all__ = ["Grade", "grade_notebook"]

#: The packages that an answer may import.
THERE = {"torch", "numpy", *sys.stdlib_module_names}


@dataclass(frozen=True)
class Grade:
    """A notebook's results, property by property, and the seed of its inputs.

    `tried` is what its code tried to do outside of itself, `seconds` the time of its workers.
    `outdated` says that it was made for another version of the course, if its answers show that.

    >>> Grade("basics.ipynb", 1, ()).earned
    0
    """

    notebook: str
    seed: int
    results: tuple[Result, ...]
    tried: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    outdated: str = ""

    @property
    def earned(self) -> int:
        """The points earned."""
        return sum(result.earned for result in self.results)

    @property
    def points(self) -> int:
        """The maximum of points."""
        return sum(result.points for result in self.results)


def _nothing(_: str) -> Mapping[str, str]:
    return {}


def grade_notebook(
    course: Course, path: Path, seed: int, limits: Limits = LIMITS, confined: bool | None = None
) -> Grade:
    """Grade a notebook. Raises SubmissionError for a file that cannot be graded.

    What it imports of earlier chapters is taken from the notebooks of these that lie beside it, if
    all are called as the course calls them.

    >>> grade_notebook(course, Path("handout/basics.ipynb"), seed=1).points
    5
    """
    submission = read_submission(course, path)
    is_hand_in = path.name == f"{submission.chapter.name}.ipynb"
    solved = beside(course, path, seed, limits, confined) if is_hand_in else _nothing
    return grade_submission(str(path), submission, seed, limits, confined, solved)


def beside(
    course: Course, path: Path, seed: int, limits: Limits = LIMITS, confined: bool | None = None
) -> Solved:
    """Return a function that grades the notebook of a chapter that lies beside another."""

    @cache
    def solved(chapter: str) -> Mapping[str, str]:
        other = path.with_name(f"{chapter}.ipynb")
        try:
            submission = read_submission(course, other)
        except (OSError, SubmissionError):
            return {}
        return right_answers(submission, grade_notebook(course, other, seed, limits, confined))

    return solved


def right_answers(submission: Submission, grade: Grade) -> dict[str, str]:
    """Return the answers of a notebook that are right, by exercise."""
    wrong = {result.exercise.id for result in grade.results if result.finding}
    return {name: code for name, code in submission.answers.items() if name not in wrong}


def grade_submission(
    name: str,
    submission: Submission,
    seed: int,
    limits: Limits = LIMITS,
    confined: bool | None = None,
    solved: Solved = _nothing,
) -> Grade:
    """Grade what was read from a notebook; by default in a sandbox if there can be one.

    As in the notebook, each function is judged before the answers after it are run. `solved` gives
    the right answers of the same hand-in to earlier chapters.
    """
    workers = WorkerPool(limits, confined, submission.course.packages)
    chapter = submission.chapter
    notes = _earlier(submission, workers, solved)
    given = [IMPORTS, *submission.imports, chapter.given_source]
    for number, source in enumerate(given):
        workers.add(f"given-{number}", source)
    code = statements(ast.parse("\n".join(submission.imports)))
    results: list[Result] = []
    try:
        for exercise in chapter.exercises:
            answer = CellAnswer(exercise, submission, workers, code, results)
            judged = judge_answer(submission.course, _questions(exercise, seed), answer)
            results += [replace(result, earlier=notes.get(exercise.id, "")) for result in judged]
    finally:
        workers.close()
    tried, seconds = tuple(workers.tried), workers.seconds
    return Grade(name, seed, tuple(results), tried, seconds, submission.outdated)


def _earlier(submission: Submission, workers: WorkerPool, solved: Solved) -> dict[str, str]:
    """Send workers what is imported of earlier chapters; return what to say, by exercise."""
    course, chapter = submission.course, submission.chapter.name
    here = [*submission.imports, *submission.answers.values()]
    taken = wanted(course, chapter, here)
    if not taken:
        return {}
    answers: dict[str, str] = {}
    for name in {exercise.chapter for exercise in taken}:
        answers |= solved(name)
    versions = [parts(course, taken, answers)] if answers else []
    workers.module(course.own, *versions, parts(course, taken, {}))
    not_theirs = [exercise for exercise in taken if exercise.id not in answers]
    told = {}
    for name, code in submission.answers.items():
        names = used_names(parse(code)[1] or ast.Module([], [])) | imported(course.own, [code])
        used = (exercise for exercise in not_theirs if {exercise.function, "*"} & names)
        told[name] = " ".join(ours(course, exercise) for exercise in used)
    return told


class CellAnswer:
    """The cell of an exercise in a notebook, run in a worker after the answers before it."""

    def __init__(
        self,
        exercise: Exercise,
        submission: Submission,
        workers: WorkerPool,
        code: list[Statement],
        before: list[Result],
    ):
        """Read the cell, and add it to the workers' cells and to the code to be searched.

        `before` are the results of the exercises before it.
        """
        self._exercise, self._submission, self._workers = exercise, submission, workers
        self._code, self._wrong_steps, self._unwritten = code, list[str](), False
        self._astray = astray(exercise, submission)
        self.missing = ""
        if exercise.id not in submission.answers:
            missing = f"The answer cell `{exercise.id}` is missing."
            self.missing = "\n".join([missing, *self._astray])
            return
        source, tree, problem = parse(submission.answers[exercise.id])
        if tree is None:
            self.missing = f"The answer cell `{exercise.id}` {problem}"
            return
        workers.add(exercise.id, source)
        code += statements(tree)
        self._wrong_steps = _wrong_steps(tree, before)
        self._unwritten = is_unwritten(tree, exercise.function)

    def ready_made(self) -> str | None:
        """Return a ready-made function that this cell uses, also through other cells, if any."""
        return ready_made([self._exercise.function], self._code, self._exercise.forbidden)

    def apply(self, batch: list[Inputs]) -> Iterable[Outcome]:
        """Yield the outcome of each input; an unwritten answer is not run."""
        if self._unwritten:
            return repeat(UNWRITTEN, len(batch))
        self._workers.begin(self._exercise)
        return self._workers.call(self._exercise, batch)

    def explained(self, results: list[Result]) -> list[Result]:
        """Add notes on the cell to failures; end the worker in which it failed."""
        exercise, workers = self._exercise, self._workers
        if not self._unwritten and any(result.finding for result in results):
            workers.close()  # a failure here must not affect the next exercise
        split = (
            f"Several cells are called `{exercise.id}`: all of them were run, from top to bottom."
        )
        notes = (*[split] * (exercise.id in self._submission.split), *self._astray)
        notes += _left_out(workers.raised(exercise), results)
        late = workers.slow.get(exercise.id)
        if late and not any(result.outcome is late for result in results):
            results = [replace(result, beside=slow(late.seconds)) for result in results]
        return [
            blaming(replace(r, notes=(*notes, *_not_there(r, self._submission))), self._wrong_steps)
            if r.finding
            else r
            for r in results
        ]


@lru_cache(maxsize=256)
def _questions(exercise: Exercise, seed: int) -> Questions:
    return Questions(exercise, seed)


def _left_out(raised: Raised | None, results: list[Result]) -> tuple[str, ...]:
    """Return a note on invalid code in an answer that ran without it, unless a result says so."""
    told = [result.outcome for result in results if isinstance(result.outcome, Raised)]
    return () if raised in told else uncompiled(raised)


def _wrong_steps(tree: ast.Module, results: list[Result]) -> list[str]:
    wrong = {result.exercise.function for result in results if result.finding}
    return sorted(wrong & called_names(tree)) if wrong else []


def _not_there(result: Result, submission: Submission) -> tuple[str, ...]:
    """Return a note on why a name is missing: a late or failing import, or an ungraded cell."""
    outcome = result.outcome
    if not isinstance(outcome, Raised) or outcome.type != "NameError":
        return ()
    match = re.match(r"name '(\w+)'", outcome.message)
    name = match[1] if match else ""
    if package := submission.imported.get(name):
        return (
            f"`{name}` is not defined: its import fails, or comes after the line that needs it."
            if package in {*THERE, submission.course.own}
            else (
                f"`{name}` is not defined: of your imports, the grader has only torch, numpy and "
                "the standard library."
            ),
        )
    if name not in submission.elsewhere:
        return ()
    return (
        f"You define `{name}` in a cell that is not an answer cell; only answer cells are "
        "graded. Move it into the answer.",
    )
