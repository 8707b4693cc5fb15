"""The verdict on a notebook: its answer cells, run in workers and judged here."""

import ast
import re
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.forbidden import called_names, ready_made, refusal
from transformer_lab.grading.judge import Result, blaming, refused, verdict
from transformer_lab.grading.sandbox import DEADLINE, Died, Outcome, Sandbox, TimedOut
from transformer_lab.grading.submission import Submission, parse, read_submission
from transformer_lab.grading.trial import Trial
from transformer_lab.grading.worker import Missing, Raised


@dataclass(frozen=True)
class Limits:
    """The seconds a worker has for each cell and call, and a notebook for all of them."""

    deadline: float = DEADLINE
    budget: float = 60.0


LIMITS = Limits()


@dataclass(frozen=True)
class Grade:
    """A notebook's results, property by property, and the seed its inputs were drawn from."""

    notebook: str
    seed: int
    results: tuple[Result, ...]

    @property
    def earned(self) -> int:
        """The points gained."""
        return sum(result.earned for result in self.results)

    @property
    def points(self) -> int:
        """The points there are."""
        return sum(result.points for result in self.results)


class Answers:
    """The cells of a notebook, loaded in order into a fresh worker for each exercise."""

    def __init__(self, limits: Limits, confined: bool | None):
        """Take what bounds the workers, and whether they are in a sandbox."""
        self._limits, self._confined = limits, confined
        self._until = time.monotonic() + limits.budget
        self._sandbox: Sandbox | None = None
        self._forbidden: frozenset[str] = frozenset()
        self._cells: dict[str, str] = {}
        self._known: list[str] = []  # those that have run before and not ended their worker
        self._problems: dict[str, Raised | TimedOut | Died] = {}

    def add(self, name: str, source: str) -> None:
        """Add the next cell."""
        self._cells[name] = source

    def begin(self, exercise: Exercise) -> None:
        """Leave what ran so far behind: the next call finds a worker for this exercise."""
        self.close()
        self._forbidden = exercise.forbidden

    def call(self, exercise: Exercise, inputs: Inputs) -> Outcome:
        """Apply the function of an exercise, or say what kept its cell from defining it."""
        if time.monotonic() > self._until:
            return Died(f"was not run, since this notebook took over {self._limits.budget:g} s")
        sandbox = self._loaded()
        problem = self._problems.get(exercise.id)
        if isinstance(problem, TimedOut | Died):
            return problem
        outcome = sandbox.call(exercise.function, *inputs)
        return problem if problem and isinstance(outcome, Missing) else outcome

    def close(self) -> None:
        """End the worker."""
        if self._sandbox:
            self._sandbox.close()

    def _loaded(self) -> Sandbox:
        """Give a living worker in which every cell has run that does not end it."""
        while self._sandbox is None or not self._sandbox.alive:
            self._sandbox = Sandbox(
                self._limits.deadline, forbidden=self._forbidden, confined=self._confined
            )
            known = {name: self._cells[name] for name in self._known}
            if isinstance(self._sandbox.run_all(known), TimedOut | Died):
                self._known.clear()  # not this time: run them one by one
                continue
            for name in [name for name in self._cells if name not in self._known]:
                if self._sandbox.alive and not self._is_fatal(name):
                    self._run(self._sandbox, name)
        return self._sandbox

    def _run(self, sandbox: Sandbox, name: str) -> None:
        """Run a cell, and keep whether it ended the worker or what it raised."""
        self._problems.pop(name, None)
        if outcome := sandbox.run(name, self._cells[name]):
            self._problems[name] = outcome
        if not self._is_fatal(name):
            self._known.append(name)

    def _is_fatal(self, name: str) -> bool:
        """Tell whether a cell is known to end its worker."""
        return isinstance(self._problems.get(name), TimedOut | Died)


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

    As in the notebook, each function is judged before the answers after it are run.
    """
    answers = Answers(limits, confined)
    lines = [submission.chapter.prelude, *submission.imports]
    for number, line in enumerate(lines):
        answers.add(f"imports-{number}", line)
    trees = [ast.parse("\n".join(submission.imports))]
    results: list[Result] = []
    try:
        for exercise in submission.chapter.exercises:
            if exercise.id not in submission.answers:
                results += refused(exercise, f"The answer cell `{exercise.id}` is missing.")
                continue
            source, tree, problem = parse(submission.answers[exercise.id])
            if tree is None:
                results += refused(exercise, f"The answer cell `{exercise.id}` {problem}")
                continue
            answers.add(exercise.id, source)
            trees.append(tree)
            if found := ready_made([exercise.function], trees, exercise.forbidden):
                results += refused(exercise, refusal(found))
                continue
            answers.begin(exercise)
            trial = Trial(exercise, partial(answers.call, exercise), seed)
            wrong = _wrong_steps(tree, results)
            for prop in exercise.properties:
                result = verdict(trial, prop)
                if result.finding:
                    notes = _split(exercise, submission) + _defined_elsewhere(result, submission)
                    result = blaming(replace(result, notes=notes), wrong)
                results.append(result)
    finally:
        answers.close()
    return Grade(name, seed, tuple(results))


def _split(exercise: Exercise, submission: Submission) -> tuple[str, ...]:
    """Note that an answer came in several cells."""
    if exercise.id not in submission.split:
        return ()
    return (f"Several cells are called `{exercise.id}`: they were read one after the other.",)


def _wrong_steps(tree: ast.Module, results: list[Result]) -> list[str]:
    """Give the functions judged before that are called here and are not right yet."""
    wrong = {result.exercise.function for result in results if result.finding}
    return sorted(wrong & called_names(tree))


def _defined_elsewhere(result: Result, submission: Submission) -> tuple[str, ...]:
    """Note that a name is missing because its cell is not an answer cell."""
    outcome = result.case.outcome if result.case else None
    if not isinstance(outcome, Raised) or outcome.type != "NameError":
        return ()
    match = re.match(r"name '(\w+)'", outcome.message)
    if not match or match[1] not in submission.elsewhere:
        return ()
    return (
        f"You define `{match[1]}` in a cell that is not an answer cell; only answer cells are "
        "graded. Move it into the answer.",
    )
