"""The verdict on a notebook: its answer cells, run in a worker and judged here."""

import ast
import re
from dataclasses import dataclass, replace
from pathlib import Path

from transformer_lab.grading.exercise import Exercise, Inputs
from transformer_lab.grading.forbidden import called_names, ready_made, refusal
from transformer_lab.grading.judge import Result, refused, verdict
from transformer_lab.grading.sandbox import DEADLINE, Died, Outcome, Sandbox, TimedOut
from transformer_lab.grading.submission import Submission, parse, read_submission
from transformer_lab.grading.trial import Trial
from transformer_lab.grading.worker import Missing, Raised


@dataclass(frozen=True)
class Grade:
    """A notebook's results, property by property, and the seed its inputs were drawn from."""

    path: Path
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
    """Cells loaded into a worker in order, and again into a fresh one whenever it ends."""

    def __init__(self, deadline: float):
        """Take the seconds a worker has for each cell and each call."""
        self._deadline = deadline
        self._sandbox: Sandbox | None = None
        self._cells: dict[str, str] = {}
        self._waiting: list[str] = []
        self._problems: dict[str, Raised | TimedOut | Died] = {}

    def add(self, name: str, source: str) -> None:
        """Add the next cell; a later one may redefine what an earlier one is judged by."""
        self._cells[name] = source
        self._waiting.append(name)

    def call(self, exercise: Exercise, inputs: Inputs) -> Outcome:
        """Apply the function of an exercise, or say what kept its cell from defining it."""
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
        while self._sandbox is None or not self._sandbox.alive or self._waiting:
            if self._sandbox is None or not self._sandbox.alive:
                self._sandbox = Sandbox(self._deadline)
                self._waiting = [name for name in self._cells if not self._is_fatal(name)]
            while self._waiting and self._sandbox.alive:
                name = self._waiting.pop(0)
                outcome = self._sandbox.run(name, self._cells[name])
                if outcome is not None:
                    self._problems[name] = outcome
        return self._sandbox

    def _is_fatal(self, name: str) -> bool:
        """Tell whether a cell is known to end its worker."""
        return isinstance(self._problems.get(name), TimedOut | Died)


def grade_notebook(path: Path, seed: int, deadline: float = DEADLINE) -> Grade:
    """Grade a notebook. Raises SubmissionError for a file that cannot be graded.

    As in the notebook, each function is judged before the answers after it are run.
    """
    submission = read_submission(path)
    answers = Answers(deadline)
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
            trial = Trial(exercise, lambda inputs, e=exercise: answers.call(e, inputs), seed)
            notes = _leans_on(tree, results)
            for prop in exercise.properties:
                result = verdict(trial, prop)
                if result.finding:
                    also = _defined_elsewhere(result, submission)
                    result = replace(result, notes=(*notes, *also))
                results.append(result)
    finally:
        answers.close()
    return Grade(path, seed, tuple(results))


def _leans_on(tree: ast.Module, results: list[Result]) -> tuple[str, ...]:
    """Note which functions judged before are used here and are not right yet."""
    wrong = {result.exercise.function for result in results if result.finding}
    called = sorted(wrong & called_names(tree))
    return tuple(f"It uses your `{name}`, which is not right yet: begin there." for name in called)


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
